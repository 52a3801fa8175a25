"""What is written to the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from ab_runner.model.text import visible

WIDTH_OF_FILES = 160
"""Columns where the output is no terminal and nothing (COLUMNS) says how wide it is."""


class _SafeConsole(Console):
    """A console that escapes control characters in what it is given: only its own reach the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def console_for(stream: TextIO) -> Console:
    """Return a console that writes to the stream as it is."""
    width = WIDTH_OF_FILES if not stream.isatty() and "COLUMNS" not in os.environ else None
    return _SafeConsole(file=stream, width=width, highlight=False)


def put(*parts: RenderableType) -> None:
    """Show on stdout; without the blanks that fill up lines where that is no terminal."""
    console = console_for(sys.stdout)
    if console.is_terminal:
        console.print(*parts, sep="\n")
        return
    with console.capture() as shown:
        console.print(*parts, sep="\n")
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in shown.get().splitlines()))


def say(console: Console, line: str) -> None:
    """Show a line as it is: nothing in it is markup, and it is not broken."""
    console.print(Text(line), soft_wrap=True)


def say_out(line: str) -> None:
    """Show a line on stdout, where a command's results go."""
    say(console_for(sys.stdout), line)


def say_err(line: str) -> None:
    """Show a line on stderr, where everything else goes."""
    say(console_for(sys.stderr), line)
