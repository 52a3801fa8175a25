"""A made-up sweep as large as real ones are: every server of the catalog, all workloads, six blocks."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from functools import cache

from support.builders import NOON, failed_trial, not_measured, noted, outcome, server, sweep, trial
from support.workloads import WORKLOADS

from ab_runner.model.message import Verdict
from ab_runner.model.protocol import PROTOCOLS, SweepRequest
from ab_runner.model.records import EndRecord, Record, StartRecord, WarmUpRecord, WarmUpTurns
from ab_runner.model.resources import JvmActivity, Usage
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.trial import AFTER, BEFORE
from ab_runner.model.workload import WorkloadName
from ab_runner.store.reader import Stored

FAMILIES = ("cindy", "grizzly", "httpd", "jetty", "lighttpd", "mina", "netty", "nginx", "tomcat", "undertow")
MODELS = ("blocking thread pool", "NIO reactor", "event loop", "process per connection", "virtual threads")
LEVELS = (1, 10, 100, 500, 1000)
BLOCKS = 6
CYCLES = 6
WARM_UP_LEVELS = (10, 1000)
_FASTEST: dict[WorkloadName, int] = {"echo": 18_000, "small": 19_000, "small-keepalive": 140_000, "large": 1_900}


@cache
def full_sweep() -> Stored:
    """The same whenever it is made: 39 servers and the ceiling."""
    draw = random.Random(2006)
    names = [each.name for each in WORKLOADS]
    reference = server(REFERENCE, kind="c", io_model="event loop", workloads=tuple(names))
    servers = [reference] + [
        server(
            f"{family}-{number + 1}.{draw.randrange(20)}" + "-variant" * (number % 2),
            io_model=MODELS[(place + number) % len(MODELS)],
            workloads=tuple(names) if place % 2 else tuple(names[1:]),
        )
        for place, family in enumerate(FAMILIES)
        for number in range(4 if place else 3)
    ]
    request = SweepRequest(
        protocol=PROTOCOLS["standard"], servers=tuple(each.id for each in servers), workloads=tuple(names),
        levels=LEVELS, runtime="docker", network="loopback", seed=2006, jdk=25,
    )  # fmt: skip
    records = [record for each in servers for record in _records(each, draw)]
    records += [
        trial(REFERENCE, name, 100, block=block, outcome=outcome(requests_per_second=_FASTEST[name] * factor))
        for block, factor in ((BEFORE, 1.0), (AFTER, 0.985))
        for name in names
    ]
    return Stored(
        sweep(*servers, id="20261120-120000-standard", request=request, reference=reference),
        (*records, EndRecord(at=NOON, reason="finished")),
    )


def _records(one: Server, draw: random.Random) -> Iterator[Record]:
    speed = 1.0 if one.id == REFERENCE else draw.uniform(0.15, 0.98)
    knee = draw.uniform(1.5, 8)
    for block in range(1, BLOCKS + 1):
        yield StartRecord(block=block, server=one.id, start=block, at=NOON, seconds=1.2)
        tops = {name: _FASTEST[name] * speed * draw.gauss(1, 0.012) for name in one.workloads}
        yield WarmUpRecord(
            block=block, server=one.id, start=block, at=NOON, steady=True,
            turns=tuple(
                _turns(name, level, top * level / (level + knee), draw)
                for name, top in tops.items()
                for level in WARM_UP_LEVELS
            ),
            jit_shares=tuple(0.6 * math.exp(-cycle / 2) if one.kind == "jvm" else None for cycle in range(CYCLES)),
        )  # fmt: skip
        for name, top in tops.items():
            for level in LEVELS:
                yield _cell(one, name, level, block, top * level / (level + knee), draw)


def _turns(name: WorkloadName, level: int, top: float, draw: random.Random) -> WarmUpTurns:
    rates = (round(top * (1 - 0.6 * math.exp(-cycle / 2)) * draw.gauss(1, 0.01)) for cycle in range(CYCLES))
    return WarmUpTurns(name, level, tuple(rates))


def _cell(one: Server, name: WorkloadName, level: int, block: int, rate: float, draw: random.Random) -> Record:
    if one.family == "lighttpd" and name == "large" and level == 1000:
        return failed_trial(one.id, name, level, "timeout", "apr_pollset_poll: The timeout specified has expired")
    if one.family == "mina" and name == "small-keepalive":
        return not_measured(one.id, name, level, "no keep-alive")
    rate *= draw.gauss(1, 0.006)
    median = 900 * level / rate
    return trial(
        one.id, name, level, block=block, start=block, raw=f"{block}-{one.id}-{block}-{name}-c{level}.txt",
        outcome=outcome(
            requests_per_second=round(rate, 2), complete=round(2 * rate), seconds=2.0, concurrency=level,
            percentiles={0: median / 3, 50: median, 90: median * draw.uniform(1.3, 2), 99: median * draw.uniform(2, 5),
                         100: median * draw.uniform(5, 40)},
        ),
        verdict=noted("99.0 % kept alive") if one.family == "httpd" and level == 10 else Verdict(True),
        limit="generator" if rate > 0.9 * _FASTEST[name] else "server" if level > 1 else None,
        usage=_usage(rate, draw), jvm=_jvm(draw) if one.kind == "jvm" else None,
    )  # fmt: skip


def _usage(rate: float, draw: random.Random) -> Usage:
    return Usage(
        server_cpu_seconds=draw.uniform(0.5, 2), generator_cpu_seconds=1.9, server_cores_busy=draw.uniform(0.3, 1),
        generator_cores_busy=draw.uniform(0.5, 1), server_cpus_idle=0.0, generator_cpus_idle=0.0,
        server_cpus_interrupts=0.1, generator_cpus_interrupts=0.1, busiest_thread=0.6,
        peak_memory_bytes=draw.randrange(10, 700) * 2**20, context_switches=draw.randrange(100, 100_000),
    )  # fmt: skip


def _jvm(draw: random.Random) -> JvmActivity:
    return JvmActivity(
        gc_count=draw.randrange(12), gc_seconds=draw.uniform(0, 0.1), jit_seconds=draw.uniform(0, 0.4),
        heap_after_gc_bytes=draw.randrange(5, 200) * 2**20,
    )  # fmt: skip
