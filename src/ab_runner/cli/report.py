"""./ab-runner report: shows the tables of a sweep, or writes its page and charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ab_runner.cli import options
from ab_runner.model.workload import WorkloadName

if TYPE_CHECKING:
    from ab_runner.analysis.selection import Selection
    from ab_runner.analysis.sweep_analysis import SweepAnalysis
    from ab_runner.report.document import Report


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """The options of one report."""

    results: tuple[Path, ...]
    form: str
    everything: bool
    then_and_now: bool
    servers: tuple[str, ...]
    workloads: tuple[WorkloadName, ...]
    concurrency: tuple[int, ...]
    only: str | None
    html: bool
    svg: bool
    out: Path | None

    @property
    def sweeps(self) -> tuple[Path, ...]:
        """The folders of the sweeps, which are sessions of one result."""
        return self.results or (options.latest_sweep(),)

    @property
    def folder(self) -> Path:
        """Where files are written."""
        return self.out or self.sweeps[0]

    @property
    def files(self) -> bool:
        """Whether files are written, and no tables."""
        return self.html or self.svg

    @property
    def selects(self) -> bool:
        """Whether it is a report of some servers, workloads or levels."""
        return bool(self.servers or self.workloads or self.concurrency)


@click.command("report")
@click.argument("results", type=click.Path(path_type=Path), nargs=-1, metavar="[SWEEP]…")
@options.table_format
@click.option(
    "--all", "everything", is_flag=True, help="Shows all tables (latencies, ranks, CPU time) and all warnings."
)
@click.option(
    "--then-and-now", is_flag=True, help="Shows the study's figures beside those of the sweep, with factors and ranks."
)
@click.option(
    "--servers", type=options.Names("server"), default=(), metavar="GLOB,…", help="Some servers: '@core,nginx*'."
)
@click.option(
    "--workloads",
    type=options.Names("workload"),
    default=(),
    metavar="NAME,…",
    help="Some workloads.",
)
@click.option(
    "--concurrency",
    type=options.LEVELS,
    default=(),
    help="Some levels of concurrency, or of what else the sweep has: rates, bounds, idle connections.",
)
@click.option(
    "--only",
    type=click.Choice(["fastest", "tables", "ranking", "summary"]),
    help="fastest: the table of the fastest servers. tables: all others, without facts, summary and warnings. "
    "ranking: a table for each workload and concurrency, the fastest servers first, with their ranks. summary: that "
    "alone.",
)
@click.option("--html", is_flag=True, help="Writes report.html, a self-contained page, instead.")
@click.option("--svg", is_flag=True, help="Writes the charts as SVG files into charts/ instead.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where --html and --svg write.  [default: the sweep's folder]",
)
def command(**values: Any) -> None:
    """Shows the tables of a sweep again.  [default: results/latest]

    Several sweeps of the same servers at other hours or on other machines are sessions of one result: rates are ranges
    over sessions, and servers are ranked by all of them together."""
    wanted = Wanted(**values)
    check_options(wanted)
    if wanted.files:
        from ab_runner.cli.console import say_out
        from ab_runner.report.formats.files import write_files

        for path in write_files(analysis_of(wanted), wanted.folder, html=wanted.html, svg=wanted.svg):
            say_out(str(path))
    else:
        _show(wanted)


def check_options(wanted: Wanted) -> None:
    """Raise click.UsageError for options that do not go together."""
    for message in _conflicts(wanted):
        raise click.UsageError(message)


def analysis_of(wanted: Wanted, load: Callable[[Path], SweepAnalysis] | None = None) -> SweepAnalysis:
    """Return the analysis of the sweep, or of several as one result, with what is selected alone; `load` is for more
    than one report of a sweep. UserError for sweeps that are no sessions of one result."""
    from ab_runner.analysis.selection import narrowed
    from ab_runner.analysis.sessions import together
    from ab_runner.cli.tables import analysed

    analysis = together([(str(folder), (load or analysed)(folder)) for folder in wanted.sweeps])
    return narrowed(analysis, _selection(wanted)) if wanted.selects else analysis


def report_for(wanted: Wanted, analysis: SweepAnalysis) -> Report:
    """Return the tables that are wanted. UserError if the sweep has none of them."""
    from ab_runner.report.document import only_fastest, only_summary, only_tables
    from ab_runner.report.tables.of_sweep import report_of
    from ab_runner.report.tables.ranking import report_ranking
    from ab_runner.report.tables.studies import beside_study, compared_with_study
    from ab_runner.report.tables.then_and_now import report_ranking_then_and_now

    if wanted.only == "ranking":
        if wanted.then_and_now:
            return report_ranking_then_and_now(compared_with_study(analysis))
        return report_ranking(analysis)
    report = beside_study(analysis) if wanted.then_and_now else report_of(analysis, wanted.everything)
    parts = {"fastest": only_fastest, "tables": only_tables, "summary": only_summary}
    return parts[wanted.only](report) if wanted.only else report


def _show(wanted: Wanted) -> None:
    from ab_runner.cli.tables import show_tables
    from ab_runner.report.formats import csv, sessions_csv, then_and_now_csv
    from ab_runner.report.tables.studies import compared_with_study

    analysis = analysis_of(wanted)

    def as_csv() -> str:
        if wanted.then_and_now:
            return then_and_now_csv.render(compared_with_study(analysis))
        return sessions_csv.render(analysis) if analysis.sessions else csv.render(analysis)

    show_tables(lambda: report_for(wanted, analysis), as_csv, analysis.stored.damage, wanted.form)


def _selection(wanted: Wanted) -> Selection:
    from ab_runner.analysis.selection import Selection
    from ab_runner.catalog.catalog import load_catalog
    from ab_runner.catalog.sets import MARK, expand

    sets = [name for name in wanted.servers if name.startswith(MARK)]
    members = expand(sets, load_catalog().sets) if sets else ()
    return Selection(
        servers=tuple(name for name in wanted.servers if name not in sets),
        members=tuple(members),
        workloads=wanted.workloads,
        levels=wanted.concurrency,
    )


def _conflicts(wanted: Wanted) -> Iterator[str]:
    if len(wanted.results) > 1 and wanted.files and wanted.out is None:
        yield "--html and --svg of several sweeps need --out: the result is in the folder of none of them"
    if wanted.out is not None and not wanted.files:
        yield "--out is for --html and --svg; tables go to stdout"
    if wanted.html and wanted.selects:
        yield "--html writes a page of the whole sweep; --servers, --workloads and --concurrency do not go with it"
    if wanted.files and wanted.only:
        yield "--only is for tables, not for --html and --svg"
    if wanted.files and wanted.form != "terminal":
        yield "--format is for tables, not for --html and --svg"
    if wanted.only == "fastest" and (wanted.servers or wanted.concurrency):
        yield "--only fastest compares all servers at all levels; it takes --workloads"
    if wanted.then_and_now and wanted.servers:
        yield "--then-and-now ranks all servers that have published figures; it takes --workloads and --concurrency"
    if wanted.then_and_now and wanted.only not in (None, "tables", "ranking"):
        yield f"--then-and-now has no {wanted.only}; it takes --only tables and --only ranking"
    if wanted.form == "csv" and wanted.then_and_now and wanted.only:
        yield "--then-and-now --format csv has every row; --only selects tables"
    if wanted.form == "csv" and not wanted.then_and_now and (wanted.selects or wanted.only):
        rows = "cell" if len(wanted.results) > 1 else "trial"
        yield f"--format csv has every {rows}; --servers, --workloads, --concurrency and --only select tables"
