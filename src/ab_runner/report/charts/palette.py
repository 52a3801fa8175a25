"""The style of a server in every chart: families by hue and shape, the servers of a family by shade and dash. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import cos, radians, sin

import msgspec

from ab_runner.model.server import REFERENCE, Server

MOST_IN_COLOUR = 12
"""If there are more servers than this, a chart shows those of the set `@core` in colour and the others in grey."""
_HUES = (255, 40, 150, 330, 85, 205, 295, 120)
"""Degrees of OKLCH, ordered so that neighbours are easy to tell apart."""
_BETWEEN = (0, 20, 10)
"""Where the hues are used up, they begin again so many degrees further and with another shape."""
_CHROMA = 0.145
_SHADES = (0.575, 0.63, 0.525)
"""Lightness in OKLCH: all of these stand out from white as well as from nearly black paper."""
_SHAPES = ("circle", "square", "triangle-up", "diamond")
_DASHES: tuple[tuple[int, ...], ...] = ((), (6, 2), (2, 2), (8, 2, 2, 2), (12, 3), (4, 4), (10, 2, 2, 2, 2, 2))
_GREY = "#808080"


class Style(msgspec.Struct, frozen=True):
    colour: str
    shape: str
    dash: tuple[int, ...]
    """As in SVG; empty: a line without gaps."""
    in_colour: bool = True
    """Whether charts show it in its colour until a reader chooses; the others are grey."""


def styles(servers: Iterable[Server], core: Collection[str] = ()) -> dict[str, Style]:
    """Return the style of each server by its id; `core` are those to be in colour where there are many. The reference
    has a grey of its own, so that it reads as a line to compare with and not as one more server."""
    servers = list(servers)
    found = _colours(servers)
    others = [id for id in found if id != REFERENCE]
    known = [id for id in others if id in core]
    if len(others) <= MOST_IN_COLOUR or not known:
        return found
    return {id: msgspec.structs.replace(style, in_colour=id in known or id == REFERENCE) for id, style in found.items()}


def _colours(servers: Iterable[Server]) -> dict[str, Style]:
    members: dict[str, list[str]] = {}
    for server in servers:
        members.setdefault(server.family, []).append(server.id)
    reference = members.pop(REFERENCE, [])
    found = {id: Style(_GREY, "circle", ()) for id in reference}
    for place, family in enumerate(sorted(members)):
        again, at = divmod(place, len(_HUES))
        hue = _HUES[at] + _BETWEEN[again % len(_BETWEEN)]
        shape = _SHAPES[again % len(_SHAPES)]
        for number, id in enumerate(members[family]):
            shade = _SHADES[number % len(_SHADES)]
            found[id] = Style(_hex(shade, hue), shape, _DASHES[number % len(_DASHES)])
    return found


def _hex(lightness: float, hue: float) -> str:
    """From OKLCH (Ottosson, A perceptual color space for image processing, 2020) to sRGB."""
    a, b = _CHROMA * cos(radians(hue)), _CHROMA * sin(radians(hue))
    long, medium, short = (
        (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3,
        (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3,
        (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3,
    )
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _gamma(min(1.0, max(0.0, channel)))):02x}" for channel in linear)


def _gamma(linear: float) -> float:
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
