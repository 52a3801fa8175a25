"""The table of all trials: a row for each trial and each cell without one. Its columns are defined here and nowhere
else; `csv` and `export` write it down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ab_runner.analysis.measure import lower_is_better, measure_of
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.analysis.trial_figures import PERCENTILE_NAMES, TrialFigures
from ab_runner.model.load import NOT_THE_SERVER, Arrivals
from ab_runner.model.trial import NotMeasured, Trial, cell_of
from ab_runner.report.say.messages import full_text

Kind = Literal["text", "whole", "real", "truth"]
Value = str | int | float | bool | None
Row = dict[str, Value]

_PERCENTILES = {f"{name}_ms".replace(".", "_"): name for name in PERCENTILE_NAMES}
"""The names of percentiles by column."""
_OF_USAGE: dict[str, Kind] = {
    "server_cpu_seconds": "real",
    "generator_cpu_seconds": "real",
    "server_cores_busy": "real",
    "generator_cores_busy": "real",
    "peak_memory_bytes": "whole",
    "context_switches": "whole",
}
_OF_JVM: dict[str, Kind] = {
    "gc_count": "whole",
    "gc_seconds": "real",
    "jit_seconds": "real",
    "heap_after_gc_bytes": "whole",
}
_OF_OPEN_LOAD: dict[str, Kind] = {
    "axis": "text",
    "level": "whole",
    "planned_rate": "whole",
    "lag_p99_ms": "real",
    "most_connections": "whole",
    "idle_opened": "whole",
    "peak": "real",
    "capacity": "whole",
    "capacity_missed": "whole",
}
_LATER_OF_OPEN_LOAD: dict[str, Kind] = {"p95_ms": "real", "lag_p50_ms": "real"}
_OF_CAPACITY: dict[str, Kind] = {
    "half_meet": "real",
    **{f"cell_{share}_meet{end}": "real" for share in ("half", "ninety") for end in ("", "_low", "_high")},
}
"""Of the start, and of its cell with the ends of the intervals."""
_OF_GENERATOR: dict[str, Kind] = {"generator": "text", **{f"own_{name}": "real" for name in _PERCENTILES}}
"""Its name, and the percentiles that it computed itself where it recorded no requests."""
_LATER_OF_USAGE: dict[str, Kind] = {"jit_cpu_seconds": "real"}
"""Columns at the end of a row, which readers of the first version of the table ignore."""
COLUMNS: dict[str, Kind] = {
    "block": "whole",
    "server": "text",
    "family": "text",
    "workload": "text",
    "concurrency": "whole",
    "jdk": "whole",
    "start": "whole",
    "valid": "truth",
    "reason": "text",
    "notes": "text",
    "requests_per_second": "real",
    "complete": "whole",
    "failed_at_least": "whole",
    "non_2xx": "whole",
    "kept_alive": "whole",
    "seconds": "real",
    "html_bytes": "whole",
    **{name: "real" for name in _PERCENTILES},
    "share_of_ceiling": "real",
    "limit": "text",
    "requests_per_server_cpu_second": "real",
    **_OF_USAGE,
    **_OF_JVM,
    **_LATER_OF_USAGE,
    "lower_bound": "truth",
    "served_share": "real",
    "revision": "whole",
    **_OF_OPEN_LOAD,
    **_LATER_OF_OPEN_LOAD,
    **_OF_GENERATOR,
    **_OF_CAPACITY,
    "allocated_per_request": "real",
    "allocated_per_request_error": "real",
}


def rows(analysis: SweepAnalysis) -> Iterator[Row]:
    """Yield a row for each trial and each cell without one. A value that a row lacks is not known or does not apply."""
    servers = {server.id: server for server in analysis.sweep.everyone}
    for figures in analysis.trials:
        share = _rounded(analysis.share_of(figures))
        row = _row(figures) | {"share_of_ceiling": share, "axis": analysis.axis, "level": figures.record.level}
        if analysis.is_closed:
            row["concurrency"] = figures.record.level
        if isinstance(figures.record, Trial) and figures.record.search is not None:
            row |= _capacity(figures.record, analysis)
        if server := servers.get(figures.record.server):
            row |= {"family": server.family, "revision": server.revision}
        yield row


def _row(figures: TrialFigures) -> Row:
    record = figures.record
    row: Row = {
        "block": record.block,
        "server": record.server,
        "workload": record.workload,
    }
    if isinstance(record, NotMeasured):
        return row | {"valid": False, "reason": full_text(record.reason)}
    row |= {
        "jdk": record.jdk,
        "start": record.start,
        "valid": record.verdict.valid,
        "reason": full_text(record.verdict.reason) if record.verdict.reason else None,
        "notes": "; ".join(map(full_text, record.verdict.notes)) or None,
        "limit": record.limit,
        **({name: getattr(record.usage, name) for name in (*_OF_USAGE, *_LATER_OF_USAGE)} if record.usage else {}),
        **({name: getattr(record.jvm, name) for name in _OF_JVM} if record.jvm else {}),
    }
    if figures.allocated is not None:
        row |= {
            "allocated_per_request": round(figures.allocated.per_request, 1),
            "allocated_per_request_error": round(figures.allocated.error, 1),
        }
    outcome = record.outcome
    if outcome is None:
        return row
    return row | {
        "requests_per_second": round(outcome.rate, 2),
        "complete": outcome.completed,
        "failed_at_least": outcome.failed_at_least,
        "non_2xx": outcome.failed.get("non-2xx", 0),
        "kept_alive": outcome.kept_alive,
        "seconds": outcome.seconds,
        "html_bytes": outcome.body_bytes,
        **dict(zip(_PERCENTILES, figures.latency, strict=True)),
        "requests_per_server_cpu_second": figures.cpu_efficiency,
        "lower_bound": record.limit in NOT_THE_SERVER and not lower_is_better(measure_of(record)),
        "served_share": _rounded(figures.served),
        "p95_ms": figures.p95,
        "lag_p50_ms": figures.lag_p50,
        "generator": outcome.generator,
        **{f"own_{column}": outcome.own_percentiles.get(name) for column, name in _PERCENTILES.items()},
        **(_open_load(record, outcome.arrivals) if outcome.arrivals else {}),
    }


def _open_load(trial: Trial, arrivals: Arrivals) -> Row:
    row: Row = {
        "planned_rate": arrivals.rate,
        "lag_p99_ms": arrivals.lag_p99,
        "most_connections": arrivals.most_connections,
        "idle_opened": arrivals.idle_opened,
        "peak": trial.peak,
    }
    if trial.search is not None:
        row |= {"capacity": trial.search.met, "capacity_missed": trial.search.missed}
    return row


def _capacity(trial: Trial, analysis: SweepAnalysis) -> Row:
    cell = analysis.cells.get(cell_of(trial))
    if cell is None or cell.capacity is None or cell.figure is None or not trial.verdict.valid:
        return {}
    found = [analysis.capacity_of(trial)]
    for estimate in (cell.capacity.half, cell.capacity.ninety):
        interval = estimate.interval
        found += [estimate.value, interval.low if interval else None, interval.high if interval else None]
    return {name: None if each is None else round(each, 1) for name, each in zip(_OF_CAPACITY, found, strict=True)}


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)
