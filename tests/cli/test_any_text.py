"""What a person types: any text is an option's value or a complaint, and a Markdown file has blocks or a complaint."""

from __future__ import annotations

import time

import click
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.hostile import refusing

from ab_runner.cli import options
from ab_runner.report.formats.blocks import SpliceError, blocks_of, content_of, spliced

TYPES = (
    options.CONCURRENCY, options.LEVELS, options.IDLE_CONNECTIONS, options.Rates(), options.Slo(),
    options.Names("server"), options.Names("workload", options.workload_names), options.NewId("an id", "a-1"),
    options.WarmUpOption(), options.Whole(1, 10), options.Duration(), options.Percentage(),
)  # fmt: skip
TYPED = st.text(alphabet="0123456789,-.%smh@*²٣ \x00\x1b\u202exX", max_size=30) | st.text(max_size=30)


@given(st.sampled_from(TYPES), TYPED)
@example(options.CONCURRENCY, "²")
@example(options.CONCURRENCY, "1" * 5000)
@example(options.Whole(1, 10), "1" * 5000)
@example(options.Duration(), "9" * 9 + "h")
@example(options.Percentage(), "٣")
def test_any_text_is_a_value_or_a_complaint(kind: click.ParamType[object], text: str) -> None:
    with refusing(click.BadParameter):
        kind.convert(text, None, None)


LINES = st.lists(
    st.sampled_from([
        "<!-- ./ab-runner list -->", "<!-- ab-runner report x --only tables -->", "<!-- end -->", "<!-- ab-runner",
        "<!--ab-runner list-->", "```", "~~~~", "````x`", "# a", "####### a", "    <!-- end -->", "text", "",
        "\x00", "a\rb",
        "<!-- ab-runner list --> x", "<!-- end -->\t",
    ])
    | st.text(max_size=20),
    max_size=12,
)  # fmt: skip


@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_any_markdown_has_blocks_of_its_own_text_or_a_complaint(lines: list[str], line_end: str) -> None:
    text = line_end.join(lines)
    with refusing(SpliceError):
        blocks = blocks_of(text, "x.md")
        assert spliced(text, [(block, text[block.start : block.end]) for block in blocks]) == text
        filled = spliced(text, [(block, content_of(block, "| a |\n|---|")) for block in blocks])
        again = blocks_of(filled, "x.md")
        assert [block.command for block in again] == [block.command for block in blocks]


@pytest.mark.parametrize("line", ["<!-- ab-runner" + " " * 5000, "<!-- ab-runner " + "-->" * 2000 + "x", "`" * 100_000])
def test_a_long_line_takes_no_longer_than_it_is(line: str) -> None:
    began = time.process_time()
    with refusing(SpliceError):
        blocks_of(f"{line}\n", "x.md")
    assert time.process_time() - began < 10
