"""From records to cells: what each place of a table says. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import mean

import msgspec

from ab_runner.latency import distribution
from ab_runner.model import (
    BEFORE,
    REFERENCE,
    Cell,
    CellRecord,
    JvmActivity,
    Limit,
    NotMeasured,
    Record,
    Trial,
    cell_of,
    is_valid,
)
from ab_runner.stats.estimate import Estimate, median_over_blocks
from ab_runner.stats.histogram import merge

PERCENTILES = (50, 90, 99, 99.9, 100)
OF_CPU_TIME = " CPU"
BY_COST = "CPU: of requests per second of the server's CPU time, because ab was the limit"
_WORTH_A_REMARK = 0.05
"""The share of a trial's time from which on what the JVM did beside its work is told."""
_FIGURE = re.compile(r"\d+(,\d{3})*(\.\d+)?")


class CellSummary(msgspec.Struct, frozen=True, kw_only=True):
    """All that a table says of a cell.

    `estimate` is of the requests per second, the median over blocks, None where half of the trials or more failed: then
    nothing else is known either. `by_block` has the rates that it comes from. `latency` is in milliseconds, one for
    each of `PERCENTILES`, of all requests of the valid trials together. `limit` is who was the limit in most of the
    trials. `per_cpu_second` is the requests per second of the server's CPU time, None where that time is not known,
    `per_cpu_second_by_block` what it comes from. `rate_text` is how the cell reads; `remarks` explain it.
    """

    cell: Cell
    estimate: Estimate | None
    by_block: dict[int, float]
    per_cpu_second: Estimate | None
    per_cpu_second_by_block: dict[int, float]
    latency: tuple[float | None, ...]
    limit: Limit | None
    rate_text: str
    remarks: tuple[str, ...]

    @property
    def rate(self) -> float | None:
        return self.estimate.value if self.estimate else None

    def blocks(self, by_cost: bool) -> Mapping[int, float]:
        """What it is compared by: its rates, or its requests per second of CPU time."""
        return self.per_cpu_second_by_block if by_cost else self.by_block


def summarise(records: Iterable[Record]) -> dict[Cell, CellSummary]:
    """The cells of the sweep's own blocks."""
    by_cell: dict[Cell, list[CellRecord]] = {}
    for record in records:
        if isinstance(record, Trial | NotMeasured) and record.block > BEFORE:
            by_cell.setdefault(cell_of(record), []).append(record)
    return {cell: summary(cell, found) for cell, found in by_cell.items()}


def summary(cell: Cell, records: Sequence[CellRecord]) -> CellSummary:
    """Of one or more records of that cell, whatever their block."""
    valid = [record for record in records if is_valid(record)]
    failed = [record for record in records if not is_valid(record)]
    if len(failed) >= len(valid):
        valid = []  # the median over blocks would be a failure, and those that are left are the lucky ones
    blocks = _by_block(valid, _rate)
    estimate = median_over_blocks(list(blocks.values())) if blocks else None
    costs = _by_block(valid, requests_per_cpu_second)
    limit = _limit(valid)
    notes = [*(note for trial in valid for note in trial.verdict.notes), *_jvm_remarks(valid)]
    of_these = f"{len(failed)} of {len(records)} failed"
    if estimate is None:
        text = _failed_text(records[-1]) if len(failed) == len(records) else f"{of_these}: {_reason(failed[-1])}"
    elif failed:
        text = f"{estimate_figure(estimate)} ({of_these}: {_reason(failed[-1])})"
    else:
        text = estimate_figure(estimate) + ("*" if notes else "")
    return CellSummary(
        cell=cell,
        estimate=estimate,
        by_block={block: mean(rates) for block, rates in blocks.items()},
        per_cpu_second=median_over_blocks(list(costs.values())) if costs else None,
        per_cpu_second_by_block={block: mean(figures) for block, figures in costs.items()},
        latency=latencies(valid),
        limit=limit,
        rate_text=text,
        remarks=(*dict.fromkeys(map(_remark, failed)), *_together(notes)),
    )


def result_text(record: CellRecord) -> str:
    """`tomcat-5.5.15 small c=100: 12,345 rps`, or the reason why not."""
    cell = cell_of(record)
    found = summary(cell, [record])
    figure = f"{found.rate_text} rps" if found.rate is not None else found.rate_text
    return f"{cell.server} {cell.workload} c={cell.concurrency}: {figure}"


def _by_block(valid: Iterable[Trial], figure: Callable[[Trial], float | None]) -> dict[int, list[float]]:
    """Block to the figures of its trials, as far as they have one."""
    blocks: dict[int, list[float]] = {}
    for trial in valid:
        found = figure(trial)
        if found is not None:
            blocks.setdefault(trial.block, []).append(found)
    return blocks


def _rate(trial: Trial) -> float:
    assert trial.report is not None, "a valid trial has figures"
    return trial.report.requests_per_second


def latencies(trials: Iterable[Trial]) -> tuple[float | None, ...]:
    """`PERCENTILES` in milliseconds, of all requests of these trials together."""
    merged = merge(distribution(trial.report, trial.milliseconds) for trial in trials if trial.report)
    return tuple(merged.percentile(each) / 1000 if merged.total else None for each in PERCENTILES)


def requests_per_cpu_second(trial: Trial) -> float | None:
    """Of the server: what tells servers apart where the generator was the limit of their rates."""
    if trial.report is None or trial.usage is None or not trial.usage.server_cpu_seconds:
        return None
    return round(trial.report.complete / trial.usage.server_cpu_seconds, 1)


def _limit(valid: Sequence[Trial]) -> Limit | None:
    """That of more than half of the trials."""
    return next((limit for limit, count in Counter(t.limit for t in valid).items() if 2 * count > len(valid)), None)


def _jvm_remarks(valid: Sequence[Trial]) -> Iterable[str]:
    told = [(trial.jvm.gc_seconds, _jit_seconds(trial, trial.jvm), trial.report.seconds)
            for trial in valid if trial.jvm and trial.report]  # fmt: skip
    if any(gc > _WORTH_A_REMARK * seconds for gc, _, seconds in told):
        yield f"GC took more than {100 * _WORTH_A_REMARK:g} % of the time"
    if any(jit > _WORTH_A_REMARK * seconds for _, jit, seconds in told):
        yield f"the JIT took more than {100 * _WORTH_A_REMARK:g} % of the time"


def _jit_seconds(trial: Trial, jvm: JvmActivity) -> float:
    """Its CPU time where that is known: by the clock it also waited."""
    on_cpu = trial.usage.jit_cpu_seconds if trial.usage else None
    return jvm.jit_seconds if on_cpu is None else on_cpu


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


def _together(notes: Iterable[str]) -> Iterator[str]:
    """Each once; those that differ in their first figure alone as one: `98.1 to 99.0 % kept alive`."""
    figures: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        found = _FIGURE.search(note)
        start, end = found.span() if found else (len(note), len(note))
        figures.setdefault((note[:start], note[end:]), []).append(note[start:end])
    for (before, after), texts in figures.items():
        distinct = sorted(set(texts), key=lambda text: float(text.replace(",", "") or 0))
        yield f"{before}{' to '.join(dict.fromkeys((distinct[0], distinct[-1])))}{after}"


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
    if estimate.half_width is None:
        return figure
    width = 100 * estimate.half_width
    return f"{figure} ±{width:.2g} %" if width < 99.5 else f"{figure} ±{width:.0f} %"


def ratio_figure(ratio: Estimate, by_cost: bool) -> str:
    """`1.23 (1.18 to 1.28)`, with the interval if it has one."""
    figure = f"{ratio.value:.3g}"
    if ratio.interval is not None:
        figure += f" ({ratio.interval.low:.3g} to {ratio.interval.high:.3g})"
    return f"{figure}{OF_CPU_TIME}" if by_cost else figure


def latency_figure(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:#.3g}".rstrip(".")
