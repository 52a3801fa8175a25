"""The content of report.html before it is HTML: from an analysed sweep to plain data. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.analysis.warnings import Unfinished
from ab_runner.catalog.studies import Study
from ab_runner.history.then_and_now import ThenAndNow, then_and_now
from ab_runner.model.axis import named_levels
from ab_runner.model.protocol import Protocol
from ab_runner.model.records import StartRecord
from ab_runner.model.server import Server
from ab_runner.model.trial import Trial
from ab_runner.model.workload import WorkloadName
from ab_runner.report.charts.courses import colours_text
from ab_runner.report.charts.of_sweep import ChartData, chart_data
from ab_runner.report.document import Group, Report, Table
from ab_runner.report.html.courses import CourseSection, course_sections
from ab_runner.report.html.tables import ModelSection, WorkloadSection, model_section, workload_section
from ab_runner.report.html.trials import Trials, WarmUps, jit_shares_of, trials_of, warm_ups_of
from ab_runner.report.html.versions import VersionSection, version_sections
from ab_runner.report.say.facts import facts_of, origins_of, session_lines
from ab_runner.report.say.reproduce import command
from ab_runner.report.say.summary import summary_lines
from ab_runner.report.say.warnings import warning_groups, warning_lines
from ab_runner.report.say.words import Words, words_of
from ab_runner.report.tables.answers import AnswerHeads, answer_heads
from ab_runner.report.tables.fastest import fastest_table
from ab_runner.report.tables.then_and_now import (
    comparison_facts,
    report_of_open_study,
    report_then_and_now,
    study_facts,
)


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """All that the template fills in. `jit_shares` has by server what the JIT took in each cycle of its warm-ups;
    `year` is that of the study, None without one; `compared` are the workloads that it has figures of, and `stands_for`
    has by server the published one that it stands for."""

    title: str
    started: str
    facts: tuple[tuple[str, str], ...]
    fastest: Table | None
    summary: tuple[str, ...]
    unfinished: tuple[str, ...]
    warnings: tuple[Group, ...]
    blocks: int
    sessions: tuple[str, ...]
    """A line for each session of a result of several, and what differs between them."""
    words: Words
    levels: tuple[int, ...]
    families: tuple[tuple[str, tuple[Server, ...]], ...]
    workloads: tuple[WorkloadSection, ...]
    models: tuple[ModelSection, ...]
    courses: tuple[CourseSection, ...]
    version_sections: tuple[VersionSection, ...]
    course_colours: str
    """What the colours of trials mean; empty where there is one."""
    year: int | None
    then_and_now: tuple[Table, ...]
    then_and_now_facts: tuple[str, ...]
    compared: tuple[WorkloadName, ...]
    stands_for: Mapping[str, str]
    servers: tuple[Server, ...]
    starts: Mapping[str, tuple[StartRecord, ...]]
    answers: Mapping[str, AnswerHeads]
    outside: Mapping[str, str]
    """Where servers from outside the repository come from, in words."""
    command: str
    example: str
    """One of the generator's commands."""
    toolkit: str
    seed: int
    versions: tuple[tuple[str, str], ...]
    charts: ChartData
    warm_ups: Mapping[str, Mapping[str, WarmUps]]
    jit_shares: Mapping[str, str]
    trials: Trials

    @property
    def has_starved(self) -> bool:
        """Whether any cell has no rate because most connections waited."""
        return any(section.has_starved for section in self.workloads)


def page_of(analysis: SweepAnalysis, study: Study | None, core: Collection[str] = ()) -> Page:
    """Return the page of a sweep beside the figures of its study. `core` are the servers to be in colour among many."""
    sweep, request, records = analysis.sweep, analysis.sweep.request, analysis.stored.records
    compared = then_and_now(analysis, study) if study else ()
    beside = _beside_study(analysis, study, compared)
    measured = [analysis.sweep.workload(name) for name in analysis.workloads]
    charts = chart_data(analysis, compared, core)
    return Page(
        title=sweep.id,
        started=f"{sweep.started:%Y-%m-%d %H:%M} UTC",
        facts=tuple(_facts(analysis)),
        fastest=fastest_table(analysis),
        summary=summary_lines(analysis.summary, everything=False),
        unfinished=warning_lines(each for each in analysis.warnings if isinstance(each, Unfinished)),
        warnings=warning_groups(analysis.warnings),
        blocks=request.protocol.blocks,
        sessions=session_lines(analysis),
        words=words_of(request),
        levels=request.levels,
        families=tuple(_families(analysis.shown_servers)),
        workloads=tuple(workload_section(each, analysis) for each in measured),
        models=tuple(model_section(each, analysis) for each in measured),
        courses=course_sections(charts.courses, analysis),
        version_sections=version_sections(charts.versions, charts.words),
        course_colours=colours_text([each for series in charts.courses.values() for each in series]),
        year=study.year if study else None,
        then_and_now=beside.tables if beside else (),
        then_and_now_facts=beside.facts if beside else (),
        compared=tuple(each.workload for each in compared),
        stands_for={each.id: name for each in sweep.everyone if study and (name := study.stands_for(each))},
        servers=sweep.everyone,
        starts=_starts(analysis),
        answers=answer_heads(records),
        command=command(request, sweep.outside),
        outside=origins_of(sweep),
        example=next((shlex.join(record.command) for record in records if isinstance(record, Trial)), ""),
        toolkit=sweep.environment.get("toolkit", ""),
        seed=request.seed,
        versions=tuple(sorted(sweep.environment.items())),
        charts=charts,
        warm_ups=warm_ups_of(records),
        jit_shares=jit_shares_of(records),
        trials=trials_of(analysis.trials, words_of(request)),
    )


def _beside_study(analysis: SweepAnalysis, study: Study | None, compared: Sequence[ThenAndNow]) -> Report | None:
    """Return the figures of the study beside those of the sweep, with the facts that only these need."""
    if compared:
        return replace(report_then_and_now(analysis, compared), facts=comparison_facts(analysis, compared))
    if study is not None and study.is_open and study.is_of_load(analysis.axis):
        return replace(report_of_open_study(analysis, study), facts=study_facts(study))
    return None


def _facts(analysis: SweepAnalysis) -> Iterator[tuple[str, str]]:
    """Yield the facts about the sweep and its machine."""
    request = analysis.sweep.request
    yield "Servers", f"{len(analysis.sweep.servers)}"
    yield "Workloads", ", ".join(request.workloads)
    name, levels = named_levels(request.axis, request.levels, request.open)
    yield name.capitalize(), levels
    yield "Protocol", _protocol(request.protocol)
    yield "Runtime", f"{request.runtime}, network {request.network}"
    for line in session_lines(analysis):
        name, _, text = line.partition(": ")
        yield name.capitalize(), text
    yield "Machine", "; ".join(facts_of(analysis))


def _protocol(protocol: Protocol) -> str:
    blocks = "one block" if protocol.blocks == 1 else f"{protocol.blocks} blocks"
    return f"{protocol.name}: {blocks}, trials of {protocol.trial.text}"


def _families(servers: Iterable[Server]) -> Iterator[tuple[str, tuple[Server, ...]]]:
    members: dict[str, list[Server]] = {}
    for server in servers:
        members.setdefault(server.family, []).append(server)
    yield from ((family, tuple(members[family])) for family in sorted(members))


def _starts(analysis: SweepAnalysis) -> dict[str, tuple[StartRecord, ...]]:
    """Return the starts of each server."""
    starts: dict[str, list[StartRecord]] = {server.id: [] for server in analysis.sweep.everyone}
    for record in analysis.stored.records:
        if isinstance(record, StartRecord) and record.server in starts:
            starts[record.server].append(record)
    return {server: tuple(found) for server, found in starts.items()}
