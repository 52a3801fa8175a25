"""The command that a report gives makes the sweep that it is of."""

from __future__ import annotations

import shlex
from typing import Any

import msgspec
import pytest

from ab_runner.cli import options
from ab_runner.cli.main import run
from ab_runner.model.load import Load
from ab_runner.model.protocol import Protocol, SweepRequest, WarmUp
from ab_runner.report.reproduce import command
from ab_runner.sweep.protocol import PROTOCOLS

ASKED = SweepRequest(
    protocol=PROTOCOLS["quick"], servers=("jetty-12.1", "tomcat-11"), workloads=("small", "large"),
    concurrency=(1, 100), runtime="docker", network="bridge", seed=7, jdk=17,
)  # fmt: skip


def changed(**changes: Any) -> Protocol:
    return msgspec.structs.replace(PROTOCOLS["standard"], **changes)


WARM_UP = WarmUp(Load(requests=20_000))


@pytest.mark.parametrize(
    "made",
    [
        ASKED,
        msgspec.structs.replace(ASKED, runtime="process", network="loopback", jdk=None),
        msgspec.structs.replace(ASKED, generators=3),
        msgspec.structs.replace(ASKED, protocol=changed(blocks=9), precision=0.03, budget=1800),
        msgspec.structs.replace(ASKED, protocol=changed(trial=Load(seconds=7), large_trial=Load(seconds=7))),
        msgspec.structs.replace(ASKED, protocol=changed(trial=Load(requests=900), large_trial=Load(requests=900))),
        msgspec.structs.replace(ASKED, protocol=changed(warm_up=WARM_UP, large_warm_up=WARM_UP)),
    ],
)
def test_the_command_asks_for_the_same_again(made: SweepRequest) -> None:
    words = shlex.split(command(made))
    assert words[0] == "./ab-runner"
    typed = run.make_context("run", words[1:]).params
    protocol = options.with_overrides(
        PROTOCOLS[typed["protocol"]], typed["requests"], typed["duration"], typed["warmup"], typed["blocks"]
    )
    assert SweepRequest(
        protocol=protocol, servers=typed["servers"], workloads=typed["workloads"], concurrency=typed["concurrency"],
        runtime=typed["runtime"], network=typed["network"], seed=made.seed, jdk=typed["jdk"],
        generators=typed["generators"],
        precision=typed["until_precision"], budget=typed["budget"] if typed["until_precision"] else None,
    ) == made  # fmt: skip
