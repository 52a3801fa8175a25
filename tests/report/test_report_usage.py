"""What a cell says of its limit, of the JVM, and of the cost of a request."""

from __future__ import annotations

import csv
import io

import pytest
from support.builders import failed_trial, report, server, sweep, trial, usage

from ab_runner.analysis.cells import summarise
from ab_runner.model.load import Limit, Verdict
from ab_runner.model.records import JvmActivity
from ab_runner.report import csv as trials_csv
from ab_runner.store.reader import Stored


def jvm(**changes: float) -> JvmActivity:
    fields = {"gc_count": 3, "gc_seconds": 0.01, "jit_seconds": 0.02, "heap_after_gc_bytes": 5_000_000}
    return JvmActivity(**fields | changes)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (["generator", "generator", None], "generator"),
        (["generator", "server"], None),
        (["server"], "server"),
        ([None, None, "generator"], None),
    ],
)
def test_a_cells_limit_is_that_of_most_of_its_trials(limits: list[Limit | None], expected: Limit | None) -> None:
    trials = [trial("a-1", "small", 10, block=block, limit=limit) for block, limit in enumerate(limits, 1)]
    (cell,) = summarise(trials).values()
    assert cell.limit == expected


@pytest.mark.parametrize(
    ("changes", "remarks"),
    [
        ({}, ()),
        ({"gc_seconds": 0.051}, ("GC took more than 5 % of the time in 1 of 2 trials",)),
        ({"jit_seconds": 0.051}, ("the JIT took more than 5 % of the time in 1 of 2 trials",)),
    ],
)
def test_what_a_jvm_did_beside_its_work_is_told_from_5_per_cent_on(
    changes: dict[str, float], remarks: tuple[str, ...]
) -> None:
    trials = [trial("a-1", "small", 10, block=1, jvm=jvm()), trial("a-1", "small", 10, block=2, jvm=jvm(**changes))]
    (cell,) = summarise(trials).values()
    assert cell.remarks == remarks


def test_a_jit_that_only_waited_for_a_cpu_took_no_time() -> None:
    """What counts is its share of the server's CPU time, 2.5 s here, and not of the trial's second."""
    waited = trial("a-1", "small", 10, jvm=jvm(jit_seconds=0.9), usage=usage(jit_cpu_seconds=0.12))
    worked = trial("a-1", "small", 10, jvm=jvm(jit_seconds=0.01), usage=usage(jit_cpu_seconds=0.13))
    assert [summary.remarks for each in (waited, worked) for summary in summarise([each]).values()] == [
        (), ("the JIT took more than 5 % of the server's CPU time in 1 of 1 trial",)
    ]  # fmt: skip


def test_notes_of_several_blocks_that_differ_in_a_figure_are_one_with_its_range() -> None:
    trials = [
        trial("a-1", "small", 1, block=block, verdict=Verdict(True, notes=(f"{share} % kept alive",)))
        for block, share in enumerate(("99.0", "98.1", "98.5", "100.0"), 1)
    ]
    trials += [failed_trial("a-1", "small", 1, f"server exited with {code}", block=5) for code in (1, 137)]
    (cell,) = summarise(trials).values()
    assert cell.remarks == ("server exited with 1", "server exited with 137", "98.1 to 100.0 % kept alive")


def test_csv_has_what_a_trial_took() -> None:
    good = trial("a-1", "small", 10, report=report(complete=10_000), usage=usage(), limit="generator", jvm=jvm())
    failed = trial("a-1", "small", 20, report=None, verdict=Verdict(False, "timeout"), usage=usage())
    text = trials_csv.render(Stored(sweep(server("a-1")), (good, failed)))
    first, second = csv.DictReader(io.StringIO(text))
    assert first["requests_per_server_cpu_second"] == "4000.0"
    assert (first["limit"], first["gc_count"], first["heap_after_gc_bytes"]) == ("generator", "3", "5000000")
    assert (first["generator_cores_busy"], second["generator_cores_busy"]) == ("0.8", "0.8")
    assert (second["requests_per_server_cpu_second"], second["gc_count"]) == ("", "")
