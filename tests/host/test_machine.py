from __future__ import annotations

import os

import pytest

from ab_runner.errors import UserError
from ab_runner.host.facts import parse_cpu_list
from ab_runner.host.machine import CpuSplit, cpu_split, local_ports


@pytest.mark.parametrize(
    ("cores", "split"),
    [
        ([(0,), (1,)], CpuSplit((1,), (0,))),
        ([(2,), (0,), (1,)], CpuSplit((1, 2), (0,))),
        ([(0, 4), (1, 5)], CpuSplit((1, 5), (0, 4))),
        ([(0, 1)], CpuSplit((1,), (0,))),
        ([(0,)], CpuSplit((), ())),
        ([], CpuSplit((), ())),
    ],
)
def test_the_generator_has_a_core_to_itself_with_its_hyper_threads(
    cores: list[tuple[int, ...]], split: CpuSplit
) -> None:
    assert cpu_split(cores=cores) == split


@pytest.mark.parametrize(
    ("generators", "split"),
    [
        (2, CpuSplit((2, 6, 3, 7), (0, 1, 4, 5))),
        (3, CpuSplit((3, 7), (0, 1, 2, 4, 5, 6))),
        (9, CpuSplit((3, 7), (0, 1, 2, 4, 5, 6))),
    ],
    ids=["two", "three", "more than there are cores"],
)
def test_each_generator_has_a_core_and_one_is_left_for_the_server(generators: int, split: CpuSplit) -> None:
    assert cpu_split(generators, cores=[(0, 4), (1, 5), (2, 6), (3, 7)]) == split


SINGLE = [(0,), (1,), (2,), (3,), (4,)]
PAIRS = [(0, 4), (1, 5), (2, 6), (3, 7)]


@pytest.mark.parametrize(
    ("cores", "generators", "asked", "split"),
    [
        ([(0,), (1,)], 1, 1, CpuSplit((1,), (0,))),
        (SINGLE, 1, 1, CpuSplit((1,), (0,))),
        (SINGLE, 1, 4, CpuSplit((1, 2, 3, 4), (0,))),
        (SINGLE, 3, 2, CpuSplit((3, 4), (0, 1, 2))),
        (PAIRS, 1, 2, CpuSplit((1, 5), (0, 4))),
        (PAIRS, 1, 3, CpuSplit((1, 5, 2), (0, 4))),
        (PAIRS, 1, 4, CpuSplit((1, 5, 2, 6), (0, 4))),
        ([(0, 1)], 1, 1, CpuSplit((1,), (0,))),
    ],
)
def test_a_server_gets_as_many_cpus_as_are_asked_for_core_by_core(
    cores: list[tuple[int, ...]], generators: int, asked: int, split: CpuSplit
) -> None:
    assert cpu_split(generators, asked, cores) == split


@pytest.mark.parametrize(
    ("cores", "generators", "asked", "reason"),
    [
        (
            [(0,), (1,)], 1, 2,
            "this machine has 1 CPU for the server beside the generator's 1; use --server-cpus 1, or a machine with 3 "
            "CPUs or more",
        ),
        (
            PAIRS, 1, 7,
            "this machine has 6 CPUs for the server beside the generator's 2; use --server-cpus 6, or a machine with 9 "
            "CPUs or more",
        ),
        (
            SINGLE, 3, 4,
            "this machine has 2 CPUs for the server beside the generators' 3; use --server-cpus 2 or fewer "
            "--generator-processes, or a machine with 7 CPUs or more",
        ),
        (
            [(0,)], 1, 1,
            "nothing can be pinned here, because this machine has one CPU or does not let programs choose theirs; "
            "leave the option out, or use Linux with 2 CPUs or more",
        ),
    ],
)  # fmt: skip
def test_more_cpus_than_there_are_for_a_server_are_refused_with_what_to_do(
    cores: list[tuple[int, ...]], generators: int, asked: int, reason: str
) -> None:
    with pytest.raises(UserError) as error:
        cpu_split(generators, asked, cores)
    assert str(error.value) == f"--server-cpus {asked}: {reason}"


def test_where_programs_cannot_choose_their_cpus_nothing_is_pinned_unless_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert cpu_split() == CpuSplit((), ())
    with pytest.raises(UserError, match="nothing can be pinned here"):
        cpu_split(server_cpus=1)


@pytest.mark.parametrize(("text", "cpus"), [("0\n", {0}), ("0-2,4", {0, 1, 2, 4}), ("1,3", {1, 3})])
def test_a_list_of_cpus_is_read_as_linux_writes_it(text: str, cpus: set[int]) -> None:
    assert parse_cpu_list(text) == cpus


@pytest.mark.parametrize(
    ("said", "ports"),
    [
        ("10000 65535", 55536),
        ("32768\t60999", 28232),
        ("", 28232),
        ("1", 28232),
        ("² 5", 28232),
        ("1 " + "9" * 5000, 28232),
    ],
)
def test_what_is_no_range_of_ports_is_linuxs_own(said: str, ports: int) -> None:
    assert local_ports({"net.ipv4.ip_local_port_range": said}) == ports
