"""Recorded texts of the kernel, and this machine's own accounts of processes that the tests start."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from support.waiting import until

from ab_runner.host import procfs
from ab_runner.host.procfs import CpuTimes, ThreadStat, parse_cgroup_paths
from ab_runner.monitor import accounting
from ab_runner.monitor.accounting import (
    Cgroup,
    ContainerProcesses,
    Look,
    Session,
    ThreadAccounts,
    cgroup_folders,
    children_cpu_seconds,
    stolen,
    threads_of,
    total,
)
from ab_runner.monitor.watch import accounts_of

CONTAINER = "8bfb1a5501937f5b822a1d47b20d6992aff1766f43901d737c041d9b9baf5c45"
V1 = f"""\
9:name=systemd:/docker/{CONTAINER}
4:memory:/docker/{CONTAINER}
3:cpuset:/docker/{CONTAINER}
2:cpu,cpuacct:/docker/{CONTAINER}
0::/docker/{CONTAINER}
"""
V2 = f"0::/system.slice/docker-{CONTAINER}.scope\n"


def test_a_cpu_that_is_not_shown_makes_the_total_unknown() -> None:
    times = {0: CpuTimes(547.31, 1010.64, 14.35, 0.85), 10: CpuTimes(602.23, 953.44, 16.84, 0.94)}
    assert total(times, (0, 10), "idle") == pytest.approx(1964.08)
    assert total(times, (0, 1), "idle") is None
    assert stolen(times, (0, 10)) == pytest.approx(0.895)
    assert stolen(times, (0, 1)) is None


def test_where_the_groups_of_both_versions_are() -> None:
    root = Path("/sys/fs/cgroup")
    assert cgroup_folders(parse_cgroup_paths(V1)) == (
        root / "cpuacct/docker" / CONTAINER,
        root / "memory/docker" / CONTAINER,
    )
    scope = root / "system.slice" / f"docker-{CONTAINER}.scope"
    assert cgroup_folders(parse_cgroup_paths(V2)) == (scope, scope)
    with pytest.raises(OSError, match="no control group"):
        cgroup_folders(parse_cgroup_paths("1:cpuset:/\n"))


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with proc/ and cgroup/ of its own."""
    monkeypatch.setattr(procfs, "PROC", tmp_path / "proc")
    monkeypatch.setattr(accounting, "CGROUPS", tmp_path / "cgroup")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_container_under_cgroup_v1(system: Path) -> None:
    write(system / "proc/7/cgroup", V1)
    write(system / f"cgroup/cpuacct/docker/{CONTAINER}/cpuacct.usage", "2500000000\n")
    write(system / f"cgroup/cpuacct/docker/{CONTAINER}/cgroup.procs", "7\n8\n")
    memory = "cache 900\nrss 1\nmapped_file 5\ntotal_cache 7000\ntotal_rss 4000\ntotal_shmem 300\n"
    write(system / f"cgroup/memory/docker/{CONTAINER}/memory.stat", memory)
    group = Cgroup(7, CONTAINER)
    assert group.look() == (2.5, 4300)
    assert group.processes() == [7, 8]


def test_a_container_under_cgroup_v2(system: Path) -> None:
    folder = system / f"cgroup/system.slice/docker-{CONTAINER}.scope"
    write(system / "proc/7/cgroup", V2)
    write(folder / "cpu.stat", "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n")
    write(folder / "cgroup.procs", "7\n")
    write(folder / "memory.stat", "anon 4000\nfile 7000\nkernel 50\nshmem 300\n")
    group = Cgroup(7, CONTAINER)
    assert group.look() == (2.5, 4300)
    assert group.processes() == [7]


def test_a_kernel_that_does_not_count_memory_still_counts_time(system: Path) -> None:
    write(system / "proc/7/cgroup", V2)
    write(system / f"cgroup/system.slice/docker-{CONTAINER}.scope/cpu.stat", "usage_usec 2500000\n")
    assert Cgroup(7, CONTAINER).look() == (2.5, None)


def test_a_container_of_another_machine_is_not_mixed_up_with_a_process_of_this_one(system: Path) -> None:
    write(system / "proc/7/cgroup", "0::/user.slice/user-1000.slice\n")
    with pytest.raises(OSError, match="not of container"):
        Cgroup(7, CONTAINER)
    with pytest.raises(FileNotFoundError):
        Cgroup(8, CONTAINER)


def process(system: Path, pid: int, group: str, ticks: int, ended: int, own_kib: int) -> None:
    """Write what the kernel shows of a process with no CPU-time clock."""
    write(system / f"proc/{pid}/cgroup", group)
    stat = f"{pid} (a) S 1 {pid} {pid} 0 -1 0 0 0 0 0 {ticks} 0 {ended} 0 20 0 1 0 9 1000 300 0\n"
    write(system / f"proc/{pid}/stat", stat)
    write(system / f"proc/{pid}/status", f"RssAnon:\t{own_kib} kB\nRssFile:\t 9000 kB\nRssShmem:\t8 kB\n")


@pytest.mark.parametrize("group", [V1, V2, f"0::/../../system.slice/docker-{CONTAINER}.scope\n"])
def test_a_container_whose_group_cannot_be_seen_is_its_processes(
    system: Path, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(procfs, "cpu_seconds", lambda process: process.cpu_seconds)
    tick = 1 / os.sysconf("SC_CLK_TCK")
    process(system, 7, group, ticks=100, ended=20, own_kib=4000)
    process(system, 8, group, ticks=30, ended=0, own_kib=1000)
    process(system, 9, "0::/system.slice/docker-0123.scope\n", ticks=999, ended=999, own_kib=9999)
    container = ContainerProcesses(CONTAINER)
    assert sorted(container.processes()) == [7, 8]
    assert [*container.look()] == [pytest.approx(150 * tick), (5000 + 2 * 8) * 1024]
    assert container.cpu_seconds() == pytest.approx(150 * tick)
    shutil.rmtree(system / "proc/8")
    (system / "proc/9/cgroup").unlink()  # of a stranger that is known it is not read again
    assert [*container.look()] == [pytest.approx(120 * tick), 4008 * 1024]
    shutil.rmtree(system / "proc/7")
    with pytest.raises(ProcessLookupError, match=f"container {CONTAINER} has ended"):
        container.look()


linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

BURN = """
import os, sys, time
def burn():
    end = time.process_time() + 0.1
    while time.process_time() < end: pass
if os.fork() == 0:
    burn()
    os._exit(0)
os.wait()
if os.fork() == 0:
    burn()
    print("ready", flush=True)
    time.sleep(60)
time.sleep(60)
"""
"""0.1 s in a child that ends, and 0.1 s in one that stays."""


@pytest.fixture
def burner() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", BURN], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        with suppress(ProcessLookupError):
            os.killpg(process.pid, 9)


@linux
def test_a_session_is_all_of_its_processes_and_those_that_ended(burner: subprocess.Popen[bytes]) -> None:
    session = Session(burner.pid)
    for _ in range(2):
        look = session.look()
        assert look.cpu_seconds >= 0.18
        assert look.memory_bytes is not None
        assert look.memory_bytes > 2**20
    assert burner.pid in session.processes()
    assert len(session.processes()) == 2
    assert os.getpid() not in session.processes()


@linux
def test_a_session_that_has_ended_is_no_session(burner: subprocess.Popen[bytes]) -> None:
    session = Session(burner.pid)
    os.killpg(burner.pid, 9)
    burner.wait()
    until(lambda: is_gone(session))  # its child ends when it is its turn


def is_gone(session: Session) -> bool:
    try:
        session.look()
    except OSError:
        return True
    return False


@linux
def test_the_time_of_a_child_counts_with_that_of_its_own_children_which_run_or_have_ended(
    burner: subprocess.Popen[bytes],
) -> None:
    without, with_it = children_cpu_seconds(None), children_cpu_seconds(Session(burner.pid))
    assert with_it >= without + 0.18, "0.1 s of its child that has ended, and 0.1 s of the one that runs"


@linux
def test_the_time_of_a_child_that_has_ended_is_not_lost() -> None:
    burn = "import time\nwhile time.process_time() < 0.1: pass"
    before = children_cpu_seconds(None)
    with subprocess.Popen(["sh", "-c", f'{sys.executable} -c "{burn}"; true'], start_new_session=True) as process:
        session = Session(process.pid)
        while process.poll() is None:
            time.sleep(0.01)
    assert children_cpu_seconds(session) >= before + 0.1


@linux
def test_a_thread_that_sleeps_is_put_on_a_cpu_again_each_time() -> None:
    me = os.getpid()
    if not (before := threads_of([me])):
        pytest.skip("this kernel does not count that (CONFIG_SCHED_INFO)")
    for _ in range(10):
        time.sleep(0.001)
    assert threads_of([me])[me].switches - before[me].switches >= 10


class Processes:
    """The accounts of a server that has these processes."""

    def __init__(self, *pids: int) -> None:
        self._pids = list(pids)

    def look(self) -> Look:
        raise NotImplementedError

    def processes(self) -> list[int]:
        if not self._pids:
            raise ProcessLookupError
        return self._pids


def thread(system: Path, pid: int, tid: int, name: str, milliseconds: int, switches: int = 1) -> None:
    """Write what the kernel accounts for a thread."""
    write(system / f"proc/{pid}/task/{tid}/comm", f"{name}\n")
    write(system / f"proc/{pid}/task/{tid}/schedstat", f"{milliseconds}000000 0 {switches}\n")


def test_compiler_threads_that_end_during_a_trial_are_not_lost(system: Path) -> None:
    """As HotSpot starts and ends them (JDK 11 and later). The names are those that the kernel shows."""
    thread(system, 7, 7, "java", 900)
    thread(system, 7, 20, "C2 CompilerThre", 5000)
    thread(system, 7, 21, "C1 CompilerThre", 1000)
    accounts = ThreadAccounts(Processes(7))
    thread(system, 7, 30, "C2 CompilerThre", 100)
    thread(system, 7, 31, "http-nio-8080-e", 1)
    accounts.sample()
    thread(system, 7, 30, "C2 CompilerThre", 350)
    thread(system, 7, 20, "C2 CompilerThre", 5200)
    accounts.sample()
    for ended in (20, 30, 31):
        shutil.rmtree(system / f"proc/7/task/{ended}")
    thread(system, 7, 21, "C1 CompilerThre", 1010)
    accounts.sample()
    assert accounts.compiled() == pytest.approx(0.2 + 0.01 + 0.35), "of three threads, two of which have ended"
    thread(system, 7, 21, "C1 CompilerThre", 1020)
    after = accounts.after()
    assert accounts.before.keys() == {7, 20, 21}
    assert {tid: found.cpu_seconds for tid, found in after.items()} == {7: 0.9, 20: 5.2, 21: 1.02, 30: 0.35}


def test_threads_that_do_not_compile_are_read_once_and_those_of_other_programs_never(
    system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread(system, 7, 7, "java", 900)
    thread(system, 7, 20, "C2 CompilerThre", 5000)
    thread(system, 8, 8, "apache2", 900)
    accounts = ThreadAccounts(Processes(7, 8))
    read: list[int] = []
    thread_stat = procfs.thread_stat

    def counted(pid: int, tid: int) -> ThreadStat:
        read.append(tid)
        return thread_stat(pid, tid)

    monkeypatch.setattr(procfs, "thread_stat", counted)
    for _ in range(3):
        accounts.sample()
    assert accounts.compiled() == 0
    assert sorted(read) == [7, 20, 20, 20]


def test_a_server_that_is_gone_has_no_threads(system: Path) -> None:
    accounts = ThreadAccounts(Processes())
    accounts.sample()
    assert (accounts.before, accounts.after(), accounts.compiled()) == ({}, {}, None)


def test_threads_of_a_process_that_is_gone_are_none() -> None:
    assert threads_of([2**22 + 1]) == {}


@linux
def test_where_nothing_is_pinned_both_may_use_all_cpus() -> None:
    accounts = accounts_of(Session(1), float, (), ())
    assert set(accounts.server_cpus) == set(accounts.generator_cpus) == os.sched_getaffinity(0)
    assert accounts_of(Session(1), float, (1,), (0,)).server_cpus == (1,)


def test_a_server_that_changes_its_cpus_itself_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[int] = []
    monkeypatch.setattr(accounting, "_cpus_of", lambda thread: {99})
    monkeypatch.setattr(os, "sched_setaffinity", lambda thread, cpus: changes.append(thread))
    account = Session(os.getsid(0))
    monkeypatch.setattr(account, "processes", lambda: [os.getpid()])
    accounting.pin(account, [0])
    assert len(changes) >= 100
