"""The charts of the versions of a family by their release, a panel for each family and quantity. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ab_runner.report.charts.palette import Style
from ab_runner.report.charts.parts import (
    NEUTRAL,
    VERSIONS,
    Spec,
    chart,
    faceted,
    figure_axis,
    rate_axis,
    tooltip_of,
)
from ab_runner.report.say.words import Words

RATE, CPU, MEMORY = "versions-rate", "versions-cpu", "versions-memory"
"""The quantities, by the names of their charts."""
_FIELDS = {RATE: "rate", CPU: "cpu", MEMORY: "memory"}
_NEAREST = (
    "(isValid(datum.lead_year) && !(datum.lead_year - datum.year > datum.year - datum.lag_year)"
    " ? datum.lead_figure : datum.lag_figure)"
)
_HEIGHT, _WIDTH, _COLUMNS = 130, 380, 2
"""A panel's, the last two in a file."""

Rows = Sequence[Mapping[str, Any]]


def quantities_of_versions(rows: Rows, words: Words) -> dict[str, str]:
    """Return the titles of the panels that these rows have something for, by the names of the charts."""
    bound = " (open point: a lower bound, the generator was the limit)" if any("bound" in row for row in rows) else ""
    titles = {RATE: words.quantity + bound, CPU: "CPU time per request, µs", MEMORY: "memory allocated per request, KB"}
    return {name: title for name, title in titles.items() if any(_FIELDS[name] in row for row in rows)}


def version_panel(
    name: str, titles: Mapping[str, str], styles: Mapping[str, Style], levels: Sequence[int], words: Words
) -> Spec:
    """Return the panel of one quantity, for the page, which gives it the rows of one family."""
    panel = _panel(name, titles, styles, words, "datum.c == level")
    return chart(VERSIONS, {"level": levels[len(levels) // 2]}, height=_HEIGHT, **panel)


def versions(rows: Rows, styles: Mapping[str, Style], level: int, words: Words) -> Spec:
    """Return the panels of all families at a level, for a file, which is not interactive."""
    titles = quantities_of_versions(rows, words)
    views = [
        {
            "title": {"text": family, "fontSize": 12, "anchor": "start", "color": {"expr": "ink"}},
            "transform": [{"filter": {"field": "family", "equal": family}}],
            "vconcat": [
                {"width": _WIDTH, "height": _HEIGHT, **_panel(name, titles, styles, words, f"datum.c == {level}")}
                for name in titles
            ],
        }
        for family in dict.fromkeys(row["family"] for row in rows)
    ]
    return faceted(VERSIONS, concat=views, columns=min(_COLUMNS, len(views)), spacing=26)


def _panel(name: str, titles: Mapping[str, str], styles: Mapping[str, Style], words: Words, filter: str) -> Spec:
    field = _FIELDS[name]
    axis = {"tickCount": 4, "minExtent": 42}
    x = {
        "field": "year",
        "type": "quantitative",
        "scale": {"zero": False, "nice": False, "padding": 20},
        "axis": {"title": None, "format": "d", "grid": False, "tickCount": 6, "tickMinStep": 1},
    }
    y = figure_axis(field, words, axis) if name == RATE else rate_axis(field, axis)
    y = {**y, "scale": {**y["scale"], "nice": True}}  # room for a name above the highest
    colour = {
        "field": "server", "legend": None,
        "scale": {"domain": list(styles), "range": [style.colour for style in styles.values()]},
    }  # fmt: skip
    tooltip = tooltip_of(
        ("server", "server"), ("version", "version"), ("released", "released"), ("figure", words.quantity),
        ("cpu", "CPU per request, µs"), ("memory", "allocated per request, KB"),
    )  # fmt: skip
    fill = {"condition": {"test": "datum.bound", "value": "transparent"}, **colour} if name == RATE else colour
    interval = {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
    }
    return {
        "title": {
            "text": titles[name], "anchor": "start", "frame": "group", "fontSize": 11, "fontWeight": "normal",
            "offset": 4, "color": {"expr": "ink"},
        },
        "transform": [
            {"filter": f"isValid(datum.{field}) && {filter}"},
            {
                "window": [
                    {"op": op, "field": each, "as": f"{op}_{at}"}
                    for op in ("lag", "lead")
                    for each, at in (("year", "year"), (field, "figure"))
                ],
                "sort": [{"field": "year"}],
            },
        ],
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 1.2, "color": NEUTRAL}, "encoding": {"x": x, "y": y}},
            *([interval] if name == RATE else []),
            {
                "mark": {"type": "point", "size": 55, "opacity": 1},
                "encoding": {"x": x, "y": y, "stroke": colour, "fill": fill, "tooltip": tooltip},
            },
            {
                # Above where the figure of the release nearest in time is lower, so that two of one year leave room.
                "mark": {
                    "type": "text", "fontSize": 10, "color": {"expr": "ink"},
                    "dy": {"expr": f"datum.{field} < {_NEAREST} ? 13 : -10"},
                },
                "encoding": {"x": x, "y": y, "text": {"field": "version"}},
            },
        ],
    }  # fmt: skip
