"""The files of /proc that the toolkit reads. Each is read by one function here, and a function named `parse_…` has what
it says as typed data.

All of them raise OSError where the system does not show a file: it is no Linux, or the process is gone. A process
chooses its own name and those of its threads, which need not be UTF-8.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


# --- the machine -----------------------------------------------------------------------------------------------


class CpuTimes(NamedTuple):
    """How a CPU spent its time, in seconds since the machine was started."""

    programs: float
    """In programs, and in the kernel for them."""
    idle: float
    """With the time in which it only waited for a disk."""
    interrupts: float
    stolen: float
    """What the hypervisor gave to others."""


class MachineStat(NamedTuple):
    """What /proc/stat says."""

    total: CpuTimes
    """Of all CPUs together."""
    cpus: dict[int, CpuTimes]
    """By their numbers."""
    runnable: int | None
    """Threads that have a CPU or wait for one; None where the kernel does not count them."""


def machine_stat() -> MachineStat:
    """Return what the machine's CPUs have done since it was started."""
    return parse_machine_stat((PROC / "stat").read_text())


def parse_machine_stat(text: str) -> MachineStat:
    """Return what /proc/stat says. It has a line for all CPUs and one for each, `cpu3 user nice system idle iowait irq
    softirq steal …`, and lines of counts."""
    times: dict[str, CpuTimes] = {}
    runnable = None
    for line in text.splitlines():
        name, _, values = line.partition(" ")
        if name.startswith("cpu"):
            times[name] = _cpu_times(values)
        elif name == "procs_running":
            runnable = int(values)
    cpus = {int(name.removeprefix("cpu")): spent for name, spent in times.items() if name != "cpu"}
    return MachineStat(times["cpu"], cpus, runnable)


def _cpu_times(values: str) -> CpuTimes:
    user, nice, system, idle, iowait, irq, softirq, steal, *_ = map(int, values.split())
    return CpuTimes(*(ticks / _TICKS for ticks in (user + nice + system, idle + iowait, irq + softirq, steal)))


def swap_used_bytes() -> int:
    """Return how much of the swap is in use; 0 where the kernel has none."""
    try:
        rows = (PROC / "swaps").read_text().splitlines()[1:]
    except FileNotFoundError:
        return 0
    return sum(int(row.split()[-2]) for row in rows) * 1024


def cpu_model() -> str | None:
    """Return what the first CPU is called; None where it has no name, as on most ARM machines."""
    lines = (PROC / "cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)


def sysctl(name: str) -> str | None:
    """Return a setting such as `net.core.somaxconn`, its values with a space between them; None where this kernel does
    not have it."""
    try:
        return " ".join(Path(PROC, "sys", *name.split(".")).read_text().split())
    except FileNotFoundError:
        return None


# --- a process -------------------------------------------------------------------------------------------------


class ProcessStat(NamedTuple):
    """What /proc/PID/stat says."""

    pid: int
    parent: int
    session: int
    cpu_seconds: float
    """Of its own threads. It is at most two clock ticks too low, because user and system time are rounded down."""
    ended_children_cpu_seconds: float
    """Of its children that have ended and that it has waited for, and of theirs."""
    memory_bytes: int


def process_ids() -> set[int]:
    """Return the numbers of all processes."""
    return {int(name) for name in os.listdir(PROC) if name.isdecimal()}


def process_stat(pid: int) -> ProcessStat:
    """Return what the kernel accounts for a process."""
    return parse_process_stat((PROC / str(pid) / "stat").read_text(errors="replace"))


def parse_process_stat(text: str) -> ProcessStat:
    """Return what /proc/PID/stat says: numbers after a name in parentheses, which may have spaces and parentheses."""
    pid = int(text.partition(" ")[0])
    fields = text.rpartition(")")[2].split()
    parent, session, rss = int(fields[1]), int(fields[3]), int(fields[21])
    user, system, children_user, children_system = (int(ticks) / _TICKS for ticks in fields[11:15])
    return ProcessStat(pid, parent, session, user + system, children_user + children_system, rss * _PAGE)


_SCHEDULER_CLOCK = 2
"""CPUCLOCK_SCHED of the kernel's posix-timers.h."""


def cpu_seconds(process: ProcessStat) -> float:
    """Return the CPU time of a process, user and system time of all its threads, with those that have ended. It is the
    process's CPU-time clock, in nanoseconds; the clock's number is computed as clock_getcpuclockid does it.
    (/proc/PID/schedstat is in nanoseconds too, but of the first thread alone.)

    Where there is no such clock, or the process has just ended, it is what /proc/PID/stat said, in clock ticks.
    """
    with suppress(OSError):
        return time.clock_gettime(~process.pid << 3 | _SCHEDULER_CLOCK)
    return process.cpu_seconds


def own_memory_bytes(pid: int) -> int:
    """Return the memory that a process has of no file: its anonymous pages, and the shared ones of no file or of a
    file in memory. 0 for a process that has ended and was not waited for."""
    return parse_own_memory_bytes((PROC / str(pid) / "status").read_text(errors="replace"))


def parse_own_memory_bytes(text: str) -> int:
    """Return what /proc/PID/status says about that: `RssAnon: 1234 kB`. A name that holds a line break is written with
    an escape sequence there."""
    return sum(int(kib) for kib in re.findall(r"^Rss(?:Anon|Shmem):\s*(\d+) kB$", text, re.MULTILINE)) * 1024


def owner(pid: int) -> int:
    """Return the user that a process runs as."""
    return (PROC / str(pid)).stat().st_uid


class CgroupPath(NamedTuple):
    """A process's place in a hierarchy of control groups."""

    controllers: tuple[str, ...]
    """Of version 1; empty for version 2."""
    path: str
    """Below the hierarchy's mount."""


def cgroup_paths(pid: int | Literal["self"]) -> list[CgroupPath]:
    """Return where a process is in each hierarchy of control groups."""
    return parse_cgroup_paths((PROC / str(pid) / "cgroup").read_text(errors="surrogateescape"))


def parse_cgroup_paths(text: str) -> list[CgroupPath]:
    """Return what /proc/PID/cgroup says: a line `number:controllers:path` for each hierarchy of version 1, and
    `0::path` for version 2."""
    lines = (line.split(":", 2) for line in text.splitlines())
    return [
        CgroupPath(tuple(controllers.split(",")) if controllers else (), path.lstrip("/"))
        for _, controllers, path in lines
    ]


def time_wait(pid: int) -> int | None:
    """Return the closed connections in a process's network namespace whose ports are not free yet; None where the
    kernel does not count them."""
    found = re.search(r"^TCP: .*\btw (\d+)", (PROC / str(pid) / "net/sockstat").read_text(), re.MULTILINE)
    return int(found[1]) if found else None


# --- a thread --------------------------------------------------------------------------------------------------


class ThreadStat(NamedTuple):
    """What the scheduler accounts for a thread."""

    name: str
    """Its first 15 letters."""
    cpu_seconds: float
    switches: int
    """How often it was put on a CPU."""


def thread_ids(pid: int) -> list[int]:
    """Return the numbers of a process's threads."""
    return [int(name) for name in os.listdir(PROC / str(pid) / "task")]


def thread_stat(pid: int, tid: int) -> ThreadStat:
    """Return what the scheduler accounts for a thread. OSError also where the kernel does not count that
    (CONFIG_SCHED_INFO)."""
    task = PROC / str(pid) / "task" / str(tid)
    nanoseconds, _, switches = (task / "schedstat").read_text().split()
    name = (task / "comm").read_text(errors="replace").rstrip("\n")
    return ThreadStat(name, int(nanoseconds) / 1e9, int(switches))
