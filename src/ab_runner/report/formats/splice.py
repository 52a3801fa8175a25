"""Markdown files filled with what their commands make: tables between the comments, and the charts shown there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from ab_runner import paths
from ab_runner.errors import UserError
from ab_runner.host import safe_files
from ab_runner.report.charts import vega
from ab_runner.report.charts.parts import Spec
from ab_runner.report.document import Report
from ab_runner.report.formats import markdown
from ab_runner.report.formats.blocks import Block, SpliceError, blocks_of, content_of, spliced

Pictures = Mapping[Path, Spec]
Make = Callable[[str], Report | Pictures]
"""Returns what a command makes: its tables, or its charts by the files that it would write. UserError if it cannot."""
_SHOWN = re.compile(r"!\[[^\]]*\]\(\s*([^)\s]+)[^)]*\)|\bsrc=\"([^\"]+)\"")
"""A picture in Markdown, or in HTML."""


class Filled(msgspec.Struct, frozen=True):
    """A file as it should be, with the charts that it shows. `changed`: the blocks that differ, or whose charts do."""

    file: Path
    text: str
    charts: Pictures
    changed: tuple[Block, ...]


def fill(files: Sequence[Path], make: Make) -> list[Filled]:
    """Return the files with their blocks filled; nothing is written. UserError for what is wrong with any of them."""
    charts: dict[Path, Spec] = {}
    return [_filled(file, make, charts) for file in files]


def write(filled: Filled) -> None:
    """Write the file and the charts that it shows. UserError where they cannot be written."""
    try:
        for path, spec in filled.charts.items():
            if not _is_drawn(path, spec):
                path.parent.mkdir(parents=True, exist_ok=True)
                safe_files.write_whole(path, vega.svg(spec).encode())
        safe_files.write_whole(filled.file, filled.text.encode())
    except OSError as error:
        raise UserError(f"cannot write to {error.filename or filled.file}: {error.strerror}") from error


def _filled(file: Path, make: Make, charts: dict[Path, Spec]) -> Filled:
    """Return the file filled, and add the charts that it shows to those of all files."""
    text = _text_of(file)
    here: dict[Path, Spec] = {}
    contents: list[tuple[Block, str]] = []
    changed = []
    for block in blocks_of(text, str(file)):
        old = text[block.start : block.end]
        try:
            made = make(block.command)
            if isinstance(made, Report):
                new = content_of(block, markdown.render(made, below=block.level))
                differs = new != old
            else:
                new, shown = old, dict(_shown(old, file.absolute().parent, made))
                _add(charts, shown)
                here |= shown
                differs = not all(_is_drawn(path, spec) for path, spec in shown.items())
        except UserError as error:
            raise SpliceError(str(file), block.line, str(error)) from error
        contents.append((block, new))
        if differs:
            changed.append(block)
    return Filled(file, spliced(text, contents), here, tuple(changed))


def _add(charts: dict[Path, Spec], more: Pictures) -> None:
    for path, spec in more.items():
        if charts.setdefault(path, spec) != spec:
            raise UserError(f"{path} is another chart in an earlier block; give one of them another --out")


def _shown(content: str, folder: Path, charts: Pictures) -> Iterator[tuple[Path, Spec]]:
    """Yield the charts that a block of a file in that folder shows. UserError for another picture, or for none."""
    targets = [markdown_path or html_path for markdown_path, html_path in _SHOWN.findall(content)]
    if not targets:
        raise UserError("the block shows no picture; put ![what it shows](its path) between the comments")
    for target in targets:
        path = (folder / target).resolve()
        if path not in charts:
            known = ", ".join(sorted(str(each.relative_to(paths.ROOT.resolve())) for each in charts))
            raise UserError(f"{target} is none of the charts that the command writes: {known}")
        yield path, charts[path]


def _is_drawn(path: Path, spec: Spec) -> bool:
    """Return whether the file has this chart, by its digest: how it is drawn depends on a machine's fonts too."""
    try:
        return vega.digest(spec).encode() in safe_files.read(path)
    except OSError:
        return False


def _text_of(file: Path) -> str:
    try:
        return safe_files.read(file).decode()
    except OSError as error:
        raise UserError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file}: cannot be read: it is not UTF-8") from error
