"""Starts a server as a sweep does, and checks it by all rules."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from ab_runner.catalog.catalog import load_catalog
from ab_runner.conformance.rules import RULES, BrokenRule, Rule, Subject
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.model.protocol import PROTOCOLS, SweepRequest
from ab_runner.model.server import Server
from ab_runner.model.workload import Workload
from ab_runner.report.say.messages import whole_text
from ab_runner.runtime.base import Runtime, StartError, with_printed
from ab_runner.sweep.begin import prepare_process
from ab_runner.sweep.ready.prepare import prepare
from ab_runner.sweep.server import answers, probe
from ab_runner.sweep.server.start import READY_SECONDS


class Result(msgspec.Struct, frozen=True):
    """Whether a server meets a rule. `complaint` is what came back instead, None where it does. `declared` is how its
    server.toml says that it does not; None where it does not say so."""

    server: str
    rule: Rule | None
    """None: it did not start, and was asked nothing."""
    complaint: str | None
    declared: str | None = None

    @property
    def as_declared(self) -> bool:
        return (self.complaint is None) == (self.declared is None)


def check_servers(
    patterns: Sequence[str], servers_from: Sequence[Path], runtime: str, port: int, tell: Callable[[str], None]
) -> Iterator[Result]:
    """Yield what is found of these servers, one after the other. UserError for what is wrong with the request."""
    prepare_process()
    catalog = load_catalog(servers_from)
    servers = catalog.named(patterns, tell)
    request = SweepRequest(
        protocol=PROTOCOLS["quick"],
        servers=tuple(server.id for server in servers),
        workloads=tuple(dict.fromkeys(name for server in servers for name in server.workloads)),
        levels=(1,),
        runtime=runtime,
        network="loopback",
        seed=0,
    )
    with sweep_lock(), tempfile.TemporaryDirectory() as folder:
        prepared = prepare(request, catalog, servers, port, tell)
        scratch = Path(folder)
        prepared.runtime.begin(f"check-{scratch.name}", scratch, scratch)
        workloads = {each.name: each for each in prepared.workloads}
        try:
            for server in prepared.servers:
                own = tuple(workloads[name] for name in server.workloads)
                yield from check_server(prepared.runtime, server, own, prepared.fixtures)
        finally:
            prepared.runtime.close()


def check_server(runtime: Runtime, server: Server, workloads: tuple[Workload, ...], fixtures: Path) -> Iterator[Result]:
    """Start a server, yield whether it meets each rule that concerns it, and end it."""
    try:
        running = runtime.start(server, server.id)
    except StartError as error:
        yield Result(server.id, None, whole_text(error.message))
        return
    try:
        if reason := probe.wait_until_ready(running.connect, workloads[0], READY_SECONDS, running.ended):
            yield Result(server.id, None, whole_text(with_printed(reason, running.printed())))
            return
        subject = Subject(server, workloads, fixtures, running)
        for rule in RULES:
            if rule.concerns(workloads):
                yield Result(server.id, rule, complaint_of(rule, subject), rule.declared(server))
    finally:
        running.stop()


def complaint_of(rule: Rule, subject: Subject) -> str | None:
    """Return how a server breaks a rule; None if it meets it."""
    try:
        rule.check(subject)
    except BrokenRule as error:
        return str(error)
    except answers.ProbeError as error:
        return whole_text(error.message)
    except OSError as error:
        return error.strerror or str(error)
    return None
