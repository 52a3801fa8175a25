"""Every chart as one Vega-Lite description, which the page makes interactive and `drawing` turns into files. Pure.

A description says how data of a name look and holds none: the same one serves all workloads. Its parameters are what a
reader can change: `shown` (server ids), `focus` (one server, or none), `level` (a concurrency), and for the page's
colours `ink` and `faint`. Plain dictionaries, because they are what vl-convert takes, and a library around them would
have to be learned on top of Vega-Lite itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ab_runner.analysis.trial_figures import PERCENTILES
from ab_runner.model.server import REFERENCE
from ab_runner.report.charts.palette import Look

Spec = dict[str, Any]

CELLS = "cells"
WINDOWS = "windows"
PAIRS = "pairs"
CHANGES = "changes"
"""Names of data; `points` makes their rows."""
_LABEL_HEIGHT = 13
_FAILED_IN_A_ROW = 4
_FONT = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
_SHOWN = "indexof(shown, datum.server) >= 0"
_DIMMED = "focus != '' && focus != datum.server"


def height_of_rates(labels: int) -> int:
    """Room for so many names beside each other's lines; page.js reckons the same way, with what is switched on."""
    return max(420, _LABEL_HEIGHT * labels + 90)


def percentile_field(percentile: float) -> str:
    """Of a row. A dot would lead Vega into the row."""
    return f"p{percentile:g}".replace(".", "_")


def percentile_name(percentile: float) -> str:
    return {50.0: "median", 100.0: "longest"}.get(percentile, f"p{percentile:g}")


def rates(looks: Mapping[str, Look], levels: Sequence[int]) -> Spec:
    """Requests per second over concurrency: a line for each server with its interval as a band, its name at the end,
    and above the plot a cross for each cell without a figure."""
    server = _server(looks)
    x = _concurrency(levels)
    y = _rate("rate")
    tooltip = _tooltip(("server", "server"), ("c", "concurrency"), ("figure", "requests per second"), *_DETAILS)
    faded = {"condition": {"test": _DIMMED, "value": 0.12}, "value": 1}
    return _chart(
        CELLS,
        {"shown": list(looks), "focus": "", "labelled": True},
        transform=[{"filter": _SHOWN}],
        layer=[
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "area", "opacity": 0.16},
                "encoding": {
                    "x": x, "y": _rate("low"), "y2": {"field": "high"}, "color": server.color,
                    "opacity": {"condition": {"test": _DIMMED, "value": 0.02}, "value": 0.16},
                },
            },
            {
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
                "mark": {"type": "point", "filled": True, "size": 38},
                "encoding": {"x": x, "y": y, **server.point, "opacity": faded, "tooltip": tooltip},
            },
            _failed(x, server.color, faded),
            *_labels(server.color, faded),
        ],
    )  # fmt: skip


def _failed(x: Spec, colour: Spec, faded: Spec) -> Spec:
    """Crosses above their concurrency, four in a row."""
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
            "tooltip": _tooltip(("server", "server"), ("c", "concurrency"), ("figure", "no figure")),
        },
    }  # fmt: skip


def _labels(colour: Spec, faded: Spec) -> list[Spec]:
    """Each server's name right of its last figure, moved down where it would cover the one above and up again where
    the plot ends. `place` is the lowest position that leaves room for those above: a running maximum."""
    position = [
        {"joinaggregate": [{"op": "max", "field": "top", "as": "highest"}]},
        {"filter": "datum.last && labelled"},
        {"calculate": "height * (1 - datum.rate / datum.highest)", "as": "wanted"},
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


def latencies(looks: Mapping[str, Look], levels: Sequence[int]) -> Spec:
    """A row for each server at one concurrency: the median (filled), ticks for the percentiles beyond it, and the
    longest time of all (hollow)."""
    median, *ticks, longest = map(percentile_field, PERCENTILES)
    server = _server(looks)
    x = _logarithmic("time per request, ms")
    y = _rows("server", looks)
    faded: Spec = {"condition": {"test": _DIMMED, "value": 0.2}, "value": 1}
    times = [(percentile_field(each), f"{percentile_name(each)}, ms") for each in PERCENTILES]
    tooltip = _tooltip(("server", "server"), ("c", "concurrency"), *times)
    valid = [{"filter": f"isValid(datum.{median})"}]

    def tick(field: str) -> Spec:
        return {
            "transform": valid,
            "mark": {"type": "tick", "thickness": 2.2, "height": 10},
            "encoding": {"x": {**x, "field": field}, "color": server.color, "opacity": faded, "tooltip": tooltip},
        }

    return _chart(
        CELLS,
        {"shown": list(looks), "focus": "", "level": levels[len(levels) // 2]},
        autosize={"type": "fit-x", "contains": "padding"},
        height={"step": 19},
        transform=[{"filter": _SHOWN}, {"filter": "datum.c == level"}],
        encoding={"y": y},
        layer=[
            {
                "transform": valid,
                "mark": {"type": "rule", "strokeWidth": 1.2, "opacity": 0.7},
                "encoding": {
                    "x": {"field": median, **x}, "x2": {"field": longest}, "color": server.color, "opacity": faded,
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


def model_panel(looks: Mapping[str, Look], levels: Sequence[int]) -> Spec:
    """One of several small charts beside each other: the servers in `members` in colour, all others behind them."""
    server = _server(looks)
    x = _concurrency(levels, title=None)
    y = _rate("rate", {"tickCount": 3})
    tooltip = _tooltip(("server", "server"), ("c", "concurrency"), ("figure", "requests per second"), *_DETAILS)
    ours = "indexof(members, datum.server) >= 0"
    faded = {"condition": {"test": _DIMMED, "value": 0.15}, "value": 1}
    return _chart(
        CELLS,
        {"shown": list(looks), "focus": "", "members": list(looks)},
        transform=[{"filter": _SHOWN}],
        layer=[
            {
                "transform": [{"filter": f"!({ours})"}],
                "mark": {"type": "line", "strokeWidth": 1, "color": {"expr": "faint"}},
                "encoding": {"x": x, "y": y, "detail": {"field": "server"}},
            },
            {
                "transform": [{"filter": ours}],
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {
                    "x": x, "y": y, **server.line, "opacity": faded,
                },
            },
            {
                "transform": [{"filter": ours}, {"filter": "isValid(datum.rate)"}],
                "params": [{"name": "near", "select": {"type": "point", "on": "pointerover", "nearest": True}}],
                "mark": {"type": "point", "filled": True, "size": 26},
                "encoding": {"x": x, "y": y, **server.point, "opacity": faded, "tooltip": tooltip},
            },
        ],
    )  # fmt: skip


def models(looks: Mapping[str, Look], levels: Sequence[int]) -> Spec:
    """A panel for each I/O model, all with the same axes: for a file, where nothing can be pointed at."""
    server = _server(looks)
    encoding = {"x": _concurrency(levels, title=None), "y": _rate("rate", {"tickCount": 4})}
    legend = {
        "title": None, "orient": "bottom", "columns": 4, "labelColor": {"expr": "ink"}, "symbolType": "stroke",
        "symbolStrokeWidth": 2,
    }  # fmt: skip
    line = {channel: {**value, "legend": legend} for channel, value in server.line.items()}
    return _faceted(
        CELLS,
        transform=[{"filter": "isValid(datum.rate)"}],
        facet={
            "field": "model", "type": "nominal",
            "header": {"title": None, "labelFontSize": 12, "labelFontWeight": "bold", "labelColor": {"expr": "ink"}},
        },
        columns=3,
        spec={
            "width": 250,
            "height": 170,
            "layer": [
                {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {**encoding, **line}},
                {
                    "mark": {"type": "point", "filled": True, "size": 30},
                    "encoding": {**encoding, "color": line["color"]},
                },
            ],
        },
    )  # fmt: skip


def then_and_now(servers: Sequence[str], levels: Sequence[int]) -> Spec:
    """A row for each server of 2006 at one concurrency: its figure then, its stand-in's and its newest version's."""
    kinds = ["2006", "stand-in", "newest"]
    x = _logarithmic("requests per second")
    y = _rows("then", servers)
    tooltip = _tooltip(("then", "server of 2006"), ("kind", "measured"), ("server", "server"), ("c", "concurrency"),
                       ("figure", "requests per second"), ("factor", "as a multiple of 2006"))  # fmt: skip
    return _chart(
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
            {
                "transform": [{"filter": "datum.kind == '2006' && !isValid(datum.rate)"}],
                "mark": {"type": "text", "align": "left", "x": 4, "dy": -8, "fontSize": 10, "color": {"expr": "ink"}},
                "encoding": {"text": {"field": "missing"}},
            },
            {
                "transform": [{"filter": "isValid(datum.rate)"}],
                "mark": {"type": "point", "size": 90, "strokeWidth": 2, "filled": True, "opacity": 1},
                "encoding": {
                    "x": {"field": "rate", **x},
                    "color": {
                        "field": "kind",
                        "scale": {"domain": kinds, "range": [_NEUTRAL, _OLD, _NEW]},
                        "legend": {
                            "title": None, "orient": "bottom", "labelColor": {"expr": "ink"}, "direction": "horizontal",
                        },
                    },
                    "shape": {
                        "field": "kind", "scale": {"domain": kinds, "range": ["square", "circle", "diamond"]},
                    },
                    "tooltip": tooltip,
                },
            },
        ],
    )  # fmt: skip


def warm_up() -> Spec:
    """Requests per second in each second of a warm-up, a line for each start of the server."""
    return _chart(
        WINDOWS,
        {},
        layer=[
            {
                "mark": {
                    "type": "line", "color": _OLD, "strokeWidth": 1.5, "opacity": 0.8,
                    "point": {"filled": True, "size": 22, "color": _OLD},
                },
                "encoding": {
                    "x": {
                        "field": "window", "type": "quantitative",
                        "axis": {"title": "window", "tickMinStep": 1, "format": "d", "grid": False, "tickCount": 5},
                        "scale": {"nice": False, "zero": False},
                    },
                    "y": _rate("rate", {"tickCount": 3}),
                    "detail": {"field": "start"},
                    "tooltip": _tooltip(("block", "block"), ("window", "window"), ("rate", "requests per second")),
                },
            }
        ],
    )  # fmt: skip


def ratios(servers: Sequence[str], levels: Sequence[int]) -> Spec:
    """A row for each server and a panel for each concurrency: by what factor it changed, with the interval as a line,
    in colour where it can be told from noise."""
    x: Spec = {
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {
            "title": None, "values": _RATIOS, "format": "~r", "orient": "top", "labelOverlap": "greedy",
            "tickCount": 4,
        },
    }  # fmt: skip
    y = _rows("server", servers)
    scale = {"domain": list(CHANGES_SHOWN), "range": [_OLD, _NEW, _NEUTRAL]}
    colour = {"field": "told", "scale": scale, "legend": None}
    shape = {
        "field": "told",
        "scale": {**scale, "range": ["triangle-right", "triangle-left", "circle"]},
        "legend": None,
    }
    return _faceted(
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


CHANGES_SHOWN = ("faster", "slower", "not told")
_PANEL_WIDTH = 170
_RATIOS = [0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10]
_TICKS = [digit * 10.0**power for power in range(-3, 7) for digit in (1, 2, 5)]
"""Of logarithmic axes; a scale shows those within it."""
_NEUTRAL, _OLD, _NEW = "#808080", "#3d7bd9", "#c2571a"
_DETAILS = (
    ("interval", "95 % interval"), ("share", "share of the ceiling"), ("rank", "rank"), ("limit", "the limit was"),
    ("cpu_efficiency", "per CPU-second"),
)  # fmt: skip


def _chart(data: str, params: Mapping[str, Any], **parts: Any) -> Spec:
    colours = {"ink": "#30363d", "faint": "#c9ced6"}
    axis = {
        "labelColor": {"expr": "ink"}, "titleColor": {"expr": "ink"}, "gridColor": {"expr": "faint"},
        "domainColor": {"expr": "faint"}, "tickColor": {"expr": "faint"}, "gridOpacity": 0.45, "labelFontSize": 11,
        "titleFontSize": 11, "titleFontWeight": "normal", "labelFlush": False,
    }  # fmt: skip
    return {
        "data": {"name": data},
        "params": [{"name": name, "value": value} for name, value in {**colours, **params}.items()],
        "width": 720,
        "height": 380,
        "autosize": {"type": "fit", "contains": "padding"},
        "padding": {"left": 2, "right": 8, "top": 6, "bottom": 4},
        "background": "transparent",
        "config": {"axis": axis, "font": _FONT, "view": {"stroke": None}, "aria": False},
        **parts,
    }


def _faceted(data: str, **parts: Any) -> Spec:
    """Several panels, each of the size that its `spec` says."""
    return {
        key: value for key, value in _chart(data, {}, **parts).items() if key not in ("width", "height", "autosize")
    }


class _Server(msgspec.Struct, frozen=True):
    """How marks show which server they are of: a channel for colour, and all channels of a line and of a point."""

    color: Spec
    line: Spec
    point: Spec


def _server(looks: Mapping[str, Look]) -> _Server:
    """No legend: the page has one that a keyboard can use."""

    def channel(values: list[Any]) -> Spec:
        return {"field": "server", "scale": {"domain": list(looks), "range": values}, "legend": None}

    color = channel([look.colour for look in looks.values()])
    dash = channel([look.dash or (1, 0) for look in looks.values()])
    shape = channel([look.shape for look in looks.values()])
    return _Server(color, line={"color": color, "strokeDash": dash}, point={"color": color, "shape": shape})


def _concurrency(levels: Sequence[int], title: str | None = "connections at once") -> Spec:
    return {
        "field": "c",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": [min(levels) / 1.2, max(levels) * 1.2]},
        "axis": {"title": title, "values": list(levels), "format": ",d", "grid": False, "labelOverlap": "greedy"},
    }


def _logarithmic(title: str) -> Spec:
    return {
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 16},
        "axis": {
            "title": title, "values": _TICKS, "grid": True, "orient": "top", "format": ",~r", "labelOverlap": "greedy",
        },
    }  # fmt: skip


def _rows(field: str, order: Iterable[str]) -> Spec:
    """A row for each, with its name left of it."""
    return {
        "field": field,
        "sort": list(order),
        "axis": {
            "title": None, "domain": False, "ticks": False, "grid": True, "gridOpacity": 0.6, "labelPadding": 8,
            "labelLimit": {"expr": "width < 420 ? 110 : 260"},
        },
    }  # fmt: skip


def _rate(field: str, axis: Spec | None = None) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"nice": False, "zero": True},
        "axis": {"title": None, "format": ",~r", "tickCount": 6, "ticks": False, "domain": False, **(axis or {})},
    }


def _tooltip(*fields: tuple[str, str]) -> list[Spec]:
    return [{"field": field, "title": title} for field, title in fields]
