"""Files of a study, with mistakes: each is read or named in a line."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.hostile import TEXTS, changed, refusing, toml

from ab_runner import paths
from ab_runner.catalog import study_conclusions, study_figures
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.studies import load_study
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.catalog.workloads import workloads_with
from ab_runner.model.protocol import DEFAULT_STUDY

FOLDER = paths.STUDIES / DEFAULT_STUDY
CSV = (FOLDER / "published.csv").read_text().splitlines()
WORKLOADS = workloads_with(DEFAULT_STUDY)
FIGURES = study_figures.read(FOLDER / "published.csv", WORKLOADS, 0)
ABOUT, CONCLUSIONS = (tomllib.loads((FOLDER / name).read_text()) for name in ("study.toml", "conclusions.toml"))
CATALOG = load_catalog()
ROWS = st.lists(
    st.sampled_from(CSV) | st.lists(st.sampled_from((*TEXTS, "small", "1", "ok", '"')), max_size=7).map(",".join)
)


@given(ROWS, st.sampled_from(["\n", "\r\n", "\r", "\0"]))
@example([",".join(["small", "a", "1" * 5000, "1", "0", "ok"])], "\n")
@example(['"' + "x" * 200_000], "\n")
def test_any_rows_are_figures_or_a_complaint(rows: list[str], line_end: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.csv")
        path.write_bytes(line_end.join([CSV[0], *rows]).encode())
        with refusing(DocumentError):
            study_figures.read(path, WORKLOADS, 0)


@settings(max_examples=50)
@given(changed(CONCLUSIONS))
def test_changed_conclusions_are_read_or_named(tree: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "conclusions.toml")
        path.write_text(toml(tree))
        with refusing(DocumentError):
            study_conclusions.read(path, FIGURES, has_beside=False)


@settings(max_examples=50)
@given(changed(ABOUT))
def test_a_changed_study_is_read_or_named(tree: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        shutil.copytree(FOLDER, Path(name, "x"))
        Path(name, "x", "study.toml").write_text(toml(tree))
        patch.setattr(paths, "STUDIES", Path(name))
        with refusing(DocumentError):
            load_study("x", CATALOG)
