"""One load from several hosts: its parts, and what they found as one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import arrivals, open_outcome, outcome

from ab_runner.load.ab_output import Failures
from ab_runner.load.generator import Run
from ab_runner.load.shares import merged, merged_run, shares_of
from ab_runner.model.limits import BLOCKS_AT_MOST
from ab_runner.model.load import Load, Outcome, Second
from ab_runner.model.message import Code, Message
from ab_runner.model.protocol import LOAD_HOSTS_AT_MOST
from ab_runner.stats.histogram import weighted
from ab_runner.sweep.trial.open import SEEDS


@given(st.integers(1, 20_000), st.integers(1, 64), st.integers(0, 10_000))
def test_every_connection_and_request_is_made_by_some_host(connections: int, hosts: int, more: int) -> None:
    found = shares_of(Load(requests=connections + more), connections, hosts)
    assert len(found) == min(hosts, connections)
    assert sum(each.connections for each in found) == connections
    assert sum(each.load.requests or 0 for each in found) == connections + more
    assert all(1 <= each.connections <= (each.load.requests or 0) for each in found), "ab refuses fewer requests"


@given(st.integers(1, 100_000), st.integers(1, 64))
def test_every_arrival_of_an_open_load_comes_from_some_host(rate: int, hosts: int) -> None:
    load = Load(seconds=5, rate=rate, idle=100, most_connections=4_000, seed=3, at_most=20, lead_in=1)
    found = [each.load for each in shares_of(load, 1, hosts)]
    assert len(found) == min(hosts, rate)
    assert sum(each.rate or 0 for each in found) == rate
    assert (sum(each.idle for each in found), sum(each.most_connections or 0 for each in found)) == (100, 4_000)
    assert len({each.seed for each in found}) == len(found)
    assert {(each.seconds, each.lead_in, each.at_most) for each in found} == {(5, 1, None)}


def test_no_host_has_the_arrivals_of_another_host_or_sweep() -> None:
    in_the_year_2100 = 4_102_444_800
    last = in_the_year_2100 * SEEDS + 999 * BLOCKS_AT_MOST + BLOCKS_AT_MOST - 1
    first, *others = (each.load.seed for each in shares_of(Load(rate=1_000, seed=last), 1, LOAD_HOSTS_AT_MOST))
    assert first == last
    assert min(others) > last + SEEDS, "nor one of a later sweep"
    assert min(later - earlier for earlier, later in pairwise(others)) > last
    assert others[-1] < 2**64, "open-load takes no larger one"


def run(result: Outcome | Message, **changes: Any) -> Run:
    fields: dict[str, Any] = {"command": ("ab", "x"), "exit_code": 0, "seconds": 1.1, "output": "$ ab x\n"}
    return Run(result=result, **fields | changes)


def test_what_one_host_found_is_left_as_it_is() -> None:
    alone = run(outcome())
    assert merged_run({"lab2": alone}) is alone


def test_rates_and_counts_add_up_and_latencies_are_those_of_all_requests() -> None:
    slow = weighted([(101_000, 1_000)]).by_highest
    first = outcome(
        requests_per_second=9_000.5, complete=9_000, concurrency=50, keep_alive=8_900, failures=Failures(receive=1)
    )
    second = outcome(
        requests_per_second=1_000.0, complete=1_000, concurrency=49, keep_alive=1_000,
        failures=Failures(receive=2, length=1),
    )  # fmt: skip
    found = merged([first, msgspec.structs.replace(second, latency=slow)])
    assert isinstance(found, Outcome)
    assert (found.completed_per_second, found.completed, found.kept_alive) == (10_000.5, 10_000, 9_900)
    assert (found.connections, found.body_bytes) == (99, 1_000_000)
    assert found.failed == {"receive": 3, "length": 1}
    assert found.failed_at_least == first.failed_at_least + second.failed_at_least
    spread = weighted(found.latency.items())
    assert spread.total == 9_000 + 1_000
    assert spread.longest == max(*first.latency, *slow)
    assert spread.percentile(90) <= weighted(first.latency.items()).longest


def test_arrivals_add_up_and_the_lag_is_that_of_all_requests() -> None:
    early = arrivals(1_000, lag={10: 4_950}, lag_longest=0.01, mean_from_sending=1.0, longest_from_sending=5.0)
    late = arrivals(1_000, lag={900: 5_000}, refused={"no_port": 2}, mean_from_sending=3.0, longest_from_sending=4.0)
    found = merged([open_outcome(1_000, arrivals=each) for each in (early, late)])
    assert isinstance(found, Outcome)
    assert found.arrivals is not None
    assert (found.arrivals.rate, found.arrivals.planned, found.arrivals.refused) == (2_000, 10_000, {"no_port": 2})
    assert found.arrivals.lag_p99 == pytest.approx(0.9)
    assert (found.arrivals.mean_from_sending, found.arrivals.longest_from_sending) == (2.0, 5.0)
    assert found.arrivals.clean_seconds is None


def test_seconds_add_up_as_far_as_one_host_has_any() -> None:
    first = open_outcome(10, per_second=(Second(9, 1, {1_000: 9}), Second(10, 0, {2_000: 10})))
    second = open_outcome(10, per_second=(Second(5, 0, {1_000: 5}, stolen={0: 0.1}),))
    found = merged([first, second])
    assert isinstance(found, Outcome)
    assert found.per_second == (Second(14, 1, {1_000: 14}), Second(10, 0, {2_000: 10}))


def test_if_one_host_fails_all_fail_and_it_is_named() -> None:
    failed = run(Message(Code.TIMEOUT, detail="70007"), exit_code=7, output="$ ab y\n", seconds=3.0)
    found = merged_run({"lab2": run(outcome()), "lab3": failed})
    assert found.result == Message(Code.TIMEOUT, detail="lab3: 70007")
    assert (found.exit_code, found.seconds) == (7, 3.0)
    assert found.output == "$ ab x\n--- from lab2\n$ ab y\n--- from lab3\n"


def test_answers_of_different_lengths_are_an_error() -> None:
    found = merged([outcome(), outcome(document_length=99)])
    assert found == Message(Code.LENGTHS_DIFFER, detail="body lengths 100, 99")
