"""The charts of a sweep as separate files: with their data, a title, and the margins that the page otherwise provides.
Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ab_runner.model.workload import WorkloadName
from ab_runner.report.charts.courses import BESIDE, colours_text, courses, quantities_of
from ab_runner.report.charts.data import Row
from ab_runner.report.charts.latencies import latencies
from ab_runner.report.charts.models import models
from ab_runner.report.charts.of_sweep import ChartData, chart_of_figures
from ab_runner.report.charts.parts import Spec
from ab_runner.report.charts.rates import height_of_figures
from ab_runner.report.charts.then_and_now import then_and_now
from ab_runner.report.charts.vega import with_rows
from ab_runner.report.charts.versions import versions

_WIDTH = 900
_PADDING = {"left": 30, "right": 30, "top": 10, "bottom": 10}
"""In pixels. Wide at the sides: a reader's font may be wider than the one that the labels were measured with."""


def gallery(data: ChartData, subtitle: str) -> dict[str, Spec]:
    """Return the charts by file name, without its suffix. The `subtitle` says of which sweep they are."""
    return {
        f"{name}-{kind}": titled(spec, f"{name}: {title}", subtitle)
        for name in data.cells
        for kind, spec, title in _of(data, name)
    }


def _of(data: ChartData, name: WorkloadName) -> Iterator[tuple[str, Spec, str]]:
    """Yield the charts of a workload: the kind, the chart and its title."""
    rows, words = data.cells[name], data.words
    middle = data.levels[len(data.levels) // 2]
    quantity = words.quantity if data.name_of_figures == "rates" else words.quantity_at(data.levels[0])
    yield "rates", _figures(data, rows), quantity
    times = with_rows(latencies(data.styles, data.levels, words), rows)
    yield "latencies", times, f"time per request {words.at(middle)}"
    model_of = {id: model for model, ids in data.models[name].items() for id in ids}
    by_model = [{**row, "model": model_of[row["server"]]} for row in rows if row["server"] in model_of]
    panels = with_rows(models(data.styles, data.levels, words), by_model)
    yield "models", panels, f"{words.quantity} by I/O model"
    series = data.courses.get(name, ())
    titles = quantities_of(series)
    for level in sorted({each["c"] for each in series}):
        title = f"each second of a trial {words.at(level)}{colours_text(series)}"
        yield f"course-{level}", with_rows(courses(series, data.styles, level, titles), series), title
        if BESIDE in titles:
            beside = courses(series, data.styles, level, {BESIDE: None})
            title = f"longest latency in ms of the requests beside the load {words.at(level)}; ticks: not answered"
            yield f"beside-{level}", with_rows(beside, series), title
    if of_versions := data.versions.get(name):
        panels = with_rows(versions(of_versions, data.styles, middle, data.words), of_versions)
        yield "versions", panels, f"versions of a family by year of release, {words.at(middle)}"
    if pairs := data.pairs.get(name):
        middle = data.compared_levels[len(data.compared_levels) // 2]
        beside = with_rows(then_and_now(pairs, data.compared_levels, data.year), pairs)
        yield "then-and-now", beside, f"requests per second in {data.year} and now, at concurrency {middle:,}"


def _figures(data: ChartData, rows: Sequence[Row]) -> Spec:
    spec = with_rows(chart_of_figures(data), rows)
    if data.name_of_figures != "rates":
        return spec
    labels = sum(1 for row in rows if row.get("last") and data.styles[row["server"]].in_colour)
    return spec | {"height": height_of_figures(labels)}


def titled(spec: Spec, text: str, subtitle: str) -> Spec:
    """Return a chart as a separate file has it: with a title, margins and a white background."""
    title: dict[str, Any] = {
        "text": text, "subtitle": subtitle, "anchor": "start", "frame": "group", "fontSize": 15,
        "subtitleFontSize": 11, "offset": 14,
    }  # fmt: skip
    width = {"width": _WIDTH} if "width" in spec else {}  # panels have a width of their own
    return {**spec, **width, "padding": _PADDING, "title": title, "background": "white"}
