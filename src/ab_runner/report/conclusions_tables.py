"""A paper's conclusions and the verdicts on them, as tables. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.history.evidence import Absence, NotThere
from ab_runner.history.papers import Paper
from ab_runner.history.published import Figure
from ab_runner.history.verdicts import (
    Absent,
    Basis,
    ConclusionVerdict,
    Failed,
    Gap,
    JudgedClaim,
    JudgedConclusion,
    Judgement,
    Part,
    Rates,
    ServerFailures,
    ServerRate,
    Unanswerable,
)
from ab_runner.report.document import Emphasis, Report, Table, TableCell, plain
from ab_runner.report.figures import AT_LEAST, OF_CPU_TIME, numbers_text, rate_figure, ratio_figure, why_absent
from ab_runner.stats.estimate import FEWEST_STARTS
from ab_runner.stats.hypotheses import ONE_FIGURE
from ab_runner.stats.ranking import ALPHA, MINIMUM_EFFECT

IN_PART = "*: the verdict is on the part that was measured"
PUBLISHED = (
    f"as published ({{}}): one figure per cell, whose noise is not known; the author's figures are taken as they "
    f"are, and differences up to {100 * ONE_FIGURE:g} % count as no difference"
)
FEW_STARTS = (
    f"fewer than {FEWEST_STARTS} starts ({{}}): they show too little of the noise, so there are no verdicts; measure "
    f"with --blocks {FEWEST_STARTS}"
)
TESTED = (
    f"several starts ({{}}): verdicts are tested; differences up to {100 * MINIMUM_EFFECT:g} % count as no difference, "
    f"and the probability that the verdict on a conclusion is wrong is at most {100 * ALPHA:g} %"
)


_UNANSWERABLE = {
    Unanswerable.LIMITED: "ab was the limit of both, and the CPU time of the servers is not known",
    Unanswerable.GAVE_UP: "ab gave up on some, so it is not known how many requests would have failed",
    Unanswerable.NO_COMMON_BLOCK: "a server has no block with both concurrencies",
}
_EMPHASES: dict[ConclusionVerdict, Emphasis] = {
    "holds": Emphasis.GOOD,
    "does not hold": Emphasis.BAD,
    "cannot be told": Emphasis.UNSURE,
    "not measured": Emphasis.FAINT,
}
_HEADINGS = ("claim", "in", "c", "verdict", "ratio", "decided by")
_ORDER: tuple[ConclusionVerdict, ...] = ("does not hold", "cannot be told", "holds")


def report_conclusions(papers: Sequence[tuple[Paper, Sequence[Judgement]]], damage: Iterable[str] = ()) -> Report:
    """Return the report of the verdicts of each evidence on the conclusions of each paper."""
    kinds: dict[str, dict[str, None]] = {PUBLISHED: {}, FEW_STARTS: {}, TESTED: {}}
    for _, judgements in papers:
        for judgement in judgements:
            several = TESTED if judgement.evidence.has_noise else FEW_STARTS
            kinds[PUBLISHED if judgement.evidence.is_published else several][judgement.name] = None
    facts = [
        f"{each.name}: {each.evidence.name}"
        for _, found in papers[:1]
        for each in found
        if not each.evidence.is_published
    ]
    facts += [text.format(", ".join(names)) for text, names in kinds.items() if names]
    return Report(
        heading="conclusions and verdicts",
        facts=tuple(facts),
        tables=tuple(chain.from_iterable(_tables(paper, judgements) for paper, judgements in papers)),
        warnings=tuple(damage),
    )


def report_verdicts(papers: Sequence[tuple[Paper, Sequence[Judgement]]]) -> Report:
    """Return the verdicts alone, a table for each paper."""
    return Report(heading="", facts=(), tables=tuple(_overview(*each) for each in papers), warnings=())


class _Row(msgspec.Struct, frozen=True):
    """The parts of a claim with one verdict in one workload. `deciding` is the part with the smallest margin for the
    claim; None where nothing was measured."""

    where: str
    verdict: ConclusionVerdict
    deciding: Part | None
    why: str


def _tables(paper: Paper, judgements: Sequence[Judgement]) -> Iterator[Table]:
    yield _overview(paper, judgements)
    for number, conclusion in enumerate(paper.conclusions):
        rows: list[tuple[TableCell, ...]] = []
        shown: list[Part] = []
        for place, claim in enumerate(conclusion.claims):
            says = claim.says
            for judgement in judgements:
                for row in _rows(judgement.conclusions[number].claims[place]):
                    rows.append((*plain((says, judgement.name)), *_row_cells(row)))
                    shown += [row.deciding] if row.deciding else []
                    says = ""
        notes = [f"read as: {conclusion.reading}"] if conclusion.reading else []
        notes += [OF_CPU_TIME] if any(part.ratio and part.by_cpu_time for part in shown) else []
        notes += [AT_LEAST] if any(map(_has_bound, shown)) else []
        title = f"{number + 1}. {conclusion.sentence}"
        yield Table(title=title, headings=_HEADINGS, rows=tuple(rows), notes=tuple(notes), names=4, prose=(0, 2, 5))


def _has_bound(part: Part) -> bool:
    """Return whether one of its figures, or their ratio, is only a bound because ab was the limit."""
    rates = (part.basis.first, part.basis.second) if isinstance(part.basis, Rates) else ()
    return bool(part.bound) or any(rate.at_least for rate in rates)


def _overview(paper: Paper, judgements: Sequence[Judgement]) -> Table:
    rows = tuple(
        (
            TableCell(str(number)),
            *(_verdict_cell(judgement.conclusions[number - 1]) for judgement in judgements),
            TableCell(conclusion.sentence),
        )
        for number, conclusion in enumerate(paper.conclusions, 1)
    )
    partial = any(_is_partial(judged) for judgement in judgements for judged in judgement.conclusions)
    headings = ("", *(judgement.name for judgement in judgements), "conclusion")
    prose = tuple(range(1, len(headings)))
    return Table(title=paper.source, headings=headings, rows=rows, notes=(IN_PART,) if partial else (), prose=prose)


def _is_partial(judged: JudgedConclusion) -> bool:
    """Return whether only a part of it was measured."""
    return not judged.complete and judged.verdict != "not measured"


def _verdict_cell(judged: JudgedConclusion) -> TableCell:
    """Return the verdict, with a star where part of it was not measured."""
    return TableCell(f"{judged.verdict}{'*' if _is_partial(judged) else ''}", _EMPHASES[judged.verdict])


def _row_cells(row: _Row) -> tuple[TableCell, ...]:
    ratio = _ratio_text(row.deciding) if row.deciding else ""
    return (TableCell(row.where), TableCell(row.verdict, _EMPHASES[row.verdict]), TableCell(ratio), TableCell(row.why))


def _rows(claim: JudgedClaim) -> Iterator[_Row]:
    """Yield a row for each workload and verdict."""
    workloads = dict.fromkeys(part.workload for part in claim.parts)
    for workload in workloads:
        where = f"{workload} " if len(workloads) > 1 else ""
        for verdict in _ORDER:
            parts = [part for part in claim.parts if (part.workload, part.verdict) == (workload, verdict)]
            if parts:
                deciding = min(parts, key=lambda part: part.margin)
                is_one_of_several = len(_levels(parts)) > 1 and len(deciding.at) == 1
                at = f" (at {numbers_text(_levels([deciding]))})" if is_one_of_several else ""
                why = f"{basis_text(deciding.basis)}{at}"
                yield _Row(f"{where}{numbers_text(_levels(parts))}", verdict, deciding, why)
        missing = [part for part in claim.parts if (part.workload, part.verdict) == (workload, "not measured")]
        if missing:
            why = "; ".join(dict.fromkeys(reason for part in missing for reason in _reasons(part.basis)))
            yield _Row(f"{where}{numbers_text(_levels(missing))}", "not measured", None, why)


def _levels(parts: Iterable[Part]) -> list[int]:
    return sorted({level for part in parts for level in part.at})


def _ratio_text(part: Part) -> str:
    return ratio_figure(part.ratio, part.by_cpu_time, part.bound) if part.ratio else ""


# --- what decides ------------------------------------------------------------------------------------------------


def basis_text(basis: Basis) -> str:
    """Return the figures that decide, or why there are none."""
    match basis:
        case Absent():
            return "; ".join(_reasons(basis))
        case Unanswerable():
            return _UNANSWERABLE[basis]
        case Rates():
            figures = f"{_server_rate_text(basis.first)} against {_server_rate_text(basis.second)}"
            return figures + _start_text(basis.few_starts)
        case Gap():
            (begin, end), (before, after) = basis.at, basis.leads
            limited = "; ab was the limit of some" if basis.limited else ""
            figures = (
                f"the first group has {before:.2f} times the rate of the second at {begin}, {after:.2f} times at {end}"
            )
            return f"{figures}{limited}{_start_text(basis.few_starts)}"
        case Failed():
            figures = f"{_failures_text(basis.first)} against {_failures_text(basis.second)}"
            return figures + _start_text(basis.few_starts)


def _start_text(few_starts: bool) -> str:
    """Return the note on figures that allow no verdict."""
    return " (too few starts)" if few_starts else ""


def _reasons(basis: Basis) -> Iterable[str]:
    """Return why there are no figures, each reason once."""
    return dict.fromkeys(map(_absence_text, basis.absences)) if isinstance(basis, Absent) else (basis_text(basis),)


def _absence_text(absence: Absence) -> str:
    why = absence.why
    match why:
        case NotThere.LEVEL:
            return "not measured at this concurrency"
        case NotThere.SERVER:
            return f"{absence.server}: not measured"
        case CellSummary():
            return f"{absence.server}: {why_absent(why)}"
        case Figure():
            return f"{absence.server}: {why.outcome}"


def _server_rate_text(rate: ServerRate) -> str:
    at_least = "≥ " if rate.at_least else ""
    return f"{rate.server} {at_least}{rate_figure(rate.rate)}{' at most' if rate.at_most else ''}"


def _failures_text(failures: ServerFailures) -> str:
    """Return `62 + 9,991 failed`: a number for each concurrency with any."""
    numbers = " + ".join(f"{number:,}" for number in failures.failed if number)
    return f"{failures.server} {numbers or '0'} failed"
