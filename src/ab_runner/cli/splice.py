"""./ab-runner report --splice: fills Markdown files with the tables and charts of stored sweeps."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from ab_runner import paths
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.catalog.filters import Filter
from ab_runner.catalog.servers import load as load_servers
from ab_runner.cli import compare, conclusions, report
from ab_runner.cli import list as list_of_servers
from ab_runner.cli.console import say_err, say_out
from ab_runner.cli.tables import analysed
from ab_runner.errors import UserError
from ab_runner.host import safe_files
from ab_runner.report.charts import vega
from ab_runner.report.charts.parts import Spec
from ab_runner.report.document import Report
from ab_runner.report.formats import markdown
from ab_runner.report.formats.blocks import Block, SpliceError, blocks_of, content_of, spliced
from ab_runner.report.formats.files import CHARTS, charts_of
from ab_runner.report.tables.compare_sweeps import compare_all
from ab_runner.report.tables.comparison import report_comparison
from ab_runner.report.tables.servers import report_servers
from ab_runner.report.tables.studies import judged
from ab_runner.store.layout import LATEST

Load = Callable[[Path], SweepAnalysis]
Pictures = Mapping[Path, Spec]

_REFUSED = {
    "html": "--html",
    "png": "--png",
    "page": "--html",
    "slower": "--fail-if-slower",
    "available": "--available",
    "splice": "--splice",
}
"""Options, by the names of their values, that write other files, end with an exit code, or depend on the machine."""
_SHOWN = re.compile(r"!\[[^\]]*\]\(\s*([^)\s]+)[^)]*\)|\bsrc=\"([^\"]+)\"")
"""A picture in Markdown, or in HTML."""


class _Filled(msgspec.Struct, frozen=True):
    """A file as it should be. `changed` are the blocks whose text or charts are not as they should be."""

    file: Path
    text: str
    changed: tuple[Block, ...]


def splice(files: Sequence[Path], check: bool) -> int:
    """Fill the blocks of these files, or `check` that they are as they should be, and return the exit code. UserError
    for what is wrong with any of them, before anything is written."""
    load = cache(analysed)
    charts: dict[Path, Spec] = {}
    filled = [_filled(file, load, charts) for file in files]
    for each in filled:
        if check:
            for block in each.changed:
                say_err(f"{each.file}:{block.line}: differs from ./ab-runner {block.command}")
        elif each.changed:
            _write(each, charts)
            say_out(f"{each.file}: {len(each.changed)} changed")
    return 1 if check and any(each.changed for each in filled) else 0


def _filled(file: Path, load: Load, charts: dict[Path, Spec]) -> _Filled:
    """Return the file filled, and add the charts that it shows to those of all files."""
    text = _text_of(file)
    folder = file.absolute().parent
    contents: list[tuple[Block, str]] = []
    changed = []
    for block in blocks_of(text, str(file)):
        old = text[block.start : block.end]
        with _named(file, block), chdir(paths.ROOT):  # where the command would be typed
            made = _made(block.command, load)
            if isinstance(made, Report):
                new = content_of(block, markdown.render(made, below=block.level))
                differs = new != old
            else:
                new, shown = old, dict(_shown(old, folder, made))
                _add(charts, shown)
                differs = not all(_is_drawn(path, spec) for path, spec in shown.items())
        contents.append((block, new))
        if differs:
            changed.append(block)
    return _Filled(file, spliced(text, contents), tuple(changed))


def _add(charts: dict[Path, Spec], more: Pictures) -> None:
    for path, spec in more.items():
        if charts.setdefault(path, spec) != spec:
            raise UserError(f"{path} is another chart in an earlier block; give one of them another --out")


@contextmanager
def _named(file: Path, block: Block) -> Iterator[None]:
    """Have what is wrong with a block name its file and line."""
    try:
        yield
    except click.exceptions.Exit:
        raise SpliceError(str(file), block.line, "the command makes no table") from None
    except click.ClickException as error:
        raise SpliceError(str(file), block.line, error.format_message()) from error
    except UserError as error:
        raise SpliceError(str(file), block.line, str(error)) from error


def _made(command: str, load: Load) -> Report | Pictures:
    """Return what a command makes: its tables, or the charts of a report by the files that it would write."""
    if not command.isprintable():
        raise UserError("the command has characters that cannot be typed")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UserError(f"the command cannot be read: {error}") from error
    name = words[0] if words else ""
    if name not in _COMMANDS:
        raise UserError(f"no command {name!r} for documents; there are {', '.join(_COMMANDS)}")
    of_name, make = _COMMANDS[name]
    context = of_name.make_context(name, words[1:])
    for key, option in _REFUSED.items():
        if context.get_parameter_source(key) is ParameterSource.COMMANDLINE:
            raise UserError(f"{option} is not for documents")
    if context.params["form"] == "csv":
        raise UserError("--format csv is not for documents; tables are Markdown")
    return make(context.params, load)


def _report(values: Mapping[str, Any], load: Load) -> Report | Pictures:
    wanted = report.Wanted(**values)
    report.check_options(wanted)
    if not wanted.results:
        raise UserError(_UNNAMED)
    _check_named(wanted.results)
    analysis = report.analysis_of(wanted, load)
    if not wanted.svg:
        return report.report_for(wanted, analysis)
    folder = (paths.ROOT / (wanted.out or wanted.sweep) / CHARTS).resolve()
    if not folder.is_relative_to(paths.ROOT.resolve()):
        raise UserError(f"--out {wanted.out}: charts of a document are within the repository")
    return {folder / f"{name}.svg": spec for name, spec in charts_of(analysis).items()}


def _compare(values: Mapping[str, Any], load: Load) -> Report:
    _check_named(values["results"])
    sweeps = [load(folder) for folder in values["results"]]
    named = [*zip(map(str, values["results"]), sweeps, strict=True)]
    return report_comparison(sweeps, compare_all(named, slower=None, anyway=values["anyway"]))


def _conclusions(values: Mapping[str, Any], load: Load) -> Report:
    _check_named(values["results"])
    sweeps = conclusions.named(values["results"], load)
    return conclusions.report_for(judged(sweeps), conclusions.damage_of(sweeps), values["only"])


def _list(values: Mapping[str, Any], load: Load) -> Report:
    wanted = Filter(
        families=values["family"],
        years=values["years"],
        io_models=values["io_model"],
        workloads=values["workload"],
    )
    return report_servers(list_of_servers.fitting_servers(load_servers(paths.SERVERS), values["servers"], wanted))


_COMMANDS: dict[str, tuple[click.Command, Callable[[Mapping[str, Any], Load], Report | Pictures]]] = {
    "report": (report.command, _report),
    "compare": (compare.command, _compare),
    "conclusions": (conclusions.command, _conclusions),
    "list": (list_of_servers.command, _list),
}
"""Those that only read, each with what makes its tables."""
_UNNAMED = f"name the sweep: results/{LATEST} is another one after the next measurement"


def _check_named(folders: Iterable[Path]) -> None:
    if any(folder.name == LATEST for folder in folders):
        raise UserError(_UNNAMED)


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


def _write(filled: _Filled, charts: Pictures) -> None:
    try:
        for path, spec in charts.items():
            if not _is_drawn(path, spec):
                path.parent.mkdir(parents=True, exist_ok=True)
                safe_files.write_whole(path, vega.svg(spec).encode())
        safe_files.write_whole(filled.file, filled.text.encode())
    except OSError as error:
        raise UserError(f"cannot write to {error.filename or filled.file}: {error.strerror}") from error
