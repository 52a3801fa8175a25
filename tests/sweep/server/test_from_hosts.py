"""Load from several hosts at once, and what was its limit."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.builders import host_load, load_host, open_outcome, sweep
from support.fakes import FakeRemote, recorded

from ab_runner.load.ab_generator import Ab
from ab_runner.load.generator import Completed, Run, Target
from ab_runner.load.generator_registry import OPEN
from ab_runner.model.load import Limit, Load
from ab_runner.model.message import Code, Message
from ab_runner.monitor.sampler import ResourceSampler
from ab_runner.store.writer import Store
from ab_runner.sweep.server.from_hosts import FromHosts, LoadFromHosts, at_once
from ab_runner.sweep.server.start import WatchedLoad

GOOD = recorded("close")
"""400 requests at concurrency 10."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.make(tmp_path / "sweep", sweep())


def target(hosts: Sequence[FakeRemote], **changes: object) -> Target:
    fields: dict[str, object] = {
        "url": "http://10.0.0.1:49153/small.html", "keep_alive": False, "idle_timeout": 30, "time_limit": 99.0,
        "executor": hosts[0], "rate": 1_000.0, "processes": 4, "record_as": "t",
    }  # fmt: skip
    return Target(**fields | changes)  # type: ignore[arg-type]


def loads(hosts: Sequence[FakeRemote], store: Store, link: float = 125e6, together: float = 250e6) -> LoadFromHosts:
    return LoadFromHosts(hosts, {host.name: load_host(host.name, link=link) for host in hosts}, together, store)


def test_all_hosts_begin_at_once_each_with_its_share_and_files_of_its_own(store: Store) -> None:
    meet = threading.Barrier(2, timeout=10)

    def answer(command: Sequence[str]) -> Completed:
        meet.wait()
        return GOOD

    hosts = [FakeRemote("lab2", answer), FakeRemote("lab3", answer)]
    run = loads(hosts, store).make(Ab(), target(hosts, processes=1, record_as=None), Load(requests=801), 21)
    assert [host.commands for host in hosts] == [
        [["ab", "-n", "401", "-c", "11", "-r", "-s", "30", "http://10.0.0.1:49153/small.html"]],
        [["ab", "-n", "400", "-c", "10", "-r", "-s", "30", "http://10.0.0.1:49153/small.html"]],
    ]
    assert run.outcome is not None
    assert (run.outcome.completed, run.outcome.connections) == (800, 20), "as each run says"


def test_one_connection_comes_from_one_host(store: Store) -> None:
    hosts = [FakeRemote("lab2", lambda command: GOOD), FakeRemote("lab3", lambda command: GOOD)]
    found = loads(hosts, store).make_watched(Ab(), target(hosts), Load(seconds=1), 1, interval=0.1)
    assert ([len(host.commands) for host in hosts], [host.name for host in found.hosts]) == ([1, 0], ["lab2"])
    assert hosts[0].taken == ["t.host1.latencies", "t.host1.csv"]


@pytest.mark.parametrize(
    ("link", "together", "limits", "limit"),
    [
        (1e9, 1e9, [None, None], None),
        (0.5, 1e9, ["network", "network"], "network"),
        (1e9, 0.5, [None, None], "network"),
    ],
)
def test_a_link_that_is_full_is_the_limit(
    store: Store, link: float, together: float, limits: list[Limit | None], limit: Limit | None
) -> None:
    hosts = [FakeRemote("lab2", lambda command: GOOD), FakeRemote("lab3", lambda command: GOOD)]
    alone = target(hosts, processes=1, record_as=None)
    found = loads(hosts, store, link, together).make_watched(Ab(), alone, Load(requests=800), 20, interval=0.1)
    assert ([host.limit for host in found.hosts], found.limit(None)) == (limits, limit)
    assert found.limit("server") == "server", "it had no CPU time for more"
    assert found.limit("machine") == "server"


def test_cpus_that_are_full_where_no_generator_works_are_full_of_the_networks_interrupts() -> None:
    found = FromHosts(Run(command=(), exit_code=1, result=Message(Code.NO_FIGURES), seconds=0.0, output=""))
    assert (found.limit("generator"), found.limit(None)) == ("network", None)


def test_a_generator_that_was_too_slow_on_one_host_is_the_limit_though_all_together_do_not_show_it() -> None:
    run = Run(command=(), exit_code=0, result=open_outcome(1_000), seconds=5.0, output="")
    sampler = ResourceSampler(SimpleNamespace(accounts=None))
    for limit in ("generator", None):
        made = FromHosts(run, (host_load("lab2", limit=limit), host_load("lab3")))
        assert WatchedLoad(run, None, sampler, made).limit(OPEN) == limit


def test_what_one_call_raises_is_raised_and_the_others_are_not_waited_for() -> None:
    never = threading.Event()

    def fail() -> bool:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        at_once([lambda: never.wait(60), fail])
    never.set()


def test_the_results_of_calls_are_in_their_order() -> None:
    second = threading.Event()

    def first() -> str:
        assert second.wait(10)
        return "first"

    def other() -> str:
        second.set()
        return "second"

    assert at_once([first, other]) == ["first", "second"]
