"""What comparisons within a sweep use."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np
import pytest
from support.builders import outcome, trial

from ab_runner.analysis.cells import cells_and_trials
from ab_runner.analysis.measurements import measurements_of
from ab_runner.analysis.rankings import rankings_of
from ab_runner.model.trial import Cell, Trial
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import Ranking


def trials(logs: np.ndarray, together: int | None = None) -> list[Trial]:
    """A trial for each server (column) and block (row), as fast as e to that power. With `together` so many share a
    batch: those whose numbers follow each other."""
    return [
        trial(
            f"s-{number}", "small", 1, block=block,
            batch=None if together is None else 100 * block + number // together,
            outcome=outcome(requests_per_second=10_000 * exp(log)),
        )
        for block, row in enumerate(logs, 1)
        for number, log in enumerate(row)
    ]  # fmt: skip


def measured(records: Sequence[Trial]) -> dict[Cell, Measurement]:
    return measurements_of(cells_and_trials(records)[0])


def ranking(records: Sequence[Trial]) -> Ranking:
    return rankings_of(measured(records))["small", 1]


def test_what_a_block_did_to_all_servers_is_not_in_their_differences() -> None:
    """Eight servers 3 % apart with noise of 0.5 %, in blocks that differ by 20 %."""
    random = np.random.default_rng(1)
    shared = random.normal(0, 0.2, (6, 1))
    logs = 0.03 * np.arange(8) + random.normal(0, 0.005, (6, 8))
    assert len(ranking(trials(logs + shared)).faster) >= 21
    assert ranking(trials(logs + shared)).faster == ranking(trials(logs)).faster


def test_servers_of_different_batches_are_compared_by_those_that_they_met() -> None:
    """Batches of four, drawn anew in each block, of which each is faster or slower by some 20 %."""
    random = np.random.default_rng(2)
    records = []
    for block in range(1, 7):
        order = random.permutation(8)
        for batch in (0, 1):
            factor = random.normal(0, 0.2)
            for number in order[4 * batch : 4 * batch + 4]:
                rate = 10_000 * exp(0.05 * number + factor + random.normal(0, 0.005))
                records.append(
                    trial(
                        f"s-{number}", "small", 1, block=block, batch=2 * block + batch,
                        outcome=outcome(requests_per_second=rate),
                    )
                )  # fmt: skip
    assert len(ranking(records).faster) == 28


def test_a_server_that_is_measured_longer_while_the_machine_is_slower_is_not_slower_for_that() -> None:
    """Six equal servers, and ten blocks more of one of them in which everything takes 12 % longer: nine times in ten,
    the plain means would tell that it is slower."""
    random = np.random.default_rng(3)
    wrong = 0
    for _ in range(40):
        records = trials(random.normal(0, 0.02, (6, 6)))
        records += [
            trial(
                "s-0", "small", 1, block=block,
                outcome=outcome(requests_per_second=10_000 * exp(-0.12 + random.normal(0, 0.02))),
            )
            for block in range(7, 17)
        ]  # fmt: skip
        wrong += bool(ranking(records).faster)
    assert wrong <= 4


@pytest.mark.parametrize(("blocks", "known"), [(1, False), (2, False), (5, False), (6, True)])
def test_from_fewer_than_six_starts_no_noise_is_known_and_nothing_is_told(blocks: int, known: bool) -> None:
    logs = np.random.default_rng(4).normal(0, 0.001, (blocks, 4)) + np.arange(4)
    found = measured(trials(logs))
    assert {each.mean.has_noise for each in found.values()} == {known}
    assert bool(ranking(trials(logs)).faster) is known


def test_a_server_that_lost_some_of_six_starts_is_compared_by_the_others() -> None:
    logs = np.random.default_rng(5).normal(0, 0.001, (6, 4)) + np.arange(4)
    records = [each for each in trials(logs) if not (each.server == "s-3" and each.block > 4)]
    assert ("s-3", "s-0") in ranking(records).faster


def test_a_few_figures_that_are_equal_by_chance_do_not_make_a_server_certain() -> None:
    """Ten servers with noise of 3 %, one of which shows none: it is as noisy as the others are likely to be."""
    random = np.random.default_rng(6)
    logs = random.normal(0, 0.03, (6, 10))
    logs[:, 0] = 0.04
    found = measured(trials(logs))
    variance = found[Cell("s-0", "small", 1)].mean.variance
    assert variance is not None
    assert variance > 0.1 * 0.03**2 / 6
