"""From samples of the accounts of server and generator to what a trial took, and to what was its limit. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from ab_runner.model.load import Limit
from ab_runner.model.resources import StolenSeconds, Usage
from ab_runner.monitor.readings import Reading, Thread, Threads

FULL = 0.95
"""The share of its CPU time from which on something counts as full.

The other 5 % are what a thread that always has work loses to the scheduler and to short waits for the next event.
"""
_LOAD_BEGINS, _LOAD_ENDS = 0.1, 0.9
"""Shares of the server's CPU time between which the load was certainly on."""


def usage_of(readings: Sequence[Reading], before: Threads, after: Threads) -> Usage | None:
    """Return what a trial took; None without two readings. `before` and `after` are the server's threads at both ends
    of it."""
    if len(readings) < 2:
        return None
    loaded = _loaded(readings)
    spent = readings[-1].server_cpu - readings[0].server_cpu
    cores = _rate(loaded, lambda reading: reading.server_cpu)
    return Usage(
        server_cpu_seconds=round(spent, 6),
        generator_cpu_seconds=round(readings[-1].generator_cpu - readings[0].generator_cpu, 6),
        server_cores_busy=cores,
        generator_cores_busy=_rate(loaded, lambda reading: reading.generator_cpu),
        server_cpus_idle=_rate(loaded, lambda reading: reading.server_cpus_idle),
        generator_cpus_idle=_rate(loaded, lambda reading: reading.generator_cpus_idle),
        server_cpus_interrupts=_rate(loaded, lambda reading: reading.server_cpus_interrupts),
        generator_cpus_interrupts=_rate(loaded, lambda reading: reading.generator_cpus_interrupts),
        busiest_thread=round(_busiest(before, after) / spent * cores, 3) if after and cores else None,
        peak_memory_bytes=max((reading.memory for reading in readings if reading.memory is not None), default=None),
        context_switches=_switches(before, after) if after else None,
        jit_cpu_seconds=_compiling(before, after),
        server_stolen_share=_rate(loaded, lambda reading: reading.server_stolen),
        generator_stolen_share=_rate(loaded, lambda reading: reading.generator_stolen),
        stolen=stolen_time(readings),
    )


def stolen_time(readings: Sequence[Reading]) -> StolenSeconds | None:
    """Return what was stolen from each CPU by each look; None where nothing was."""
    first, last = readings[0], len(readings) - 1
    lost = {
        cpu: [max(0.0, round(each.stolen[cpu] - before, 2)) for each in readings]
        for cpu, before in first.stolen.items()
        if all(cpu in each.stolen for each in readings)
    }
    lost = {cpu: seconds for cpu, seconds in lost.items() if any(seconds)}
    looks = list(zip(*lost.values(), strict=True))
    kept = [at for at, look in enumerate(looks) if at in (0, last) or not looks[at - 1] == look == looks[at + 1]]
    if not kept:
        return None
    return StolenSeconds(
        at=tuple(round(readings[at].at - first.at, 2) for at in kept),
        cpus={cpu: tuple(seconds[at] for at in kept) for cpu, seconds in lost.items()},
    )


def _loaded(readings: Sequence[Reading]) -> Sequence[Reading]:
    """Return the readings of the time of load.

    ab takes CPU time before its load (memory for its results) and after it (sorting and writing them), and that is no
    sign of a full core. The server has nothing to do then: the load is on while the server's CPU time grows from a
    tenth to nine tenths of what it spends.
    """
    first, last = readings[0].server_cpu, readings[-1].server_cpu
    begin, end = (first + share * (last - first) for share in (_LOAD_BEGINS, _LOAD_ENDS))
    return [reading for reading in readings if begin <= reading.server_cpu <= end]


def _rate(readings: Sequence[Reading], of: Callable[[Reading], float | None]) -> float | None:
    """Return how much it is per second; None where the load was too short, or the server's part in it too small, for
    two readings."""
    if len(readings) < 2:
        return None
    first, last = of(readings[0]), of(readings[-1])
    if first is None or last is None:
        return None
    return round((last - first) / (readings[-1].at - readings[0].at), 3)


_NEW = Thread(0.0, 0)


def _busiest(before: Threads, after: Threads) -> float:
    """Return the most CPU time of a thread. Those that compile are left out: one that never rests is no sign that the
    server cannot answer more."""
    spent = (
        thread.cpu_seconds - before.get(number, _NEW).cpu_seconds
        for number, thread in after.items()
        if not thread.compiles
    )
    return max(spent, default=0.0)


def _switches(before: Threads, after: Threads) -> int:
    return sum(thread.switches - before.get(number, _NEW).switches for number, thread in after.items())


def _compiling(before: Threads, after: Threads) -> float | None:
    spent = [thread.cpu_seconds - before.get(number, _NEW).cpu_seconds for number, thread in after.items()
             if thread.compiles]  # fmt: skip
    return round(sum(spent), 6) if spent else None


def of_all_hosts(usage: Usage | None, hosts: Sequence[Usage | None]) -> Usage | None:
    """Return what a trial took, with the generators of these load hosts together in the place of the one beside the
    server, which made no load; None where it is not known of the server. A figure that one host does not show is not
    known."""
    if usage is None:
        return None
    known = [each for each in hosts if each is not None]

    def together(figure: Callable[[Usage], float | None]) -> list[float] | None:
        found = [value for each in known if (value := figure(each)) is not None]
        return found if len(found) == len(hosts) else None

    def summed(figure: Callable[[Usage], float | None]) -> float | None:
        found = together(figure)
        return None if found is None else round(sum(found), 6)

    return msgspec.structs.replace(
        usage,
        generator_cpu_seconds=round(sum(each.generator_cpu_seconds for each in known), 6),
        generator_cores_busy=summed(lambda each: each.generator_cores_busy),
        generator_cpus_idle=summed(lambda each: each.generator_cpus_idle),
        generator_cpus_interrupts=summed(lambda each: each.generator_cpus_interrupts),
        generator_stolen_share=max(together(lambda each: each.generator_stolen_share) or [], default=None),
    )


def is_generator_full(usage: Usage | None, cpus: Sequence[int], generators: int) -> bool:
    """Return whether so many generators filled a core each, or all of these CPUs, which nobody else is to use. The
    interrupts of all these CPUs count as theirs, because they may run on any: rather too often than too rarely."""
    if usage is None or usage.generator_cores_busy is None:
        return False
    busy = usage.generator_cores_busy + (usage.generator_cpus_interrupts or 0.0)
    return _generator_side(usage, cpus).are_full(busy, min(generators, len(cpus)))


def limit_of(
    usage: Usage | None, server_cpus: Sequence[int], generator_cpus: Sequence[int], generators: int = 1
) -> Limit | None:
    """Return what was the limit of a trial; None if neither's CPUs were full, or if it is not known.

    The CPUs are those that each may use: disjoint, or the same where nothing is pinned. The server is full when it has
    filled its CPUs, or when one of its threads has filled a core: how many threads it uses is its own choice,
    and a server of a single one does on eight CPUs what it does on one. One ab is one thread, whatever its CPUs, and
    several are full when each has filled a core, as far as there are cores for them.

    Where both are full it is the server: it had no CPU time left for more requests, so that its rate is no lower bound.
    """
    if usage is None or usage.server_cores_busy is None or usage.generator_cores_busy is None:
        return None
    server, generator = usage.server_cores_busy, usage.generator_cores_busy
    server_side = _Cpus(
        len(server_cpus),
        idle=usage.server_cpus_idle or 0.0,
        stolen=len(server_cpus) * (usage.server_stolen_share or 0.0),
    )
    generator_side = _generator_side(usage, generator_cpus)
    if set(server_cpus) & set(generator_cpus):
        together = server + generator + (usage.server_cpus_interrupts or 0.0)
        if server_side.are_full(together, server_side.count):
            return "machine"
    else:
        server += usage.server_cpus_interrupts or 0.0
        generator += usage.generator_cpus_interrupts or 0.0
    if server_side.are_full(server, server_side.count) or server_side.are_full(usage.busiest_thread or 0.0, 1):
        return "server"
    return "generator" if generator_side.are_full(generator, min(generators, generator_side.count)) else None


def _generator_side(usage: Usage, cpus: Sequence[int]) -> _Cpus:
    return _Cpus(
        len(cpus), idle=usage.generator_cpus_idle or 0.0, stolen=len(cpus) * (usage.generator_stolen_share or 0.0)
    )


class _Cpus(msgspec.Struct, frozen=True):
    """The CPUs that server or generator may use. Times are in CPUs: seconds per second."""

    count: int
    idle: float
    stolen: float

    def are_full(self, busy: float, of: int) -> bool:
        """Return whether work that took `busy` CPUs, interrupts included, had as many as `of` CPUs full.

        Interrupts are the network's work, and /proc/stat counts them apart. Kernels with CONFIG_IRQ_TIME_ACCOUNTING
        charge them to no process, so that `busy` has them once. Others also charge them to the process that they
        interrupt, and `busy` has them twice. But work cannot have taken more than the time in which its CPUs were
        neither idle nor stolen. On a kernel of the second kind `busy` is above that bound and the bound is right; on
        one of the first kind it is below, and `busy` is right. The bound also removes stolen time, which kernels
        without CONFIG_PARAVIRT_TIME_ACCOUNTING charge to the process that it was stolen from.

        Time is stolen only from a CPU that has something to do. CPUs that are never idle are therefore full, however
        much of their time was stolen; and work has the same part of the time in which its CPUs were wanted, stolen
        time included, as of the time in which they worked.
        """
        wanted = self.count - self.idle
        worked = wanted - self.stolen
        return worked > 0 and min(busy, worked) / worked * wanted >= FULL * of
