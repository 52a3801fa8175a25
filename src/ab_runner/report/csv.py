"""trials.csv: one row for each trial and each cell without one, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from ab_runner.model import Cell, CellRecord, NotMeasured, Trial, cell_of
from ab_runner.report.cells import (
    PERCENTILES,
    CellSummary,
    latencies,
    requests_per_cpu_second,
    share_of_ceiling,
    summarise,
)
from ab_runner.store import Stored

COLUMNS = (
    "block", "server", "family", "workload", "concurrency", "jdk", "start", "valid", "reason", "notes",
    "requests_per_second", "complete", "failed_at_least", "non_2xx", "kept_alive", "seconds", "html_bytes",
    *(f"p{percentile}_ms" for percentile in PERCENTILES), "share_of_ceiling",
    "limit", "requests_per_server_cpu_second", "server_cpu_seconds", "generator_cpu_seconds", "server_cores_busy",
    "generator_cores_busy", "peak_memory_bytes", "context_switches", "gc_count", "gc_seconds", "jit_seconds",
    "heap_after_gc_bytes",
)  # fmt: skip
_OF_USAGE = ("server_cpu_seconds", "generator_cpu_seconds", "server_cores_busy", "generator_cores_busy",
             "peak_memory_bytes", "context_switches")  # fmt: skip
_OF_JVM = ("gc_count", "gc_seconds", "jit_seconds", "heap_after_gc_bytes")


def render(stored: Stored) -> str:
    families = {server.id: server.family for server in filter(None, (*stored.sweep.servers, stored.sweep.reference))}
    cells = summarise(stored.records)
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for record in stored.records:
        if isinstance(record, Trial | NotMeasured):
            row = _row(record) | {"family": families.get(record.server, "")}
            writer.writerow(row | {"share_of_ceiling": _share(record, cells)})
    return text.getvalue()


def _share(record: CellRecord, cells: Mapping[Cell, CellSummary]) -> str:
    if isinstance(record, NotMeasured) or record.report is None or not record.verdict.valid:
        return ""
    share = share_of_ceiling(record.report.requests_per_second, cell_of(record), cells)
    return "" if share is None else f"{share:.4f}"


def _row(record: CellRecord) -> dict[str, object]:
    row: dict[str, object] = {
        "block": record.block,
        "server": record.server,
        "workload": record.workload,
        "concurrency": record.concurrency,
    }
    if isinstance(record, NotMeasured):
        return row | {"valid": "no", "reason": record.reason}
    row |= {
        "jdk": record.jdk,
        "start": record.start,
        "valid": "yes" if record.verdict.valid else "no",
        "reason": record.verdict.reason,
        "notes": "; ".join(record.verdict.notes),
        "limit": record.limit,
        **({name: getattr(record.usage, name) for name in _OF_USAGE} if record.usage else {}),
        **({name: getattr(record.jvm, name) for name in _OF_JVM} if record.jvm else {}),
    }
    report = record.report
    if report is None:
        return row
    return row | {
        "requests_per_second": report.requests_per_second,
        "complete": report.complete,
        "failed_at_least": report.failures.at_least,
        "non_2xx": report.non_2xx,
        "kept_alive": report.keep_alive,
        "seconds": report.seconds,
        "html_bytes": report.html_bytes,
        **{f"p{percent}_ms": found for percent, found in zip(PERCENTILES, latencies([record]), strict=True)},
        "requests_per_server_cpu_second": requests_per_cpu_second(record),
    }
