"""CPU time, memory and threads as Linux accounts for them: a container's by its control group, a process's by its
session or container. Everything here is a read of a few small files in /proc and /sys, cheap enough for ten times a
second. Standard library only: the agent has nothing else.

OSError where the system does not show a figure: it is no Linux, or the process is gone.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from ab_runner.host import procfs
from ab_runner.host.procfs import CgroupPath, CpuTimes, ProcessStat
from ab_runner.monitor.readings import Thread

CGROUPS = Path("/sys/fs/cgroup")


class Look(NamedTuple):
    """What a server has used."""

    cpu_seconds: float
    """Since the start."""
    memory_bytes: int | None


class CpuAccounting(Protocol):
    """What the kernel accounts for a group of processes."""

    def look(self) -> Look:
        """Return what they have used until now."""

    def processes(self) -> list[int]:
        """Return their numbers."""


class Cgroup:
    """A container's control group, of either version.

    Its memory is what it has of its own: a file in the page cache is charged to the container that reads it first, and
    would make the first JVM of a sweep the biggest.
    """

    def __init__(self, pid: int, container: str) -> None:
        """`pid` is its first process. Where the engine runs on another machine that may be any process of this one, so
        the group must be named after the container."""
        self._cpu, self._memory = cgroup_folders(procfs.cgroup_paths(pid))
        if container not in self._cpu.name:
            raise FileNotFoundError(f"process {pid} is not of container {container}")
        self._is_v1 = (self._cpu / "cpuacct.usage").exists()

    def look(self) -> Look:
        """Return what the container has used until now."""
        return Look(self.cpu_seconds(), self._memory_bytes())

    def cpu_seconds(self) -> float:
        """Return the CPU time that it has used until now."""
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
        """Return the numbers of its processes."""
        return [int(pid) for pid in (self._cpu / "cgroup.procs").read_text().split()]


def cgroup_folders(places: Iterable[CgroupPath]) -> tuple[Path, Path]:
    """Return where the accounts of CPU and of memory are, for a process that has these places in the hierarchies."""
    paths = {controller: path for controllers, path in places for controller in controllers or ("",)}
    if "cpuacct" in paths:
        return CGROUPS / "cpuacct" / paths["cpuacct"], CGROUPS / "memory" / paths.get("memory", "")
    if "" not in paths:
        raise FileNotFoundError("no control group that accounts for CPU time")
    return CGROUPS / paths[""], CGROUPS / paths[""]


def _figures(text: str) -> dict[str, int]:
    return {name: int(value) for name, value in (line.split() for line in text.splitlines())}


class Processes:
    """Processes that belong together, as /proc shows each of them. It does not show the CPU time of one that ended and
    was not waited for."""

    def __init__(self) -> None:
        self._strangers: set[int] = set()
        """Other processes, which need no second look: one belongs to a group by birth only."""

    def look(self) -> Look:
        """Return what they have used until now. Pages that they share count in each."""
        members = self._members()
        return Look(_cpu_seconds(members), sum(self._memory_bytes(member) for member in members))

    def cpu_seconds(self) -> float:
        """Return the CPU time that they have used until now."""
        return _cpu_seconds(self._members())

    def processes(self) -> list[int]:
        """Return their numbers."""
        return [member.pid for member in self._members()]

    def _members(self) -> list[ProcessStat]:
        running = procfs.process_ids()
        self._strangers &= running
        members = []
        for pid in running - self._strangers:
            with suppress(OSError):  # it has just ended
                process = procfs.process_stat(pid)
                if self._is_member(process):
                    members.append(process)
                else:
                    self._strangers.add(pid)
        if not members:
            raise ProcessLookupError(f"{self} has ended")
        return members

    def _is_member(self, process: ProcessStat) -> bool:
        """Return whether it is one of them. OSError if it has just ended."""
        raise NotImplementedError

    def _memory_bytes(self, process: ProcessStat) -> int:
        """Return the memory that counts as its own."""
        raise NotImplementedError


def _cpu_seconds(members: Iterable[ProcessStat]) -> float:
    return sum(procfs.cpu_seconds(member) + member.ended_children_cpu_seconds for member in members)


class Session(Processes):
    """The processes of a session: a server or generator that was started with setsid, and all that it started."""

    def __init__(self, leader: int) -> None:
        super().__init__()
        self._leader = leader

    def __str__(self) -> str:
        return f"session {self._leader}"

    def _is_member(self, process: ProcessStat) -> bool:
        return process.session == self._leader

    def _memory_bytes(self, process: ProcessStat) -> int:
        return process.memory_bytes


class ContainerProcesses(Processes):
    """The processes of a container, by the name of their control group, where its files cannot be seen.

    Their memory is what each has of its own, as that of the group: its part of the page cache is in neither.
    """

    def __init__(self, container: str) -> None:
        super().__init__()
        self._container = container
        self._own: set[int] = set()
        """Those of the last look, which need no second look at their group."""

    def __str__(self) -> str:
        return f"container {self._container}"

    def _members(self) -> list[ProcessStat]:
        members = super()._members()
        self._own = {member.pid for member in members}
        return members

    def _is_member(self, process: ProcessStat) -> bool:
        return process.pid in self._own or any(
            self._container in place.path for place in procfs.cgroup_paths(process.pid)
        )

    def _memory_bytes(self, process: ProcessStat) -> int:
        with suppress(OSError):  # it has just ended
            return procfs.own_memory_bytes(process.pid)
        return 0


def children_cpu_seconds(running: Session | None) -> float:
    """Return the CPU time of the runner's own children: of those that have ended, as the kernel adds them up, and of
    the session that is running. A generator has processes of its own in it: ab runs below a shell."""
    seconds = 0.0
    if running is not None:
        with suppress(OSError):
            seconds = running.cpu_seconds()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds + ended.ru_utime + ended.ru_stime


_COMPILERS = ("C1 Compiler", "C2 Compiler")
"""What HotSpot calls its own, in the 15 letters that the kernel keeps: JDK 8, 17 and 25 alike."""


def threads_of(processes: Iterable[int]) -> dict[int, Thread]:
    """Return all threads of these processes by their numbers; none where the kernel does not account for threads."""
    return {tid: thread for pid in processes for tid, thread in _threads(pid, _thread_ids(pid))}


def _threads(pid: int, numbers: Iterable[int]) -> Iterator[tuple[int, Thread]]:
    for tid in numbers:
        with suppress(OSError):  # it has just ended
            stat = procfs.thread_stat(pid, tid)
            yield tid, Thread(stat.cpu_seconds, stat.switches, stat.name.startswith(_COMPILERS))


class ThreadAccounts:
    """The threads of a server during a trial, which begins when this is made.

    A thread that ends takes its figures with it. From JDK 11 on, HotSpot starts and ends compiler threads as it needs
    them (UseDynamicNumberOfCompilerThreads). They are therefore sampled, and what is lost of one that ends is what it
    did after the last sample. That is little: it ends only after 0.1 s or more without work. HotSpot always keeps one
    of each kind, so that a process which has none at first is no JVM.
    """

    def __init__(self, server: CpuAccounting) -> None:
        self._server = server
        self.before: dict[int, Thread] = {}
        self._jvms: list[int] = []
        self._compilers: dict[int, Thread] = {}
        """Compiler threads as they were last seen, the ended ones too."""
        self._others: set[int] = set()
        """Other threads of the JVMs, which need no second look."""
        for pid in self._processes():
            found = threads_of([pid])
            self.before |= found
            if any(thread.compiles for thread in found.values()):
                self._jvms.append(pid)

    def sample(self) -> None:
        """Look at the compiler threads."""
        for pid in self._jvms:
            running = set(_thread_ids(pid))
            self._others &= running
            for tid, thread in _threads(pid, running - self._others):
                if thread.compiles:
                    self._compilers[tid] = thread
                else:
                    self._others.add(tid)

    def compiled(self) -> float | None:
        """Return the CPU time that compiler threads took from the beginning to the last sample; None if it is no
        JVM."""
        if not self._jvms:
            return None
        return sum(
            thread.cpu_seconds - (self.before[tid].cpu_seconds if tid in self.before else 0.0)
            for tid, thread in self._compilers.items()
        )

    def after(self) -> dict[int, Thread]:
        """Return the threads that run now, and the compiler threads that have ended; none if the server has ended."""
        running = threads_of(self._processes())
        return self._compilers | running if running else {}

    def _processes(self) -> list[int]:
        """Return the server's processes; none if it has ended."""
        with suppress(OSError):
            return self._server.processes()
        return []


_LOOKS_AT_MOST = 100


def pin(account: CpuAccounting, cpus: Iterable[int]) -> None:
    """Let all threads of these processes run on these CPUs and no others. A thread that begins meanwhile has the CPUs
    of the one that began it, so that it is looked again until none has others. A server that changes them itself is
    given up after some looks."""
    wanted = set(cpus)
    with suppress(OSError):  # it has ended
        for _ in range(_LOOKS_AT_MOST):
            others = [tid for tid in _threads_in(account) if _cpus_of(tid) not in (None, wanted)]
            if not others:
                return
            for tid in others:
                with suppress(OSError):
                    os.sched_setaffinity(tid, wanted)


def _threads_in(account: CpuAccounting) -> Iterator[int]:
    for pid in account.processes():
        yield from _thread_ids(pid)


def _thread_ids(pid: int) -> list[int]:
    """Return the numbers of a process's threads; none if it has ended."""
    with suppress(OSError):
        return procfs.thread_ids(pid)
    return []


def _cpus_of(thread: int) -> set[int] | None:
    """Return the CPUs that a thread may run on; None if it has ended."""
    with suppress(OSError):
        return os.sched_getaffinity(thread)
    return None


def total(
    times: Mapping[int, CpuTimes], cpus: Iterable[int], what: Literal["idle", "interrupts", "stolen"]
) -> float | None:
    """Return the seconds that these CPUs spent so; None if one of them is not shown here: within LXC a machine's CPUs
    have other numbers."""
    spent = [times.get(cpu) for cpu in cpus]
    return None if None in spent else sum(getattr(each, what) for each in spent)


def stolen(times: Mapping[int, CpuTimes], cpus: Sequence[int]) -> float | None:
    """Return the seconds that the hypervisor gave to others, on average over these CPUs; None as for `total`."""
    seconds = total(times, cpus, "stolen")
    return None if seconds is None else seconds / len(cpus)
