"""A sweep beside what its study published, the figures and the conclusions from them; and the table of studies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from ab_runner import paths
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.catalog.servers import load
from ab_runner.catalog.studies import Study, read_study
from ab_runner.catalog.study_file import study_ids
from ab_runner.errors import UserError
from ab_runner.history.conclusions import judgements
from ab_runner.history.then_and_now import ThenAndNow, then_and_now
from ab_runner.history.verdicts import Judgement
from ab_runner.report.document import Report, Table, TableCell, plain
from ab_runner.report.tables.conclusions import report_conclusions, report_verdicts
from ab_runner.report.tables.then_and_now import report_of_open_study, report_then_and_now

NOW = "now"
"""The name of a sweep that stands alone beside what was published."""


def study_of(analysis: SweepAnalysis) -> Study | None:
    """Return the study of a sweep; None where a sweep from elsewhere is of one that is not here. DocumentError if a
    file of the study is damaged."""
    id = analysis.sweep.request.study
    return read_study(id, load(paths.SERVERS)) if id in study_ids() else None


def beside_study(analysis: SweepAnalysis) -> Report:
    """Return the figures of the study and those of the sweep. UserError if they have nothing in common."""
    study = _study_of([analysis])
    if study.is_open:
        return report_of_open_study(analysis, study)
    return report_then_and_now(analysis, compared_with_study(analysis))


def compared_with_study(analysis: SweepAnalysis) -> tuple[ThenAndNow, ...]:
    """Return the workloads of the sweep beside those of its study, where these are closed loads. UserError if they are
    not, or have nothing in common."""
    study = _study_of([analysis])
    if study.is_open:
        raise UserError(f"{analysis.sweep.id}: {study.id} has open loads, of which rates are not compared")
    compared = then_and_now(analysis, study)
    if not compared:
        *levels, highest = map(str, sorted({figure.level for figure in study.figures}))
        at = f"{', '.join(levels)} or {highest}" if levels else highest
        raise UserError(
            f"{analysis.sweep.id} has nothing to compare with {study.year}: it needs a server of one of its families "
            f"(./ab-runner list) at {at}"
        )
    return compared


def judged(sweeps: Sequence[tuple[str, SweepAnalysis]]) -> list[tuple[Study, tuple[Judgement, ...]]]:
    """Return the study of these sweeps with its conclusions judged by its own figures, and by those of each sweep under
    its name; without sweeps every study by its own. UserError for a sweep with another kind of load, and for sweeps of
    different studies."""
    if not sweeps:
        servers = load(paths.SERVERS)
        return [(study, judgements(study, ())) for study in (read_study(id, servers) for id in study_ids())]
    ids = {name: analysis.sweep.request.study for name, analysis in sweeps}
    if len({*ids.values()}) > 1:
        found = ", ".join(f"{name} is of {id}" for name, id in ids.items())
        raise UserError(f"conclusions are those of one study, and {found}: name sweeps of one of them")
    study = _study_of([analysis for _, analysis in sweeps])
    return [(study, judgements(study, sweeps))]


def conclusions_of(analysis: SweepAnalysis, study: Study | None) -> Report | None:
    """Return the tables of all conclusions of the study, judged by a sweep too; None for one with another kind of load,
    or without a study."""
    if study is None or not study.is_of_load(analysis.axis):
        return None
    return report_conclusions([(study, judgements(study, [(NOW, analysis)]))])


def reports_beside_study(analysis: SweepAnalysis) -> Iterator[Report]:
    """Yield what a sweep shows of its study: the figures then and now, and the verdicts on the conclusions. UserError
    if they have nothing in common."""
    yield replace(beside_study(analysis))
    yield report_verdicts(judged([(NOW, analysis)]))


def report_studies(rows: Iterable[tuple[Study, str, int, str]]) -> Report:
    """Return a row for each sweep of each study, with its number of servers and the time that it takes here."""
    found = list(rows)
    headings = ("study", "title", "author", "date", "sweep", "servers", "time here")
    table = Table(
        title="studies",
        headings=headings,
        rows=tuple(
            (
                *plain((study.id, study.about.title, study.about.author, study.about.date, sweep)),
                TableCell(str(servers), value=servers),
                TableCell(time),
            )
            for study, sweep, servers, time in found
        ),
        notes=tuple(dict.fromkeys(_note(study) for study, *_ in found)),
        names=5,
        prose=(1, 2),
    )
    return Report(tables=(table,))


def _note(study: Study) -> str:
    return f"{study.id}: {study.about.summary}{f' ({study.about.source})' if study.about.source else ''}"


def _study_of(sweeps: Sequence[SweepAnalysis]) -> Study:
    """Return the study of these sweeps. UserError if that is not here, or its figures are of another kind of load."""
    study = read_study(sweeps[0].sweep.request.study, load(paths.SERVERS))
    for analysis in sweeps:
        if not study.is_of_load(analysis.axis):
            has = "a closed load" if analysis.is_closed else "an open load"
            are = "open loads at given rates" if study.is_open else "closed loads"
            raise UserError(f"{analysis.sweep.id} has {has}; the figures and conclusions of {study.year} are of {are}")
    return study
