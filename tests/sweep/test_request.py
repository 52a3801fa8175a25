from __future__ import annotations

from typing import Any

import msgspec
import pytest
from support.workloads import WORKLOADS

from ab_runner.errors import UserError
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Load
from ab_runner.model.protocol import PROTOCOLS, SweepRequest, WarmUp, for_workloads
from ab_runner.sweep.request import check, with_changes

STANDARD = PROTOCOLS["standard"]
REQUEST = SweepRequest(
    servers=("tomcat*",),
    workloads=("small", "large"),
    levels=(1, 100),
    protocol=STANDARD,
    runtime="auto",
    network="loopback",
    seed=0,
)


def changed(**changes: Any) -> SweepRequest:
    return msgspec.structs.replace(REQUEST, **changes)


def with_requests(count: int) -> SweepRequest:
    return changed(protocol=with_changes(STANDARD, trial=Load(requests=count), warm_up=None, blocks=None))


def test_a_protocol_keeps_what_is_not_changed() -> None:
    assert with_changes(STANDARD, trial=None, warm_up=None, blocks=None) == STANDARD
    other = with_changes(STANDARD, trial=Load(seconds=5), warm_up=WarmUp(Load(requests=20)), blocks=3)
    assert (other.trial, other.trial_of("large"), other.blocks) == (Load(seconds=5), Load(seconds=5), 3)
    assert (other.warm_up, other.warm_up_of("large")) == (WarmUp(Load(requests=20)), WarmUp(Load(requests=20)))
    assert (other.name, other.idle_timeout) == (STANDARD.name, STANDARD.idle_timeout)


def test_where_a_protocol_counts_requests_a_workload_may_have_fewer() -> None:
    by_requests = for_workloads(PROTOCOLS["2006"], WORKLOADS)
    assert list(by_requests.by_workload) == ["large"]
    assert for_workloads(STANDARD, WORKLOADS) == STANDARD
    other = with_changes(by_requests, trial=Load(seconds=5), warm_up=None, blocks=None)
    assert (other.trial_of("large"), other.warm_up_of("large")) == (Load(seconds=5), WarmUp(Load(requests=2_000)))
    with pytest.raises(UserError, match="10,000 requests are fewer than the concurrency 10,001"):
        check(changed(protocol=by_requests, workloads=("small", "large"), levels=(10_001,)))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (with_requests(50), "50 requests are fewer than the concurrency 100: give at least as many"),
        (changed(protocol=PROTOCOLS["2006"], generators=2), "--generator-processes needs timed trials"),
        (
            changed(protocol=with_changes(STANDARD, trial=None, warm_up=WarmUp(Load(requests=5)), blocks=None)),
            "--warmup 5: warm-up runs at concurrency 10, so it needs at least 10 requests",
        ),
        (changed(open=OpenLoad(axis="rate"), protocol=PROTOCOLS["2006"]), "an open load takes a time, not a number"),
        (changed(open=OpenLoad(axis="rate"), generators=2), "--generator-processes is for closed loads"),
        (changed(generator="wrk", protocol=PROTOCOLS["2006"]), "a load by wrk takes a time, not a number of requests"),
        (changed(generator="open-load", protocol=PROTOCOLS["2006"]), "a load by open-load takes a time, not a number"),
        (
            changed(generator="wrk", generators=3, levels=(2, 30, 100)),
            "--generator-processes 3: wrk divides connections evenly, and 100 cannot be divided so",
        ),
        (changed(load_hosts=("lab2",), runtime="process"), "--server-host and --load-hosts need Docker engines"),
        (changed(server_address="192.0.2.7"), "--server-address is for load hosts"),
        (changed(swarm=True, runtime="process"), "--swarm excludes --server-host, --load-hosts and --runtime process"),
        (changed(swarm=True, load_hosts=("lab2",)), "--swarm excludes"),
        (changed(swarm=True, server_host="lab1"), "--swarm excludes"),
        (changed(registry="registry.example:5000"), "--registry is for the nodes of a swarm: add --swarm"),
        (changed(load_hosts=("lab2",), network="bridge"), "--network bridge is for load from beside the server"),
        (changed(load_hosts=("lab2",), share_cpus=True), "--share-cpus is for load from beside the server"),
        (changed(load_hosts=("lab2", "lab2")), "each named once"),
        (changed(load_hosts=("lab1", "lab2"), server_host="lab1"), "and none of them --server-host"),
        (changed(load_hosts=("lab2", "lab3"), protocol=PROTOCOLS["2006"]), "several load hosts need timed trials"),
        (changed(load_hosts=("lab2", "lab3"), generator="wrk"), "wrk tells percentiles, which cannot be merged"),
        (
            changed(load_hosts=("lab2", "lab3"), open=OpenLoad(axis="rate", is_exact=True)),
            "exactly as a study says comes from one host",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(wanted: SweepRequest, expected: str) -> None:
    with pytest.raises(UserError, match=expected):
        check(wanted)


def test_what_does_not_contradict_itself_passes() -> None:
    check(REQUEST)
    check(with_requests(100))
    check(
        changed(
            protocol=with_changes(STANDARD, trial=None, warm_up=WarmUp(Load(requests=0)), blocks=None), generators=2
        )
    )
    check(changed(generator="wrk", generators=4, levels=(1, 2, 3, 8, 100)))
    check(changed(generator="open-load", generators=3, levels=(10,)))
    check(changed(server_host="lab1", load_hosts=("lab2",), generator="wrk"))
    check(changed(load_hosts=("lab2", "lab3"), server_address="192.0.2.7", open=OpenLoad(axis="rate")))
