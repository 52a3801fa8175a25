"""One load from several hosts: which part each makes, and what they found as one. Pure.

The hosts begin together. What they found is added up: counts, and distributions of latencies. Each measures by its own
clock, and no times of two clocks are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ab_runner.load.generator import Run
from ab_runner.model.load import Arrivals, Load, Outcome, Second
from ab_runner.model.message import Code, Message
from ab_runner.stats.histogram import weighted

_SEEDS_APART = 10**16
"""Between the seeds of two hosts. Those of all sweeps are below it, because a sweep's own seed is the second in which
it was made: no host has a seed of another host or sweep. Poisson arrivals of several hosts, each with its own, are
those of one at the sum of their rates."""

Key = TypeVar("Key", int, str)


class Share(Struct, frozen=True):
    """What one host makes."""

    load: Load
    connections: int


def shares_of(load: Load, connections: int, hosts: int) -> list[Share]:
    """Return what each host makes of a load: as evenly as possible of its requests, connections or rate. No host makes
    nothing, so there may be fewer. All seconds of an open load count: whether they are clean, the generator would have
    to see on the server's host."""
    hosts = min(hosts, connections if load.rate is None else load.rate)
    requests, rates, most, idle, opened = (
        _evenly(number, hosts)
        for number in (load.requests, load.rate, load.most_connections, load.idle, load.opened_before)
    )
    return [
        Share(
            replace(
                load, requests=requests[host], rate=rates[host], most_connections=most[host], idle=idle[host] or 0,
                opened_before=opened[host] or 0, seed=load.seed + host * _SEEDS_APART, at_most=None,
            ),
            _share(connections, hosts, host),
        )
        for host in range(hosts)
    ]  # fmt: skip


def _evenly(number: int | None, hosts: int) -> list[int | None]:
    return [None if number is None else _share(number, hosts, host) for host in range(hosts)]


def _share(number: int, hosts: int, host: int) -> int:
    return number // hosts + (host < number % hosts)


def merged_run(runs: Mapping[str, Run]) -> Run:
    """Return the runs of these hosts as one. If one failed, all failed: without its load the others measured something
    else. Of several, the detail names the host."""
    first = next(iter(runs.values()))
    if len(runs) == 1:
        return first
    outcomes = [run.outcome for run in runs.values() if run.outcome is not None]
    failures = [
        replace(run.failure, detail=f"{host}: {run.failure.detail}".removesuffix(": "))
        for host, run in runs.items()
        if run.failure is not None
    ]
    return Run(
        command=first.command,
        exit_code=next((run.exit_code for run in runs.values() if run.failure is not None), first.exit_code),
        result=failures[0] if failures else merged(outcomes),
        seconds=max(run.seconds for run in runs.values()),
        output="".join(f"{run.output}--- from {host}\n" for host, run in runs.items()),
    )


def merged(outcomes: Sequence[Outcome]) -> Outcome | Message:
    """Return what several runs of the same length found that began together. Their rates add up, because each is a
    mean over the same seconds."""
    first = outcomes[0]
    lengths = {each.body_length for each in outcomes}
    if len(lengths) > 1:
        return Message(Code.LENGTHS_DIFFER, detail=f"body lengths {', '.join(sorted(map(str, lengths)))}")
    return Outcome(
        generator=first.generator,
        version=first.version,
        connections=sum(each.connections for each in outcomes),
        seconds=max(each.seconds for each in outcomes),
        is_timed=first.is_timed,
        completed=sum(each.completed for each in outcomes),
        completed_per_second=round(sum(each.completed_per_second for each in outcomes), 2),
        answered=sum(each.answered for each in outcomes),
        requests=sum(each.requests for each in outcomes),
        failed=_added(each.failed for each in outcomes),
        failed_at_least=sum(each.failed_at_least for each in outcomes),
        retried=sum(each.retried for each in outcomes),
        kept_alive=None if first.kept_alive is None else sum(each.kept_alive or 0 for each in outcomes),
        received_bytes=sum(each.received_bytes for each in outcomes),
        body_bytes=None if first.body_bytes is None else sum(each.body_bytes or 0 for each in outcomes),
        body_length=first.body_length,
        latency=_added(each.latency for each in outcomes),
        arrivals=_arrivals(outcomes),
        per_second=_per_second([each.per_second for each in outcomes]),
    )


def _arrivals(outcomes: Sequence[Outcome]) -> Arrivals | None:
    """Return what became of the arrivals; None of closed loads. The most connections of each host need not have been at
    the same time."""
    answers = [(each.arrivals, each.completed) for each in outcomes if each.arrivals is not None]
    if not answers:
        return None
    found = [arrivals for arrivals, _ in answers]
    lag = _added(each.lag for each in found)
    means = [(each.mean_from_sending, completed) for each, completed in answers if each.mean_from_sending is not None]
    answered = sum(completed for _, completed in means)
    return Arrivals(
        rate=sum(each.rate for each in found),
        planned=sum(each.planned for each in found),
        refused=_added(each.refused for each in found),
        lag_p99=weighted(lag.items()).percentile(99) / 1000 if lag else max(each.lag_p99 for each in found),
        lag_longest=max(each.lag_longest for each in found),
        most_connections=sum(each.most_connections for each in found),
        idle_opened=sum(each.idle_opened for each in found),
        idle_closed=sum(each.idle_closed for each in found),
        lag=lag,
        due_seconds=max(each.due_seconds or 0.0 for each in found),
        mean_from_sending=sum(mean * completed for mean, completed in means) / answered if answered else None,
        longest_from_sending=max(
            (each.longest_from_sending for each in found if each.longest_from_sending is not None), default=None
        ),
        opened_before=sum(each.opened_before for each in found),
    )


def _per_second(of_hosts: Sequence[Sequence[Second]]) -> tuple[Second, ...]:
    """Return the seconds of all hosts together, each by its own clock since it began. What was stolen from CPUs of
    different machines is left out: their numbers are the same."""
    seconds = ([each for each in same if each is not None] for same in zip_longest(*of_hosts))
    return tuple(
        Second(
            answered=sum(each.answered for each in same),
            failed=sum(each.failed for each in same),
            latency=_added(each.latency for each in same),
            lag=_added(each.lag for each in same),
        )
        for same in seconds
    )


def _added(counts: Iterable[Mapping[Key, int]]) -> dict[Key, int]:
    total: Counter[Key] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)
