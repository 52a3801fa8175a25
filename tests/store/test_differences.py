from __future__ import annotations

import msgspec
from support import builders
from support.workloads import WORKLOADS

from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.sweep import Outside, Sweep
from ab_runner.model.workload import Requests
from ab_runner.store.differences import differences

SERVERS = [builders.server("a-1"), builders.server("b-1")]


def test_the_same_sweep_on_the_same_machine_does_not_differ() -> None:
    assert list(differences(builders.sweep(*SERVERS), builders.sweep(*SERVERS))) == []


def test_whatever_is_not_as_it_was_is_named_with_both_values() -> None:
    then = builders.sweep(*SERVERS, server_cpus=(1, 2))
    machine = msgspec.structs.replace(then.machine, kernel="6.12.0", sysctls={"net.core.somaxconn": "128"})
    changed = msgspec.structs.replace(SERVERS[0], caveats=("It has changed.",))
    now = builders.sweep(
        changed, machine=machine, server_cpus=(1,), environment={"ab": "This is ApacheBench, Version 2.3"},
        fixtures={"small.html": "11"}, skipped={"b-1": Skip(SkipKind.NOT_INSTALLED, "cc is not installed")},
    )  # fmt: skip
    assert list(differences(then, now)) == [
        "kernel is 6.12.0 and was 6.1.0",
        "server CPUs is 1 and was 1, 2",
        "net.core.somaxconn is 128 and was 4096",
        "ab package is None and was apache2-utils 2.4.62-1",
        "small.html is 11 and was 00",
        "server.toml of a-1 changed",
        "b-1 cannot run: cc is not installed",
    ]


def test_a_workload_has_changed_if_it_asks_for_something_else() -> None:
    _, small, _, large = WORKLOADS
    then = builders.sweep(*SERVERS, workloads=(small, large))
    reworded = msgspec.structs.replace(small, summary="a small file", by_requests=Requests(10, 20))
    assert list(differences(then, builders.sweep(*SERVERS, workloads=(reworded, large)))) == []
    assert list(differences(then, builders.sweep(*SERVERS, workloads=(small,)))) == []
    other = msgspec.structs.replace(reworded, headers=("A: b",))
    assert list(differences(then, builders.sweep(*SERVERS, workloads=(large, other)))) == ["workload small has changed"]


def test_a_server_from_outside_is_the_same_while_its_image_or_files_are() -> None:
    def of(program: str, folder: str = "/a") -> Sweep:
        return builders.sweep(builders.server("a-1"), outside={"a-1": Outside(folder, program)})

    assert list(differences(of("sha256:1"), of("sha256:1", "/b"))) == []
    assert list(differences(of("sha256:1"), of("sha256:2"))) == ["the image or the files of a-1 have changed"]


def test_servers_that_changed_are_a_line_for_each_kind_of_change() -> None:
    names = [f"{letter}-1" for letter in "abcdefg"]
    then = builders.sweep(*map(builders.server, names), builders.server("h-1", revision=2))
    now = builders.sweep(
        *(builders.server(name, revision=2) for name in names[:3]), builders.server(names[3], revision=3),
        *(builders.server(name, caveats=("New.",)) for name in names[4:6]), builders.server(names[6]),
        builders.server("h-1", revision=2), builders.server("i-1", revision=5),
    )  # fmt: skip
    assert list(differences(then, now)) == [
        "revision 1 → 2: the server's behaviour changed (a-1, b-1, c-1)",
        "revision 1 → 3: the server's behaviour changed (d-1)",
        "server.toml of e-1, f-1 changed",
    ]


def test_what_an_older_sweep_says_that_a_server_stands_for_is_no_change_of_it() -> None:
    then = builders.sweep(builders.server("a-1", published="tomcat-5.5.15"))
    assert list(differences(then, builders.sweep(builders.server("a-1")))) == []
    changed = builders.sweep(builders.server("a-1", caveats=("New.",)))
    assert list(differences(then, changed)) == ["server.toml of a-1 changed"]


def test_load_hosts_that_are_others_or_have_changed_are_named() -> None:
    then = builders.sweep(*SERVERS, load_hosts=(builders.load_host("lab2"), builders.load_host("lab3")))
    changed = builders.load_host("lab2", engine="28.0.0", link=60e6)
    machine = msgspec.structs.replace(changed.machine, kernel="6.12.0")
    now = builders.sweep(*SERVERS, load_hosts=(msgspec.structs.replace(changed, machine=machine),))
    assert list(differences(then, now)) == [
        "load from is lab2 and was lab2, lab3",
        "Docker engine of lab2 is 28.0.0 and was 26.1.5",
        "kernel of lab2 is 6.12.0 and was 6.1.0",
    ]
