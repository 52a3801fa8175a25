"""Reports whose statistics meet what no measurement shows: no noise at all, or the same figures for all servers. As a
program it prints them, so that they can be made with each kernel of the linear algebra."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
from support.builders import SPREAD, outcome, server, sweep, trial, usage
from support.small_sweep import STORED

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.trial import Trial
from ab_runner.report.formats import markdown
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.report.tables.ranking import report_ranking
from ab_runner.store.reader import Stored

SERVERS = tuple(server(f"{name}-1") for name in ("tomcat", "jetty", "resin", "undertow", "netty"))
LEVELS = (1, 10, 50)

Rate = Callable[[int, int, int], float]
"""Requests per second of a server, at a level, in a block, all counted from 0."""
RATES: dict[str, Rate] = {
    "no noise": lambda server, level, block: 10_000.0 + 1_000 * server + 3 * level,
    "no noise beside that of the machine": lambda server, level, block: (10_000.0 + 1_000 * server) * SPREAD[block],
    "all equal": lambda server, level, block: 12_345.0,
    "all equal but one": lambda server, level, block: 12_345.0 if server else 12_346.0,
    "tiny": lambda server, level, block: 1e-3 * (1 + server),
    "huge": lambda server, level, block: 1e9 * (1 + server),
    "noise": lambda server, level, block: (10_000.0 + 100 * server) * SPREAD[block] * SPREAD[server - block],
}


def texts() -> Iterator[str]:
    for name, rate in RATES.items():
        for levels in (LEVELS[:2], LEVELS):
            yield f"# {name}, {len(levels)} levels"
            yield text_of(made(rate, levels))
    yield text_of(STORED)


def text_of(stored: Stored) -> str:
    analysis = analyse(stored)
    return markdown.render(report_of(analysis, everything=True)) + markdown.render(report_ranking(analysis))


def made(rate: Rate, levels: tuple[int, ...]) -> Stored:
    """A sweep of six blocks, each of which is a batch."""
    empty = sweep(*SERVERS)
    request = msgspec.structs.replace(empty.request, levels=levels, workloads=("small",))
    trials = [
        one(each.id, levels[at], block, rate(number, at, block))
        for block in range(6)
        for number, each in enumerate(SERVERS)
        for at in range(len(levels))
    ]
    return Stored(msgspec.structs.replace(empty, request=request), tuple(trials))


def one(server: str, level: int, block: int, rate: float) -> Trial:
    return trial(
        server, "small", level, block=block + 1, batch=block + 1,
        outcome=outcome(requests_per_second=rate, concurrency=level), usage=usage(server_cpu_seconds=1.0),
    )  # fmt: skip


if __name__ == "__main__":
    print(*texts(), sep="\n")
