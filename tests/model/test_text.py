"""What a server or someone else's file says, as a reader sees it."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st
from support.evil_sweep import CONTROLS

from ab_runner.model.text import shown, visible

TEXTS = st.text(st.characters(exclude_categories=()))
"""With lone surrogates, which are what Python makes of bytes that are no text."""


@given(TEXTS)
@example(f"\x1b]0;owned\x07\x1b[2J{CONTROLS}\u202egnp.exe\u2066\u200b\ufeff\udcff")
def test_no_text_commands_a_terminal_or_hides_or_turns_a_part_of_itself(text: str) -> None:
    found = visible(text)
    found.encode()
    assert {unicodedata.category(letter) for letter in found if letter not in "\t\n"}.isdisjoint(
        {"Cc", "Cs", "Zl", "Zp"}
    )
    assert not {"\u202e", "\u2066", "\u200b", "\ufeff"} & set(found)
    assert visible(found) == found


def test_other_text_stays_as_it_is() -> None:
    for text in ("", "Grüße, 東京 😀 ±2 % ≥ 5\u202f000\u00a0rps\tx\ny", r"a\x1b"):
        assert visible(text) == text


@given(TEXTS, st.integers(0, 50))
def test_a_line_is_printable_and_short(text: str, at_most: int) -> None:
    found = shown(text, at_most)
    assert found.isprintable() or found == ""
    assert len(found) <= 10 * at_most + 1
