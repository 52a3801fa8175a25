"""What a cell says of its limit and of the cost of a request."""

from __future__ import annotations

import csv
import io

import pytest
from builders import report, server, sweep, trial, usage

from ab_runner.model import Limit, Verdict
from ab_runner.report import csv as trials_csv
from ab_runner.report.cells import summarise
from ab_runner.store import Stored


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


def test_a_figure_that_is_the_generators_has_a_star_and_says_so() -> None:
    (cell,) = summarise([trial("a-1", "small", 10, limit="generator")]).values()
    assert cell.rate_text == "12,345*"
    assert cell.remarks == ("the generator was the limit",)
    (cell,) = summarise([trial("a-1", "small", 10, limit="server")]).values()
    assert cell.rate_text == "12,345"


def test_csv_has_what_a_trial_took() -> None:
    good = trial("a-1", "small", 10, report=report(complete=10_000), usage=usage(), limit="generator")
    failed = trial("a-1", "small", 20, report=None, verdict=Verdict(False, "timeout"), usage=usage())
    text = trials_csv.render(Stored(sweep(server("a-1")), (good, failed)))
    first, second = csv.DictReader(io.StringIO(text))
    assert first["requests_per_server_cpu_second"] == "4000.0"
    assert first["limit"] == "generator"
    assert (first["generator_cores_busy"], second["generator_cores_busy"]) == ("0.8", "0.8")
    assert second["requests_per_server_cpu_second"] == ""
