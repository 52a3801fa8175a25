"""Small stored things for tests, complete with all that is not in question."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import msgspec
from support.workloads import WORKLOADS

from ab_runner.load.ab_outcome import outcome_of
from ab_runner.load.ab_output import AbFigures, Failures
from ab_runner.load.latency import distribution
from ab_runner.model.load import Arrivals, Limit, Outcome
from ab_runner.model.message import Message, Skip, Value, Verdict
from ab_runner.model.protocol import PROTOCOLS, SweepRequest
from ab_runner.model.records import AnswerRecord
from ab_runner.model.resources import HostLoad, Usage
from ab_runner.model.server import Server
from ab_runner.model.sweep import Conditions, LoadHost, Machine, Sweep
from ab_runner.model.trial import NotMeasured, Trial
from ab_runner.model.workload import WorkloadName
from ab_runner.monitor.readings import Reading
from ab_runner.report.say.messages import sentence_of
from ab_runner.store.format_1 import message_of, skip_of

PERCENTILES = {**dict.fromkeys(range(90), 0.8), **dict.fromkeys(range(90, 99), 1.234), 99: 12.5, 100: 250.0}
NOON = datetime.datetime(2026, 11, 20, 12, 0, tzinfo=datetime.UTC)


def server(id: str, **changes: Any) -> Server:
    family, _, version = id.partition("-")
    fields: dict[str, Any] = {
        "id": id,
        "summary": f"{family} as it is",
        "family": family,
        "version": version,
        "released": datetime.date(2006, 1, 5),
        "io_model": "blocking thread pool",
        "workloads": ("small", "large"),
        "kind": "jvm",
        "program": id,
    }
    return Server(**fields | changes)


def figures(**changes: Any) -> AbFigures:
    """What ab printed in a run of 12,345 requests."""
    fields: dict[str, Any] = {
        "tool": "2.3 <$Revision: 1 $>",
        "document_length": 100,
        "concurrency": 10,
        "seconds": 1.0,
        "complete": 12_345,
        "failures": Failures(),
        "write_errors": 0,
        "non_2xx": 0,
        "keep_alive": None,
        "total_bytes": 3_000_000,
        "html_bytes": 1_234_500,
        "requests_per_second": 12_345.0,
        "percentiles": PERCENTILES,
    }
    made = AbFigures(**fields | changes)
    whole = made.complete * made.document_length
    return made if "html_bytes" in changes else msgspec.structs.replace(made, html_bytes=whole)


def outcome(is_timed: bool = False, **changes: Any) -> Outcome:
    """What ab found in that run, with these figures changed."""
    return outcome_of(figures(**changes), {}, is_timed)


def said(text: str, detail: str = "", **values: Value) -> Message:
    """The message with these words, and further values. As in stored trials its code is text."""
    message = message_of(text, detail)
    return msgspec.structs.replace(message, code=str(message.code), values={**message.values, **values})


def said_of(message: Message | None) -> str | None:
    """What a message says, without its detail."""
    return sentence_of(message).text if message else None


def rejected(text: str, detail: str = "") -> Verdict:
    """The verdict that a trial is not valid, for the reason with these words."""
    return Verdict(False, said(text, detail))


def noted(*texts: str) -> Verdict:
    """The verdict that a trial is valid, with notes of these words."""
    return Verdict(True, notes=tuple(map(said, texts)))


def skips(reasons: Mapping[str, str]) -> dict[str, Skip]:
    """Servers that are skipped, for reasons with these words."""
    return {server: skip_of(reason) for server, reason in reasons.items()}


def usage(**changes: Any) -> Usage:
    fields: dict[str, Any] = {
        "server_cpu_seconds": 2.5,
        "generator_cpu_seconds": 4.0,
        "server_cores_busy": 0.5,
        "generator_cores_busy": 0.8,
        "server_cpus_idle": 0.0,
        "generator_cpus_idle": 0.0,
        "server_cpus_interrupts": 0.0,
        "generator_cpus_interrupts": 0.0,
        "busiest_thread": None,
        "peak_memory_bytes": 100_000_000,
        "context_switches": 1_234,
    }
    return Usage(**fields | changes)


def reading(at: float, server: float, generator: float, **changes: Any) -> Reading:
    fields: dict[str, Any] = {
        "server_cpus_idle": 0.0, "generator_cpus_idle": 0.0, "server_cpus_interrupts": 0.0,
        "generator_cpus_interrupts": 0.0, "server_stolen": 0.0, "generator_stolen": 0.0, "stolen": {},
        "memory": None,
    }  # fmt: skip
    return Reading(at=at, server_cpu=server, generator_cpu=generator, **fields | changes)


def served(rate: float, concurrency: int, share: float = 1.0, is_timed: bool = False, **changes: Any) -> Outcome:
    """The outcome of a server that serves that share of the connections, with the latencies that Little's law gives."""
    made = figures(requests_per_second=rate, concurrency=concurrency, **changes)
    by = share * concurrency / rate * 1e6 / distribution(made, {}).mean
    percentiles = {key: by * value for key, value in made.percentiles.items()}
    return outcome_of(msgspec.structs.replace(made, percentiles=percentiles), {}, is_timed)


def trial(server: str, workload: WorkloadName, concurrency: int, **changes: Any) -> Trial:
    """From a concurrency of 100 on of a server that serves all connections, unless its outcome has other latencies
    than those that `outcome` gives it by itself."""
    fields: dict[str, Any] = {
        "block": 1,
        "server": server,
        "workload": workload,
        "level": concurrency,
        "start": 1,
        "at": NOON,
        "command": ("ab", "-n", "1"),
        "exit_code": 0,
        "outcome": outcome(),
        "verdict": Verdict(True),
        "raw": "x.txt",
        "jdk": 25,
    }
    made = Trial(**fields | changes)
    found = made.outcome
    if found is None or concurrency < 100 or found.latency != outcome(complete=found.completed).latency:
        return made
    fair = served(found.completed_per_second, concurrency, complete=found.completed)
    return msgspec.structs.replace(made, outcome=msgspec.structs.replace(found, latency=fair.latency))


def arrivals(rate: int, **changes: Any) -> Arrivals:
    fields: dict[str, Any] = {
        "rate": rate, "planned": 5 * rate, "refused": {}, "lag_p99": 0.01, "lag_longest": 0.2, "most_connections": 3,
        "idle_opened": 0, "idle_closed": 0, "due_seconds": 5.0,
    }  # fmt: skip
    return Arrivals(**fields | changes)


def open_outcome(rate: int, **changes: Any) -> Outcome:
    """What open-load found in five seconds in which every request was answered."""
    fields: dict[str, Any] = {
        "generator": "open-load", "version": "1.0.0", "connections": 3, "seconds": 5.01, "is_timed": True,
        "completed": 5 * rate, "completed_per_second": float(rate), "answered": 5.0 * rate, "requests": 5 * rate,
        "received_bytes": 1_000 * rate, "body_bytes": 500 * rate, "body_length": 100, "arrivals": arrivals(rate),
    }  # fmt: skip
    return Outcome(**fields | changes)


def open_trial(
    server: str,
    level: int,
    p99: float,
    rate: int = 1_000,
    outcome: Outcome | None = None,
    latency: Mapping[int, int] | None = None,
    **changes: Any,
) -> Trial:
    """A trial with an open load whose p99 is so many milliseconds, its median a tenth of it, unless it has a
    `latency`."""
    slow = round(1000 * p99)
    found = msgspec.structs.replace(
        outcome or open_outcome(rate), latency=latency or {slow // 10: 4 * rate, slow: rate}
    )
    command = ("open-load", "--rate", str(rate))
    return trial(server, "small", level, **{"command": command, "outcome": found} | changes)


def with_lag(trial: Trial, lag: Mapping[int, int], **changes: Any) -> Trial:
    """The trial of an open load with that lag of the generator, requests by microseconds."""
    assert trial.outcome is not None
    assert trial.outcome.arrivals is not None
    arrivals = msgspec.structs.replace(trial.outcome.arrivals, lag=lag)
    return msgspec.structs.replace(trial, outcome=msgspec.structs.replace(trial.outcome, arrivals=arrivals), **changes)


SPREAD = (0.99, 1.0, 1.01, 0.98, 1.02, 1.0)
"""Of the rates of six blocks."""


def blocks(
    name: str, rate: float, concurrency: int = 1, of: int = 6, limit: Limit | None = None, per_cpu_second: float = 1e4
) -> list[Trial]:
    """Trials of so many blocks, whose rates spread by two per cent."""
    return [
        trial(
            name, "small", concurrency, block=block, limit=limit,
            outcome=outcome(requests_per_second=rate * by, complete=round(rate * by)),
            usage=usage(server_cpu_seconds=rate / per_cpu_second),
        )
        for block, by in enumerate(SPREAD[:of], 1)
    ]  # fmt: skip


def failed_trial(
    server: str, workload: WorkloadName, concurrency: int, reason: str, detail: str = "", **changes: Any
) -> Trial:
    return trial(
        server,
        workload,
        concurrency,
        outcome=None,
        verdict=rejected(reason, detail),
        exit_code=119,
        **changes,
    )


def answer(server: str, head: str, workload: WorkloadName = "small") -> AnswerRecord:
    return AnswerRecord(
        block=1, server=server, start=1, workload=workload, head=head, head_bytes=len(head), body_bytes=100
    )


def not_measured(server: str, workload: WorkloadName, concurrency: int, reason: str, detail: str = "") -> NotMeasured:
    return NotMeasured(block=1, server=server, workload=workload, level=concurrency, reason=message_of(reason, detail))


def load_host(name: str, **changes: Any) -> LoadHost:
    """A quiet host with two CPUs, to which the link carries 1 Gbit/s."""
    machine = msgspec.structs.replace(sweep().machine, hostname=f"{name}.example.org")
    conditions = Conditions(
        governors=("performance",), turbo=False, swap_used_bytes=0, busy_cores=0.05, stolen=0.0, cpu_quota=None
    )
    fields: dict[str, Any] = {"engine": "26.1.5", "machine": machine, "conditions": conditions, "link": 125e6}
    return LoadHost(name=name, **fields | changes)


def host_load(name: str, **changes: Any) -> HostLoad:
    """What a load host did of which nothing but its name is known."""
    fields: dict[str, Any] = {
        "connections": None, "rate": None, "received_bytes": None, "seconds": None, "wall_seconds": 1.0,
        "cpu_seconds": None, "cores_busy": None, "cpus_idle": None, "cpus_interrupts": None, "stolen_share": None,
        "limit": None,
    }  # fmt: skip
    return HostLoad(name=name, **fields | changes)


def sweep(*servers: Server, **changes: Any) -> Sweep:
    request = SweepRequest(
        protocol=PROTOCOLS["quick"],
        servers=tuple(each.id for each in servers),
        workloads=("small", "large"),
        levels=(1, 100),
        runtime="docker",
        network="loopback",
        seed=1,
        jdk=25,
    )
    machine = Machine(
        hostname="bench",
        system="Debian GNU/Linux 12 (bookworm)",
        kernel="6.1.0",
        architecture="x86_64",
        cpu_model="Xeon 3.0 GHz",
        cpus=2,
        memory_bytes=2 * 2**30,
        open_files=20_000,
        sysctls={"net.core.somaxconn": "4096"},
    )
    fields: dict[str, Any] = {
        "id": "20261120-120000-quick",
        "started": NOON,
        "request": request,
        "machine": machine,
        "server_cpus": (1,),
        "generator_cpus": (0,),
        "environment": {"ab": "This is ApacheBench, Version 2.3", "ab package": "apache2-utils 2.4.62-1"},
        "fixtures": {"small.html": "00"},
        "workloads": WORKLOADS,
        "servers": servers,
    }
    return Sweep(**fields | changes)
