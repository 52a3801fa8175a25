"""The charts of a sweep as separate files: with their data, a title, and the margins that the page otherwise provides.
Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ab_runner.model.workload import WorkloadName
from ab_runner.report.charts.data import Row
from ab_runner.report.charts.latencies import latencies
from ab_runner.report.charts.models import models
from ab_runner.report.charts.parts import Spec
from ab_runner.report.charts.rates import height_of_figures
from ab_runner.report.charts.then_and_now import then_and_now
from ab_runner.report.charts.vega import with_rows
from ab_runner.report.html.page import Page, figures_spec

_WIDTH = 900
_PADDING = {"left": 30, "right": 30, "top": 10, "bottom": 10}
"""In pixels. Wide at the sides: a reader's font may be wider than the one that the labels were measured with."""


def gallery(page: Page) -> dict[str, Spec]:
    """Return the charts by file name, without its suffix."""
    names = [section.workload.name for section in page.workloads]
    return {f"{name}-{kind}": spec for name in names for kind, spec in _of(page, name)}


def _of(page: Page, name: WorkloadName) -> Iterator[tuple[str, Spec]]:
    rows = page.data["cells"][name]
    words = page.words
    middle = page.levels[len(page.levels) // 2]
    quantity = words.quantity if page.figures_chart == "rates" else words.quantity_at(page.levels[0])
    yield "rates", _titled(_figures(page, rows), f"{name}: {quantity}", page)
    times = with_rows(latencies(page.looks, page.levels, words), rows)
    yield "latencies", _titled(times, f"{name}: time per request {words.at(middle)}", page)
    model_of = {id: model for model, ids in page.data["models"][name].items() for id in ids}
    by_model = [{**row, "model": model_of[row["server"]]} for row in rows if row["server"] in model_of]
    panels = with_rows(models(page.looks, page.levels, words), by_model)
    yield "models", _titled(panels, f"{name}: {words.quantity} by I/O model", page)
    if name in page.data["pairs"]:
        pairs = page.data["pairs"][name]
        beside = then_and_now(pairs, page.compared_levels)
        middle = page.compared_levels[len(page.compared_levels) // 2]
        title = f"{name}: requests per second in 2006 and now, at concurrency {middle:,}"
        yield "then-and-now", _titled(with_rows(beside, pairs), title, page)


def _figures(page: Page, rows: Sequence[Row]) -> Spec:
    spec = with_rows(figures_spec(page), rows)
    if page.figures_chart != "rates":
        return spec
    labels = sum(1 for row in rows if row.get("last") and page.looks[row["server"]].in_colour)
    return spec | {"height": height_of_figures(labels)}


def _titled(spec: Spec, text: str, page: Page) -> Spec:
    title: dict[str, Any] = {
        "text": text, "subtitle": f"{page.title}, {page.machine}", "anchor": "start", "frame": "group", "fontSize": 15,
        "subtitleFontSize": 11, "offset": 14,
    }  # fmt: skip
    width = {"width": _WIDTH} if "width" in spec else {}  # panels have a width of their own
    return {**spec, **width, "padding": _PADDING, "title": title, "background": "white"}
