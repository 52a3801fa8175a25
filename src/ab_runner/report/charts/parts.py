"""The parts that the charts share: names of data and parameters, axes, colours, and the frame around a chart. Pure.

A chart is one Vega-Lite description, which the page makes interactive and `vega` turns into files. It says how data of
a name look and holds none: the same one serves all workloads. Its parameters are what a reader can change: `shown`
and `coloured` (server ids: a shown server that is not coloured is grey), `focus` (one server, or none), `level` (a
concurrency), and for the page's colours `ink` and `faint`.
Descriptions are plain dictionaries, because vl-convert takes these, and a library around them would have to be learned
on top of Vega-Lite itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ab_runner.report.charts.palette import Style
from ab_runner.report.say.words import Words

Spec = dict[str, Any]

CELLS = "cells"
WINDOWS = "windows"
PAIRS = "pairs"
CHANGES = "changes"
COURSES = "courses"
VERSIONS = "versions"
"""Names of data; `data` makes their rows."""
_FONT = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
SHOWN = "indexof(shown, datum.server) >= 0"
COLOURED = "indexof(coloured, datum.server) >= 0"
DIMMED = "focus != '' && focus != datum.server"
_TICKS = [digit * 10.0**power for power in range(-3, 7) for digit in (1, 2, 5)]
"""The ticks of logarithmic axes; a scale shows those within its range."""
NEUTRAL, OLD, NEW = "#808080", "#3d7bd9", "#c2571a"
DETAILS = (
    ("interval", "95 % interval"), ("ninety_figure", "90 % of the trials meet"), ("share", "share of the ceiling"),
    ("rank", "rank"), ("limit", "the limit was"), ("cpu_efficiency", "per CPU-second"),
)  # fmt: skip


def chart(data: str, params: Mapping[str, Any], **parts: Any) -> Spec:
    """Return a chart with the frame, the colours and the fonts of all charts; `parts` go before them."""
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


def faceted(data: str, **parts: Any) -> Spec:
    """Return a chart of several panels, each of the size that its `spec` says."""
    return {key: value for key, value in chart(data, {}, **parts).items() if key not in ("width", "height", "autosize")}


def coloured(styles: Mapping[str, Style]) -> list[str]:
    """Return the servers that are in colour until a reader chooses others."""
    return [id for id, style in styles.items() if style.in_colour]


class ServerChannels(msgspec.Struct, frozen=True):
    """The encoding channels by which a mark shows its server: colour alone, those of a line, and two that are grey for
    a server that is not coloured: colour, and those of a point."""

    color: Spec
    line: Spec
    color_or_grey: Spec
    point: Spec


def server_channels(styles: Mapping[str, Style]) -> ServerChannels:
    """Return the channels for these servers, without a legend: the page has one that a keyboard can use."""

    def channel(values: list[Any]) -> Spec:
        return {"field": "server", "scale": {"domain": list(styles), "range": values}, "legend": None}

    color = channel([style.colour for style in styles.values()])
    dash = channel([style.dash or (1, 0) for style in styles.values()])
    shape = channel([style.shape for style in styles.values()])
    color_or_grey = {"condition": {"test": COLOURED, "type": "nominal", **color}, "value": NEUTRAL}
    return ServerChannels(
        color,
        line={"color": color, "strokeDash": dash},
        color_or_grey=color_or_grey,
        point={"color": color_or_grey, "shape": shape},
    )


def grey_lines(x: Spec, y: Spec) -> Spec:
    """Return the lines of the servers that are not coloured, which stand out only while one is pointed at."""
    pointed_at = "focus == datum.server"
    return {
        "transform": [{"filter": f"!({COLOURED})"}],
        "mark": {"type": "line", "strokeJoin": "round", "color": NEUTRAL},
        "encoding": {
            "x": x, "y": y, "detail": {"field": "server"},
            "strokeWidth": {"condition": {"test": pointed_at, "value": 3}, "value": 1},
            "opacity": {"condition": {"test": pointed_at, "value": 1}, "value": 0.35},
        },
    }  # fmt: skip


def level_axis(levels: Sequence[int], title: str | None) -> Spec:
    """Return a logarithmic x axis with a tick at each level; one that begins at 0 is linear."""
    low, high = min(levels), max(levels)
    scale: Spec = {"type": "log", "nice": False, "domain": [low / 1.2, high * 1.2]}
    if low == 0:
        scale = {"type": "linear", "nice": False, "domain": [-0.05 * (high or 1), 1.05 * (high or 1)]}
    return {
        "field": "c",
        "type": "quantitative",
        "scale": scale,
        "axis": {"title": title, "values": list(levels), "format": ",d", "grid": False, "labelOverlap": "greedy"},
    }


def logarithmic_axis(title: str) -> Spec:
    """Return a logarithmic axis for a field that the caller names, with ticks at 1, 2 and 5 times powers of ten."""
    return {
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 16},
        "axis": {
            "title": title, "values": _TICKS, "grid": True, "orient": "top", "format": ",~r", "labelOverlap": "greedy",
        },
    }  # fmt: skip


def rows_of(field: str, order: Iterable[str]) -> Spec:
    """Return a y axis with a row for each name in this order, and the names left of the plot."""
    return {
        "field": field,
        "sort": list(order),
        "axis": {
            "title": None, "domain": False, "ticks": False, "grid": True, "gridOpacity": 0.6, "labelPadding": 8,
            "labelLimit": {"expr": "width < 420 ? 110 : 260"},
        },
    }  # fmt: skip


def figure_axis(field: str, words: Words, axis: Spec | None = None) -> Spec:
    """Return an axis for the figures of a sweep, linear from zero for requests per second and logarithmic for
    latencies; `axis` changes its settings."""
    if words.measure != "latency":
        return rate_axis(field, axis)
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "nice": False},
        "axis": {
            "title": None, "format": ",~r", "ticks": False, "domain": False, "values": _TICKS,
            "labelOverlap": "greedy", **(axis or {}),
        },
    }  # fmt: skip


def rate_axis(field: str, axis: Spec | None = None) -> Spec:
    """Return a linear axis for requests per second, from zero; `axis` changes its settings."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"nice": False, "zero": True},
        "axis": {"title": None, "format": ",~r", "tickCount": 6, "ticks": False, "domain": False, **(axis or {})},
    }


def tooltip_of(*fields: tuple[str, str]) -> list[Spec]:
    """Return a tooltip of pairs of a field and its title."""
    return [{"field": field, "title": title} for field, title in fields]
