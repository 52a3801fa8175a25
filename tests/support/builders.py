"""Small stored things for tests, complete with all that is not in question."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import msgspec

from ab_runner.load.latency import distribution
from ab_runner.model.load import Arrivals, Failures, Limit, LoadReport
from ab_runner.model.message import Message, Skip, Value, Verdict
from ab_runner.model.protocol import PROTOCOLS, SweepRequest
from ab_runner.model.records import AnswerRecord, Machine, NotMeasured, Sweep, Trial, Usage
from ab_runner.model.server import Server
from ab_runner.model.workload import WorkloadName
from ab_runner.report.messages import sentence_of
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


def report(**changes: Any) -> LoadReport:
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
    made = LoadReport(**fields | changes)
    whole = made.complete * made.document_length
    return made if "html_bytes" in changes else msgspec.structs.replace(made, html_bytes=whole)


def said(text: str, detail: str = "", **values: Value) -> Message:
    """The message with these words, and further values."""
    message = message_of(text, detail)
    return msgspec.structs.replace(message, values={**message.values, **values})


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


def served(rate: float, concurrency: int, share: float = 1.0, **changes: Any) -> LoadReport:
    """The figures of a server that serves that share of the connections, with the latencies that Little's law gives."""
    made = report(requests_per_second=rate, concurrency=concurrency, **changes)
    by = share * concurrency / rate * 1e6 / distribution(made, {}).mean
    return msgspec.structs.replace(made, percentiles={key: by * value for key, value in made.percentiles.items()})


def trial(server: str, workload: WorkloadName, concurrency: int, **changes: Any) -> Trial:
    """From a concurrency of 100 on of a server that serves all connections, unless its report has other latencies than
    those that `report` gives it by itself."""
    fields: dict[str, Any] = {
        "block": 1,
        "server": server,
        "workload": workload,
        "level": concurrency,
        "start": 1,
        "at": NOON,
        "command": ("ab", "-n", "1"),
        "exit_code": 0,
        "report": report(),
        "verdict": Verdict(True),
        "raw": "x.txt",
        "jdk": 25,
    }
    made = Trial(**fields | changes)
    if made.report is None or made.report.percentiles != PERCENTILES or concurrency < 100:
        return made
    fair = served(made.report.requests_per_second, concurrency, complete=made.report.complete)
    return msgspec.structs.replace(made, report=msgspec.structs.replace(made.report, percentiles=fair.percentiles))


def arrivals(rate: int, **changes: Any) -> Arrivals:
    fields: dict[str, Any] = {
        "rate": rate, "planned": 5 * rate, "refused": {}, "lag_p99": 0.01, "lag_longest": 0.2, "most_connections": 3,
        "idle_opened": 0, "idle_closed": 0,
    }  # fmt: skip
    return Arrivals(**fields | changes)


def open_report(rate: int, **changes: Any) -> LoadReport:
    """The figures of open-load of five seconds in which every request was answered."""
    fields: dict[str, Any] = {
        "tool": "open-load 1.0.0", "seconds": 5.01, "complete": 5 * rate, "requests_per_second": float(rate),
        "percentiles": {}, "arrivals": arrivals(rate),
    }  # fmt: skip
    return report(**fields | changes)


def open_trial(server: str, level: int, p99: float, rate: int = 1_000, **changes: Any) -> Trial:
    """A trial with an open load whose p99 is so many milliseconds, its median a tenth of it."""
    slow = round(1000 * p99)
    fields: dict[str, Any] = {
        "command": ("open-load", "--rate", str(rate)),
        "report": open_report(rate),
        "microseconds": {slow // 10: 4 * rate, slow: rate},
    }
    return trial(server, "small", level, **fields | changes)


SPREAD = (0.99, 1.0, 1.01, 0.98, 1.02, 1.0)
"""Of the rates of six blocks."""


def blocks(
    name: str, rate: float, concurrency: int = 1, of: int = 6, limit: Limit | None = None, per_cpu_second: float = 1e4
) -> list[Trial]:
    """Trials of so many blocks, whose rates spread by two per cent."""
    return [
        trial(
            name, "small", concurrency, block=block, limit=limit,
            report=report(requests_per_second=rate * by, complete=round(rate * by)),
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
        report=None,
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
        "servers": servers,
    }
    return Sweep(**fields | changes)
