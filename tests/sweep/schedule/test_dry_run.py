from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.builders import server, sweep
from support.workloads import WORKLOADS

from ab_runner.catalog.catalog import load_catalog
from ab_runner.host import machine
from ab_runner.model.axis import OpenLoad
from ab_runner.model.protocol import PROTOCOLS, SweepRequest, for_open_load, for_workloads
from ab_runner.sweep import begin
from ab_runner.sweep.request import Place
from ab_runner.sweep.schedule.dry_run import lines_of

TOMCAT, JETTY = server("tomcat-11"), server("jetty-12.1", workloads=("small",))
CEILING = server("ceiling", kind="c")


def asked(protocol: str, **changes: object) -> SweepRequest:
    """For both servers: small and large at 1 and 100."""
    there = sweep(TOMCAT, JETTY).request
    return msgspec.structs.replace(there, protocol=msgspec.structs.replace(PROTOCOLS[protocol], **changes))


SHOWN = "./ab-runner report results/latest shows the tables so far"


def test_a_sweep_is_told_in_full() -> None:
    assert list(lines_of(asked("quick"), [TOMCAT, JETTY], CEILING)) == [
        "servers (2): tomcat-11, jetty-12.1",
        "workloads: small, large",
        "concurrency: 1, 100",
        "protocol: quick, blocks: 1, each trial: 1 s",
        "trials: 10, with those of ceiling before and after",
        "time: about 49 s, without builds",
        SHOWN,
    ]


def test_of_several_blocks_it_is_told_when_the_first_has_its_tables() -> None:
    *_, time, shown = lines_of(asked("standard"), [TOMCAT, JETTY], CEILING)
    assert time == "time: about 4 min, without builds"
    assert shown == f"first block complete after about 38 s; {SHOWN}"


@pytest.mark.parametrize(
    ("load", "levels", "expected"),
    [
        (OpenLoad(axis="rate"), (1_000, 2_000), "open load, rates: 1,000, 2,000 requests/s"),
        (OpenLoad(axis="slo"), (10,), "open load, capacity: the rate at which half of the trials have p99 ≤ 10 ms"),
        (OpenLoad(axis="idle", rate=500), (0, 9), "open load, 500 requests/s beside idle connections: 0, 9"),
    ],
)
def test_an_open_load_is_told_in_full(load: OpenLoad, levels: tuple[int, ...], expected: str) -> None:
    request = asked("quick")
    request = msgspec.structs.replace(request, open=load, levels=levels, protocol=for_open_load(request.protocol))
    lines = list(lines_of(request, [TOMCAT, JETTY], None))
    assert lines[2:4] == [expected, "protocol: quick, blocks: 1, each trial: 2 s"]
    assert lines[-2].startswith("time: about ")


def test_cpus_that_are_asked_for_are_told() -> None:
    lines = list(lines_of(msgspec.structs.replace(asked("quick"), server_cpus=4), [TOMCAT], None))
    assert lines[3:5] == ["protocol: quick, blocks: 1, each trial: 1 s", "each server on 4 CPUs"]


def test_of_numbers_of_requests_nobody_knows_the_time() -> None:
    lines = list(
        lines_of(asked("2006", by_workload=for_workloads(PROTOCOLS["2006"], WORKLOADS).by_workload), [TOMCAT], None)
    )
    assert lines[-4:] == [
        "protocol: 2006, blocks: 1, each trial: 200,000 requests (large: 10,000 requests)",
        "trials: 4",
        "time: not known beforehand, because trials or warm-ups are numbers of requests",
        SHOWN,
    ]


def test_the_runtime_and_the_memory_of_this_machine_are_in_the_time_that_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In Docker servers start while others are warmed up, and a batch has as many as the memory has room for. A sweep
    names its time by both."""

    class Docker:
        name, network, jdk = "docker", "loopback", 25

        def unavailable(self, server: object) -> None:
            return None

    asked: list[SweepRequest] = []

    def keep(request: SweepRequest, *_: Any) -> Iterator[str]:
        asked.append(request)
        return iter(())

    there = machine.describe()
    monkeypatch.setattr(machine, "describe", lambda: msgspec.structs.replace(there, memory_bytes=8 * 2**30))
    monkeypatch.setattr(begin, "choose_runtime", lambda *_, **__: Docker())
    monkeypatch.setattr(begin, "lines_of", keep)
    wanted = SweepRequest(
        servers=("@core",), workloads=("small",), levels=(10,), protocol=PROTOCOLS["standard"], runtime="auto",
        network="loopback", seed=0,
    )  # fmt: skip
    list(begin.lines_of_dry_run(wanted, Place(port=8080, out=tmp_path / "new"), lambda _: None))
    (sweep,) = asked
    core = load_catalog().named(["@core"])
    assert sweep.servers == tuple(each.id for each in core if "small" in each.workloads), "patterns and sets are ids"
    assert [(each.runtime, each.protocol.together) for each in asked] == [("docker", 4)]
