"""What happened in each second of a trial."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from support.builders import arrivals, open_outcome, open_trial, outcome, trial
from support.course_sweep import WARM, WARMING, course, course_sweep, course_trial, seconds_of

from ab_runner.analysis.courses import Answers, Use, courses_of
from ab_runner.analysis.selection import Selection, narrowed
from ab_runner.analysis.sessions import together
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.analysis.trial_figures import Allocation, figures_of
from ab_runner.model.load import Second
from ab_runner.model.trial import AFTER, DISTURBED, Cell, RepeatedTrial, Search, Trial


def test_a_course_has_the_seconds_of_the_generator_and_the_looks_of_the_runner() -> None:
    (found,) = courses_of([course_trial("tomcat-11", WARMING)])
    assert (found.cell, found.block, found.start, found.run) == (Cell("tomcat-11", "small", 100), 1, 1, 1)
    assert [each.answered for each in found.answers] == list(WARMING)
    assert found.answers[0] == Answers(1_000, 0, p50=2.0, p99=20.0, longest=20.0, is_disturbed=False)
    assert len(found.uses) == len(WARMING)
    assert found.uses[1] == Use(at=2.0, cores=1.0, jit_share=0.4, collections=2, memory_bytes=200 << 20)


def test_cores_are_those_of_the_time_between_two_looks() -> None:
    changed = course(2, at=(0.5, 2.0), server_cpu_seconds=(0.5, 0.75), jit_cpu_seconds=(), gc_count=(), memory_bytes=())
    (found,) = courses_of([course_trial("nginx-1.26", WARM, course=changed)])
    assert found.uses == (Use(0.5, 1.0, None, None, None), Use(2.0, 0.5, None, None, None))


def test_what_was_used_after_the_load_is_left_out() -> None:
    rates = WARM[:10]
    (found,) = courses_of([course_trial("tomcat-11", rates, course=course(12))])
    assert [use.at for use in found.uses][-1] == 10
    (longer,) = courses_of([course_trial("tomcat-11", rates, course=course(2, at=(9.9, 11.0)))])
    assert len(longer.uses) == 2, "the last one began before the end"


def test_of_a_server_that_took_no_cpu_time_the_share_of_the_compiler_is_not_known() -> None:
    changed = course(1, server_cpu_seconds=(0.0,), jit_cpu_seconds=(0.0,))
    (found,) = courses_of([course_trial("tomcat-11", WARM, course=changed)])
    assert [(use.cores, use.jit_share) for use in found.uses] == [(0.0, None)]


def test_a_second_without_an_answer_has_no_latency_and_one_that_was_stolen_from_is_disturbed() -> None:
    told = (*seconds_of((100,) * 9), Second(0, 50, stolen={1: 0.02}))
    (found,) = courses_of([trial("a-1", "small", 1, outcome=open_outcome(100, arrivals=None, per_second=told))])
    assert found.answers[-1] == Answers(0, 50, None, None, None, is_disturbed=True)


def test_cold_trials_of_a_start_are_its_first_runs_and_disturbed_ones_are_none() -> None:
    cold, again = course_trial("a-1", WARMING), course_trial("a-1", WARM)
    repeated = [RepeatedTrial(trial=cold, reason="cold"), RepeatedTrial(trial=cold, reason=DISTURBED)]
    other = course_trial("a-1", WARM, start=2)
    assert [(each.start, each.run) for each in courses_of([*repeated, again, other])] == [(1, 1), (1, 2), (2, 1)]


def open_course(asked: float) -> Trial:
    """A trial of twelve seconds, of which so many were to be clean."""
    told = arrivals(1_000, clean_seconds=asked, clean_seconds_asked=asked)
    return open_trial("a-1", 1_000, 5.0, outcome=open_outcome(1_000, per_second=seconds_of(WARM), arrivals=told))


@pytest.mark.parametrize(
    "made",
    [
        trial("a-1", "small", 1),
        course_trial("a-1", (100,) * 9, course=msgspec.UNSET),
        course_trial("a-1", WARM, block=AFTER),
        open_course(5.0),
        msgspec.structs.replace(open_course(10.0), search=Search(met=1, missed=None, steps=())),
    ],
    ids=["ab", "nine seconds", "the reference afterwards", "an open load that took longer than asked", "a search"],
)
def test_trials_without_a_course(made: Trial) -> None:
    assert courses_of([made]) == ()


def test_an_open_load_has_what_its_generator_told_alone() -> None:
    (found,) = courses_of([open_course(10.0)])
    assert (len(found.answers), found.uses) == (len(WARM), ())


def test_a_trial_that_wrk_or_ab_made_has_what_the_runner_saw() -> None:
    (found,) = courses_of([trial("tomcat-11", "small", 100, outcome=outcome(seconds=12.0), course=course())])
    assert (found.answers, len(found.uses)) == ((), 12)


def test_a_part_of_a_sweep_and_a_result_of_several_have_their_courses() -> None:
    analysis = analyse(course_sweep())
    assert len(analysis.courses) == 5
    part = narrowed(analysis, Selection(servers=("tomcat-*",), levels=(100,)))
    assert [(each.cell.server, each.run) for each in part.courses] == [("tomcat-11", 1), ("tomcat-11", 2)]
    other = msgspec.structs.replace(course_sweep().sweep, id="20261121-120000-quick")
    both = together([("a", analysis), ("b", analyse(msgspec.structs.replace(course_sweep(), sweep=other)))])
    assert len(both.courses) == 10
    assert len({(each.cell, each.start, each.run) for each in both.courses}) == 10


def test_what_a_request_allocates_has_an_error_of_one_collection() -> None:
    figures, _ = figures_of(course_trial("tomcat-11", WARM))
    answered = sum(WARM)
    assert figures.allocated == Allocation(12 * 250_000_000 / answered, 125_000_000 / answered)


@pytest.mark.parametrize(
    "changes",
    [
        {"course": msgspec.UNSET},
        {"course": course(allocated_bytes=(), allocated_error_bytes=0)},
        {"course": course(allocated_bytes=(0,) * 11 + (100_000_000,))},
        {"outcome": None},
    ],
    ids=["no course", "no eden", "less than a collection", "no answer"],
)
def test_what_a_request_allocates_is_not_known_where_nothing_tells_it(changes: dict[str, Any]) -> None:
    assert figures_of(course_trial("tomcat-11", WARM, **changes))[0].allocated is None
