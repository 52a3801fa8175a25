"""Whether the machine stayed as fast as it was."""

from __future__ import annotations

import pytest
from support.builders import failed_trial, outcome, sweep, trial
from support.table_sweeps import SERVERS, TIMEOUT

from ab_runner.analysis.drift import drifts, shifts
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.trial import AFTER, BEFORE, Trial
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.store.reader import Stored


def test_the_drift_is_that_of_the_ceiling_between_before_and_after_and_needs_both() -> None:
    records = [
        trial("ceiling", "small", 1, block=BEFORE, jdk=None, outcome=outcome(requests_per_second=1000.0)),
        trial("ceiling", "large", 1, block=BEFORE, jdk=None, outcome=outcome(requests_per_second=100.0)),
        failed_trial("ceiling", "large", 1, "timeout", TIMEOUT, block=AFTER),
        trial("ceiling", "small", 1, block=1, outcome=outcome(requests_per_second=1.0)),
        trial("ceiling", "small", 1, block=AFTER, jdk=None, outcome=outcome(requests_per_second=930.0)),
    ]
    assert [(each.workload, round(each.change, 3)) for each in drifts(records)] == [("small", -0.07)]


def test_in_batches_the_drift_is_that_from_the_first_third_to_the_last() -> None:
    rates = (1000.0, 1010.0, 990.0, 5.0, 5.0, 5.0, 900.0, 905.0, 890.0)
    records = [
        trial("ceiling", "small", 100, block=1, batch=number, outcome=outcome(requests_per_second=rate))
        for number, rate in enumerate(rates, 1)
    ]
    records += [trial("ceiling", "small", 1, block=1, batch=3, outcome=outcome(requests_per_second=1.0))]
    (found,) = drifts(records)
    assert (found.before, found.after, found.batches) == (1000.0, 900.0, 9)
    assert drifts(records[:1]) == []


def blocks_of(ids: tuple[str, ...], factors: list[dict[str, float]]) -> list[Trial]:
    """Of each server two cells, as fast in each block as its factor there says, 1 where it has none."""
    return [
        trial(id, "small", level, block=block, outcome=outcome(requests_per_second=rate * factor.get(id, 1.0)))
        for block, factor in enumerate(factors, 1)
        for id in ids
        for level, rate in ((1, 5_000.0), (10, 9_000.0))
    ]


def test_a_block_in_which_the_servers_together_were_slower_is_named() -> None:
    slow = {"jetty-5.1.10": 0.94, "resin-3.0.9": 0.9, "tomcat-5.5.15": 1.0}
    records = blocks_of(tuple(slow), [{}, {}, slow, {}, {}])
    assert [round(each.change, 3) for each in shifts(records)] == [0, 0, -0.06, 0, 0]
    warnings = report_of(analyse(Stored(sweep(*SERVERS), tuple(records)))).warnings
    assert "block 3 was not like the others: 3 servers together were 6.0 % slower in it" in warnings


@pytest.mark.parametrize(
    ("ids", "factors"),
    [
        (("a-1", "b-1", "c-1"), [{}, {}, {"a-1": 0.5}, {}]),
        (("a-1", "b-1"), [{}, {}, {"a-1": 0.5, "b-1": 0.5}, {}]),
        (("a-1", "b-1", "c-1"), [{}, {"a-1": 0.5, "b-1": 0.5, "c-1": 0.5}]),
    ],
    ids=["one server alone", "two servers", "two blocks"],
)
def test_what_may_be_a_servers_own_doing_is_no_shift_of_a_block(
    ids: tuple[str, ...], factors: list[dict[str, float]]
) -> None:
    assert all(each.change == 0 for each in shifts(blocks_of(ids, factors)))


def test_a_cell_of_fewer_blocks_does_not_hide_a_shift() -> None:
    slow = dict.fromkeys(("a-1", "b-1", "c-1"), 0.9)
    records = blocks_of(tuple(slow), [{}, {}, slow])
    records += [trial(id, "large", 1, block=3) for id in slow]
    assert [round(each.change, 3) for each in shifts(records)] == [0, 0, -0.1]
