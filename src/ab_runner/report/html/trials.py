"""Every warm-up and trial of a server as figures, which the page shows when a reader opens the server. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

import msgspec

from ab_runner.analysis.measure import measure_of
from ab_runner.analysis.trial_figures import PERCENTILES, Allocation, TrialFigures
from ab_runner.model.load import Arrivals, Outcome
from ab_runner.model.records import Record, WarmUpRecord
from ab_runner.model.resources import JvmActivity, Usage
from ab_runner.model.trial import BEFORE, NotMeasured
from ab_runner.report.charts.latencies import TAIL, percentile_name
from ab_runner.report.say.messages import full_text, whole_text
from ab_runner.report.say.numbers import share_figure, tail_of
from ab_runner.report.say.words import Words
from ab_runner.store.layout import RAW_FOLDER

Value = str | float | tuple[str, float] | None
"""A name, a figure, a text with the figure by which it is sorted, or nothing."""
_MIB = 2**20


class Trials(msgspec.Struct, frozen=True):
    """By server id, rows with a value for each heading and the address of ab's own output. None: not known."""

    headings: tuple[str, ...]
    rows: dict[str, list[list[Value]]]


def trials_of(trials: Iterable[TrialFigures], words: Words) -> Trials:
    """Return a row for each of these, without the columns that are empty for all trials."""
    found = [(figures.record.server, _row(figures)) for figures in trials]
    headings = [heading for heading in _HEADINGS if any(row.get(heading) is not None for _, row in found)]
    rows: dict[str, list[list[Value]]] = {}
    for server, row in found:
        rows.setdefault(server, []).append([row.get(heading) for heading in (*headings, _ADDRESS)])
    names = {"c": words.column, "generator cores": f"{words.generator} cores"}
    return Trials(tuple(names.get(heading, heading) for heading in headings), rows)


_ADDRESS = "address"
_LATENCIES = [f"{percentile_name(each)} ms" for each in PERCENTILES]
_HEADINGS = (
    "workload", "c", "block", "requests/s", *_LATENCIES, "requests", "seconds",
    "limit", "server cores", "generator cores", "requests/CPU s", "memory MiB", "switches", "GCs", "GC ms", "JIT ms",
    "JIT CPU ms", "heap MiB", "bytes allocated/request", "planned/s", "lag p99 ms", "connections", "met at/s",
    "missed at/s", "remarks",
)  # fmt: skip


def _row(figures: TrialFigures) -> dict[str, Value]:
    record = figures.record
    row: dict[str, Value] = {"workload": record.workload, "c": record.level, "block": _block(record.block)}
    if isinstance(record, NotMeasured):
        return row | {"requests/s": "none", "remarks": whole_text(record.reason)}
    reason = record.verdict.reason
    row |= {
        "limit": record.limit,
        "remarks": _joined(
            "; ",
            (
                *map(full_text, (*([reason] if reason else []), *record.verdict.notes)),
                reason.detail if reason else None,
            ),
        ),
        _ADDRESS: quote(f"{RAW_FOLDER}/{record.raw}"),
        "requests/CPU s": _digits(figures.cpu_efficiency),
        "bytes allocated/request": _allocated(figures.allocated),
    }
    known = list(map(_digits, figures.latency)) if measure_of(record) != "rate" else _latencies(figures.latency)
    row |= dict(zip(_LATENCIES, known, strict=True))
    row |= _outcome(record.outcome) if record.outcome else {"requests/s": "none"}
    if record.search:
        row |= {"met at/s": record.search.met, "missed at/s": record.search.missed}
    row |= _usage(record.usage) if record.usage else {}
    return row | (_jvm(record.jvm) if record.jvm else {})


def _latencies(latency: Sequence[float | None]) -> list[Value]:
    """Return the latencies with the digits that are known."""
    found = list(map(_digits, latency))
    if tail := tail_of(latency):
        value, figure = tail
        found[PERCENTILES.index(TAIL)] = _digits(value) if value else (figure, value)
    return found


def _block(number: int) -> Value:
    return number if number > BEFORE else "before" if number == BEFORE else "after"


def _outcome(outcome: Outcome) -> dict[str, Value]:
    return {
        "requests/s": _digits(outcome.rate),
        "requests": outcome.completed,
        "seconds": round(outcome.seconds, 2),
        **(_arrivals(outcome.arrivals) if outcome.arrivals else {}),
    }


def _arrivals(arrivals: Arrivals) -> dict[str, Value]:
    return {
        "planned/s": arrivals.rate,
        "lag p99 ms": _digits(arrivals.lag_p99),
        "connections": arrivals.most_connections,
    }


def _usage(usage: Usage) -> dict[str, Value]:
    memory = usage.peak_memory_bytes
    return {
        "server cores": _digits(usage.server_cores_busy),
        "generator cores": _digits(usage.generator_cores_busy),
        "memory MiB": None if memory is None else _digits(memory / _MIB),
        "switches": usage.context_switches,
        "JIT CPU ms": None if usage.jit_cpu_seconds is None else _digits(1000 * usage.jit_cpu_seconds),
    }


def _jvm(jvm: JvmActivity) -> dict[str, Value]:
    heap = jvm.heap_after_gc_bytes
    return {
        "GCs": jvm.gc_count,
        "GC ms": _digits(1000 * jvm.gc_seconds),
        "JIT ms": _digits(1000 * jvm.jit_seconds),
        "heap MiB": None if heap is None else _digits(heap / _MIB),
    }


def _allocated(found: Allocation | None) -> Value:
    """Return `2,345 ±4.8 %`."""
    if found is None:
        return None
    return f"{found.per_request:,.0f} ±{share_figure(found.error / found.per_request)} %", found.per_request


def _digits(value: float | None) -> Value:
    """Return the value with three significant digits, or all digits before the point."""
    if value is None:
        return None
    return round(value) if abs(value) >= 100 else float(f"{value:.3g}")


def _joined(between: str, texts: Iterable[str | None]) -> str | None:
    return between.join(dict.fromkeys(filter(None, texts))) or None


WarmUps = list[tuple[int, list[Value]]]
"""A block, and the requests per second of its windows."""


def warm_ups_of(records: Iterable[Record]) -> dict[str, dict[str, WarmUps]]:
    """Return the warm-ups by server id and load, which is a workload at a concurrency."""
    found: dict[str, dict[str, WarmUps]] = {}
    for record in records:
        if isinstance(record, WarmUpRecord):
            for load in record.loads:
                if load.rates:
                    name = f"{load.workload} at {load.concurrency:,}"
                    warm_ups = found.setdefault(record.server, {}).setdefault(name, [])
                    warm_ups.append((record.block, [_digits(rate) for rate in load.rates]))
    return found


def jit_shares_of(records: Iterable[Record]) -> dict[str, str]:
    """Return by server id the JIT's share of the server's CPU time in each cycle, for each start: `61 %, 12 %`."""
    found: dict[str, list[str]] = {}
    for record in records:
        if isinstance(record, WarmUpRecord) and any(share is not None for share in record.jit_shares):
            shares = ", ".join("-" if share is None else f"{share_figure(share)} %" for share in record.jit_shares)
            found.setdefault(record.server, []).append(shares)
    return {server: "; ".join(starts) for server, starts in found.items()}
