"""How a server looks in every chart: families by hue and shape, the servers of a family by shade and dash. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, radians, sin

import msgspec

from ab_runner.model import REFERENCE, Server

_HUES = (255, 40, 150, 330, 85, 205, 295, 120)
"""Degrees of OKLCH, ordered so that neighbours are easy to tell apart."""
_CHROMA = 0.145
_SHADES = (0.56, 0.65, 0.48)
"""Lightness in OKLCH: all of these stand out from white as well as from nearly black paper."""
_SHAPES = ("circle", "square", "triangle-up", "diamond")
"""The next one where the hues are used up."""
_DASHES: tuple[tuple[int, ...], ...] = ((), (6, 2), (2, 2), (8, 2, 2, 2), (12, 3), (4, 4))
_GREY = "#808080"


class Look(msgspec.Struct, frozen=True):
    colour: str
    shape: str
    dash: tuple[int, ...]
    """As in SVG; empty: a line without gaps."""


def looks(servers: Iterable[Server]) -> dict[str, Look]:
    """By server id. The reference is grey, so that it reads as a line to compare with and not as one more server."""
    members: dict[str, list[str]] = {}
    for server in servers:
        members.setdefault(server.family, []).append(server.id)
    reference = members.pop(REFERENCE, [])
    found = {id: Look(_GREY, "circle", ()) for id in reference}
    for place, family in enumerate(sorted(members)):
        hue = _HUES[place % len(_HUES)]
        shape = _SHAPES[place // len(_HUES) % len(_SHAPES)]
        for number, id in enumerate(members[family]):
            shade = _SHADES[number % len(_SHADES)]
            found[id] = Look(_hex(shade, hue), shape, _DASHES[number % len(_DASHES)])
    return found


def _hex(lightness: float, hue: float) -> str:
    """From OKLCH (Ottosson, A perceptual color space for image processing, 2020) to sRGB."""
    a, b = _CHROMA * cos(radians(hue)), _CHROMA * sin(radians(hue))
    l, m, s = (
        (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3,
        (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3,
        (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3,
    )
    linear = (
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    )
    return "#" + "".join(f"{round(255 * _gamma(min(1.0, max(0.0, channel)))):02x}" for channel in linear)


def _gamma(linear: float) -> float:
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
