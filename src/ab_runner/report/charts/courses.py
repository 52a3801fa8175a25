"""The charts of what happened in each second of trials, a panel for each server and quantity. Pure.

Their data are series: a row for each trial, with a list for each quantity (`data.course_series`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ab_runner.report.charts.parts import COURSES, NEUTRAL, NEW, OLD, Spec, chart, faceted, tooltip_of

ANSWERS, LATENCY, BESIDE, JIT = "course-answers", "course-latency", "course-beside", "course-jit"
"""The quantities, by the names of their charts."""
_IS_KNOWN = {ANSWERS: "answered", LATENCY: "p50", BESIDE: "beside_longest", JIT: "share"}
"""A list that a series has if the quantity is known."""
_OF_ANSWERS = ("second", "answered", "failed", "p50", "p99", "longest", "stolen")
_OF_BESIDE = ("beside_second", "beside_p50", "beside_longest", "beside_answered", "beside_failed")
_OF_USE = ("at", "share", "share_figure", "cores", "gcs", "memory")
_LISTS = {ANSWERS: _OF_ANSWERS, LATENCY: _OF_ANSWERS, BESIDE: _OF_BESIDE, JIT: _OF_USE}
_LABEL_WIDTH = 42
"""In pixels, of all y axes, so that the panels of a server have their seconds below each other."""
_POWERS = [10.0**power for power in range(-3, 7)]
"""Ticks of the latencies: there is no room for more."""
_HEIGHT, _WIDTH, _COLUMNS = 100, 270, 3
"""In a file."""

Series = Sequence[Mapping[str, Any]]


def quantities_of(series: Series) -> dict[str, str]:
    """Return the titles of the panels that these series have something for, by the names of the charts."""
    failed = " (dashed: failed)" if any(each.get("fails") for each in series) else ""
    titles = {
        ANSWERS: f"answers per second{failed}",
        LATENCY: "latency in ms: median (thick), p99, longest (dotted)",
        BESIDE: "beside it: longest latency in ms; ticks: not answered",
        JIT: "JIT compiler's share of the server's CPU time",
    }
    return {name: title for name, title in titles.items() if any(_IS_KNOWN[name] in each for each in series)}


def colours_text(series: Series) -> str:
    """Return what the colours mean, for a title; empty where there is one."""
    return " (orange: first trial of a start; blue: later ones)" if any(each.get("first") for each in series) else ""


def extents_of(series: Series) -> dict[str, float]:
    """Return the values of the parameters that give all panels of a workload the same axes: the `seconds`, the `most`
    answers, the `fastest` and the `slowest` request, the same `beside` the load, and the highest `share`."""

    def values(*lists: str) -> Iterator[float]:
        return (value for each in series for name in lists for value in each.get(name, ()) if value)

    found = {
        "seconds": max(values("second", "at"), default=1),
        "most": max(values("answered", "failed"), default=1),
        "fastest": min(values("p50"), default=1),
        "slowest": max(values("longest"), default=1),
        "share": max(values("share"), default=1),
    }
    if any("beside_second" in each for each in series):
        found["beside_fastest"] = min(values("beside_p50"), default=1)
        found["beside_slowest"] = max(values("beside_longest"), default=1)
    return found


def course_panel(name: str, titles: Mapping[str, str]) -> Spec:
    """Return the panel of one quantity, for the page, which gives it the series of one server and the extents of the
    workload. `titles` are those of all quantities; the last one has the seconds below it."""
    params = {
        "level": 0, "seconds": 1, "most": 1, "fastest": 1, "slowest": 10, "beside_fastest": 1, "beside_slowest": 10,
        "share": 1,
    }  # fmt: skip
    return chart(COURSES, params, **_panel(name, titles, "datum.c == level"))


def courses(series: Series, servers: Iterable[str], level: int, titles: Mapping[str, str | None]) -> Spec:
    """Return the panels of all servers at a level, for a file, which is not interactive. `titles` are those of the
    quantities to show; None where the title of the file says it."""
    views = [
        {
            "title": {"text": server, "fontSize": 12, "anchor": "start", "color": {"expr": "ink"}},
            "transform": [{"filter": {"field": "server", "equal": server}}],
            "vconcat": [
                {"width": _WIDTH, "height": _HEIGHT, **_still(_panel(name, titles, f"datum.c == {level}"))}
                for name in titles
            ],
            "spacing": 6,
        }
        for server in servers
        if any(each["server"] == server for each in series)
    ]
    spec = faceted(COURSES, concat=views, columns=min(_COLUMNS, len(views)), spacing=26)
    params = [{"name": name, "value": value} for name, value in extents_of(series).items()]
    return {**spec, "params": [*spec["params"], *params]}


def _panel(name: str, titles: Mapping[str, str | None], filter: str) -> Spec:
    is_last = name == list(titles)[-1]
    return {
        "title": titles[name] and {
            "text": titles[name], "anchor": "start", "frame": "group", "fontSize": 11, "fontWeight": "normal",
            "offset": 4, "color": {"expr": "ink"},
        },
        "transform": [
            {"filter": f"isValid(datum.{_IS_KNOWN[name]}) && {filter}"},
            {"flatten": list(_LISTS[name])},
        ],
        "layer": {ANSWERS: _answers, LATENCY: _latency, BESIDE: _beside, JIT: _jit}[name](_seconds(name, is_last)),
    }  # fmt: skip


def _still(panel: Spec) -> Spec:
    """Return a panel without what a pointer finds."""
    return {**panel, "layer": [each for each in panel["layer"] if "params" not in each]}


def _seconds(name: str, has_labels: bool) -> Spec:
    axis: Spec = {"title": None, "labels": False, "ticks": False}
    return {
        "field": {JIT: "at", BESIDE: "beside_second"}.get(name, "second"),
        "type": "quantitative",
        "scale": {"nice": False, "domainMin": 0, "domainMax": {"expr": "seconds"}},
        "axis": {"grid": False, "tickCount": 6, "tickMinStep": 1, **({"title": "seconds"} if has_labels else axis)},
    }


def _y(field: str, scale: Spec, **axis: Any) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"nice": False, **scale},
        "axis": {
            "title": None, "ticks": False, "domain": False, "minExtent": _LABEL_WIDTH, "labelOverlap": "greedy",
            "tickCount": 3, **axis,
        },
    }  # fmt: skip


def _answers(x: Spec) -> list[Spec]:
    def y(field: str) -> Spec:
        return _y(field, {"domainMin": 0, "domainMax": {"expr": "most"}}, format=",~r")

    return [
        {
            "transform": [{"filter": "datum.stolen"}],
            "mark": {
                "type": "tick", "orient": "vertical", "size": 6, "thickness": 2, "color": NEUTRAL, "yOffset": -3,
            },
            "encoding": {"x": x, "y": {"value": "height"}},
        },
        {
            "transform": [{"filter": "datum.fails"}],
            "mark": {"type": "line", "strokeWidth": 1.2, "strokeDash": [4, 3], "color": {"expr": "ink"}},
            "encoding": {"x": x, "y": y("failed"), "detail": _TRIAL},
        },
        _line(x, y("answered"), 1.6),
        _points(x, y("answered"), ("second", "second"), ("answered", "answered"), ("failed", "failed")),
    ]  # fmt: skip


def _latency(x: Spec) -> list[Spec]:
    def y(field: str) -> Spec:
        scale = {"type": "log", "domainMin": {"expr": "fastest"}, "domainMax": {"expr": "slowest"}}
        return _y(field, scale, **_marks("fastest", "slowest"))

    times = (("p50", "median, ms"), ("p99", "p99, ms"), ("longest", "longest, ms"))
    return [
        _line(x, y("longest"), 1, strokeDash=[1, 2], opacity=0.6),
        _line(x, y("p99"), 0.9, opacity=0.7),
        _line(x, y("p50"), 2),
        _points(x, y("p99"), ("second", "second"), *times),
    ]


def _marks(fastest: str, slowest: str) -> Spec:
    """Return what a logarithmic axis has: powers of ten, or its two ends where these are not a factor of ten apart."""
    values = f"{slowest} < 10 * {fastest} ? [{fastest}, {slowest}] : {_POWERS}"
    return {"format": ",.4~r", "values": {"expr": values}, "tickCount": len(_POWERS)}


def _beside(x: Spec) -> list[Spec]:
    scale = {"type": "log", "domainMin": {"expr": "beside_fastest"}, "domainMax": {"expr": "beside_slowest"}}
    y = _y("beside_longest", scale, **_marks("beside_fastest", "beside_slowest"))
    times = (("beside_p50", "median, ms"), ("beside_longest", "longest, ms"))
    counts = (("beside_answered", "answered"), ("beside_failed", "not answered"))
    return [
        {
            "transform": [{"filter": "datum.beside_failed"}],
            "mark": {
                "type": "tick", "orient": "vertical", "size": 8, "thickness": 2, "color": NEW, "yOffset": 4,
            },
            "encoding": {"x": x, "y": {"value": 0}},
        },
        _line(x, y, 1.6),
        _points(x, y, ("beside_second", "second"), *times, *counts),
    ]  # fmt: skip


def _jit(x: Spec) -> list[Spec]:
    y = _y("share", {"domainMin": 0, "domainMax": {"expr": "share"}}, format="~%")
    others = (("cores", "server's cores busy"), ("gcs", "collections"), ("memory", "memory, MiB"))
    return [_line(x, y, 1.6), _points(x, y, ("at", "second"), ("share_figure", "JIT share"), *others)]


_TRIAL = [{"field": "start"}, {"field": "run"}]
"""What distinguishes the lines of a panel."""


def _line(x: Spec, y: Spec, width: float, **mark: Any) -> Spec:
    colour = {"condition": {"test": "datum.first", "value": NEW}, "value": OLD}
    return {
        "mark": {"type": "line", "strokeWidth": width, "strokeJoin": "round", "opacity": 0.85, **mark},
        "encoding": {"x": x, "y": y, "color": colour, "detail": _TRIAL},
    }


def _points(x: Spec, y: Spec, *tooltip: tuple[str, str]) -> Spec:
    """Return points that nobody sees, with what a pointer near them shows."""
    fields = (("start", "start"), ("run", "trial of the start"), *tooltip)
    return {
        "params": [{"name": "near", "select": {"type": "point", "on": "pointerover", "nearest": True}}],
        "mark": {"type": "point", "opacity": 0},
        "encoding": {"x": x, "y": y, "tooltip": tooltip_of(*fields)},
    }
