"""Facts about this host: CPUs, kernel, limits."""

from __future__ import annotations

import os
import platform
import re
import resource
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from ab_runner.errors import UserError
from ab_runner.host import procfs
from ab_runner.model.protocol import cpus_text
from ab_runner.model.sweep import Machine

SYSCTLS = (
    "net.core.somaxconn",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_max_tw_buckets",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_max_syn_backlog",
)
_PORTS_OF_LINUX = (32768, 60999)
_CPU_FOLDERS = Path("/sys/devices/system/cpu")


class CpuSplit(msgspec.Struct, frozen=True):
    """Which CPUs the server gets and which the generator; both empty where there is only one."""

    server: tuple[int, ...]
    generator: tuple[int, ...]


def describe() -> Machine:
    """Return the facts about this host that a figure depends on."""
    return Machine(
        hostname=platform.node(),
        system=_system_name(),
        kernel=platform.release(),
        architecture=platform.machine(),
        cpu_model=_cpu_model(),
        cpus=os.cpu_count() or 1,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        open_files=resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        sysctls=sysctls(),
    )


def raise_open_files() -> int:
    """Raise this process's soft limit of open files to its hard one, for it and its children, and return that."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def sysctls() -> dict[str, str]:
    """Return the settings of the network that a figure depends on, as far as this kernel has them."""
    return {name: value for name in SYSCTLS if (value := procfs.sysctl(name)) is not None}


def local_ports(settings: Mapping[str, str]) -> int:
    """Return how many connections to one address there can be at once, by these sysctls or else by Linux's own. A
    server could have changed what its container's are said to be."""
    found = re.fullmatch(r"([0-9]{1,5})\s+([0-9]{1,5})", settings.get("net.ipv4.ip_local_port_range", ""))
    first, last = map(int, found.groups()) if found else _PORTS_OF_LINUX
    return last - first + 1


def cpu_split(generators: int = 1, server_cpus: int | None = None) -> CpuSplit:
    """Return the CPUs that this process may use, split for server and generators. UserError where the server cannot
    have so many."""
    known = hasattr(os, "sched_getaffinity")
    return split_cores(_cores(os.sched_getaffinity(0)) if known else (), generators, server_cpus)


def split_cores(cores: Iterable[tuple[int, ...]], generators: int = 1, server_cpus: int | None = None) -> CpuSplit:
    """Return these cores split: each generator gets one of the first ones whole (ab has one thread, and a sibling
    hyper-thread would share its core with the server) as far as one is left for the server, which gets all others. With
    one core of several hyper-threads it is split all the same. Of the generators' CPUs the first of each core come
    first.

    With `server_cpus` the server gets so many of its CPUs, core by core with all hyper-threads, and neither side gets
    the rest. UserError where there are fewer."""
    split = _split_all(cores, generators)
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


def _cores(cpus: set[int]) -> set[tuple[int, ...]]:
    """Return physical cores as tuples of their hyper-threads, of which only those in `cpus` count."""
    return {tuple(sorted(_siblings(cpu) & cpus)) for cpu in cpus}


def _siblings(cpu: int) -> set[int]:
    try:
        text = (_CPU_FOLDERS / f"cpu{cpu}/topology/thread_siblings_list").read_text()
    except OSError:
        return {cpu}
    return parse_cpu_list(text) | {cpu}


def parse_cpu_list(text: str) -> set[int]:
    """Return the CPUs of a list as Linux and Docker write it: `0-2,4` → {0, 1, 2, 4}."""
    cpus: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def cpu_list(cpus: Iterable[int]) -> str:
    """Return the list of CPUs that taskset and Docker take: (0, 1, 4) → `0,1,4`."""
    return ",".join(map(str, cpus))


def _cpu_model() -> str:
    name: str | None = None
    with suppress(OSError):
        name = procfs.cpu_model()
    return name or platform.processor() or "unknown"


def _system_name() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()
