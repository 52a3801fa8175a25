"""The same trials in every form, read back as they were."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from support.builders import failed_trial, not_measured, noted, outcome, server, sweep, trial, usage
from support.course_sweep import course_sweep

from ab_runner import paths
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.resources import JvmActivity
from ab_runner.report.formats.export import COLUMNS, FORMS, table
from ab_runner.store.reader import Stored

JVM = JvmActivity(gc_count=3, gc_seconds=0.1, jit_seconds=0.5, heap_after_gc_bytes=12_345_678_901)
NASTY = 'a "quote", a comma,\na line; and ünïcode'
FIRST = Stored(
    sweep(server("tomcat-5.5.15"), id="first"),
    (
        trial("tomcat-5.5.15", "small", 1, usage=usage(), jvm=JVM, limit="server"),
        trial("tomcat-5.5.15", "small", 100, verdict=noted(NASTY, "another")),
        failed_trial("tomcat-5.5.15", "large", 1, "timeout"),
    ),
)
SECOND = Stored(sweep(server("nginx-1.26"), id="second"), (not_measured("nginx-1.26", "small", 1, NASTY),))
EXPECTED = list(table(map(analyse, (FIRST, SECOND))))


def written(tmp_path: Path, form: str, sweeps: tuple[Stored, ...] = (FIRST, SECOND)) -> Path:
    path = tmp_path / f"trials.{form}"
    path.write_bytes(FORMS[form](map(analyse, sweeps)))
    return path


def test_sweeps_are_merged_into_one_table_with_a_row_per_trial_and_cell_without_one() -> None:
    assert [(row["sweep"], row["server"], row["valid"]) for row in EXPECTED] == [
        ("first", "tomcat-5.5.15", True),
        ("first", "tomcat-5.5.15", True),
        ("first", "tomcat-5.5.15", False),
        ("second", "nginx-1.26", False),
    ]
    assert all(list(row) == list(COLUMNS) and row["format"] == 1 for row in EXPECTED)
    assert EXPECTED[0]["heap_after_gc_bytes"] == 12_345_678_901
    assert {row["study"] for row in EXPECTED} == {"cindy-2006"}


def test_what_a_request_allocates_has_a_column_for_its_error() -> None:
    rows = list(table([analyse(course_sweep())]))
    assert {(row["allocated_per_request"], row["allocated_per_request_error"]) for row in rows} == {(20_833.3, 868.1)}
    assert {row["allocated_per_request"] for row in EXPECTED} == {None}


def test_percentiles_of_a_generators_own_are_in_columns_of_their_own() -> None:
    own = msgspec.structs.replace(outcome(percentiles={}), generator="wrk", own_percentiles={"p50": 1.5, "p99.9": 9.0})
    one = Stored(sweep(server("tomcat-5.5.15")), (trial("tomcat-5.5.15", "small", 1, outcome=own),))
    (row,) = table([analyse(one)])
    assert (row["generator"], row["p50_ms"], row["own_p50_ms"], row["own_p99_9_ms"]) == ("wrk", None, 1.5, 9.0)
    assert row["own_p90_ms"] is None
    assert (EXPECTED[0]["generator"], EXPECTED[0]["own_p50_ms"]) == ("ab", None)


VALUES: dict[str, Callable[[str], object]] = {
    "text": str, "whole": int, "real": float, "truth": {"true": True, "false": False}.__getitem__,
}  # fmt: skip


def read_back(path: Path) -> list[dict[str, object]]:
    """Return the rows of a file, with the types that docs/formats.md has."""
    if path.suffix == ".json":
        found: list[dict[str, object]] = json.loads(path.read_text())
        return found
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        assert rows.fieldnames == list(COLUMNS)
        return [{name: VALUES[COLUMNS[name]](text) if text else None for name, text in row.items()} for row in rows]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_back_as_it_was(tmp_path: Path, form: str) -> None:
    rows = read_back(written(tmp_path, form))
    assert rows == EXPECTED
    assert all(list(row) == list(COLUMNS) for row in rows)


@pytest.mark.parametrize("form", FORMS)
def test_a_sweep_without_trials_is_a_table_without_rows(tmp_path: Path, form: str) -> None:
    assert read_back(written(tmp_path, form, (Stored(sweep(server("a-1")), ()),))) == []


def test_the_docs_have_every_column() -> None:
    docs = (paths.ROOT / "docs" / "formats.md").read_text()
    section = docs.partition("## export\n")[2].partition("\n## ")[0]
    kinds = {"text": "text", "64-bit integer": "whole", "boolean": "truth"}
    rows = re.findall(r"^\| (.+) \| (.+) \|$", section, re.M)
    documented = {
        name: kinds[kind] for names, kind in rows if kind in kinds for name in names.replace("\\", "").split(", ")
    }
    assert {name: documented.get(name, "real") for name in COLUMNS} == COLUMNS
    assert documented.keys() <= COLUMNS.keys()
