"""The chart of the figures of a study beside those of a sweep. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ab_runner.report.charts.data import Row
from ab_runner.report.charts.parts import NEUTRAL, NEW, OLD, PAIRS, Spec, chart, logarithmic_axis, rows_of, tooltip_of

_MARKS_NOW = {"stand-in": (OLD, "circle"), "newest": (NEW, "diamond")}


def then_and_now(pairs: Sequence[Row], levels: Sequence[int], year: str) -> Spec:
    """Return a chart with a row for each server of that year at one concurrency: its figure then, that of its stand-in
    and, where `pairs` have one, that of its newest version."""
    servers = list(dict.fromkeys(row["then"] for row in pairs))
    marks = {year: (NEUTRAL, "square"), **_MARKS_NOW}
    kinds = [kind for kind in marks if any(row["kind"] == kind for row in pairs)]
    x = logarithmic_axis("requests per second")
    y = rows_of("then", servers)
    tooltip = tooltip_of(
        ("then", f"server of {year}"),
        ("kind", "measured"),
        ("server", "server"),
        ("c", "concurrency"),
        ("figure", "requests per second"),
        ("factor", f"as a multiple of {year}"),
    )
    return chart(
        PAIRS,
        {"level": levels[len(levels) // 2]},
        autosize={"type": "fit-x", "contains": "padding"},
        height={"step": 26},
        transform=[{"filter": "datum.c == level"}],
        encoding={"y": y},
        layer=[
            {
                "transform": [
                    {"filter": "isValid(datum.rate)"},
                    {
                        "aggregate": [
                            {"op": "min", "field": "rate", "as": "least"},
                            {"op": "max", "field": "rate", "as": "most"},
                        ],
                        "groupby": ["then"],
                    },
                ],
                "mark": {"type": "rule", "strokeWidth": 1.5, "color": {"expr": "faint"}},
                "encoding": {"x": {"field": "least", **x}, "x2": {"field": "most"}},
            },
            _reasons("missing", align="left", x=4),
            _reasons("missing_now", align="right", x={"expr": "width - 4"}),
            {
                "transform": [{"filter": "isValid(datum.rate)"}],
                "mark": {"type": "point", "size": 90, "strokeWidth": 2, "filled": True, "opacity": 1},
                "encoding": {
                    "x": {"field": "rate", **x},
                    "color": {
                        "field": "kind",
                        "scale": {"domain": kinds, "range": [marks[kind][0] for kind in kinds]},
                        "legend": {
                            "title": None, "orient": "bottom", "labelColor": {"expr": "ink"}, "direction": "horizontal",
                        },
                    },
                    "shape": {
                        "field": "kind", "scale": {"domain": kinds, "range": [marks[kind][1] for kind in kinds]},
                    },
                    "tooltip": tooltip,
                },
            },
        ],
    )  # fmt: skip


def _reasons(field: str, **place: Any) -> Spec:
    """Return the texts of a field that says why figures are missing."""
    return {
        "transform": [{"filter": f"isValid(datum.{field})"}],
        "mark": {"type": "text", "dy": -8, "fontSize": 10, "color": {"expr": "ink"}, **place},
        "encoding": {"text": {"field": field}},
    }
