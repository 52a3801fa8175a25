from __future__ import annotations

import pytest

from ab_runner.host.machine import CpuSplit, local_ports, parse_cpu_list, split_cores


@pytest.mark.parametrize(
    ("cores", "split"),
    [
        ([(0,), (1,)], CpuSplit((1,), (0,))),
        ([(2,), (0,), (1,)], CpuSplit((1, 2), (0,))),
        ([(0, 4), (1, 5)], CpuSplit((1, 5), (0, 4))),
        ([(0, 1)], CpuSplit((1,), (0,))),
        ([(0,)], CpuSplit((), ())),
    ],
)
def test_the_generator_has_a_core_to_itself_with_its_hyper_threads(
    cores: list[tuple[int, ...]], split: CpuSplit
) -> None:
    assert split_cores(cores) == split


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
    assert split_cores([(0, 4), (1, 5), (2, 6), (3, 7)], generators) == split


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
