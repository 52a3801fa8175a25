"""Facts about this host, and how the CPUs of one are split."""

from __future__ import annotations

import re
import resource
from collections.abc import Iterable, Mapping

import msgspec

from ab_runner.errors import UserError
from ab_runner.host import facts
from ab_runner.model.protocol import cpus_text
from ab_runner.model.sweep import Machine

_PORTS_OF_LINUX = (32768, 60999)


class CpuSplit(msgspec.Struct, frozen=True):
    """Which CPUs the server gets and which the generator; both empty where there is only one."""

    server: tuple[int, ...]
    generator: tuple[int, ...]


def describe() -> Machine:
    """Return the facts about this host that a figure depends on."""
    return msgspec.convert(facts.machine(), Machine)


def raise_open_files() -> int:
    """Raise this process's soft limit of open files to its hard one, for it and its children, and return that."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def local_ports(settings: Mapping[str, str]) -> int:
    """Return how many connections to one address there can be at once, by these sysctls or else by Linux's own. A
    server could have changed what its container's are said to be."""
    found = re.fullmatch(r"([0-9]{1,5})\s+([0-9]{1,5})", settings.get("net.ipv4.ip_local_port_range", ""))
    first, last = map(int, found.groups()) if found else _PORTS_OF_LINUX
    return last - first + 1


def cpu_split(
    generators: int = 1, server_cpus: int | None = None, cores: Iterable[tuple[int, ...]] | None = None
) -> CpuSplit:
    """Return the CPUs that this process may use, or those of another machine's `cores`, split: each generator gets one
    of the first cores whole (ab has one thread, and a sibling hyper-thread would share its core with the server) as far
    as one is left for the server, which gets all others. With one core of several hyper-threads it is split all the
    same. Of the generators' CPUs the first of each core come first.

    With `server_cpus` the server gets so many of its CPUs, core by core with all hyper-threads, and neither side gets
    the rest. UserError where there are fewer."""
    split = _split_all(facts.cores() if cores is None else cores, generators)
    if server_cpus is None:
        return split
    _check_server_cpus(split, generators, server_cpus)
    return CpuSplit(split.server[:server_cpus], split.generator)


def _split_all(cores: Iterable[tuple[int, ...]], generators: int) -> CpuSplit:
    cores = sorted(cores)
    if len(cores) == 1:
        cores = [(cpu,) for cpu in cores[0]]
    if len(cores) < 2:
        return CpuSplit((), ())
    count = min(generators, len(cores) - 1)
    generator = sorted((position, cpu) for core in cores[:count] for position, cpu in enumerate(core))
    return CpuSplit(tuple(cpu for core in cores[count:] for cpu in core), tuple(cpu for _, cpu in generator))


def _check_server_cpus(split: CpuSplit, generators: int, wanted: int) -> None:
    """Raise UserError where the server has fewer CPUs than are wanted."""
    there, beside = len(split.server), len(split.generator)
    if not there:
        raise UserError(
            f"--server-cpus {wanted}: nothing can be pinned here, because this machine has one CPU or does not let "
            f"programs choose theirs; leave the option out, or use Linux with {wanted + 1} CPUs or more"
        )
    if wanted > there:
        whose = "generator's" if generators == 1 else "generators'"
        fewer = "" if generators == 1 else " or fewer --generator-processes"
        raise UserError(
            f"--server-cpus {wanted}: this machine has {cpus_text(there)} for the server beside the {whose} {beside}; "
            f"use --server-cpus {there}{fewer}, or a machine with {cpus_text(wanted + beside)} or more"
        )
