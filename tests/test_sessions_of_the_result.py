from __future__ import annotations

from pathlib import Path

import aims
import pytest
import sessions
from msgspec.structs import replace
from support.builders import blocks
from support.serving import kept
from support.sessions import FIRST, RATES, rates, session

from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse


def three(last_tomcat: float = 1.0) -> list[SweepAnalysis]:
    """Three sessions, the second of which differs a little from the first, and of the third tomcat-11 as given."""
    speeds = [
        dict(zip(RATES, by, strict=True))
        for by in ((1, 1, 1, 1), (1.5, 1.52, 1.49, 1.49), (0.8, 0.796, 0.802, 0.802 * last_tomcat))
    ]
    return [
        analyse(session(number, rates({name: RATES[name] * by for name, by in each.items()})))
        for number, each in enumerate(speeds, 1)
    ]


def test_without_sessions_the_first_is_due(tmp_path: Path) -> None:
    assert list(sessions.lines_of("core-slo", tmp_path)) == [
        "core-slo: 0 of 3 sessions",
        "  core-slo-1 is due:",
        "    ./ab-runner --protocol standard --runtime docker --jdk 25 --servers @core --workloads small-keepalive "
        "--slo p99=10ms",
        "    ./ab-runner publish results/latest core-slo-1",
    ]


def test_the_next_session_is_hours_after_the_last(tmp_path: Path) -> None:
    kept(tmp_path / "core-rates-1", FIRST)
    first, there, due, *_, command = sessions.lines_of("core-rates", tmp_path)
    assert first == "core-rates: 1 of 3 sessions"
    assert there == "  core-rates-1: 2026-11-20 19:00 to 12:00 UTC, Xeon 3.0 GHz, 2 CPUs"
    assert due == "  core-rates-2 is due from 2026-11-20 18:00 UTC on, or on another machine:"
    assert command == "    ./ab-runner publish results/latest core-rates-2"


def test_with_all_sessions_nothing_is_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "ROOT", tmp_path)
    for number in (1, 2, 3):
        kept(tmp_path / f"core-rates-{number}", FIRST)
    assert list(sessions.lines_of("core-rates", tmp_path))[-1] == "  complete: ./ab-runner report core-rates-*"


def test_sessions_that_agree_predict_each_other() -> None:
    found = sessions.leave_one_out(three())
    assert (len(found.covered), len(found.widths)) == (12, 12)
    assert found.coverage >= 0.9
    assert (found.opposite, found.large, found.told) == (0, 15, 15)
    assert all(aim.met for aim in aims.predicted("three", found))


def test_a_session_in_which_a_server_is_another_one_is_not_predicted() -> None:
    found = sessions.leave_one_out(three(last_tomcat=0.3))
    assert found.coverage < 0.9
    assert found.opposite > 0
    assert found.told < found.large, "a pair that the others order the other way is not told"
    assert [aim.met for aim in aims.predicted("three", found)][:2] == [False, False]


def test_of_two_sessions_orders_are_compared_and_no_interval_is() -> None:
    found = sessions.leave_one_out(three()[:2])
    assert (found.covered, found.opposite) == ((), 0)
    coverage, *others = aims.predicted("two", found)
    assert (coverage.met, [aim.met for aim in others]) == (None, [True, True])


def test_pairs_that_a_bound_forbids_are_not_asked_for() -> None:
    stored = session(1, [*rates(RATES), *blocks("nginx-1.26", 2_000.0, 1, limit="generator")])
    bounded = [analyse(replace(stored, sweep=replace(stored.sweep, id=f"{n}"))) for n in (1, 2)]
    assert sessions.leave_one_out(bounded).large == 2 * 5
    free = analyse(session(3, [*rates(RATES), *blocks("nginx-1.26", 2_000.0, 1)]))
    assert sessions.leave_one_out([bounded[0], free]).large == 2 * 5, "whichever of the two sessions has it"


def test_without_sessions_the_aim_is_neither_met_nor_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aims, "RESULTS", tmp_path)
    found = list(aims.over_sessions())
    assert [aim.met for aim in found] == [None] * 3
    assert found[0].text == "2006-newest, 0 of 3 sessions: none predicts another yet"
