"""The chart of a server's warm-ups. Pure."""

from __future__ import annotations

from ab_runner.report.charts.parts import OLD, WINDOWS, Spec, chart, rate_axis, tooltip_of


def warm_up() -> Spec:
    """Return a chart of requests per second in each window of a warm-up, with a line for each start of the server."""
    return chart(
        WINDOWS,
        {},
        layer=[
            {
                "mark": {
                    "type": "line", "color": OLD, "strokeWidth": 1.5, "opacity": 0.8,
                    "point": {"filled": True, "size": 22, "color": OLD},
                },
                "encoding": {
                    "x": {
                        "field": "window", "type": "quantitative",
                        "axis": {"title": "window", "tickMinStep": 1, "format": "d", "grid": False, "tickCount": 5},
                        "scale": {"nice": False, "zero": False},
                    },
                    "y": rate_axis("rate", {"tickCount": 3}),
                    "detail": {"field": "start"},
                    "tooltip": tooltip_of(("block", "block"), ("window", "window"), ("rate", "requests per second")),
                },
            }
        ],
    )  # fmt: skip
