"""Sweeps with an open load, of six blocks each, with what their tables have to show."""

from __future__ import annotations

import msgspec
from support.builders import SPREAD, arrivals, open_outcome, open_trial, rejected, said, server, sweep, usage

from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Limit
from ab_runner.model.message import Verdict
from ab_runner.model.protocol import PROTOCOLS, for_open_load
from ab_runner.model.trial import Search, Step, Trial
from ab_runner.store.reader import Stored

SERVERS = tuple(server(name, workloads=("small",), kind="debian") for name in ("fast-1", "slow-1", "late-1", "tired-1"))
_LATENCIES: tuple[tuple[str, float, Limit | None], ...] = (
    ("fast-1", 1.0, None), ("slow-1", 4.0, None), ("late-1", 2.0, "generator"), ("tired-1", 9.0, None),
)  # fmt: skip
_CAPACITIES: tuple[tuple[str, int, Limit], ...] = (
    ("fast-1", 20_000, "server"), ("slow-1", 8_000, "server"), ("late-1", 30_000, "generator"),
    ("tired-1", 0, "server"),
)  # fmt: skip
_OVERLOADED = rejected("overloaded: 1,210 answers/s, 17 failed: timeout")


def of_open_load(load: OpenLoad, levels: tuple[int, ...], *records: Trial) -> Stored:
    """A sweep of small with these records."""
    stored = sweep(*SERVERS)
    request = msgspec.structs.replace(
        stored.request, open=load, levels=levels, workloads=("small",), protocol=for_open_load(PROTOCOLS["standard"])
    )
    return Stored(msgspec.structs.replace(stored, request=request), records)


def rates() -> Stored:
    """p99 at two rates: one server is slower, of one the generator was late, and one does not keep up."""
    return of_open_load(
        OpenLoad(axis="rate"), (1_000, 2_000),
        *(
            open_trial(
                name, level, by * p99 * level / 1_000, rate=level, block=block, limit=limit,
                outcome=open_outcome(level, arrivals=arrivals(level, lag_p99=0.3 if limit else 0.02)),
                verdict=_OVERLOADED if (name, level) == ("tired-1", 2_000) else Verdict(True),
            )
            for name, p99, limit in _LATENCIES
            for level in (1_000, 2_000)
            for block, by in enumerate(SPREAD, 1)
        ),
    )  # fmt: skip


def shares() -> Stored:
    """p99 at 50 and 90 per cent of the peak."""
    return of_open_load(
        OpenLoad(axis="peak"), (50, 90),
        *(
            open_trial(name, level, by * p99 * level / 50, rate=round(peak * level / 100), block=block, peak=peak)
            for name, p99, peak in (("fast-1", 1.0, 20_000.0), ("slow-1", 4.0, 8_000.0))
            for level in (50, 90)
            for block, by in enumerate(SPREAD, 1)
        ),
    )  # fmt: skip


def capacities() -> Stored:
    """The highest rate with p99 within 10 ms: of one it is the generator's, and one keeps none."""
    return of_open_load(
        OpenLoad(axis="slo"), (10,),
        *(
            _search(name, round(by * kept), limit, block)
            for name, kept, limit in _CAPACITIES
            for block, by in enumerate(SPREAD, 1)
        ),
    )  # fmt: skip


def _search(name: str, kept: int, limit: Limit, block: int) -> Trial:
    failed = round(1.04 * kept) or 10
    steps = (
        *([Step(rate=kept // 2, latency=3.5, answers_per_second=kept / 2, reason=None)] if kept else []),
        Step(rate=kept or 20, latency=7.5, answers_per_second=float(kept), reason=None if kept else said("p99 55 ms")),
        Step(rate=2 * failed, latency=90.0, answers_per_second=float(failed), reason=said("p99 90 ms"), limit=limit),
        Step(rate=failed, latency=31.0, answers_per_second=float(failed), reason=said("p99 31 ms"), limit=limit),
    )
    return open_trial(
        name, 10, 7.5, rate=kept or 10, block=block, limit=limit, peak=2.0 * kept,
        search=Search(met=kept, missed=failed, steps=steps),
        verdict=Verdict(True) if kept else rejected("SLO met at no rate: p99 55 ms"),
    )  # fmt: skip


def idle() -> Stored:
    """p99 at 500 requests per second beside no and 10,000 idle connections."""
    return of_open_load(
        OpenLoad(axis="idle", rate=500), (0, 10_000),
        *(
            open_trial(
                name, level, by * p99, rate=500, block=block,
                outcome=open_outcome(500, arrivals=arrivals(500, idle_opened=level)),
                usage=usage(peak_memory_bytes=50_000_000 + memory * level),
            )
            for name, p99, memory in (("fast-1", 1.0, 600), ("slow-1", 4.0, 70_000))
            for level in (0, 10_000)
            for block, by in enumerate(SPREAD, 1)
        ),
    )  # fmt: skip
