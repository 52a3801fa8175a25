"""Colours that can be told apart, and seen on white as on nearly black."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.builders import server

from ab_runner.catalog.servers import load
from ab_runner.model.server import REFERENCE
from ab_runner.report.charts.palette import MOST_IN_COLOUR, styles
from ab_runner.report.formats.core import core_ids

CATALOG = load(Path(__file__).parents[3] / "servers")
LEAST_CONTRAST = 3.0
"""What WCAG 2.2 asks of graphics (1.4.11)."""


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def test_no_two_servers_of_the_catalog_look_the_same() -> None:
    found = styles(CATALOG.values())
    assert len(found) == len(CATALOG)
    assert len({(style.colour, style.shape, style.dash) for style in found.values()}) == len(CATALOG)


def test_a_family_has_one_shape_and_families_differ_in_colour() -> None:
    found = styles(CATALOG.values())
    shapes: dict[str, set[str]] = {}
    colours: dict[str, set[str]] = {}
    for each in CATALOG.values():
        shapes.setdefault(each.family, set()).add(found[each.id].shape)
        colours.setdefault(each.family, set()).add(found[each.id].colour)
    assert all(len(found) == 1 for found in shapes.values())
    every = [colour for family in colours.values() for colour in family]
    assert len(every) == len(set(every))


@pytest.mark.parametrize("paper", ["#fffefb", "#15181d"])
def test_every_colour_stands_out_from_light_and_from_dark_paper(paper: str) -> None:
    for id, style in styles(CATALOG.values()).items():
        assert contrast(style.colour, paper) >= LEAST_CONTRAST, id


def test_the_ceiling_is_grey_whatever_else_there_is() -> None:
    alone = styles([server(REFERENCE)])[REFERENCE]
    beside = styles([server("a-1"), server(REFERENCE), server("z-1")])[REFERENCE]
    assert alone == beside
    assert len({alone.colour[at : at + 2] for at in (1, 3, 5)}) == 1


def in_colour(*ids: str, core: tuple[str, ...] = ()) -> list[str]:
    return [id for id, style in styles(map(server, ids), core).items() if style.in_colour]


def test_of_many_servers_those_of_the_core_are_in_colour_and_the_ceiling_as_it_is() -> None:
    few = [f"a-{number}" for number in range(MOST_IN_COLOUR)]
    assert in_colour(REFERENCE, *few, core=("a-1",)) == [REFERENCE, *few]
    assert in_colour(REFERENCE, *few, "b-1", core=("a-1", "b-1", "c-1")) == [REFERENCE, "a-1", "b-1"]


def test_many_servers_of_which_none_is_in_the_core_are_all_in_colour() -> None:
    many = [f"a-{number}" for number in range(MOST_IN_COLOUR + 1)]
    assert in_colour(*many, core=("c-1",)) == many


def test_the_core_is_the_set_of_that_name_with_former_ids() -> None:
    core = core_ids()
    assert {"tomcat-5.5.15", "netty-4.2"} <= core
    assert all(former in core for id in core & CATALOG.keys() for former in CATALOG[id].former_ids)
