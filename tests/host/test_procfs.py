"""Recorded texts of the kernel, and this machine's own."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ab_runner.host import procfs
from ab_runner.host.procfs import (
    CgroupPath,
    CpuTimes,
    ProcessStat,
    parse_cgroup_paths,
    parse_machine_stat,
    parse_own_memory_bytes,
    parse_process_stat,
)

STAT = "4242 (a (b) c) S 1 77 78 0 -1 4194304 5 6 7 8 250 50 30 20 20 0 12 0 999 1000000 300 18446744073709551615 1\n"
"""A process in session 78, 3.0 s of its own and 0.5 s of its children's, 300 pages."""
CPUS = """\
cpu  88008 0 26948 195640 770 0 3113 179 0 0
cpu0 41930 0 12801 101021 43 7 1428 85 0 0
cpu10 46077 0 14146 94618 726 0 1684 94 0 0
intr 2078509 0 0
"""


def test_a_process_may_be_called_anything() -> None:
    process = parse_process_stat(STAT)
    assert (process.pid, process.session) == (4242, 78)
    assert (process.cpu_seconds, process.ended_children_cpu_seconds) == (3.0, 0.5)
    assert process.memory_bytes == 300 * os.sysconf("SC_PAGE_SIZE")


def test_each_cpu_has_its_idle_time_and_that_of_interrupts() -> None:
    stat = parse_machine_stat(CPUS)
    assert {cpu: (times.idle, times.interrupts) for cpu, times in stat.cpus.items()} == {
        0: (1010.64, 14.35),
        10: (953.44, 16.84),
    }
    assert stat.total == CpuTimes(programs=1149.56, idle=1964.10, interrupts=31.13, stolen=1.79)


@pytest.mark.parametrize(("line", "runnable"), [("", None), ("procs_running 7\n", 7)])
def test_runnable_threads_are_counted_where_the_kernel_does(line: str, runnable: int | None) -> None:
    assert parse_machine_stat(CPUS + line).runnable == runnable


def test_a_process_has_a_place_in_each_hierarchy_of_control_groups() -> None:
    assert parse_cgroup_paths("2:cpu,cpuacct:/docker/a:b\n1:name=systemd:/\n0::/user.slice\n") == [
        CgroupPath(("cpu", "cpuacct"), "docker/a:b"),
        CgroupPath(("name=systemd",), ""),
        CgroupPath((), "user.slice"),
    ]


def test_what_this_kernel_does_not_have_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procfs, "PROC", tmp_path)
    (tmp_path / "cpuinfo").write_text("processor : 0\nFeatures : fp asimd\n")
    assert (procfs.sysctl("net.core.somaxconn"), procfs.cpu_model(), procfs.swap_used_bytes()) == (None, None, 0)
    (tmp_path / "cpuinfo").write_text("processor : 0\nmodel name\t: Xeon 3.0 GHz\nmodel name\t: another\n")
    (tmp_path / "sys/net/ipv4").mkdir(parents=True)
    (tmp_path / "sys/net/ipv4/ip_local_port_range").write_text("32768\t60999\n")
    assert procfs.cpu_model() == "Xeon 3.0 GHz"
    assert procfs.sysctl("net.ipv4.ip_local_port_range") == "32768 60999"


def test_a_process_that_is_gone_has_the_cpu_time_that_was_read_of_it() -> None:
    gone = ProcessStat(2**22 + 1, parent=1, session=78, cpu_seconds=3.0, ended_children_cpu_seconds=0.5, memory_bytes=1)
    assert procfs.cpu_seconds(gone) == 3.0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_cpu_time_of_a_process_is_that_of_all_its_threads_also_of_the_ended_ones() -> None:
    """It is also what /proc/PID/stat says in clock ticks. The file schedstat of a process is of its first thread."""
    program = """
import threading, time
def burn():
    end = time.thread_time() + 0.1
    while time.thread_time() < end: pass
threads = [threading.Thread(target=burn) for _ in range(2)]
for each in threads: each.start()
for each in threads: each.join()
print(time.process_time(), flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        by_itself = float(process.stdout.readline())
        stat = procfs.process_stat(process.pid)
        seconds = procfs.cpu_seconds(stat)
        first_thread = procfs.thread_stat(process.pid, process.pid).cpu_seconds
        process.kill()
    assert seconds == pytest.approx(by_itself, abs=0.01)
    assert seconds >= 0.2
    assert stat.cpu_seconds <= seconds < stat.cpu_seconds + 0.03, "user and system time in ticks of 10 ms, rounded down"
    assert first_thread < seconds - 0.19


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_this_process_is_found_with_its_threads() -> None:
    me = os.getpid()
    assert me in procfs.process_ids()
    assert procfs.process_stat(me).pid == me
    assert me in procfs.thread_ids(me)
    assert procfs.owner(me) == os.geteuid()
    with pytest.raises(OSError, match="No such file"):
        procfs.process_stat(2**22 + 1)


def test_a_process_and_its_threads_need_no_name_in_utf_8() -> None:
    """Any user's process, which is looked at too, and any server can call itself so."""
    script = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'\\xff) R (\\n'); print(flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            assert procfs.process_stat(process.pid).pid == process.pid
            assert procfs.thread_stat(process.pid, process.pid).name == "\ufffd) R (\n".rstrip("\n")
        finally:
            process.kill()


def test_the_memory_of_a_process_is_what_it_has_of_no_file() -> None:
    status = "Name:\tRssAnon: 9 kB\nVmRSS:\t  900 kB\nRssAnon:\t  300 kB\nRssFile:\t  560 kB\nRssShmem:\t   40 kB\n"
    assert parse_own_memory_bytes(status) == 340 * 1024
    assert parse_own_memory_bytes("Name:\tdefunct\nState:\tZ (zombie)\n") == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_this_process_has_memory_of_its_own() -> None:
    before = procfs.own_memory_bytes(os.getpid())
    # pages that are new to the process: an allocator would reuse those of what was freed
    with mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as held:
        held.write(os.urandom(len(held)))
        assert procfs.own_memory_bytes(os.getpid()) - before == pytest.approx(len(held), rel=0.1)
