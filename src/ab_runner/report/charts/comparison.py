"""The chart of one sweep against another. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ab_runner.report.charts.parts import CHANGES, NEUTRAL, NEW, OLD, Spec, faceted, rows_of

CHANGES_SHOWN = ("faster", "slower", "not told")
_PANEL_WIDTH = 170
_RATIOS = [0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10]


def ratios(servers: Sequence[str], levels: Sequence[int]) -> Spec:
    """Return a chart with a row for each server and a panel for each concurrency: the factor by which its rate changed,
    the interval as a line, and a colour where the change is significant."""
    x: Spec = {
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {
            "title": None, "values": _RATIOS, "format": "~r", "orient": "top", "labelOverlap": "greedy",
            "tickCount": 4,
        },
    }  # fmt: skip
    y = rows_of("server", servers)
    scale = {"domain": list(CHANGES_SHOWN), "range": [OLD, NEW, NEUTRAL]}
    colour = {"field": "told", "scale": scale, "legend": None}
    shape = {
        "field": "told",
        "scale": {**scale, "range": ["triangle-right", "triangle-left", "circle"]},
        "legend": None,
    }
    return faceted(
        CHANGES,
        padding={"left": 30, "right": 8, "top": 6, "bottom": 4},  # a reader's font may be wider than the one measured
        facet={
            "column": {
                "field": "c", "type": "ordinal", "sort": list(levels),
                "header": {
                    "title": None, "labelExpr": "'at ' + format(datum.value, ',d')", "labelColor": {"expr": "ink"},
                },
            }
        },
        spacing=18,
        spec={
            "width": _PANEL_WIDTH,
            "height": {"step": 19},
            "layer": [
                {
                    "mark": {"type": "rule", "strokeWidth": 1.5, "color": {"expr": "ink"}, "opacity": 0.6},
                    "encoding": {"x": {"datum": 1, **x}},
                },
                {
                    "transform": [{"filter": "isValid(datum.low)"}],
                    "mark": {"type": "rule", "strokeWidth": 2},
                    "encoding": {
                        "y": y, "x": {"field": "low", **x}, "x2": {"field": "high"}, "color": colour,
                    },
                },
                {
                    "mark": {"type": "point", "filled": True, "size": 65, "opacity": 1},
                    "encoding": {"y": y, "x": {"field": "ratio", **x}, "color": colour, "shape": shape},
                },
            ],
        },
    )  # fmt: skip
