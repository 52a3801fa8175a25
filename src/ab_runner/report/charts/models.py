"""The charts of figures by I/O model, a panel for each model. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ab_runner.report.charts.palette import Style
from ab_runner.report.charts.parts import (
    CELLS,
    COLOURED,
    DETAILS,
    DIMMED,
    NEUTRAL,
    SHOWN,
    Spec,
    chart,
    coloured,
    faceted,
    figure_axis,
    level_axis,
    server_channels,
    tooltip_of,
)
from ab_runner.report.say.words import Words


def model_panel(styles: Mapping[str, Style], levels: Sequence[int], words: Words) -> Spec:
    """Return the panel of one model: the servers in `members`, those that are not coloured in grey, and behind them all
    others in a fainter grey."""
    server = server_channels(styles)
    x = level_axis(levels, None)
    y = figure_axis("rate", words, {"tickCount": 3})
    tooltip = tooltip_of(("server", "server"), ("c", words.over), ("figure", words.quantity), *DETAILS)
    ours = "indexof(members, datum.server) >= 0"
    faded = {"condition": {"test": DIMMED, "value": 0.15}, "value": 1}
    return chart(
        CELLS,
        {"shown": list(styles), "coloured": coloured(styles), "focus": "", "members": list(styles)},
        transform=[{"filter": SHOWN}],
        layer=[
            {
                "transform": [{"filter": f"!({ours})"}],
                "mark": {"type": "line", "strokeWidth": 1, "color": {"expr": "faint"}},
                "encoding": {"x": x, "y": y, "detail": {"field": "server"}},
            },
            {
                "transform": [{"filter": f"{ours} && !({COLOURED})"}],
                "mark": {"type": "line", "strokeWidth": 1.4, "color": NEUTRAL},
                "encoding": {"x": x, "y": y, "detail": {"field": "server"}, "opacity": faded},
            },
            {
                "transform": [{"filter": f"{ours} && {COLOURED}"}],
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


def models(styles: Mapping[str, Style], levels: Sequence[int], words: Words) -> Spec:
    """Return the panels of all models, with the same axes: for a file, which is not interactive. Its legend has the
    servers that are in colour."""
    server = server_channels(styles)
    encoding = {"x": level_axis(levels, None), "y": figure_axis("rate", words, {"tickCount": 4})}
    legend = {
        "title": None, "orient": "bottom", "columns": 4, "labelColor": {"expr": "ink"}, "symbolType": "stroke",
        "symbolStrokeWidth": 2, "values": coloured(styles),
    }  # fmt: skip
    line = {channel: {**value, "legend": legend} for channel, value in server.line.items()}
    in_colour: Spec = {"field": "server", "oneOf": coloured(styles)}
    return faceted(
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
                {
                    "transform": [{"filter": {"not": in_colour}}],
                    "mark": {"type": "line", "strokeWidth": 1, "color": NEUTRAL, "opacity": 0.5},
                    "encoding": {**encoding, "detail": {"field": "server"}},
                },
                {
                    "transform": [{"filter": in_colour}],
                    "mark": {"type": "line", "strokeWidth": 2},
                    "encoding": {**encoding, **line},
                },
                {
                    "transform": [{"filter": in_colour}],
                    "mark": {"type": "point", "filled": True, "size": 30},
                    "encoding": {**encoding, "color": line["color"]},
                },
            ],
        },
    )  # fmt: skip
