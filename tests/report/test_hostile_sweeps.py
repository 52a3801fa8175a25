"""A sweep's folder from someone else: it is read and shown, or refused in a line; whatever is in it, nothing else
happens, and soon."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.cli import Runner, cli, elsewhere
from support.hostile import changed, refusing
from support.serving import keep
from support.small_sweep import STORED, STUDY

from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.errors import UserError
from ab_runner.model.text import visible
from ab_runner.report.formats import csv as trials_csv
from ab_runner.report.formats import export, markdown
from ab_runner.report.html.page import page_of
from ab_runner.report.tables.compare_sweeps import compare_all
from ab_runner.report.tables.comparison import report_comparison
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.report.tables.studies import judged
from ab_runner.store.layout import StoreError
from ab_runner.store.reader import Stored, read

__all__ = ["cli", "elsewhere"]

RECORDED = Path(__file__).parents[1] / "recordings" / "sweeps" / "quick"
SWEEP = json.loads((RECORDED / "sweep.json").read_text())
LOG = [json.loads(line) for line in (RECORDED / "trials.jsonl").read_text().splitlines()]


def stored(sweep: Any, log: list[Any]) -> Stored | None:
    """What is read of these; None if the folder is refused, in a line."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sweep.json").write_text(json.dumps(sweep))
        Path(folder, "trials.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in log))
        with refusing(StoreError):
            return read(Path(folder))
    return None


def everything_of(analysis: SweepAnalysis) -> None:
    """Make all that is shown of a sweep but drawings."""
    markdown.render(report_of(analysis, everything=True))
    trials_csv.render(analysis)
    export.as_json([analysis])
    page_of(analysis, STUDY)
    judged([("now", analysis)])
    with suppress(UserError):  # they have no cell in common
        report_comparison([analysis, OTHER], compare_all([("a", analysis), ("b", OTHER)], slower=None, anyway=True))


OTHER = analyse(read(RECORDED))


@settings(max_examples=40)
@given(changed(SWEEP))
def test_a_changed_sweep_json_is_shown_or_refused(sweep: Any) -> None:
    found = stored(sweep, LOG)
    if found is not None:
        everything_of(analyse(found))


@settings(max_examples=60)
@given(changed(LOG))
def test_a_changed_log_is_shown_without_the_lines_that_cannot_be(log: list[Any]) -> None:
    found = stored(SWEEP, log)
    assert found is not None
    assert len(found.records) + len(found.damage) >= 1
    everything_of(analyse(found))


TRIAL = next(each for each in LOG if each["record"] == "trial" and each["verdict"]["valid"])


def with_report(**changes: Any) -> Any:
    return TRIAL | {"report": TRIAL["report"] | changes}


@pytest.mark.parametrize(
    "record",
    [
        with_report(percentiles={"0": 1.0, "99": 1.0, "100": 1e308}),
        with_report(percentiles={"101": 1.0}),
        with_report(requests_per_second=0),
        with_report(requests_per_second=1e300),
        with_report(complete=0),
        with_report(complete=10**30),
        with_report(seconds=-1),
        TRIAL | {"at": "2026-01-01T00:00:00"},
        TRIAL | {"concurrency": 0},
        TRIAL | {"server": "nobody"},
        TRIAL | {"report": None},
        TRIAL | {"milliseconds": {"1": -1}},
        {"record": "repeated-trial", "reason": "cold", "trial": with_report(requests_per_second=0)},
        {"record": "repeated-trial", "reason": "disturbed", "trial": with_report(requests_per_second=0)},
        {"record": "start", "block": 1, "server": "nobody", "start": 1, "at": TRIAL["at"], "seconds": 1},
    ],
)
def test_a_record_that_cannot_be_true_is_a_damaged_line(record: Any) -> None:
    found = stored(SWEEP, [*LOG, record])
    assert found is not None
    assert len(found.records) == len(LOG)
    assert len(found.damage) == 1
    assert f"line {len(LOG) + 1} is damaged and ignored" in found.damage[0]


def asked(**changes: Any) -> Any:
    return SWEEP | {"asked": SWEEP["asked"] | changes}


def protocol(**changes: Any) -> Any:
    return asked(protocol=SWEEP["asked"]["protocol"] | changes)


@pytest.mark.parametrize(
    "sweep",
    [
        SWEEP | {"started": "2026-01-01T00:00:00"},
        asked(concurrency=[]),
        asked(concurrency=[0]),
        asked(workloads=[]),
        asked(seed=10**400),
        protocol(blocks=10_000),
        protocol(blocks=0),
        protocol(blocks=1000, together=0),
        protocol(trial={}),
        protocol(trial={"seconds": 1, "requests": 1}),
        asked(concurrency=list(range(1, 1000)), protocol=SWEEP["asked"]["protocol"] | {"blocks": 1000}),
        SWEEP | {"servers": SWEEP["servers"] * 2},
        SWEEP | {"servers": SWEEP["servers"][:1] * 1001},
        SWEEP | {"reference": SWEEP["servers"][0]},
    ],
)
def test_a_sweep_that_cannot_be_is_refused(sweep: Any) -> None:
    assert stored(sweep, LOG) is None


def test_of_many_damaged_lines_some_are_named(tmp_path: Path) -> None:
    keep(tmp_path / "s", STORED).close()
    with (tmp_path / "s" / "trials.jsonl").open("a") as log:
        log.writelines(f'{{"record":"trial","workload":"{"x" * 1000}"}}\n' for _ in range(1000))
        log.writelines(f'{{"record":"new-{number}{"x" * 1000}"}}\n' for number in range(1000))
    damage = read(tmp_path / "s").damage
    assert len(damage) == 102
    assert "900 more lines are damaged" in damage[100]
    assert "1000 records of a kind that this version does not know" in damage[101]
    assert max(map(len, damage)) < 10_000


# --- what a reader sees ------------------------------------------------------------------------------------------

ATTACK = "\x1b]0;owned\x07\x1b[2J=HYPERLINK(1)\u202e"


def test_no_text_of_a_sweep_reaches_the_terminal_as_a_command(cli: Runner, tmp_path: Path) -> None:
    sweep = SWEEP | {
        "id": ATTACK,
        "left_out": {ATTACK: ATTACK},
        "environment": SWEEP["environment"] | {"ab package": ATTACK},
        "machine": SWEEP["machine"] | {"cpu_model": ATTACK, "system": ATTACK},
    }
    log = [*LOG, {"record": ATTACK}, TRIAL | {"server": ATTACK}, {"record": "end", "at": TRIAL["at"], "reason": ATTACK}]
    folder = tmp_path / f"s{ATTACK}"
    folder.mkdir()
    (folder / "sweep.json").write_text(json.dumps(sweep))
    (folder / "trials.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in log))
    for arguments in (
        ("report", "--all", str(folder)),
        ("report", "--all", "--format", "markdown", str(folder)),
        ("report", "--format", "csv", str(folder)),
        ("compare", "--anyway", str(RECORDED), str(folder)),
        ("compare", "--anyway", "--format", "csv", str(RECORDED), str(folder)),
        ("conclusions", str(folder)),
        ("report", f"{folder}x"),
        ("export", str(folder), str(folder), "--out", str(tmp_path / "x.csv")),
        ("publish", str(folder), "x"),
        ("resume", str(folder)),
    ):
        _, stdout, stderr = cli(*arguments)
        assert stdout + stderr == visible(stdout + stderr), arguments
        assert "owned" in stdout + stderr or "csv" in arguments or "conclusions" in arguments


FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1+1", "-", "1", "a=1", ""]  # noqa: RUF001


@given(st.text(max_size=20) | st.sampled_from(FORMULAS))
@example('=HYPERLINK("http://x")')
def test_no_text_in_csv_is_a_formula(text: str) -> None:
    (row,) = csv.DictReader(io.StringIO(trials_csv.write(["a", "b"], [{"a": text, "b": -1.5}])))
    assert row["b"] == "-1.5", "a figure is no text"
    assert not re.match(r"[=+\-@\t\r\n＝＋－＠].", row["a"], re.DOTALL)  # noqa: RUF001
    assert row["a"].removeprefix("'") in (visible(text), visible(text).removeprefix("'"))


def test_no_text_in_markdown_opens_a_block_or_hides_the_rest() -> None:
    sweep = SWEEP | {"left_out": {"a": "~~~", "b": "&lt;script&gt;", "c": "<!-- end -->"}}
    found = stored(sweep, LOG)
    assert found is not None
    text = markdown.render(report_of(analyse(found), everything=True))
    assert "~~~" not in text
    assert "&lt;" not in text.replace("\\&lt;", "")
    assert "<!--" not in text.replace("\\<!--", "")
