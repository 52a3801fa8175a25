"""The data rows of the charts: the figures of one sweep in the form that the charts take. Pure.

A row is a dictionary without what it lacks, so that thousands of them stay small in a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.comparison import CellChange
from ab_runner.analysis.courses import TrialCourse
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.analysis.trial_figures import PERCENTILES
from ab_runner.analysis.versions import VersionFigures, version_figures
from ab_runner.catalog.study_figures import Figure
from ab_runner.history.then_and_now import FigurePair, ThenAndNow
from ab_runner.model.workload import WorkloadName
from ab_runner.report.charts.comparison import CHANGES_SHOWN
from ab_runner.report.charts.latencies import TAIL, TAIL_FIGURE, percentile_field
from ab_runner.report.say.figures import cell_text, rank_text
from ab_runner.report.say.numbers import estimate_figure, interval_figure, latency_figures, rate_figure, share_figure
from ab_runner.report.tables.then_and_now import factor_text

Row = dict[str, Any]
_KIB, _MIB = 2**10, 2**20
_RELEASE = re.compile(r"\d+(\.\d+)*")
"""The part of a version that tells a release: not `.Final` and not `.v20171121`."""
_DAYS = 365.25


def cell_rows(name: WorkloadName, analysis: SweepAnalysis) -> list[Row]:
    """Return a row for each cell with a record, server by server. `last` marks a server's last cell with a figure,
    `top` is the highest value that a chart shows of it."""
    rows: list[Row] = []
    for server in analysis.shown_servers:
        places = (analysis.cell(server.id, name, level) for level in analysis.levels)
        found = [cell for cell in places if cell is not None]
        last = next((cell for cell in reversed(found) if cell.figure is not None), None)
        rows += [_cell_row(cell, cell is last, analysis) for cell in found]
    return rows


def _cell_row(summary: CellSummary, last: bool, analysis: SweepAnalysis) -> Row:
    cell = summary.cell
    figure = cell_text(summary)
    row: Row = {"server": cell.server, "c": cell.level, "figure": figure}
    if summary.figure is None:
        return row | {"missing": figure}
    latencies = zip(PERCENTILES, summary.latency, strict=True)
    row |= {"rate": _digits(summary.figure), "top": _digits(summary.figure)}
    if summary.estimate and (interval := summary.estimate.interval or summary.estimate.range):
        row |= {"low": _digits(interval.low), "high": _digits(interval.high), "top": _digits(interval.high)}
        row["interval"] = interval_figure(interval, summary.measure)
    if summary.capacity:
        row |= {
            "ninety": _digits(summary.capacity.ninety.value),
            "ninety_figure": estimate_figure(summary.capacity.ninety),
        }
    if cell in analysis.ranks:
        row["rank"] = rank_text(analysis.ranks[cell], summary)
    if summary.limit:
        row["limit"] = summary.limit
    if summary.cpu_efficiency:
        row["cpu_efficiency"] = estimate_figure(summary.cpu_efficiency)
    if summary.measure == "latency":
        row["bottom"] = row.get("low", row["rate"])
    if summary.latency[0] is None:
        row["missing"] = "not known"
    row |= {percentile_field(each): float(f"{value:.4g}") for each, value in latencies if value is not None}
    if summary.latency[PERCENTILES.index(TAIL)] is not None:
        row[TAIL_FIGURE] = latency_figures(summary.latency, summary.has_exact_latency)[PERCENTILES.index(TAIL)]
    if last:
        row["last"] = True
    if cell in analysis.shares:
        row["share"] = f"{share_figure(analysis.shares[cell])} %"
    return row


def _digits(figure: float) -> float:
    """Return a figure with the digits that a chart can show: requests per second or milliseconds."""
    return round(figure, 2) if figure >= 100 else float(f"{figure:.5g}")


def version_rows(name: WorkloadName, analysis: SweepAnalysis) -> list[Row]:
    """Return a row for each cell with a figure of a version of a family that has several."""
    return [_version_row(each) for each in version_figures(name, analysis)]


def _version_row(figures: VersionFigures) -> Row:
    server, summary = figures.server, figures.summary
    release = _RELEASE.match(server.version)
    row: Row = {
        "server": server.id,
        "family": server.family,
        "version": release[0] if release else server.version,
        "released": str(server.released),
        "year": round(server.released.year + (server.released.timetuple().tm_yday - 1) / _DAYS, 2),
        "c": summary.cell.level,
        "figure": cell_text(summary),
    }
    if summary.estimate:
        row["rate"] = _digits(summary.estimate.value)
        if summary.is_lower_bound:
            row["bound"] = True
        if interval := summary.estimate.interval or summary.estimate.range:
            row |= {"low": _digits(interval.low), "high": _digits(interval.high)}
    if figures.cpu_us is not None:
        row["cpu"] = _four_digits(figures.cpu_us)
    if figures.allocated_bytes is not None:
        row["memory"] = _four_digits(figures.allocated_bytes / _KIB)
    return row


def course_series(name: WorkloadName, analysis: SweepAnalysis) -> list[Row]:
    """Return a row for each trial of a workload with a list for each quantity that is known in each of its seconds;
    trials of which none is known have no row. `first` marks the first one of a start that has several."""
    shown = {server.id for server in analysis.shown_servers}
    found = [each for each in analysis.courses if each.cell.workload == name and each.cell.server in shown]
    several = {(each.cell, each.start) for each in found if each.run > 1}
    rows = [_series(each, (each.cell, each.start) in several) for each in found]
    return [row for row in rows if "second" in row or "at" in row]


def _series(course: TrialCourse, is_of_several: bool) -> Row:
    cell, answers, beside, uses = course.cell, course.answers, course.beside, course.uses
    row: Row = {"server": cell.server, "c": cell.level, "start": course.start}
    if is_of_several:
        row |= {"run": course.run, "first": course.run == 1}
    if answers:
        row |= {
            "second": list(range(1, len(answers) + 1)),
            "answered": [each.answered for each in answers],
            "failed": [each.failed for each in answers],
            "fails": any(each.failed for each in answers),
            "p50": [_four_digits(each.p50) for each in answers],
            "p99": [_four_digits(each.p99) for each in answers],
            "longest": [_four_digits(each.longest) for each in answers],
            "stolen": [each.is_disturbed for each in answers],
        }
    if beside:
        row |= {
            "beside_second": list(range(1, len(beside) + 1)),
            "beside_p50": [_four_digits(each.p50) for each in beside],
            "beside_longest": [_four_digits(each.longest) for each in beside],
            "beside_answered": [each.answered for each in beside],
            "beside_failed": [each.failed for each in beside],
        }
    if any(each.jit_share is not None for each in uses):
        row |= {
            "at": [each.at for each in uses],
            "share": [_four_digits(each.jit_share) for each in uses],
            "share_figure": [f"{share_figure(each.jit_share)} %" for each in uses],
            "cores": [round(each.cores, 2) for each in uses],
            "gcs": [each.collections for each in uses],
            "memory": [None if each.memory_bytes is None else round(each.memory_bytes / _MIB) for each in uses],
        }
    return row


def _four_digits(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def change_rows(changes: Iterable[CellChange]) -> list[Row]:
    """Return a row for each of these cells that has a figure in both sweeps."""
    rows: list[Row] = []
    for change in sorted(changes, key=lambda each: each.cell):
        if change.ratio is not None:
            told = change.change if change.change in CHANGES_SHOWN else CHANGES_SHOWN[-1]
            row: Row = {"server": change.cell.server, "c": change.cell.level, "told": told}
            row["ratio"] = round(change.ratio.value, 4)
            if interval := change.ratio.interval:
                row |= {"low": round(interval.low, 4), "high": round(interval.high, 4)}
            rows.append(row)
    return rows


def pair_rows(compared: ThenAndNow) -> list[Row]:
    """Return a row for each published figure, for its stand-in's figure, and for that of the newest version where this
    is another server. A figure that is not valid has no `rate` and is not drawn. Of a published server, its own row
    says why a figure is missing: `missing` the published one, `missing_now` the others."""
    year = str(compared.study.year)
    rows: list[Row] = []
    for level in compared.levels:
        for old, new in zip(level.stand_in.pairs, level.newest.pairs, strict=True):
            place = {"then": old.then.server, "c": level.concurrency}
            now = []
            if old.server and old.now:
                now.append({"kind": "stand-in", "server": old.server.id, **_now(old, old.now)})
            if new.server and new.now and new.server != old.server:
                now.append({"kind": "newest", "server": new.server.id, **_now(new, new.now)})
            then = {"kind": year, "server": old.then.server, **_then(old.then, year)}
            if missing := [f"{each['kind']}: {each['figure']}" for each in now if "rate" not in each]:
                then["missing_now"] = ", ".join(missing)
            rows += [place | each for each in (then, *now)]
    return rows


def _then(figure: Figure, year: str) -> Row:
    if figure.rate is None:
        return {"figure": figure.reason, "missing": f"{year}: {figure.reason}"}
    return {"rate": figure.rate, "figure": rate_figure(figure.rate)}


def _now(pair: FigurePair, summary: CellSummary) -> Row:
    row: Row = {"figure": cell_text(summary)}
    if summary.figure is not None:
        row["rate"] = summary.figure
    if pair.factor is not None:
        row["factor"] = factor_text(pair)
    return row
