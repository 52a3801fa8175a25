"""Blocks of a Markdown file that commands fill:

    <!-- ./ab-runner report results/sweeps/NAME --only tables -->

    the output of the command

    <!-- end -->

Both comments begin their lines. In fenced and in indented code they are text. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ab_runner.errors import UserError

END = "<!-- end -->"
_START = re.compile(r"<!--\s+(?:\./)?ab-runner(\s.*)?-->\s*")
_LIKE_A_START = re.compile(r"<!--\s*(?:\./)?ab-runner\b")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r"(#{1,6})\s")


class SpliceError(UserError):
    """Raised for what is wrong at a line of a Markdown file."""

    def __init__(self, name: str, line: int, reason: str) -> None:
        super().__init__(f"{name}:{line}: {reason}")


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A command and where its output goes. `line` is the number of the command's line; `start` and `end` are the places
    of the text between the two comments; `level` is that of the heading above, 0 without one."""

    line: int
    command: str
    level: int
    start: int
    end: int
    line_end: str


def blocks_of(text: str, name: str) -> list[Block]:
    """Return the blocks of a Markdown file. SpliceError, in which the file has this name, for comments that do not
    belong together."""
    blocks: list[Block] = []
    opened: Block | None = None
    fence, level, place = "", 0, 0
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole.removesuffix("\r")
        if opened is None and (found := _FENCE.fullmatch(line)):
            fence = _after(fence, found[1], found[2])
        elif not fence:
            if line.rstrip() == END:
                if opened is None:
                    raise SpliceError(name, number, f"{END} ends no command")
                blocks.append(msgspec.structs.replace(opened, end=place))
                opened = None
            elif _LIKE_A_START.match(line):
                if opened is not None:
                    raise SpliceError(name, number, f"the command at line {opened.line} has no {END} before this one")
                command = _START.fullmatch(line)
                if command is None:
                    raise SpliceError(name, number, "the comment with a command is one line, and nothing else is on it")
                start = place + len(whole) + 1
                line_end = "\r\n" if whole.endswith("\r") else "\n"
                said = (command[1] or "").strip()
                opened = Block(line=number, command=said, level=level, start=start, end=start, line_end=line_end)
            elif opened is None and (heading := _HEADING.match(line)):
                level = len(heading[1])
        place += len(whole) + 1
    if opened is not None:
        raise SpliceError(name, opened.line, f"the command has no {END} below it")
    return blocks


def _after(fence: str, mark: str, rest: str) -> str:
    """Return the fence that is open after one in the text: only the same or a longer one closes it."""
    if not fence:
        return "" if mark.startswith("`") and "`" in rest else mark  # code within a line
    return "" if mark.startswith(fence) and not rest.strip() else fence


def content_of(block: Block, output: str) -> str:
    """Return what stands between the two comments: the output between empty lines."""
    return block.line_end.join(["", *output.strip("\n").split("\n"), "", ""])


def spliced(text: str, contents: Sequence[tuple[Block, str]]) -> str:
    """Return the text with these contents in its blocks. All other text is as it was."""
    parts, place = [], 0
    for block, content in contents:
        parts += [text[place : block.start], content]
        place = block.end
    return "".join((*parts, text[place:]))
