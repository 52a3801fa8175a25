"""What the servers of a sweep, or of several sessions, are compared by. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import msgspec

from ab_runner.analysis.rankings import Rankings, difference_told, ranking_of, rankings_of
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.estimate import Estimate
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import Ranking

TELLS = 0.2
"""The difference that must be told for ranks by p99: what it tells of a server depends on the hours
(docs/statistics.md)."""
_UNCERTAIN = 99
"""The percentile for which that holds, and for those above it."""


class Base(msgspec.Struct, frozen=True):
    """The mean that the figures of a row are relative to: of how many servers, and whether any is a lower bound."""

    servers: int
    is_bound: bool


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """What servers were compared by: measurements and rankings by cell, and of latencies (`percentile` is then set)
    also over all levels of a workload together. By p99 there is a ranking only where a difference of `TELLS` is told.
    Of several sessions `relative` has each figure over the geometric mean of its row, which `bases` describe; of
    latencies a lower one is better."""

    measurements: Mapping[Cell, Measurement]
    rankings: Rankings
    percentile: int | None = None
    over_levels: Mapping[WorkloadName, tuple[Mapping[str, Measurement], Ranking]] = {}
    relative: Mapping[Cell, Estimate] = {}
    bases: Mapping[tuple[WorkloadName, int], Base] = {}


def compared_by(
    measurements: Mapping[Cell, Measurement],
    percentile: int | None = None,
    together: Mapping[WorkloadName, Mapping[str, Measurement]] | None = None,
    relative: Mapping[Cell, Estimate] | None = None,
    bases: Mapping[tuple[WorkloadName, int], Base] | None = None,
) -> Compared:
    """Return these measurements, and those of all levels `together`, with the rankings by them."""
    told = TELLS if percentile is not None and percentile >= _UNCERTAIN else inf
    return Compared(
        measurements=measurements,
        rankings=rankings_of(measurements, told),
        percentile=percentile,
        over_levels={
            name: (row, ranking_of(row) if difference_told(row) <= told else Ranking({}))
            for name, row in (together or {}).items()
        },
        relative=relative or {},
        bases=bases or {},
    )
