"""report and conclusions of several sweeps that are sessions of one result."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.cli import Runner
from support.serving import kept
from support.sessions import FIRST, SECOND

from ab_runner.store.reader import Stored


@pytest.fixture
def sweeps(tmp_path: Path) -> tuple[str, str, str]:
    """Two sessions of one result, and a sweep that is none."""
    other = Stored(replace(SECOND.sweep, id="other", request=replace(SECOND.sweep.request, jdk=8)), SECOND.records)
    return kept(tmp_path / "one", FIRST), kept(tmp_path / "two", SECOND), kept(tmp_path / "three", other)


def test_two_sweeps_are_one_result_in_either_order(cli: Runner, sweeps: tuple[str, str, str]) -> None:
    one, two, _ = sweeps
    code, shown, _ = cli("report", one, two, "--format", "markdown")
    assert (code, "small: requests per second, range over 2 sessions" in shown) == (0, True)
    assert "Confidence: 2 sessions of 6 starts" in shown
    assert cli("report", two, one, "--format", "markdown") == (0, shown, "")


def test_every_form_of_a_report_takes_sessions(cli: Runner, sweeps: tuple[str, str, str], tmp_path: Path) -> None:
    one, two, _ = sweeps
    for options in (
        "",
        "--all",
        "--only fastest",
        "--only ranking",
        "--only summary",
        "--servers tomcat*",
        "--then-and-now",
    ):
        assert cli("report", one, two, *options.split())[0] == 0, options
    assert cli("report", one, two, "--format", "csv")[1].startswith("server,workload,axis,level,measure,sessions")
    assert cli("report", one, two, "--html", "--svg", "--out", str(tmp_path / "out"))[0] == 0
    assert (tmp_path / "out" / "report.html").exists()
    assert (tmp_path / "out" / "charts" / "small-rates.svg").exists()


def test_conclusions_judge_sweeps_each_by_itself_or_as_sessions(cli: Runner, sweeps: tuple[str, str, str]) -> None:
    one, two, _ = sweeps
    apart, joined = (cli("conclusions", one, two, *more, "--format", "markdown")[1] for more in ((), ("--sessions",)))
    assert "|  | 2006 | one | two | conclusion |" in apart
    assert "|  | 2006 | now | conclusion |" in joined
    assert "several sessions (now)" in joined


@pytest.mark.parametrize("command", [("report",), ("conclusions", "--sessions")])
def test_what_is_no_other_session_is_refused_in_one_line(
    cli: Runner, sweeps: tuple[str, str, str], command: tuple[str, ...]
) -> None:
    one, two, other = sweeps
    assert f"{other} is no other session of {one}: JDK is 8 and was 25" in cli.complaint(*command, one, two, other)
    assert f"{one} and {one} are the same sweep, session-1" in cli.complaint(*command, one, two, one)


def test_files_of_a_result_need_a_folder(cli: Runner, sweeps: tuple[str, str, str]) -> None:
    one, two, _ = sweeps
    assert "--html and --svg of several sweeps need --out" in cli.complaint("report", one, two, "--html")
