"""From records to cells: what each place of a table says. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, median

import msgspec

from ab_runner.model import BEFORE, REFERENCE, Cell, CellRecord, NotMeasured, Record, Trial, cell_of
from ab_runner.stats.estimate import Estimate, Interval, median_over_blocks

PERCENTILES = (50, 95, 99)


class CellSummary(msgspec.Struct, frozen=True, kw_only=True):
    """All that a table says of a cell. `rate` is in requests per second and `latency` in milliseconds, one for each of
    `PERCENTILES`; both are medians over the valid trials. `interval` is that of the rate, None where blocks are too few
    for one; `by_block` has the rates that it comes from. `rate_text` is how the cell reads; `remarks` explain it."""

    cell: Cell
    rate: float | None
    interval: Interval | None
    by_block: dict[int, float]
    latency: tuple[float | None, ...]
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
    blocks = _by_block(valid)
    estimate = median_over_blocks(list(blocks.values())) if blocks else None
    rate = estimate.value if estimate else None
    notes = Counter(note for trial in valid for note in trial.verdict.notes)
    remarks = [*_distinct(map(_remark, failed)), *notes]
    if estimate is None:
        text = _failed_text(records[-1])
    elif failed:
        text = f"{estimate_figure(estimate)} ({len(failed)} of {len(records)} {_reason(failed[-1])})"
    else:
        text = estimate_figure(estimate) + ("*" if notes else "")
    return CellSummary(
        cell=cell,
        rate=rate,
        interval=estimate.interval if estimate else None,
        by_block={block: mean(rates) for block, rates in blocks.items()},
        latency=tuple(_latency(valid, percentile) for percentile in PERCENTILES),
        rate_text=text,
        remarks=tuple(remarks),
    )


def _by_block(valid: Iterable[Trial]) -> dict[int, list[float]]:
    blocks: dict[int, list[float]] = {}
    for trial in valid:
        blocks.setdefault(trial.block, []).append(_rate(trial))
    return blocks


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


def estimate_figure(estimate: Estimate) -> str:
    """`12,345 ±1.2 %`, with half the width of the interval; the figure alone where there is none."""
    figure = rate_figure(estimate.value)
    return figure if estimate.half_width is None else f"{figure} ±{100 * estimate.half_width:.2g} %"


def latency_figure(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:#.3g}".rstrip(".")
