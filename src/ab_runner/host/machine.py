"""Facts about this host: CPUs, kernel, limits."""

from __future__ import annotations

import os
import platform
import resource
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from ab_runner.model.records import Machine

SYSCTLS = (
    "net.core.somaxconn",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_max_tw_buckets",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_max_syn_backlog",
)
_CPU_FOLDERS = Path("/sys/devices/system/cpu")


class CpuSplit(msgspec.Struct, frozen=True):
    """Which CPUs the server gets and which the generator; both empty where there is only one."""

    server: tuple[int, ...]
    generator: tuple[int, ...]


def describe() -> Machine:
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
    """Lifts this process's soft limit of open files to its hard one, for it and its children, and returns it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def sysctls() -> dict[str, str]:
    """The settings of the network that a figure depends on, as far as this kernel has them."""
    paths = {name: Path("/proc/sys", *name.split(".")) for name in SYSCTLS}
    return {name: " ".join(path.read_text().split()) for name, path in paths.items() if path.exists()}


def local_ports(settings: Mapping[str, str]) -> int:
    """How many connections to one address there can be at once, by these sysctls or else by Linux's own."""
    first, last = map(int, settings.get("net.ipv4.ip_local_port_range", "32768 60999").split())
    return last - first + 1


def cpu_split(generators: int = 1) -> CpuSplit:
    """The CPUs that this process may use, split for server and generators."""
    if not hasattr(os, "sched_getaffinity"):
        return CpuSplit((), ())
    return split_cores(_cores(os.sched_getaffinity(0)), generators)


def split_cores(cores: Iterable[tuple[int, ...]], generators: int = 1) -> CpuSplit:
    """Each generator gets a core of the first ones whole (ab has one thread, and a sibling hyper-thread would share its
    core with the server) as far as one is left for the server, which gets all others. With one core of several
    hyper-threads it is split all the same. Of the generators' CPUs the first of each core come first."""
    cores = sorted(cores)
    if len(cores) == 1:
        cores = [(cpu,) for cpu in cores[0]]
    if len(cores) < 2:
        return CpuSplit((), ())
    count = min(generators, len(cores) - 1)
    generator = sorted((position, cpu) for core in cores[:count] for position, cpu in enumerate(core))
    return CpuSplit(tuple(cpu for core in cores[count:] for cpu in core), tuple(cpu for _, cpu in generator))


def _cores(cpus: set[int]) -> set[tuple[int, ...]]:
    """Physical cores as tuples of their hyper-threads, of which only those in `cpus` count."""
    return {tuple(sorted(_siblings(cpu) & cpus)) for cpu in cpus}


def _siblings(cpu: int) -> set[int]:
    try:
        text = (_CPU_FOLDERS / f"cpu{cpu}/topology/thread_siblings_list").read_text()
    except OSError:
        return {cpu}
    return parse_cpu_list(text) | {cpu}


def parse_cpu_list(text: str) -> set[int]:
    """`0-2,4` → {0, 1, 2, 4}, as Linux and Docker write sets of CPUs."""
    cpus: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def cpu_list(cpus: Iterable[int]) -> str:
    """(0, 1, 4) → `0,1,4`, as taskset and Docker take sets of CPUs."""
    return ",".join(map(str, cpus))


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def _system_name() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()
