"""CPU time, memory and threads as Linux accounts for them: a container's by its control group, a process's by its
session. Everything here is a read of a few small files in /proc and /sys, cheap enough for ten times a second.

OSError where the system does not show a figure: it is no Linux, or the process is gone.
"""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import msgspec

from ab_runner.monitor.usage import Thread, Threads

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


class Look(NamedTuple):
    cpu_seconds: float
    """Since the start."""
    memory_bytes: int | None


class CpuAccounting(Protocol):
    def look(self) -> Look: ...
    def processes(self) -> list[int]: ...


class ResourceAccounts(msgspec.Struct, frozen=True):
    """Of a server and of its generator, with the CPUs that each may use."""

    server: CpuAccounting
    generator_cpu_seconds: Callable[[], float]
    server_cpus: tuple[int, ...]
    generator_cpus: tuple[int, ...]


def accounts_of(
    server: CpuAccounting,
    generator_cpu_seconds: Callable[[], float],
    server_cpus: tuple[int, ...],
    generator_cpus: tuple[int, ...],
) -> ResourceAccounts:
    """The CPUs are those that each is pinned to; where nothing is pinned, each may use all."""
    everything = tuple(os.sched_getaffinity(0))
    return ResourceAccounts(server, generator_cpu_seconds, server_cpus or everything, generator_cpus or everything)


class Cgroup:
    """A container's control group, of either version.

    Its memory is what it has of its own: a file in the page cache is charged to the container that reads it first, and
    would make the first JVM of a sweep the biggest.
    """

    def __init__(self, pid: int, container: str) -> None:
        """`pid` is its first process. Where the engine runs on another machine that may be any process of this one, so
        the group must be named after the container."""
        self._cpu, self._memory = cgroup_folders((PROC / str(pid) / "cgroup").read_text())
        if container not in self._cpu.name:
            raise FileNotFoundError(f"process {pid} is not of container {container}")
        self._is_v1 = (self._cpu / "cpuacct.usage").exists()

    def look(self) -> Look:
        return Look(self.cpu_seconds(), self._memory_bytes())

    def cpu_seconds(self) -> float:
        if self._is_v1:
            return int((self._cpu / "cpuacct.usage").read_text()) / 1e9
        return _figures((self._cpu / "cpu.stat").read_text())["usage_usec"] / 1e6

    def _memory_bytes(self) -> int | None:
        try:
            figures = _figures((self._memory / "memory.stat").read_text())
        except OSError:
            return None  # some kernels do not count it unless told to at boot
        if self._is_v1:
            return figures["total_rss"] + figures.get("total_shmem", 0)
        return figures["anon"] + figures["shmem"]

    def processes(self) -> list[int]:
        return [int(pid) for pid in (self._cpu / "cgroup.procs").read_text().split()]


def cgroup_folders(text: str) -> tuple[Path, Path]:
    """Where the accounts of CPU and of memory are, from /proc/PID/cgroup: a line `number:controllers:path` for each
    hierarchy of version 1, and `0::path` for version 2."""
    paths: dict[str, str] = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        paths |= {controller: path.lstrip("/") for controller in controllers.split(",")}
    if "cpuacct" in paths:
        return CGROUPS / "cpuacct" / paths["cpuacct"], CGROUPS / "memory" / paths.get("memory", "")
    if "" not in paths:
        raise FileNotFoundError("no control group that accounts for CPU time")
    return CGROUPS / paths[""], CGROUPS / paths[""]


def _figures(text: str) -> dict[str, int]:
    return {name: int(value) for name, value in (line.split() for line in text.splitlines())}


class Session:
    """The processes of a session: a server that was started with setsid, and all that it started.

    Its memory is the sum of theirs, so that pages which they share count in each.
    """

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._strangers: set[int] = set()
        """Processes of other sessions, which need no second look: one comes into a session by birth only."""

    def look(self) -> Look:
        members = self._members()
        return Look(sum(each.cpu_seconds for each in members), sum(each.memory_bytes for each in members))

    def processes(self) -> list[int]:
        return [each.pid for each in self._members()]

    def _members(self) -> list[Process]:
        running = {int(name) for name in os.listdir(PROC) if name.isdecimal()}
        self._strangers &= running
        members = []
        for pid in running - self._strangers:
            with suppress(OSError):  # it has just ended
                process = process_of((PROC / str(pid) / "stat").read_text())
                if process.session == self._leader:
                    members.append(process)
                else:
                    self._strangers.add(pid)
        if not members:
            raise ProcessLookupError(f"session {self._leader} has ended")
        return members


def children_cpu_seconds(running: int | None) -> float:
    """Of the runner's own children: those that have ended, as the kernel adds them up, and the one that is running."""
    seconds = 0.0
    if running is not None:
        with suppress(OSError):
            seconds = process_of((PROC / str(running) / "stat").read_text()).cpu_seconds
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds + ended.ru_utime + ended.ru_stime


class Process(NamedTuple):
    pid: int
    session: int
    cpu_seconds: float
    """With that of its children that ended."""
    memory_bytes: int


_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def process_of(stat: str) -> Process:
    """/proc/PID/stat: numbers after a name in parentheses, which may itself have spaces and parentheses."""
    pid = int(stat.partition(" ")[0])
    fields = stat.rpartition(")")[2].split()
    session, rss = int(fields[3]), int(fields[21])
    return Process(pid, session, sum(map(int, fields[11:15])) / _TICKS, rss * _PAGE)


_COMPILERS = ("C1 Compiler", "C2 Compiler")
"""What HotSpot calls its own, in the 15 letters that the kernel keeps: JDK 8, 17 and 25 alike."""


def threads_of(processes: Iterable[int]) -> Threads:
    """From /proc/PID/task/TID/schedstat: nanoseconds on a CPU, waiting for one, and how often it was put on one; and
    from comm what a JVM calls it.

    Empty where the kernel does not count that (CONFIG_SCHED_INFO). A thread that ends takes its figures with it.
    """
    threads = {}
    for pid in processes:
        for task in (PROC / str(pid) / "task").glob("*"):
            with suppress(OSError):
                spent, _, switches = (task / "schedstat").read_text().split()
                compiles = (task / "comm").read_text().startswith(_COMPILERS)
                threads[int(task.name)] = Thread(int(spent) / 1e9, int(switches), compiles)
    return threads


def pin(account: CpuAccounting, cpus: Iterable[int]) -> None:
    """Lets all threads of these processes run on these CPUs and no others. A thread that begins meanwhile has the CPUs
    of the one that began it, so that it is looked again until none has others."""
    wanted = set(cpus)
    with suppress(OSError):  # it has ended
        while others := [tid for tid in _thread_ids(account.processes()) if _cpus_of(tid) not in (None, wanted)]:
            for tid in others:
                with suppress(OSError):
                    os.sched_setaffinity(tid, wanted)


def _thread_ids(processes: Iterable[int]) -> Iterator[int]:
    for pid in processes:
        with suppress(OSError):
            yield from map(int, os.listdir(PROC / str(pid) / "task"))


def _cpus_of(thread: int) -> set[int] | None:
    """None if it has ended."""
    with suppress(OSError):
        return os.sched_getaffinity(thread)
    return None


class CpuTimes(NamedTuple):
    """What a CPU did not spend on programs, in seconds since the machine was started."""

    idle: float
    interrupts: float


def cpu_times() -> dict[int, CpuTimes]:
    return cpu_times_of((PROC / "stat").read_text())


def total(times: Mapping[int, CpuTimes], cpus: Iterable[int], what: Literal["idle", "interrupts"]) -> float | None:
    """Over these CPUs; None if one of them is not shown here: within LXC a machine's CPUs have other numbers."""
    found = [times.get(cpu) for cpu in cpus]
    return None if None in found else sum(getattr(each, what) for each in found)


def cpu_times_of(stat: str) -> dict[int, CpuTimes]:
    """/proc/stat: a line for each CPU, `cpu3 user nice system idle iowait irq softirq …`."""
    times = {}
    for line in stat.splitlines():
        if re.match(r"cpu\d", line):
            name, _, _, _, idle, waiting, hard, soft, *_ = line.split()
            ticks = (int(idle) + int(waiting), int(hard) + int(soft))
            times[int(name.removeprefix("cpu"))] = CpuTimes(*(each / _TICKS for each in ticks))
    return times
