"""./ab-runner splice: fills Markdown files with the tables and charts of stored sweeps."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ab_runner import paths
from ab_runner.analysis.sessions import as_one
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.catalog.catalog import load_catalog
from ab_runner.cli import compare, conclusions, report
from ab_runner.cli import list as list_of_servers
from ab_runner.cli.console import say_err, say_out
from ab_runner.cli.tables import analysed
from ab_runner.errors import UserError
from ab_runner.report.document import Report
from ab_runner.report.formats.files import CHARTS, charts_of
from ab_runner.report.formats.splice import Pictures, fill, write
from ab_runner.report.tables.compare_sweeps import compare_all
from ab_runner.report.tables.comparison import report_comparison
from ab_runner.report.tables.servers import report_servers
from ab_runner.report.tables.studies import judged
from ab_runner.store.layout import LATEST
from ab_runner.store.reader import read

Load = Callable[[Path], SweepAnalysis]

_REFUSED = {
    "html": "--html", "page": "--html", "slower": "--fail-if-slower", "available": "--available",
    "servers_from": "--servers-from",
}  # fmt: skip
"""Options, by the names of their values, that write other files, end with an exit code, or depend on the machine."""


@click.command("splice")
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE…")
@click.option("--check", is_flag=True, help="Writes nothing; exit code 1 if a file differs from its sweeps.")
def command(files: tuple[Path, ...], check: bool) -> None:
    """Fills Markdown files with what the commands in their comments show."""
    sys.exit(splice(files, check))


def splice(files: Sequence[Path], check: bool) -> int:
    """Fill the blocks of these files, or `check` that they are as they should be, and return the exit code. UserError
    for what is wrong with any of them, before anything is written."""
    load = cache(analysed)
    filled = fill(files, lambda command: _made(command, load))
    for each in filled:
        if check:
            for block in each.changed:
                say_err(f"{each.file}:{block.line}: differs from ./ab-runner {block.command}")
        elif each.changed:
            write(each)
            say_out(f"{each.file}: {len(each.changed)} changed")
    return 1 if check and any(each.changed for each in filled) else 0


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
    try:
        with chdir(paths.ROOT):  # where the command would be typed
            return make(_options_of(of_name, words), load)
    except click.exceptions.Exit:
        raise UserError("the command makes no table") from None
    except click.ClickException as error:
        raise UserError(error.format_message()) from error


def _options_of(of_name: click.Command, words: Sequence[str]) -> Mapping[str, Any]:
    """Return the values of a command's options, by their names. UserError for one that documents cannot have."""
    context = of_name.make_context(words[0], list(words[1:]))
    for key, option in _REFUSED.items():
        if context.get_parameter_source(key) is ParameterSource.COMMANDLINE:
            raise UserError(f"{option} is not for documents")
    if context.params["form"] == "csv":
        raise UserError("--format csv is not for documents; tables are Markdown")
    return context.params


def _report(values: Mapping[str, Any], load: Load) -> Report | Pictures:
    wanted = report.Wanted(**values)
    report.check_options(wanted)
    if not wanted.results:
        raise UserError(_UNNAMED)
    _check_named(wanted.results)
    analysis = report.analysis_of(wanted, load)
    if not wanted.svg:
        return report.report_for(wanted, analysis)
    folder = (paths.ROOT / wanted.folder / CHARTS).resolve()
    if not folder.is_relative_to(paths.ROOT.resolve()):
        raise UserError(f"--out {wanted.out}: charts of a document are within the repository")
    return {folder / f"{name}.svg": spec for name, spec in charts_of(analysis).items()}


def _compare(values: Mapping[str, Any], load: Load) -> Report:
    _check_named(values["results"])
    sweeps = [as_one(read(folder)) for folder in values["results"]]
    named = [*zip(map(str, values["results"]), sweeps, strict=True)]
    return report_comparison(sweeps, compare_all(named, slower=None, anyway=values["anyway"]))


def _conclusions(values: Mapping[str, Any], load: Load) -> Report:
    _check_named(values["results"])
    sweeps = conclusions.named(values["results"], load, values["sessions"])
    return conclusions.report_for(judged(sweeps), conclusions.damage_of(sweeps), values["only"])


def _list(values: Mapping[str, Any], load: Load) -> Report:
    return report_servers(load_catalog(study=values["study"]).named(values["servers"]))


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
