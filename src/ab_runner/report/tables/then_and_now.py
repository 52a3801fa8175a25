"""The comparison with a study, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.catalog.studies import Study
from ab_runner.catalog.study_figures import Figure
from ab_runner.catalog.study_file import UNVERIFIED
from ab_runner.history.study_rows import study_rows
from ab_runner.history.then_and_now import Comparison, FigurePair, Level, ThenAndNow
from ab_runner.model.server import Server
from ab_runner.report.document import Emphasis, Report, Table, TableCell, plain
from ab_runner.report.say.facts import facts_of, heading_of, session_lines
from ab_runner.report.say.figures import AT_LEAST, NO_RECORD, NOTHING, cell_text
from ab_runner.report.say.numbers import NONE, rate_figure
from ab_runner.report.say.warnings import warning_lines
from ab_runner.report.tables.study_rows import study_tables
from ab_runner.stats.correlation import FEWEST

FACTOR = "factor: now as a multiple of then; it reflects machine, kernel, JVM and generator as much as the server"
RANKS = "ranks: then → now, among the servers with a valid figure on both sides, 1 for the most requests per second"
ELSEWHERE = "* and reasons are explained in the notes of the sweep's tables"
RANKED_AS_SHOWN = f"{AT_LEAST}; its rank uses the rate as shown"
OVER_SESSIONS = "now and factor: from the lowest to the highest session; ranks are those of the geometric means"
NO_MARGIN = {
    True: "one block: ranks have no margin for noise, so neighbouring ranks may be swapped",
    False: "ranks are those of the medians over blocks, without a margin for noise",
}
SAME_ORDER = "a rho of 1.00 or -1.00 has no interval: Fisher's z is infinite there"
STANDS_FOR_OLD = "the same: the software of {} is not available, and today's stands for it"


def report_then_and_now(analysis: SweepAnalysis, compared: Sequence[ThenAndNow]) -> Report:
    """Return the report of a sweep beside the figures of its study; `compared` has at least one workload."""
    tables = [_who(compared, analysis)]
    for each in compared:
        tables += [_figures(each, analysis), *_ranks(each)]
    tables += study_tables(study_rows(analysis, compared[0].study), analysis)
    return Report(
        heading=f"{compared[0].study.year} and now: {heading_of(analysis.sweep)}",
        facts=(*session_lines(analysis), *facts_of(analysis), *comparison_facts(analysis, compared)),
        tables=tuple(tables),
        warnings=warning_lines(analysis.warnings),
    )


def report_of_open_study(analysis: SweepAnalysis, study: Study) -> Report:
    """Return the report of a sweep with an open load beside the figures of its study, which are of open loads too."""
    return Report(
        heading=f"{study.year} and now: {heading_of(analysis.sweep)}",
        facts=(*session_lines(analysis), *facts_of(analysis), *study_facts(study)),
        tables=study_tables(study_rows(analysis, study), analysis),
        warnings=warning_lines(analysis.warnings),
    )


def study_facts(study: Study) -> tuple[str, ...]:
    """Return what a reader of an open load beside that of a study should know."""
    return _then_fact(study), ELSEWHERE


def report_ranking_then_and_now(compared: Sequence[ThenAndNow]) -> Report:
    """Return a table for each workload and concurrency: the published figure, those of the stand-in, and those of
    newest versions where the sweep has any. The fastest stand-in comes first, those without a rate last."""
    tables = tuple(_at(level, each) for each in compared for level in each.levels)
    return Report(tables=tables)


def comparison_facts(analysis: SweepAnalysis, compared: Sequence[ThenAndNow]) -> tuple[str, ...]:
    """Return what a reader of the comparison should know."""
    return (
        _then_fact(compared[0].study),
        *((f"scaled here: {scaled}",) if (scaled := compared[0].study.about.scaled) else ()),
        FACTOR,
        RANKS,
        OVER_SESSIONS if analysis.sessions else NO_MARGIN[analysis.sweep.request.protocol.blocks == 1],
        *((RANKED_AS_SHOWN,) if any(_has_lower_bound(level) for each in compared for level in each.levels) else ()),
        ELSEWHERE,
    )


def _then_fact(study: Study) -> str:
    """Return who published the figures, and what they are of, as far as it is known."""
    about = study.about
    known = {"by": about.author, "on": about.machine, "with": about.generator}
    said = (f", {word} {text}" for word, text in known.items() if text != UNVERIFIED)
    return f"{study.year}: {about.title}{''.join(said)} ({study.readme})"


def _has_lower_bound(level: Level) -> bool:
    return any(
        pair.now is not None and pair.now.is_lower_bound for pair in (*level.stand_in.pairs, *level.newest.pairs)
    )


def _who(compared: Sequence[ThenAndNow], analysis: SweepAnalysis) -> Table:
    """Return which servers are compared. They are mostly the same in all workloads; a note lists the exceptions."""
    study = compared[0].study
    workloads: dict[tuple[str, str | None, str | None], list[str]] = {}
    for each in compared:
        for match in each.matches:
            servers = (match.published, _id(match.stand_in), _id(match.newest))
            workloads.setdefault(servers, []).append(each.workload)
    rows_of = Counter(published for published, _, _ in workloads)
    notes = [
        f"{published} with {stand_in or NONE} and {newest or NONE}: {', '.join(names)}"
        for (published, stand_in, newest), names in workloads.items()
        if rows_of[published] > 1
    ]
    chosen = {stand_in for _, stand_in, _ in workloads}
    notes += [
        f"{server.id} stands for {published} too, and is not shown here"
        for server in analysis.sweep.servers
        if (published := study.stands_for(server)) and server.id not in chosen
    ]
    if any(old == new for _, old, new in workloads):
        notes.append(STANDS_FOR_OLD.format(study.year))
    return Table(
        title="servers compared",
        headings=(_server_of(study), "stand-in", "newest"),
        rows=tuple(
            (TableCell(then), _name(old), TableCell("the same") if new == old else _name(new))
            for then, old, new in workloads
        ),
        notes=tuple(notes),
        names=3,
    )


def _server_of(study: Study) -> str:
    """Return the heading of the published servers."""
    return f"server of {study.year}"


def _id(server: Server | None) -> str | None:
    return server.id if server else None


def _name(id: str | None) -> TableCell:
    return TableCell(id) if id else NOTHING


def _figures(compared: ThenAndNow, analysis: SweepAnalysis) -> Table:
    workload, year = analysis.sweep.workload(compared.workload), str(compared.study.year)
    levels = {level.concurrency for level in compared.levels}
    beyond = [str(level) for level in analysis.levels if level not in levels]
    notes = []
    if compared.missing:
        notes.append(f"not in this sweep: {', '.join(compared.missing)}")
    if beyond:
        notes.append(f"{compared.study.year} has no figures at {', '.join(beyond)}")
    return Table(
        title=f"{workload.name}: requests per second, {year} and now{workload.in_brackets}",
        headings=(_server_of(compared.study), "c", year, "stand-in", "factor", "newest", "factor"),
        rows=tuple(_figure_rows(compared)),
        notes=tuple(notes),
    )


def _at(level: Level, compared: ThenAndNow) -> Table:
    year = str(compared.study.year)
    both = zip(level.stand_in.pairs, level.newest.pairs, strict=True)
    fastest_first = sorted(both, key=lambda pairs: _rate_now(pairs[0]), reverse=True)
    has_sessions = any(pair.factors for pair in level.stand_in.pairs)
    has_newest = any(new.server not in (None, old.server) for old, new in fastest_first)
    newest = ("newest", "now", "factor") if has_newest else ()
    rows = [
        (
            TableCell(old.then.server),
            _then_cell(old.then),
            *_named_cells(old),
            *(_newest_cells(old, new) if has_newest else ()),
        )
        for old, new in fastest_first
    ]
    return Table(
        title=f"{compared.workload}: requests per second in {year} and now, at concurrency {level.concurrency:,}",
        headings=(_server_of(compared.study), year, "stand-in", "now", "factor", *newest),
        rows=tuple(rows),
        notes=(
            FACTOR,
            *((OVER_SESSIONS,) if has_sessions else ()),
            *((AT_LEAST,) if _has_lower_bound(level) else ()),
            ELSEWHERE,
        ),
        prose=(2, 5) if has_newest else (2,),
    )


def _rate_now(pair: FigurePair) -> float:
    """Return 0 for a server without a rate, which comes last."""
    return pair.now.figure or 0 if pair.now else 0


def _named_cells(pair: FigurePair) -> tuple[TableCell, ...]:
    """Return the server's id, its figure and the factor."""
    return (_name(_id(pair.server)), *_now_cells(pair))


def _newest_cells(old: FigurePair, new: FigurePair) -> tuple[TableCell, ...]:
    """Return the cells of the newest version, or none where the stand-in is the newest."""
    return _named_cells(new) if new.server != old.server else (NOTHING, NOTHING, NOTHING)


def _figure_rows(compared: ThenAndNow) -> Iterator[tuple[TableCell, ...]]:
    """Yield the rows family by family, concurrency rising; the name stands on the first row of its server alone."""
    for match in compared.matches:
        name = match.published
        for level in compared.levels:
            for old, new in zip(level.stand_in.pairs, level.newest.pairs, strict=True):
                if old.then.server == match.published:
                    now = (*_now_cells(old), *_now_cells(new))
                    at = TableCell(str(level.concurrency), value=level.concurrency)
                    yield (TableCell(name), at, _then_cell(old.then), *now)
                    name = ""


def _then_cell(figure: Figure) -> TableCell:
    """Return a published figure in the form of today's cells: `190 (9991 failed)`, `timeout`."""
    if figure.rate is not None:
        return TableCell(rate_figure(figure.rate), value=figure.rate)
    if figure.requests_per_second is None:
        return TableCell(figure.outcome, Emphasis.REASON)
    return TableCell(f"{rate_figure(figure.requests_per_second)} ({figure.reason})", Emphasis.REASON)


def _now_cells(pair: FigurePair) -> tuple[TableCell, TableCell]:
    """Return the figure and the factor."""
    if pair.server is None:
        return NOTHING, NOTHING
    factor = factor_text(pair)
    at_least = pair.now is not None and pair.now.is_lower_bound and pair.factor is not None
    rate = pair.now.figure if pair.now else None
    return (
        TableCell(
            cell_text(pair.now) if pair.now else NO_RECORD,
            Emphasis.REASON if rate is None else Emphasis.NONE,
            value=rate,
        ),
        TableCell(f"≥ {factor}" if at_least else factor, value=pair.factor),
    )


def factor_text(pair: FigurePair) -> str:
    """Return the factor of a pair, `4.1 to 5.2` of several sessions."""
    if pair.factors is None:
        return factor_figure(pair.factor)
    return " to ".join(dict.fromkeys(map(factor_figure, pair.factors)))


def factor_figure(factor: float | None) -> str:
    """Return a factor with a digit after the point, below 1 with two."""
    if factor is None:
        return NONE
    return f"{factor:,.1f}" if factor >= 1 else f"{factor:.2f}"


def _ranks(compared: ThenAndNow) -> Iterator[Table]:
    stand_in = [level.stand_in for level in compared.levels]
    newest = [level.newest for level in compared.levels]
    for name, comparisons in (("stand-in", stand_in), ("newest", newest)):
        if any(comparison.ranked for comparison in comparisons):
            title = f"{compared.workload}: rank by requests per second, {compared.study.year} → {name}"
            yield _rank_table(title, compared, comparisons)


def _rank_table(title: str, compared: ThenAndNow, comparisons: Sequence[Comparison]) -> Table:
    ranks = [{pair.then.server: pair.ranks for pair in comparison.pairs} for comparison in comparisons]
    rows = [
        (TableCell(match.published), *(_ranks_cell(found.get(match.published)) for found in ranks))
        for match in compared.matches
        if any(found.get(match.published) for found in ranks)
    ]
    agreement = zip(*map(_agreement_texts, comparisons), strict=True)
    labels = ("servers ranked", "Spearman's rho", "95 % interval from", "to")
    rows += [plain((label, *texts)) for label, texts in zip(labels, agreement, strict=True)]
    exact = any(found.agreement and found.agreement.interval is None for found in comparisons)
    return Table(
        title=title,
        headings=(_server_of(compared.study), *(f"c={level.concurrency}" for level in compared.levels)),
        rows=tuple(rows),
        notes=(SAME_ORDER,) if exact else (),
    )


def _ranks_cell(ranks: tuple[float, float] | None) -> TableCell:
    return TableCell(f"{ranks[0]:g} → {ranks[1]:g}", value=ranks[0]) if ranks else NOTHING


def _agreement_texts(comparison: Comparison) -> tuple[str, str, str, str]:
    found = comparison.agreement
    if found is None:
        return str(comparison.ranked), "too few" if comparison.ranked < FEWEST else NONE, NONE, NONE
    low, high = (f"{bound:.2f}" for bound in found.interval) if found.interval else (NONE, NONE)
    return str(comparison.ranked), f"{found.rho:.2f}", low, high
