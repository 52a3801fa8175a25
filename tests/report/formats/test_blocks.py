"""Blocks of Markdown files: found, filled, and nothing else is touched."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.report.document import Report, Table, plain
from ab_runner.report.formats import markdown
from ab_runner.report.formats.blocks import END, SpliceError, blocks_of, content_of, spliced

START = "<!-- ./ab-runner report results/sweeps/one --only tables -->"
PROSE = (
    "",
    "text",
    "# One",
    "    <!-- end -->",
    "<!-- another -->",
    "| a |",
    "\u2028",
    "\x0c",
    "\r",
    "ünïcode",
    "<!-- ended -->",
)
CODE = ("```", "```text", "~~~~")
LINE_ENDS = st.sampled_from(["\n", "\r\n"])
OUTPUT = st.lists(st.sampled_from(["new", "", "| b |", "- c"]), max_size=4).map(
    lambda lines: "\n".join(["x", *lines, "y\n"])
)


def lines_of(texts: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Lines with either end, one after the other."""
    return st.lists(st.tuples(st.sampled_from(texts), LINE_ENDS).map("".join), max_size=5).map("".join)


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """The parts of a file outside of its blocks, and what is within them."""
    within = draw(st.lists(lines_of((*PROSE, *CODE)), max_size=3))
    parts = [draw(lines_of(PROSE)) for _ in within] + [draw(lines_of((*PROSE, *CODE)))]
    ends = [f"{END}{draw(LINE_ENDS)}" for _ in within]
    starts = [f"{START}{draw(LINE_ENDS)}" for _ in within]
    outside = [f"{end}{part}{start}" for end, part, start in zip(["", *ends], parts, [*starts, ""], strict=True)]
    return outside, within


def outside_of(text: str) -> str:
    blocks = blocks_of(text, "x.md")
    places = zip([0, *(block.end for block in blocks)], [*(block.start for block in blocks), len(text)], strict=True)
    return "".join(text[start:end] for start, end in places)


@given(documents(), OUTPUT)
def test_nothing_outside_of_the_blocks_is_touched_and_a_second_time_changes_nothing(
    document: tuple[list[str], list[str]], output: str
) -> None:
    outside, within = document
    text = "".join(part + content for part, content in zip(outside, [*within, ""], strict=True))

    def filled(before: str) -> str:
        return spliced(before, [(block, content_of(block, output)) for block in blocks_of(before, "x.md")])

    once = filled(text)
    assert filled(once) == once
    assert outside_of(once) == "".join(outside)
    blocks = blocks_of(once, "x.md")
    assert len(blocks) == len(within)
    for block in blocks:
        content = once[block.start : block.end]
        assert content == (f"\n{output}\n").replace("\n", block.line_end)


def test_a_block_has_its_command_its_line_and_the_heading_above() -> None:
    text = f"# Title\n\n## Part\n\n{START}\nold\n# Old\n{END}\n\n### Deeper\n<!-- ab-runner list -->\r\n{END}"
    blocks = blocks_of(text, "x.md")
    assert [(each.line, each.command, each.level) for each in blocks] == [
        (5, "report results/sweeps/one --only tables", 2),
        (11, "list", 3),
    ]
    assert text[blocks[0].start : blocks[0].end] == "old\n# Old\n"
    assert (blocks[0].line_end, blocks[1].line_end) == ("\n", "\r\n")


@pytest.mark.parametrize(
    "text",
    [
        f"    {START}\n    {END}\n",
        f"```\n{START}\n{END}\n```\n",
        f"~~~ text\n```\n{START}\n~~~\n",
        f"````\n```\n{START}\n````\n",
        f"text {START}\n",
        f"- {START}\n",
        "<!-- ab-runners -->\n<!-- a comment -->\n",
        "",
    ],
)
def test_what_is_code_or_within_a_line_is_text(text: str) -> None:
    assert blocks_of(text, "x.md") == []


def test_code_within_a_line_begins_no_block_of_code() -> None:
    assert len(blocks_of(f"```x``` is code\n{START}\n{END}\n", "x.md")) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"a\n{START}\nold\n", f"x.md:2: the command has no {END} below it"),
        (f"{START}", f"x.md:1: the command has no {END} below it"),
        (f"{START}\n\n{START}\n{END}\n{END}\n", f"x.md:3: the command at line 1 has no {END} before this one"),
        (f"a\n\n{END}\n", f"x.md:3: {END} ends no command"),
        (f"{START} text\n{END}\n", "x.md:1: the comment with a command is one line, and nothing else is on it"),
        (f"<!-- ./ab-runner report\n-->\n{END}\n", "x.md:1: the comment with a command is one line"),
        (f"<!-- ./ab-runner\n{END}\n", "x.md:1: the comment with a command is one line"),
    ],
)
def test_comments_that_do_not_belong_together_are_named_with_their_line(text: str, complaint: str) -> None:
    with pytest.raises(SpliceError) as caught:
        blocks_of(text, "x.md")
    assert str(caught.value).startswith(complaint)


def test_headings_are_moved_below_the_one_above() -> None:
    table = Table(title="# Two", headings=("# a",), rows=(plain(("#hash",)),))
    report = Report(heading="One", facts=("# no",), tables=(table,), warnings=("# no",))
    text = markdown.render(report)
    assert re.findall("^#.*", text, re.MULTILINE) == ["# One", r"## \# Two", "## Warnings"]
    assert markdown.render(report, below=0) == text
    moved = ("\n" + text).replace("\n#", "\n###").lstrip()
    assert markdown.render(report, below=2) == moved
    deepest = re.findall("^#+ ", markdown.render(report, below=6), re.MULTILINE)
    assert deepest == ["###### "] * 3
