"""Data that somebody has changed to do harm: what tests of everything that reads files start from."""

from __future__ import annotations

import copy
import datetime
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import strategies as st

TEXTS = (
    "", "\x1b[2J\x07", "\u202egnp.exe", "=HYPERLINK(1)", "</script><script>", "${HOME}", "-o", "../../x", "a\nb",
    "²", "1" * 5000, "x" * 10_000, "2026-01-01T00:00:00", "NaN", "@core", "<!-- end -->", "~~~", "|", "[red]", "[/]",
)  # fmt: skip
NUMBERS = (0, -1, 1, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63), 10**18, 10**30, 1e308, -1e308, 1e-308, 5e-324, 0.5, -0.0)
VALUES: tuple[Any, ...] = (*TEXTS, *NUMBERS, None, True, False, [], {}, [[]], [{}], {"": None}, {"1": 1}, [0] * 1000)

COMPOSE_ATTACKS = (
    "${HOME}",
    "$HOME",
    "$$",
    '"}\n    privileged: true',
    "\x7f\x85\u2028\ufeff",
    "😀",
    "#",
    "!reset []",
    "*a",
    "",
)
"""Values that would be more than values if compose.yaml had them as they are."""


@contextmanager
def refusing(kind: type[Exception]) -> Iterator[None]:
    """A block that may raise this error, and no other, if it says what is wrong in a line."""
    try:
        yield
    except kind as error:
        said = str(error)
        assert said
        assert "\n" not in said


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each value in the tree, as what it is in and its key or position there."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield tree, key
        yield from _places(value)


@st.composite
def changed(draw: st.DrawFn, tree: Any) -> Any:
    """Return the tree with some of its values replaced, removed, doubled or under another name."""
    tree = copy.deepcopy(tree)
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(tree))
        if not places:
            break
        within, key = draw(st.sampled_from(range(len(places))).map(places.__getitem__))
        match draw(st.sampled_from(["replace", "replace", "replace", "remove", "double"])):
            case "replace":
                within[key] = copy.deepcopy(draw(st.sampled_from(VALUES)))
            case "remove":
                del within[key]
            case "double" if isinstance(within, list):
                within.append(copy.deepcopy(within[key]))
            case "double":
                within[draw(st.sampled_from(TEXTS))] = within[key]
    return tree


def toml(tree: dict[str, Any]) -> str:
    """Return a document of TOML, or something near it, with these keys."""
    return "".join(f"{_quoted(key)} = {_value(value)}\n" for key, value in tree.items())


def _value(value: Any) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{_quoted(key)} = {_value(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_value, value)) + "]"
        case bool():
            return str(value).lower()
        case str() | None:
            return _quoted(value or "")
        case datetime.date() | int() | float():
            return str(value)
    raise TypeError(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
