"""What the levels and the figures of a sweep are called. Pure."""

from __future__ import annotations

import msgspec

from ab_runner.analysis.measure import Measure, lower_is_better, measure_on
from ab_runner.model.axis import Axis, level_text
from ab_runner.model.protocol import DEFAULT_GENERATOR, SweepRequest


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """`quantity` is what a figure is, `unit` the same as a short heading. `over` is what the levels are, `column` the
    same as a short heading, and `place` a level in a sentence. `answer` is the title of the table of the best servers,
    `generator` the program that made the load, `limit` what can be the limit in the place of a server, and
    `percentile` the percentile that an SLO bounds."""

    axis: Axis
    place: str
    measure: Measure
    quantity: str
    unit: str
    over: str
    column: str
    answer: str
    generator: str
    limit: str
    percentile: str

    @property
    def is_closed(self) -> bool:
        """Whether the load is closed: its connections wait for answers."""
        return self.axis == "connections"

    @property
    def load(self) -> str:
        """What the load is called in a title."""
        if not self.is_closed:
            return "open load"
        return "Apache Benchmark" if self.generator == DEFAULT_GENERATOR else self.generator

    def heading(self, level: int) -> str:
        """Return a level as the heading of a column whose table says what the levels are."""
        return f"{level:,}" if self.is_closed else level_text(self.axis, level)

    @property
    def better(self) -> str:
        """Which figures are the better ones."""
        return "Lower is better" if lower_is_better(self.measure) else "Higher is better"

    def at(self, level: int) -> str:
        """Return a level as part of a sentence: `at concurrency 100`."""
        return self.place.format(f"{level:,}")

    def quantity_at(self, level: int) -> str:
        """Return what the figures at a level are: `requests per second at concurrency 100`."""
        if self.measure == "capacity":
            return f"requests/s at which half of the trials have {self.percentile} within {level:,} ms"
        return f"{self.quantity} {self.at(level)}"


_ANSWERS: dict[Measure, str] = {
    "rate": "Fastest servers",
    "latency": "Lowest latencies",
    "capacity": "Highest capacities",
}


def words_of(request: SweepRequest) -> Words:
    """Return the words of a sweep."""
    axis, opened = request.axis, request.open
    measure = measure_on(axis)
    percentile = opened.percentile if opened else "p99"
    quantity, unit = {
        "rate": ("requests per second", "requests/s"),
        "latency": ("median latency in ms", "p50, ms"),
        "capacity": (f"requests/s at which half of the trials have {percentile} within the bound", "requests/s"),
    }[measure]
    over, column, place = {
        "connections": ("concurrency", "c", "at concurrency {}"),
        "rate": ("requests per second", "rate", "at {} requests/s"),
        "peak": ("% of each server's peak", "% of peak", "at {} % of each server's peak"),
        "slo": (f"bound of {percentile} in ms", f"{percentile} ≤ ms", "at each server's capacity within {} ms"),
        "idle": ("idle connections", "idle", "beside {} idle connections"),
    }[axis]
    return Words(
        axis=axis, place=place, measure=measure, quantity=quantity, unit=unit, over=over, column=column,
        answer=_ANSWERS[measure], generator=request.load_by,
        limit=f"{request.load_by} or the network" if request.load_hosts else request.load_by, percentile=percentile,
    )  # fmt: skip
