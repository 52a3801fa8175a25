"""From records to cells: what each place of a table says. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

import msgspec

from ab_runner.model import BEFORE, REFERENCE, Cell, CellRecord, Limit, NotMeasured, Record, Trial, cell_of

PERCENTILES = (50, 95, 99)
_WORTH_A_REMARK = 0.05
"""The share of a trial's time from which on what the JVM did beside its work is told."""


class CellSummary(msgspec.Struct, frozen=True, kw_only=True):
    """All that a table says of a cell. `rate` is in requests per second and `latency` in milliseconds, one for each of
    `PERCENTILES`; both are medians over the valid trials. `limit` is who was the limit in most of them. `rate_text` is
    how the cell reads; `remarks` explain it."""

    cell: Cell
    rate: float | None
    latency: tuple[float | None, ...]
    limit: Limit | None
    rate_text: str
    remarks: tuple[str, ...]


def summarise(records: Iterable[Record]) -> dict[Cell, CellSummary]:
    """The cells of the sweep's own blocks."""
    by_cell: dict[Cell, list[CellRecord]] = {}
    for record in records:
        if isinstance(record, Trial | NotMeasured) and record.block > BEFORE:
            by_cell.setdefault(cell_of(record), []).append(record)
    return {cell: summary(cell, found) for cell, found in by_cell.items()}


def summary(cell: Cell, records: Sequence[CellRecord]) -> CellSummary:
    """Of one or more records of that cell, whatever their block."""
    valid = [record for record in records if isinstance(record, Trial) and record.verdict.valid]
    failed = [record for record in records if record not in valid]
    rate = median(_rate(trial) for trial in valid) if valid else None
    limit = _limit(valid)
    notes = [
        *Counter(note for trial in valid for note in trial.verdict.notes),
        *_limit_remarks(limit),
        *_jvm_remarks(valid),
    ]
    remarks = [*_distinct(map(_remark, failed)), *notes]
    if rate is None:
        text = _failed_text(records[-1])
    elif failed:
        text = f"{rate_figure(rate)} ({len(failed)} of {len(records)} {_reason(failed[-1])})"
    else:
        text = rate_figure(rate) + ("*" if notes else "")
    return CellSummary(
        cell=cell,
        rate=rate,
        latency=tuple(_latency(valid, percentile) for percentile in PERCENTILES),
        limit=limit,
        rate_text=text,
        remarks=tuple(remarks),
    )


def _rate(trial: Trial) -> float:
    assert trial.report is not None, "a valid trial has figures"
    return trial.report.requests_per_second


def _latency(valid: Sequence[Trial], percentile: int) -> float | None:
    found = [
        trial.report.percentiles[percentile]
        for trial in valid
        if trial.report and percentile in trial.report.percentiles
    ]
    return median(found) if found else None


def requests_per_cpu_second(trial: Trial) -> float | None:
    """Of the server: what tells servers apart where the generator was the limit of their rates."""
    if trial.report is None or trial.usage is None or not trial.usage.server_cpu_seconds:
        return None
    return round(trial.report.complete / trial.usage.server_cpu_seconds, 1)


def _limit(valid: Sequence[Trial]) -> Limit | None:
    """That of more than half of the trials."""
    return next((limit for limit, count in Counter(t.limit for t in valid).items() if 2 * count > len(valid)), None)


def _limit_remarks(limit: Limit | None) -> Iterable[str]:
    """That the server was the limit is what a figure should mean, and needs no remark."""
    if limit == "generator":
        yield "the generator was the limit"
    elif limit == "machine":
        yield "server and generator shared full CPUs"


def _jvm_remarks(valid: Sequence[Trial]) -> Iterable[str]:
    told = [(trial.jvm, trial.report.seconds) for trial in valid if trial.jvm and trial.report]
    if any(jvm.gc_seconds > _WORTH_A_REMARK * seconds for jvm, seconds in told):
        yield f"GC took more than {100 * _WORTH_A_REMARK:g} % of the time"
    if any(jvm.jit_seconds > _WORTH_A_REMARK * seconds for jvm, seconds in told):
        yield f"the JIT took more than {100 * _WORTH_A_REMARK:g} % of the time"


def _failed_text(record: CellRecord) -> str:
    """As the 2006 tables wrote it: `190 (9991 failed)` where there is a figure, else the reason alone."""
    if isinstance(record, Trial) and record.report is not None and record.report.complete:
        return f"{rate_figure(record.report.requests_per_second)} ({_reason(record)})"
    return _reason(record)


def _reason(record: CellRecord) -> str:
    reason = record.verdict.reason if isinstance(record, Trial) else record.reason
    return (reason or "failed").splitlines()[0]


def _remark(record: CellRecord) -> str:
    """The reason with the detail that does not fit into a cell."""
    reason, detail = _reason(record), _detail(record)
    return f"{reason}: {detail}" if detail and detail != reason else reason


def _detail(record: CellRecord) -> str:
    if isinstance(record, NotMeasured):
        return record.detail
    return record.error.detail if record.error else ""


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def rate_figure(rate: float) -> str:
    """Whole requests per second from 100 on, three digits below."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def share_of_ceiling(rate: float, at: Cell, cells: Mapping[Cell, CellSummary]) -> float | None:
    """The rate as a share of the ceiling's with the same workload and concurrency, in the same sweep."""
    ceiling = cells.get(Cell(REFERENCE, at.workload, at.concurrency))
    return None if ceiling is None or ceiling.rate is None else rate / ceiling.rate


def share_figure(share: float | None) -> str:
    """Per cent: whole from 10 on, two digits below."""
    if share is None:
        return "-"
    return f"{100 * share:,.0f}" if share >= 0.0995 else f"{100 * share:.2g}"


def latency_figure(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:#.3g}".rstrip(".")
