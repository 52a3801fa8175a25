"""What a terminal shows: as wide as it is, in colour if it has any."""

from __future__ import annotations

import re

import msgspec
import pytest
from support.builders import not_measured, sweep, trial
from support.table_sweeps import SERVERS, STANDARD, STORED
from support.terminal import in_colour, in_terminal

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.report.document import Report
from ab_runner.report.formats import markdown, terminal
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.store.reader import Stored


def everything(stored: Stored) -> Report:
    return report_of(analyse(stored), everything=True)


def test_a_terminal_that_is_wide_enough_shows_all_levels_beside_each_other() -> None:
    assert list(terminal.pack([8, 6, 6, 6], 80)) == [[1, 2, 3]]


def test_a_narrow_terminal_breaks_between_levels() -> None:
    assert list(terminal.pack([8, 6, 6, 6, 6], 24)) == [[1, 2], [3, 4]]


def test_a_level_that_is_too_wide_by_itself_stands_alone() -> None:
    assert list(terminal.pack([8, 6, 30, 6, 6], 24)) == [[1], [2], [3, 4]]


def test_no_line_is_wider_than_the_terminal() -> None:
    for width in (40, 60, 80, 100, 120, 160):
        for line in in_terminal(everything(STORED), width).splitlines():
            assert len(line) <= width


def test_a_figure_is_never_broken_where_a_column_fits() -> None:
    for width in range(44, 120):
        shown = in_terminal(everything(STORED), width)
        assert shown.count("0.800 / 1.23 / 12.5 / 191 / 250") == 3
        assert shown.count("4.18 / 4.61 / 50.6 / 996 / 1,306") == 1


def test_colour_is_turned_off_by_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    colour, bold_green = "\x1b[33m", "\x1b[1;32m"
    assert colour in in_colour(everything(STANDARD), 120)
    assert bold_green in in_colour(everything(STANDARD), 120)
    monkeypatch.setenv("NO_COLOR", "1")
    plain = in_colour(everything(STANDARD), 120)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", plain)
    assert "\x1b[1m" in plain


def test_a_starved_cell_is_yellow_and_a_lower_bound_is_dim() -> None:
    shown = in_colour(everything(STANDARD), 160)
    assert re.search(r"\x1b\[33m *25,000 ±2.0 % \(26 of 100 connections", shown)
    assert re.search(r"\x1b\[2m *≥ 19,000 ±2.0 % g\x1b", shown)


def test_a_single_concurrency_is_no_curve() -> None:
    made = sweep(SERVERS[0])
    made = msgspec.structs.replace(made, request=msgspec.structs.replace(made.request, levels=(1,)))
    assert "curve" not in in_terminal(everything(Stored(made, (trial("jetty-5.1.10", "small", 1),))), 80)
    assert "curve" in in_terminal(everything(STORED), 80)


def test_nothing_from_a_server_becomes_markup() -> None:
    nasty = not_measured("jetty-5.1.10", "small", 1, "[red]<b>|x|</b>")
    stored = Stored(STORED.sweep, (nasty,))
    assert "\\[red\\]\\<b\\>\\|x\\|\\</b\\>" in markdown.render(everything(stored))
    assert "[red]<b>|x|</b>" in in_terminal(everything(stored), 200)


def test_the_answer_is_above_all_tables_at_every_width() -> None:
    for width in (40, 79, 80, 120, 160):
        shown = in_terminal(everything(STANDARD), width)
        assert shown.index("Fastest servers") < shown.index("Confidence: ") < shown.index("small: requests per second")
        assert "jetty-5.1.10" in shown[: shown.index("Confidence: ")]


def test_markdown_has_the_answer_first_and_the_warnings_last() -> None:
    text = markdown.render(everything(STORED))
    headings = re.findall("^##? (.*)", text, re.MULTILINE)
    assert headings[1] == "Fastest servers"
    assert headings[-1] == "Warnings"
