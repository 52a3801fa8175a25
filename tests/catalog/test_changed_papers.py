"""Files of published figures and conclusions, with mistakes: each is read or named in a line."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.hostile import TEXTS, changed, refusing, toml

from ab_runner import paths
from ab_runner.catalog import paper_figures, papers
from ab_runner.catalog.toml_files import DocumentError

CSV = (paths.PAPERS / paper_figures.CINDY_2006).read_text().splitlines()
CONCLUSIONS = tomllib.loads((paths.PAPERS / "conclusions-cindy-2006.toml").read_text())
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
            paper_figures.read(path)


@settings(max_examples=50)
@given(changed(CONCLUSIONS))
def test_changed_conclusions_are_read_or_named(tree: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(paths.PAPERS / paper_figures.CINDY_2006, folder)
        (folder / "conclusions-x.toml").write_text(toml(tree))
        with refusing(DocumentError):
            papers.read_all(folder)
