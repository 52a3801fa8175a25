"""A sweep that is ready, from its first trial to its reports: what `run` and `resume` have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from ab_runner import paths
from ab_runner.analysis.sessions import analysis_of
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.analysis.verified import judged_by_verification
from ab_runner.analysis.warnings import findings_of
from ab_runner.cli.console import console_for, put, say_err
from ab_runner.cli.progress import display_for
from ab_runner.errors import UserError
from ab_runner.model.records import is_valid
from ab_runner.model.server import REFERENCE
from ab_runner.model.text import counted
from ab_runner.model.trial import NotMeasured, Trial
from ab_runner.report.formats import terminal
from ab_runner.report.formats.files import write_reports
from ab_runner.report.say.reproduce import servers_from
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.report.tables.studies import reports_beside_study
from ab_runner.store.plan import left_of
from ab_runner.store.reader import Stored, read
from ab_runner.sweep.events import Event
from ab_runner.sweep.measure import ReadySweep, SweepStopped, measure
from ab_runner.sweep.schedule.dry_run import tables_said
from ab_runner.sweep.schedule.expected_time import time_text


def measure_and_report(ready: ReadySweep) -> int:
    """Measure a sweep, show its tables, of what there is if it had to stop, and return the exit code. One of a study's
    own is shown beside what was published too."""
    folder = ready.store.folder
    _show_start(ready, folder)
    stopped = False
    try:
        expected = ready.expected
        seconds = expected.seconds if expected else None
        with display_for(console_for(sys.stderr), ready.cells, ready.sweep.request.axis, seconds) as display:
            _measure(ready, display.show)
    except SweepStopped as error:
        stopped = True
        say_err(f"ab-runner: the sweep stopped: {error}")
    finally:
        stored = _show_end(folder)
    return 1 if stopped or not has_result(stored) else 0


def _measure(ready: ReadySweep, show: Callable[[Event], None]) -> None:
    """Measure a sweep here, or on the nodes of a swarm. SweepStopped if it cannot go on."""
    if not ready.sweep.request.swarm:
        return measure(ready, show)
    from ab_runner.sweep.swarm.conduct import measure_on_nodes

    return measure_on_nodes(ready, show)


def has_result(stored: Stored) -> bool:
    """Return whether there is a valid trial of a server, other than the reference if others were asked for."""
    asked = set(stored.sweep.request.servers) - {REFERENCE} or {REFERENCE}
    return any(is_valid(each) and each.server in asked for each in judged_by_verification(stored.records))


def _show_start(ready: ReadySweep, folder: Path) -> None:
    say_err(f"{folder}")
    for finding in findings_of(ready.sweep):
        if not finding.good:
            say_err(f"! {finding.text}")
    servers = len({run.server for run in ready.runs})
    what = f"{counted(ready.cells, 'trial')} of {counted(servers, 'server')}, runtime {ready.runtime.name}"
    if ready.sweep.request.swarm:
        what += f" on {counted(ready.nodes, 'node')} of the swarm"
    expected = ready.expected
    say_err(f"{what}, about {time_text(expected.seconds)}" if expected else what)
    say_err(tables_said(expected, _shown(folder)))


def _shown(folder: Path) -> str:
    """Return how the folder of a running sweep is typed."""
    return "results/latest" if folder.parent == paths.RESULTS else str(folder)


def _show_end(folder: Path) -> Stored:
    """Show the tables, if there are any results, and write them into the folder."""
    stored = read(folder)
    analysis = analysis_of(stored)
    if any(isinstance(record, Trial | NotMeasured) for record in stored.records):
        put(*terminal.render(report_of(analysis), console_for(sys.stdout).width))
        if stored.sweep.request.study_sweep is not None:
            _show_beside_study(analysis)
        say_err(f"./ab-runner report --all {folder} shows all tables")
    else:
        say_err(f"no trial was run; {folder} has the log")
    if left_of(stored):
        options = "".join(f" {word}" for word in servers_from(stored.sweep.outside))
        say_err(f"./ab-runner resume {folder}{options} continues this sweep")
    try:
        say_err(f"{write_reports(analysis, folder)} has charts")
    except (OSError, UserError) as error:
        say_err(f"ab-runner: the reports cannot be written: {error}; `./ab-runner report --all {folder}` shows them")
    return stored


def _show_beside_study(analysis: SweepAnalysis) -> None:
    try:
        for report in reports_beside_study(analysis):
            put("", *terminal.render(report, console_for(sys.stdout).width))
    except UserError as error:
        say_err(f"ab-runner: {error}")
