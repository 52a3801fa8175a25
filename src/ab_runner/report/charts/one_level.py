"""The chart of a workload's figures where a sweep has one level, a row for each server. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ab_runner.analysis.measure import lower_is_better
from ab_runner.report.charts.palette import Style
from ab_runner.report.charts.parts import (
    CELLS,
    DETAILS,
    DIMMED,
    SHOWN,
    ServerChannels,
    Spec,
    chart,
    coloured,
    figure_axis,
    rows_of,
    server_channels,
    tooltip_of,
)
from ab_runner.report.say.words import Words

_LAST = 1e300
"""A place behind those of all figures."""


def one_level(styles: Mapping[str, Style], level: int, words: Words) -> Spec:
    """Return a chart of each server's figure and its interval, the best server first; those without a figure come last,
    with the reason."""
    server = server_channels(styles)
    place = "datum.rate" if lower_is_better(words.measure) else "-datum.rate"
    x = figure_axis("rate", words, {"title": words.unit, "orient": "top", "grid": True})
    faded: Spec = {"condition": {"test": DIMMED, "value": 0.2}, "value": 1}
    tooltip = tooltip_of(("server", "server"), ("figure", words.quantity_at(level)), *DETAILS)
    return chart(
        CELLS,
        {"shown": list(styles), "coloured": coloured(styles), "focus": ""},
        autosize={"type": "fit-x", "contains": "padding"},
        height={"step": 19},
        transform=[
            {"filter": SHOWN},
            {"calculate": f"isValid(datum.rate) ? {place} : {_LAST}", "as": "place"},
        ],
        encoding={"y": {**rows_of("server", ()), "sort": {"field": "place", "op": "min"}}},
        layer=[
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.7},
                "encoding": {
                    "x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": server.color_or_grey,
                    "opacity": faded,
                },
            },
            *([_ninety(x, server, faded)] if words.measure == "capacity" else []),
            {
                "transform": [{"filter": "isValid(datum.rate)"}],
                "mark": {"type": "point", "filled": True, "size": 70},
                "encoding": {"x": x, **server.point, "opacity": faded, "tooltip": tooltip},
            },
            {
                "transform": [{"filter": "!isValid(datum.rate)"}],
                "mark": {"type": "text", "align": "left", "x": 6, "fontSize": 11, "color": {"expr": "ink"}},
                "encoding": {"text": {"field": "missing"}},
            },
        ],
    )  # fmt: skip


def _ninety(x: Spec, server: ServerChannels, faded: Spec) -> Spec:
    """Return the ticks at the rates that 90 % of the trials meet."""
    return {
        "transform": [{"filter": "isValid(datum.ninety)"}],
        "mark": {"type": "tick", "thickness": 2, "height": 9},
        "encoding": {"x": {**x, "field": "ninety"}, "color": server.color_or_grey, "opacity": faded},
    }
