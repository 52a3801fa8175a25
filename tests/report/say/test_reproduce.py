"""The command that a report gives makes the sweep that it is of."""

from __future__ import annotations

import shlex
from typing import Any

import msgspec
import pytest

from ab_runner.cli import run
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Load
from ab_runner.model.protocol import PROTOCOLS, Protocol, SweepRequest, WarmUp, for_open_load
from ab_runner.model.sweep import Outside
from ab_runner.report.say.reproduce import command

ASKED = SweepRequest(
    protocol=PROTOCOLS["quick"], servers=("jetty-12.1", "tomcat-11"), workloads=("small", "large"),
    levels=(1, 100), runtime="docker", network="bridge", seed=7, jdk=17,
)  # fmt: skip


def changed(**changes: Any) -> Protocol:
    return msgspec.structs.replace(PROTOCOLS["standard"], **changes)


def of_open_load(load: OpenLoad, *levels: int) -> SweepRequest:
    return msgspec.structs.replace(ASKED, open=load, levels=levels, protocol=for_open_load(ASKED.protocol))


WARM_UP = WarmUp(Load(requests=20_000))


@pytest.mark.parametrize(
    "wanted",
    [
        ASKED,
        msgspec.structs.replace(ASKED, runtime="process", network="loopback", jdk=None),
        msgspec.structs.replace(ASKED, generators=3),
        msgspec.structs.replace(ASKED, generator="wrk", generators=4),
        msgspec.structs.replace(ASKED, server_cpus=4),
        msgspec.structs.replace(
            ASKED, network="loopback", server_host="lab1", load_hosts=("lab2", "lab3"), server_address="192.0.2.7"
        ),
        msgspec.structs.replace(ASKED, network="loopback", swarm=True, registry="registry.example:5000"),
        of_open_load(OpenLoad(axis="rate", reference_at_all_levels=True), 1_000, 2_000),
        of_open_load(OpenLoad(axis="peak", reference_at_all_levels=True), 50, 90),
        of_open_load(OpenLoad(axis="slo", percentile="p99.9"), 10, 50),
        of_open_load(OpenLoad(axis="idle", rate=2_000, reference_at_all_levels=True), 0, 15_000),
        msgspec.structs.replace(
            of_open_load(OpenLoad(axis="rate", reference_at_all_levels=True), 1_000), protocol=PROTOCOLS["quick"]
        ),
        msgspec.structs.replace(ASKED, protocol=changed(blocks=9)),
        msgspec.structs.replace(ASKED, protocol=changed(trial=Load(seconds=7))),
        msgspec.structs.replace(ASKED, protocol=changed(trial=Load(requests=900))),
        msgspec.structs.replace(ASKED, protocol=changed(warm_up=WARM_UP)),
    ],
)
def test_the_command_asks_for_the_same_again(wanted: SweepRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(command(wanted))
    assert words[0] == "./ab-runner"
    asked: list[SweepRequest] = []

    def keep(request: SweepRequest, *_: object) -> list[str]:
        asked.append(request)
        return []

    monkeypatch.setattr("ab_runner.sweep.begin.lines_of_dry_run", keep)
    with pytest.raises(SystemExit):
        run.command.main([*words[1:], "--dry-run"], standalone_mode=False)
    (again,) = asked
    assert msgspec.structs.replace(again, seed=wanted.seed) == wanted


def test_the_folders_of_servers_from_outside_are_named() -> None:
    outside = {"a-1": Outside("/x/mine/a-1", "sha256:0"), "b-1": Outside("/x/mine/b-1", "sha256:1")}
    assert command(ASKED, outside) == f"{command(ASKED)} --servers-from /x/mine"
    assert command(ASKED, {"a-1": Outside("a-1", "sha256:0")}).endswith(" --servers-from DIR"), "a published sweep"


def test_a_sweep_of_another_study_is_asked_for_by_that() -> None:
    words = command(msgspec.structs.replace(ASKED, study="other-2018"))
    assert words == command(ASKED).replace("./ab-runner ", "./ab-runner study other-2018 ")


def test_of_a_protocol_that_this_version_does_not_know_all_lengths_are_told() -> None:
    other = changed(name="weekly", trial=Load(seconds=3), blocks=2, warm_up=WARM_UP)
    words = command(msgspec.structs.replace(ASKED, protocol=other))
    assert words.startswith(
        "./ab-runner --protocol weekly --duration 3s --blocks 2 --warmup 20000 --concurrency 1,100 "
    )
    opened = of_open_load(OpenLoad(axis="rate"), 1_000)
    assert "--protocol weekly" in command(msgspec.structs.replace(opened, protocol=other))


def test_a_sweep_of_an_older_version_that_added_blocks_is_repeated_with_those_of_its_protocol() -> None:
    wanted = msgspec.structs.replace(ASKED, protocol=changed(blocks=9))
    assert command(msgspec.structs.replace(wanted, precision=0.03, budget=1800)) == command(wanted)
