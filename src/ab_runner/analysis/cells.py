"""From records to cells: what each place of a table says. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import mean, median

import msgspec

from ab_runner.load.latency import distribution
from ab_runner.model.load import Limit
from ab_runner.model.records import Cell, CellRecord, NotMeasured, Record, Trial, cell_of, is_valid
from ab_runner.model.server import REFERENCE
from ab_runner.stats.estimate import Estimate, median_over_blocks
from ab_runner.stats.histogram import Histogram, merge
from ab_runner.stats.little import served_share
from ab_runner.stats.pairing import Measurement

PERCENTILES = (50, 90, 99, 99.9, 100)
OF_CPU_TIME = " CPU"
BY_CPU_TIME = "CPU: of requests per CPU-second of the server, because ab was the limit of both rates"
AT_LEAST = "≥ (of a ratio also ≤): ab was the limit of a rate, so its server may be faster"
_WORTH_A_REMARK = 0.05
"""The share of a trial's time from which on what the JVM did beside its work is told."""
_STARVATION_FROM = 100
"""The lowest concurrency at which it is told that connections were not served."""
_NOT_ALL_SERVED = 0.9
"""The share of connections served at a time below which a remark says so."""
_STARVED = 0.5
"""The share of connections served at a time below which a rate is none at this concurrency."""
_CUT_OFF = 0.9
"""The share of a timed trial from which on a request may have been as long as it was because the trial ended."""
_COLD = "cold:"
"""How the reason begins of a trial that was made while the JIT compiler was at work."""
_FIGURE = re.compile(r"\d+(,\d{3})*(\.\d+)?")


class CellSummary(msgspec.Struct, frozen=True, kw_only=True):
    """All that a table says of a cell.

    `estimate` is of the requests per second, the median over blocks, None where half of the trials or more failed or
    most connections were starved: then there is no rate at this concurrency. `by_block` has the rates that it comes
    from. `latency` is in milliseconds, one for each of `PERCENTILES`, of all requests of the valid trials together;
    `longest_is_cut_off`: the longest of them is about as long as its trial, so it might have been longer. `served` is
    the share of the connections that was served at a time, the median over the valid trials. `limit` is who was the
    limit in most of the trials. `per_cpu_second` is the requests per CPU-second of the server, None where its CPU time
    is not known, `per_cpu_second_by_block` what it comes from. `rate_text` is how the cell reads; `remarks` explain it.
    """

    cell: Cell
    estimate: Estimate | None
    by_block: dict[int, float]
    per_cpu_second: Estimate | None
    per_cpu_second_by_block: dict[int, float]
    latency: tuple[float | None, ...]
    longest_is_cut_off: bool
    served: float | None
    limit: Limit | None
    rate_text: str
    remarks: tuple[str, ...]

    @property
    def rate(self) -> float | None:
        return self.estimate.value if self.estimate else None

    @property
    def starved(self) -> bool:
        """Whether most of the connections waited while the others were served."""
        return _is_starved(self.cell, self.served)

    @property
    def served_text(self) -> str:
        """`257 of 1,000 connections served`; empty where that is not known."""
        return "" if self.served is None else _served_text(self.cell, self.served)

    @property
    def is_lower_bound(self) -> bool:
        """Whether the server is at least as fast as its rate says, and may be faster, because ab was the limit."""
        return self.limit == "generator" and self.rate is not None

    @property
    def measurement(self) -> Measurement:
        """What it is compared by."""
        rates, efficiency = tuple(self.by_block.values()), tuple(self.per_cpu_second_by_block.values())
        return Measurement(rates, efficiency, self.is_lower_bound)


def summarise(records: Iterable[Record]) -> dict[Cell, CellSummary]:
    """The cells of the sweep's own blocks."""
    by_cell: dict[Cell, list[CellRecord]] = {}
    for record in records:
        if isinstance(record, Trial | NotMeasured) and not record.is_reference_check:
            by_cell.setdefault(cell_of(record), []).append(record)
    return {cell: summary(cell, found) for cell, found in by_cell.items()}


def summary(cell: Cell, records: Sequence[CellRecord]) -> CellSummary:
    """Of one or more records of that cell, whatever their block."""
    valid = [record for record in records if is_valid(record)]
    failed = [record for record in records if not is_valid(record)]
    if len(failed) >= len(valid):
        valid = []  # the median over blocks would be a failure, and those that are left are the lucky ones
    spread = [_distribution(trial) for trial in valid]
    served = _served(valid, spread)
    starved = _is_starved(cell, served)
    blocks = _by_block(valid, _rate)
    estimate = median_over_blocks(list(blocks.values())) if blocks else None
    costs = {} if starved else _by_block(valid, requests_per_cpu_second)
    limit = None if starved else _limit(valid)
    notes = [note for trial in valid for note in trial.verdict.notes]
    remarks = [*_failure_remarks(failed), *_together(notes), *_served_remarks(cell, served), *_jvm_remarks(valid)]
    return CellSummary(
        cell=cell,
        estimate=None if starved else estimate,
        by_block={} if starved else {block: mean(rates) for block, rates in blocks.items()},
        per_cpu_second=median_over_blocks(list(costs.values())) if costs else None,
        per_cpu_second_by_block={block: mean(figures) for block, figures in costs.items()},
        latency=_percentiles(spread),
        longest_is_cut_off=_longest_is_cut_off(valid, spread),
        served=served,
        limit=limit,
        rate_text=_rate_text(cell, estimate, records, failed, limit, served if starved else None)
        + ("*" if estimate and not failed and not starved and remarks else ""),
        remarks=tuple(remarks),
    )


def _rate_text(
    cell: Cell,
    estimate: Estimate | None,
    records: Sequence[CellRecord],
    failed: Sequence[CellRecord],
    limit: Limit | None,
    starved: float | None,
) -> str:
    """How the cell reads but for its star. `starved`: the share of the connections served, where that is too small."""
    if len(failed) == len(records):
        return _failed_text(records)
    count = f"{len(failed)} of {len(records)}"
    some_failed = f"{count}{'' if _are_cold(failed) else ' failed:'} {_reason(failed)}" if failed else ""
    if estimate is None:
        return some_failed
    figure = f"≥ {estimate_figure(estimate)}" if limit == "generator" else estimate_figure(estimate)
    but = [*([_served_text(cell, starved)] if starved is not None else []), *([some_failed] if failed else [])]
    return f"{figure} ({'; '.join(but)})" if but else figure


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
    return _percentiles(map(_distribution, trials))


def _distribution(trial: Trial) -> Histogram:
    return distribution(trial.report, trial.milliseconds) if trial.report else Histogram()


def _percentiles(spread: Iterable[Histogram]) -> tuple[float | None, ...]:
    merged = merge(spread)
    return tuple(merged.percentile(each) / 1000 if merged.total else None for each in PERCENTILES)


def _longest_is_cut_off(trials: Sequence[Trial], spread: Sequence[Histogram]) -> bool:
    """Whether one of the longest requests ended with its timed trial, or nearly so."""
    longest = max((each.longest for each in spread), default=0)
    return any(
        "-t" in trial.command and trial.report is not None and longest >= _CUT_OFF * 1e6 * trial.report.seconds
        for trial, each in zip(trials, spread, strict=True)
        if each.total and each.longest == longest
    )


def served_share_of(trial: Trial) -> float | None:
    """Return the share of the trial's connections that was served at a time; None where latencies are not known."""
    return _served_share(trial, _distribution(trial))


def _served_share(trial: Trial, spread: Histogram) -> float | None:
    if trial.report is None or not trial.report.seconds or not spread.total:
        return None
    rate, seconds = trial.report.requests_per_second, trial.report.seconds
    return served_share(rate, spread.mean / 1e6, trial.concurrency, seconds)


def _served(trials: Sequence[Trial], spread: Sequence[Histogram]) -> float | None:
    """The median over trials: what decides is the cell, for a share near a bound is on either side of it by chance."""
    shares = (_served_share(trial, each) for trial, each in zip(trials, spread, strict=True))
    known = [share for share in shares if share is not None]
    return median(known) if known else None


def _is_starved(cell: Cell, served: float | None) -> bool:
    return served is not None and cell.concurrency >= _STARVATION_FROM and served < _STARVED


def _served_text(cell: Cell, served: float) -> str:
    return f"{round(served * cell.concurrency):,} of {cell.concurrency:,} connections served"


def _served_remarks(cell: Cell, served: float | None) -> Iterable[str]:
    if served is not None and cell.concurrency >= _STARVATION_FROM and served < _NOT_ALL_SERVED:
        yield f"about {_served_text(cell, served)} at a time"


def requests_per_cpu_second(trial: Trial) -> float | None:
    """Of the server: what tells servers apart where the generator was the limit of their rates."""
    if trial.report is None or trial.usage is None or not trial.usage.server_cpu_seconds:
        return None
    return round(trial.report.complete / trial.usage.server_cpu_seconds, 1)


def _limit(valid: Sequence[Trial]) -> Limit | None:
    """That of more than half of the trials."""
    return next((limit for limit, count in Counter(t.limit for t in valid).items() if 2 * count > len(valid)), None)


def _jvm_remarks(valid: Sequence[Trial]) -> Iterable[str]:
    """What took more than `_WORTH_A_REMARK`, and in how many of the trials. Where the CPU time of the JIT is not known,
    its time by the clock counts, which on a full CPU is mostly waiting."""
    share = f"{100 * _WORTH_A_REMARK:g} %"
    told = [(trial, trial.jvm, trial.report.seconds) for trial in valid if trial.jvm and trial.report]
    by_clock = [each for each in told if _jit_share(each[0]) is None]
    counts = {
        f"GC took more than {share} of the time": sum(
            jvm.gc_seconds > _WORTH_A_REMARK * seconds for _, jvm, seconds in told
        ),
        f"the JIT took more than {share} of the server's CPU time": sum(
            (_jit_share(trial) or 0) > _WORTH_A_REMARK for trial in valid
        ),
        f"the JIT took more than {share} of the time": sum(
            jvm.jit_seconds > _WORTH_A_REMARK * seconds for _, jvm, seconds in by_clock
        ),
    }
    for what, count in counts.items():
        if count:
            yield f"{what} in {count} of {len(valid)} trial{'s' if len(valid) > 1 else ''}"


def _jit_share(trial: Trial) -> float | None:
    """Of the server's CPU time."""
    return trial.usage.jit_share if trial.usage else None


def _failed_text(records: Sequence[CellRecord]) -> str:
    """As the 2006 tables wrote it: `190 (9991 failed)`. The figure is the median; where the last has none, the reason
    stands alone."""
    reports = [record.report if isinstance(record, Trial) else None for record in records]
    rates = [report.requests_per_second for report in reports if report and report.complete]
    if reports[-1] is None or not reports[-1].complete:
        return _reason(records)
    return f"{rate_figure(median(rates))} ({_reason(records)})"


def _are_cold(records: Iterable[CellRecord]) -> bool:
    return all(isinstance(each, Trial) and _reason_of(each).startswith(_COLD) for each in records)


def _reason(records: Sequence[CellRecord]) -> str:
    """The last one's; of cold trials all of them together: `cold: the JIT took 6 to 12 % of …`."""
    return next(_together(map(_reason_of, records))) if _are_cold(records) else _reason_of(records[-1])


def _reason_of(record: CellRecord) -> str:
    reason = record.verdict.reason if isinstance(record, Trial) else record.reason
    return (reason or "failed").splitlines()[0]


def _failure_remarks(failed: Sequence[CellRecord]) -> Iterable[str]:
    cold = [record for record in failed if _are_cold([record])]
    yield from _together(map(_reason_of, cold))
    yield from dict.fromkeys(_remark(record) for record in failed if record not in cold)


def _remark(record: CellRecord) -> str:
    """The reason with the detail that does not fit into a cell."""
    reason, detail = _reason_of(record), _detail(record)
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
    if estimate.relative_half_width is None:
        return figure
    width = 100 * estimate.relative_half_width
    return f"{figure} ±{width:.2g} %" if width < 99.5 else f"{figure} ±{width:.0f} %"


def ratio_figure(ratio: Estimate, by_cpu_time: bool, bound: str = "") -> str:
    """`1.23 (1.18 to 1.28)`, with the interval if it has one. `bound` is a sign before it, where the true one may be
    larger or smaller: `≥ 1.23 …`."""
    figure = f"{bound} {ratio.value:.3g}".lstrip()
    if ratio.interval is not None:
        figure += f" ({ratio.interval.low:.3g} to {ratio.interval.high:.3g})"
    return f"{figure}{OF_CPU_TIME}" if by_cpu_time else figure


def bound_of_ratio(first: bool, second: bool) -> str:
    """The sign before a ratio of rates of which the first, or the second, is a lower bound."""
    return "" if first == second else "≥" if first else "≤"


def latency_figure(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:#.3g}".rstrip(".")
