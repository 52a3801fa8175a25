"""What a published sweep no longer says."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import (
    NOON,
    answer,
    failed_trial,
    host_load,
    load_host,
    not_measured,
    open_outcome,
    open_trial,
    said,
    server,
    skips,
    sweep,
    trial,
)
from support.swarm import node_record

from ab_runner.model.message import Code, Message, Verdict
from ab_runner.model.records import EndRecord, Record, ResumeRecord, StartRecord
from ab_runner.model.sweep import Machine, Outside, Sweep
from ab_runner.model.trial import Trial
from ab_runner.store.redaction import Redaction

REDACTION = Redaction(host="bench.example.org", user="alice", folders={"/srv/ab-runner": ".", "/var/alice": "~"})


def redacted(record: Record, redaction: Redaction = REDACTION) -> Record:
    line = next(redaction.log([msgspec.json.encode(record)]))
    return msgspec.json.decode(line, type=Record)  # type: ignore[no-any-return]


def test_the_host_has_no_name() -> None:
    before = sweep(server("a-1"), skipped=skips({"b-1": "cc is not on bench (see /home/alice/x)"}))
    content = REDACTION.sweep(msgspec.json.encode(before))
    after = msgspec.json.decode(content, type=type(before))
    assert after.machine == msgspec.structs.replace(before.machine, hostname="")
    assert after.skipped == skips({"b-1": "cc is not on HOST (see ~/x)"})
    assert msgspec.structs.replace(after, machine=before.machine, skipped=before.skipped) == before


def test_neither_nodes_nor_the_registry_have_names() -> None:
    before = node_record("lab7.example.org", 1)
    after = redacted(before, msgspec.structs.replace(REDACTION, contexts={"lab7.example.org": "node-1"}))
    machine = msgspec.structs.replace(before.machine, hostname="")
    assert after == msgspec.structs.replace(before, node="node-1", machine=machine)
    asked = msgspec.structs.replace(sweep().request, swarm=True, registry="registry.example:5000")
    content = REDACTION.sweep(msgspec.json.encode(sweep(server("a-1"), request=asked)))
    assert msgspec.json.decode(content, type=Sweep).request == msgspec.structs.replace(asked, registry=None)


def test_of_the_folder_of_a_server_from_outside_its_name_is_left() -> None:
    before = sweep(server("a-1"), outside={"a-1": Outside("/data/of/alice/mine/a-1", "sha256:0")})
    after = msgspec.json.decode(REDACTION.sweep(msgspec.json.encode(before)), type=Sweep)
    assert after.outside == {"a-1": Outside("a-1", "sha256:0")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mvn -f /srv/ab-runner/servers/pom.xml package", "mvn -f ./servers/pom.xml package"),
        ("/srv/ab-runners/x", "/srv/ab-runners/x"),
        ("(/home/bob/.m2/x)", "(~/.m2/x)"),
        ("file:///Users/bob/x", "file://~/x"),
        ("/root/.m2 and /rooted and /usr/root", "~/.m2 and /rooted and /usr/root"),
        ("/var/alice/x", "~/x"),
        ("bench.example.org: no route", "HOST: no route"),
        ("user alice on bench", "user USER on HOST"),
        ("benchmark, workbench, bench-2, Alice", "benchmark, workbench, bench-2, Alice"),
    ],
)
def test_names_and_folders_are_replaced_in_free_text(text: str, expected: str) -> None:
    assert redacted(not_measured("a-1", "small", 1, "does not build", text)) == not_measured(
        "a-1", "small", 1, "does not build", expected
    )


def test_every_text_of_others_is_free_text() -> None:
    start = StartRecord(block=1, server="a-1", start=1, at=NOON, seconds=1.0, error=said("does not start", "on bench"))
    assert redacted(start) == msgspec.structs.replace(start, error=said("does not start", "on HOST"))
    head = "HTTP/1.0 200 OK\r\nServer: x (bench)\r\n\r\n"
    assert redacted(answer("a-1", head)).head == head.replace("bench", "HOST")  # type: ignore[union-attr]
    failed = failed_trial("a-1", "small", 1, "timeout", "bench gave up")
    after = redacted(failed)
    assert after == failed_trial("a-1", "small", 1, "timeout", "HOST gave up")


def test_a_sweep_that_was_resumed_elsewhere_does_not_say_where() -> None:
    record = ResumeRecord(at=NOON, differences=("hostname is secret and was bench", "kernel is 7 and was 6"))
    assert redacted(record) == ResumeRecord(at=NOON, differences=("hostname is another", "kernel is 7 and was 6"))


def test_a_command_names_its_files_without_their_folder() -> None:
    made = trial("a-1", "small", 1, command=("ab", "-e", "/data/x/.scratch-1/1-a.csv", "http://127.0.0.1:80/a"))
    assert redacted(made).command == ("ab", "-e", "1-a.csv", "http://127.0.0.1:80/a")  # type: ignore[union-attr]


@pytest.mark.parametrize("host", ["finished", "small", "a-1", "timeout", "server", "localhost", "", "generator"])
def test_what_is_analysed_is_not_changed_whatever_the_host_is_called(host: str) -> None:
    records: list[Record] = [
        trial("a-1", "small", 1, limit="generator"),
        failed_trial("a-1", "small", 1, "timeout"),
        not_measured("a-1", "small", 1, "server exited with 1"),
        EndRecord(at=NOON, reason="finished"),
    ]
    redaction = Redaction(host=host, user=host, folders={})
    assert [redacted(record, redaction) for record in records] == records


@given(st.floats(0, 1e18), st.dictionaries(st.integers(0, 10**6), st.integers(0, 10**9)))
def test_figures_are_kept_to_the_last_digit(rate: float, latency: dict[int, int]) -> None:
    found = open_outcome(1_000, completed_per_second=rate)
    made = open_trial("a-1", 1, 5.0, outcome=found, latency=latency)
    assert redacted(made) == made


def test_fields_and_records_of_a_newer_version_stay() -> None:
    line = {"record": "unheard-of", "mood": ["/home/alice/x", 1.5, None, True]}
    after: Any = json.loads(next(REDACTION.log([json.dumps(line).encode()])))
    assert after == line | {"mood": ["~/x", 1.5, None, True]}


def test_the_name_is_the_only_fact_about_a_machine_that_names_it() -> None:
    """A new field must be looked at here: may it be published?"""
    assert set(Machine.__struct_fields__) == {
        "hostname", "system", "kernel", "architecture", "cpu_model", "cpus", "memory_bytes", "open_files", "sysctls",
    }  # fmt: skip


def test_load_hosts_and_the_servers_address_have_no_names() -> None:
    before = sweep(server("a-1"), load_hosts=(load_host("lab2"), load_host("small")))
    asked = {"server_host": "lab1", "load_hosts": ("lab2", "small"), "server_address": "10.0.0.5"}
    before = msgspec.structs.replace(before, request=msgspec.structs.replace(before.request, **asked))
    contexts = {"lab2": "load-host-1", "small": "load-host-2", "lab1": "server-host"}
    redaction = Redaction(host="bench", user="alice", folders={}, contexts=contexts, addresses=("10.0.0.5", "small"))
    after = msgspec.json.decode(redaction.sweep(msgspec.json.encode(before)), type=Sweep)
    request = after.request
    assert (request.server_host, request.load_hosts) == ("server-host", ("load-host-1", "load-host-2"))
    assert request.server_address is None
    names = [(host.name, host.machine.hostname) for host in after.load_hosts]
    assert names == [("load-host-1", ""), ("load-host-2", "")]
    assert after.workloads == before.workloads, "a host may be called as a workload is"
    gone = failed_trial("a-1", "small", 1, "timeout", "lab2: 70007", load_hosts=(host_load("lab2"), host_load("small")))
    told = redacted(gone, redaction)
    assert isinstance(told, Trial)
    assert told.load_hosts
    assert [host.name for host in told.load_hosts] == ["load-host-1", "load-host-2"]
    assert (told.workload, told.verdict.reason and told.verdict.reason.detail) == ("small", "load-host-1: 70007")
    away = msgspec.structs.replace(gone, verdict=Verdict(False, Message(Code.LOAD_HOST_GONE, {"who": "lab2"})))
    told = redacted(away, redaction)
    assert isinstance(told, Trial)
    assert told.verdict.reason == Message(Code.LOAD_HOST_GONE, {"who": "load-host-1"})
    made = trial("a-1", "small", 1, command=("ab", "http://10.0.0.5:49153/small.html"))
    told = redacted(made, redaction)
    assert isinstance(told, Trial)
    assert told.command == ("ab", "http://server-host:49153/small.html")
    refused = not_measured("a-1", "small", 1, "does not start", "Bind for 10.0.0.5:49153 failed, not for 10.0.0.50")
    assert redacted(refused, redaction) == not_measured(
        "a-1", "small", 1, "does not start", "Bind for server-host:49153 failed, not for 10.0.0.50"
    )
