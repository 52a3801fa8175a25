"""The chart of latencies at one level, a row for each server. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ab_runner.analysis.trial_figures import PERCENTILES
from ab_runner.report.charts.palette import Style
from ab_runner.report.charts.parts import (
    CELLS,
    DIMMED,
    SHOWN,
    Spec,
    chart,
    coloured,
    logarithmic_axis,
    rows_of,
    server_channels,
    tooltip_of,
)
from ab_runner.report.say.words import Words

TAIL = 99.9
TAIL_FIGURE = "tail"
"""The field of this percentile's figure as text: its tick is drawn more precisely than it is known."""


def percentile_field(percentile: float) -> str:
    """Return the field of a percentile, without a dot: Vega takes that for a path into the row."""
    return f"p{percentile:g}".replace(".", "_")


def percentile_name(percentile: float) -> str:
    """Return a percentile as readers write it: `p99.9`."""
    return {50.0: "median", 100.0: "longest"}.get(percentile, f"p{percentile:g}")


def latencies(styles: Mapping[str, Style], levels: Sequence[int], words: Words) -> Spec:
    """Return a chart with a row for each server at one level: the median (filled), ticks for the percentiles
    beyond it, and the longest time of all (hollow)."""
    median, *ticks, longest = map(percentile_field, PERCENTILES)
    server = server_channels(styles)
    x = logarithmic_axis("time per request, ms")
    y = rows_of("server", styles)
    faded: Spec = {"condition": {"test": DIMMED, "value": 0.2}, "value": 1}
    fields = {percentile: percentile_field(percentile) for percentile in PERCENTILES} | {TAIL: TAIL_FIGURE}
    times = [(field, f"{percentile_name(percentile)}, ms") for percentile, field in fields.items()]
    tooltip = tooltip_of(("server", "server"), ("c", words.over), *times)
    valid = [{"filter": f"isValid(datum.{median})"}]

    def tick(field: str) -> Spec:
        return {
            "transform": valid,
            "mark": {"type": "tick", "thickness": 2.2, "height": 10},
            "encoding": {
                "x": {**x, "field": field},
                "color": server.color_or_grey,
                "opacity": faded,
                "tooltip": tooltip,
            },
        }

    return chart(
        CELLS,
        {"shown": list(styles), "coloured": coloured(styles), "focus": "", "level": levels[len(levels) // 2]},
        autosize={"type": "fit-x", "contains": "padding"},
        height={"step": 19},
        transform=[{"filter": SHOWN}, {"filter": "datum.c == level"}],
        encoding={"y": y},
        layer=[
            {
                "transform": valid,
                "mark": {"type": "rule", "strokeWidth": 1.2, "opacity": 0.7},
                "encoding": {
                    "x": {"field": median, **x}, "x2": {"field": longest}, "color": server.color_or_grey,
                    "opacity": faded,
                },
            },
            *map(tick, ticks),
            {
                "transform": valid,
                "mark": {"type": "point", "filled": False, "size": 30, "strokeWidth": 1.3},
                "encoding": {"x": {"field": longest, **x}, **server.point, "opacity": faded, "tooltip": tooltip},
            },
            {
                "transform": valid,
                "mark": {"type": "point", "filled": True, "size": 70},
                "encoding": {"x": {"field": median, **x}, **server.point, "opacity": faded, "tooltip": tooltip},
            },
            {
                "transform": [{"filter": f"!isValid(datum.{median})"}],
                "mark": {"type": "text", "align": "left", "x": 6, "fontSize": 11, "color": {"expr": "ink"}},
                "encoding": {"text": {"field": "missing"}},
            },
        ],
    )  # fmt: skip
