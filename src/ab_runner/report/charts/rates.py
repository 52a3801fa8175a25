"""The chart of a workload's figures over the levels, a line for each server. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ab_runner.model.server import REFERENCE
from ab_runner.report.charts.palette import Style
from ab_runner.report.charts.parts import (
    CELLS,
    COLOURED,
    DETAILS,
    DIMMED,
    SHOWN,
    Spec,
    chart,
    coloured,
    figure_axis,
    grey_lines,
    level_axis,
    server_channels,
    tooltip_of,
)
from ab_runner.report.say.words import Words

_LABEL_HEIGHT = 13
_FAILED_IN_A_ROW = 4


def height_of_figures(labels: int) -> int:
    """Return the height that leaves room for so many names. html/js/charts.js computes the same."""
    return max(420, _LABEL_HEIGHT * labels + 90)


def figures(styles: Mapping[str, Style], levels: Sequence[int], words: Words) -> Spec:
    """Return a chart with a line for each server, its interval as a band, its name at the end, and above the plot a
    cross for each cell without a figure. A server that is not coloured has neither band nor name."""
    server = server_channels(styles)
    x = level_axis(levels, "connections at once" if words.is_closed else words.over)
    y = figure_axis("rate", words)
    tooltip = tooltip_of(("server", "server"), ("c", words.over), ("figure", words.quantity), *DETAILS)
    faded = {"condition": {"test": DIMMED, "value": 0.12}, "value": 1}
    return chart(
        CELLS,
        {"shown": list(styles), "coloured": coloured(styles), "focus": "", "labelled": True},
        transform=[{"filter": SHOWN}],
        layer=[
            {
                "transform": [{"filter": f"isValid(datum.low) && {COLOURED}"}],
                "mark": {"type": "area", "opacity": 0.16},
                "encoding": {
                    "x": x, "y": figure_axis("low", words), "y2": {"field": "high"}, "color": server.color,
                    "opacity": {"condition": {"test": DIMMED, "value": 0.02}, "value": 0.16},
                },
            },
            grey_lines(x, y),
            {
                "transform": [{"filter": COLOURED}],
                "mark": {"type": "line", "strokeJoin": "round", "strokeCap": "round"},
                "encoding": {
                    "x": x, "y": y, **server.line, "opacity": faded,
                    "strokeWidth": {
                        "condition": [
                            {"test": "focus != '' && focus == datum.server", "value": 3.5},
                            {"test": f"datum.server == '{REFERENCE}'", "value": 4},
                        ],
                        "value": 1.7,
                    },
                },
            },
            {
                "transform": [{"filter": "isValid(datum.rate)"}],
                "params": [{"name": "near", "select": {"type": "point", "on": "pointerover", "nearest": True}}],
                "mark": {"type": "point", "filled": True},
                "encoding": {
                    "x": x, "y": y, **server.point, "opacity": faded, "tooltip": tooltip,
                    "size": {"condition": {"test": COLOURED, "value": 38}, "value": 8},
                },
            },
            _failed(x, server.color_or_grey, faded, words),
            *_labels(server.color, faded, words),
        ],
    )  # fmt: skip


def _failed(x: Spec, colour: Spec, faded: Spec, words: Words) -> Spec:
    """Return crosses above their level, four in a row."""
    return {
        "transform": [
            {"filter": "!isValid(datum.rate)"},
            {"window": [{"op": "row_number", "as": "place"}], "groupby": ["c"]},
            {"calculate": f"(datum.place - 1) % {_FAILED_IN_A_ROW} * 9", "as": "across"},
            {"calculate": f"-11 - 10 * floor((datum.place - 1) / {_FAILED_IN_A_ROW})", "as": "up"},
        ],
        "mark": {
            "type": "text", "text": "×",  # noqa: RUF001
            "fontSize": 15, "fontWeight": "bold", "align": "right",
            "y": {"expr": "datum.up"}, "dx": {"expr": "8 - datum.across"},
        },
        "encoding": {
            "x": x, "color": colour, "opacity": faded,
            "tooltip": tooltip_of(("server", "server"), ("c", words.over), ("figure", "no figure")),
        },
    }  # fmt: skip


def _labels(colour: Spec, faded: Spec, words: Words) -> list[Spec]:
    """Return each server's name right of its last figure, moved down where it would cover the one above and up again
    where the plot ends. `place` is the lowest position that leaves room for those above: a running maximum."""
    share = "datum.rate / datum.highest"
    if words.measure == "latency":
        share = (
            "(datum.highest > datum.lowest ? log(datum.rate / datum.lowest) / log(datum.highest / datum.lowest) : 0.5)"
        )
    position = [
        {
            "joinaggregate": [
                {"op": "max", "field": "top", "as": "highest"},
                {"op": "min", "field": "bottom", "as": "lowest"},
            ]
        },
        {"filter": f"datum.last && labelled && {COLOURED}"},
        {"calculate": f"height * (1 - {share})", "as": "wanted"},
        {
            "window": [{"op": "row_number", "as": "number"}],
            "sort": [{"field": "wanted"}, {"field": "server"}],
        },
        {"calculate": f"datum.wanted - {_LABEL_HEIGHT} * datum.number", "as": "free"},
        {
            "window": [{"op": "max", "field": "free", "as": "pushed"}],
            "sort": [{"field": "wanted"}, {"field": "server"}],
        },
        {"joinaggregate": [{"op": "count", "as": "count"}]},
        {
            "calculate": f"min(datum.pushed + {_LABEL_HEIGHT} * datum.number, "
            f"height - {_LABEL_HEIGHT} * (datum.count - datum.number))",
            "as": "place",
        },
    ]
    return [
        {
            "transform": position,
            "mark": {"type": "rule", "strokeWidth": 1},
            "encoding": {
                "x": {"value": {"expr": "width + 4"}}, "x2": {"value": {"expr": "width + 24"}},
                "y": {"value": {"expr": "datum.wanted"}}, "y2": {"value": {"expr": "datum.place"}},
                "color": colour, "opacity": faded,
            },
        },
        {
            "transform": position,
            "mark": {
                "type": "text", "align": "left", "baseline": "middle", "fontSize": 11.5, "color": {"expr": "ink"},
                "x": {"expr": "width + 28"}, "y": {"expr": "datum.place"},
            },
            "encoding": {"text": {"field": "server"}, "opacity": faded},
        },
    ]  # fmt: skip
