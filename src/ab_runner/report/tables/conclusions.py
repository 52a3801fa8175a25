"""A study's conclusions and the verdicts on them, as tables. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.catalog.studies import Study
from ab_runner.catalog.study_conclusions import KeepsAnswering
from ab_runner.catalog.study_figures import Figure
from ab_runner.history.conclusions import FEWEST_COUNTED
from ab_runner.history.evidence import Absence, NotThere
from ab_runner.history.request_counts import ALL, FEW
from ab_runner.history.verdicts import (
    Absent,
    Answered,
    Basis,
    Compared,
    ConclusionVerdict,
    Failed,
    Gap,
    JudgedClaim,
    JudgedConclusion,
    Judgement,
    Part,
    ServerFailures,
    SideValue,
    Unanswerable,
)
from ab_runner.model.protocol import DEFAULT_GENERATOR, cpus_text
from ab_runner.report.document import Emphasis, Report, Table, TableCell, plain
from ab_runner.report.say.figures import AT_LEAST, why_absent
from ab_runner.report.say.numbers import latency_figure, numbers_text, rate_figure, ratio_figure
from ab_runner.stats.estimate import FEWEST_STARTS, Estimate
from ab_runner.stats.hypotheses import ONE_FIGURE
from ab_runner.stats.ranking import ALPHA, MINIMUM_EFFECT

IN_PART = "*: the verdict is on the part that was measured"
READINGS = (
    "the verdict is on means over the concurrencies; strict: on each pair of servers at every concurrency, named where "
    "it differs"
)
POWER = (
    "power: how likely the test was, with this noise, to show that the two are about equal if they truly are; where it "
    "is small, more starts are needed"
)
IN_EVERY_START = (
    f"requests beside the load: of those due in the last third of a trial {100 * ALL:g} % or more are answered in "
    f"every start, or {100 * FEW:g} % at most in every start; this is counted, not tested"
)
NOT_COMPARED = "not compared"
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
    f"and the probability that the verdict of a reading is wrong is at most {100 * ALPHA:g} %"
)
COUNTED = (
    f"open load ({{}}): claims are counted where there are fewer than {FEWEST_STARTS} starts: one holds if it holds "
    f"whichever starts are compared; with {FEWEST_COUNTED} starts of each that happens by chance once in 20 times. "
    "Fewer decide nothing, and neither do those of a server of which one has no value"
)
OVER_SESSIONS = TESTED.replace("several starts", "several sessions")

_UNANSWERABLE = {
    Unanswerable.GAVE_UP: "{generator} gave up on some, so it is not known how many requests would have failed",
    Unanswerable.NO_COMMON_BLOCK: "no block has figures of all of them",
}
_EMPHASES: dict[ConclusionVerdict, Emphasis] = {
    "holds": Emphasis.GOOD,
    "does not hold": Emphasis.BAD,
    "premise absent": Emphasis.UNSURE,
    "cannot be told": Emphasis.UNSURE,
    "not measured": Emphasis.FAINT,
}
_HEADINGS = ("claim", "in", "reading", "c", "verdict", "ratio", "decided by")
_ORDER: tuple[ConclusionVerdict, ...] = ("does not hold", "premise absent", "cannot be told", "holds")


def report_conclusions(studies: Sequence[tuple[Study, Sequence[Judgement]]], damage: Iterable[str] = ()) -> Report:
    """Return the report of the verdicts of each evidence on the conclusions of each study."""
    kinds: dict[str, dict[str, None]] = {PUBLISHED: {}, FEW_STARTS: {}, TESTED: {}, OVER_SESSIONS: {}, COUNTED: {}}
    for _, judgements in studies:
        for judgement in judgements:
            several = TESTED if judgement.evidence.has_noise else FEW_STARTS
            several = OVER_SESSIONS if judgement.evidence.is_of_sessions else several
            several = COUNTED if judgement.evidence.others and not judgement.evidence.has_noise else several
            kinds[PUBLISHED if judgement.evidence.is_published else several][judgement.name] = None
    sweeps = [each for _, found in studies[:1] for each in found if not each.evidence.is_published]
    conditions = (
        {each.name: f", servers on {cpus_text(each.evidence.cpus)}" for each in sweeps if each.evidence.cpus},
        {each.name: f", load by {each.evidence.generator}" for each in sweeps},
    )
    differing = [texts for texts in conditions if len(set(texts.values())) > 1]
    facts = [
        f"{each.name}: {each.evidence.name}{''.join(texts.get(each.name, '') for texts in differing)}"
        for each in sweeps
    ]
    facts += [text.format(", ".join(names)) for text, names in kinds.items() if names]
    return Report(
        heading="conclusions and verdicts",
        facts=tuple(facts),
        tables=tuple(chain.from_iterable(_tables(study, judgements) for study, judgements in studies)),
        warnings=tuple(damage),
    )


def report_verdicts(studies: Sequence[tuple[Study, Sequence[Judgement]]]) -> Report:
    """Return the verdicts alone, a table for each study."""
    return Report(tables=tuple(_overview(*each) for each in studies))


class _Row(msgspec.Struct, frozen=True):
    """The parts of a claim with one verdict in one workload. `deciding` is the part with the smallest margin for the
    claim; None where nothing was measured."""

    where: str
    verdict: ConclusionVerdict
    deciding: Part | None
    why: str


def _tables(study: Study, judgements: Sequence[Judgement]) -> Iterator[Table]:
    yield _overview(study, judgements)
    for number, conclusion in enumerate(study.conclusions):
        rows: list[tuple[TableCell, ...]] = []
        shown: list[Part] = []
        for place, claim in enumerate(conclusion.claims):
            says = claim.says
            for judgement in judgements:
                claim_here, generator = judgement.conclusions[number].claims[place], judgement.evidence.generator
                for reading, row in _readings(claim_here, generator):
                    rows.append((*plain((says, judgement.name, reading)), *_row_cells(row)))
                    shown += [row.deciding] if row.deciding else []
                    says = ""
        notes = [f"read as: {conclusion.reading}"] if conclusion.reading else []
        notes += [AT_LEAST] if any(map(_has_bound, shown)) else []
        notes += [IN_EVERY_START] if any(isinstance(claim, KeepsAnswering) for claim in conclusion.claims) else []
        notes += [POWER] if any(map(_power_text, shown)) else []
        title = f"{number + 1}. {conclusion.sentence}"
        yield Table(title=title, headings=_HEADINGS, rows=tuple(rows), notes=tuple(notes), names=5, prose=(0, 3, 6))


def _has_bound(part: Part) -> bool:
    """Return whether one of its figures, or their ratio, is only a bound because the generator was the limit."""
    sides = (part.basis.first, part.basis.second) if isinstance(part.basis, Compared) else ()
    return bool(part.bound) or any(side.at_least for side in sides)


def _overview(study: Study, judgements: Sequence[Judgement]) -> Table:
    rows = tuple(
        (
            TableCell(str(number)),
            *(_verdict_cell(judgement.conclusions[number - 1]) for judgement in judgements),
            TableCell(conclusion.sentence),
        )
        for number, conclusion in enumerate(study.conclusions, 1)
    )
    every = [judged for judgement in judgements for judged in judgement.conclusions]
    notes = (
        *((READINGS,) if any(judged.strict != judged.verdict for judged in every) else ()),
        *((IN_PART,) if any(map(_is_partial, every)) else ()),
    )
    headings = ("", *(judgement.name for judgement in judgements), "conclusion")
    prose = tuple(range(1, len(headings)))
    return Table(title=study.name, headings=headings, rows=rows, notes=notes, prose=prose)


def _is_partial(judged: JudgedConclusion) -> bool:
    """Return whether only a part of it was measured."""
    return not judged.complete and judged.verdict != "not measured"


def _verdict_cell(judged: JudgedConclusion) -> TableCell:
    """Return the verdict, with a star where part of it was not measured, and the strict one where it is another."""
    strict = "" if judged.strict == judged.verdict else f"; strict: {judged.strict}"
    return TableCell(f"{judged.verdict}{'*' if _is_partial(judged) else ''}{strict}", _EMPHASES[judged.verdict])


def _row_cells(row: _Row) -> tuple[TableCell, ...]:
    ratio = _ratio_cell(row.deciding) if row.deciding else TableCell("")
    return (TableCell(row.where), TableCell(row.verdict, _EMPHASES[row.verdict]), ratio, TableCell(row.why))


def _readings(claim: JudgedClaim, generator: str) -> Iterator[tuple[str, _Row]]:
    """Yield the rows of both readings, or of the only one, each with the name of its reading. What was not measured is
    the same in both."""
    rows = list(_rows(claim.parts, generator))
    yield from (("means" if row.deciding and not claim.has_one_reading else "", row) for row in rows)
    if not claim.has_one_reading:
        yield from (("strict", row) for row in _rows(claim.strict_parts, generator) if row.deciding)


def _rows(found: Sequence[Part], generator: str) -> Iterator[_Row]:
    """Yield a row for each workload and verdict; a single one where nothing was measured."""
    missing = [part for part in found if part.verdict == "not measured"]
    if len(missing) == len(found):
        yield _missing_row("", missing, generator)
        return
    workloads = dict.fromkeys(part.workload for part in found)
    for workload in workloads:
        against = next((part.against for part in found if part.against), None)
        where = f"{workload} against {against} " if against else f"{workload} " if len(workloads) > 1 else ""
        for verdict in _ORDER:
            parts = [part for part in found if (part.workload, part.verdict) == (workload, verdict)]
            if parts:
                deciding = min(parts, key=lambda part: part.margin)
                levels = numbers_text(_levels(parts))
                its_own = numbers_text(_levels([deciding]))
                at = "" if its_own == levels else f" (at {its_own})"
                why = f"{basis_text(deciding.basis, generator)}{at}{_power_text(deciding)}"
                yield _Row(f"{where}{levels}", verdict, deciding, why)
        if here := [part for part in missing if part.workload == workload]:
            yield _missing_row(where, here, generator)


def _missing_row(where: str, parts: Sequence[Part], generator: str) -> _Row:
    why = "; ".join(dict.fromkeys(reason for part in parts for reason in _reasons(part.basis, generator)))
    return _Row(f"{where}{numbers_text(_levels(parts))}", "not measured", None, why)


def _levels(parts: Iterable[Part]) -> list[int]:
    return sorted({level for part in parts for level in part.at})


def _ratio_cell(part: Part) -> TableCell:
    if part.ratio is None:
        return TableCell(NOT_COMPARED if isinstance(part.basis, Compared) else "")
    return TableCell(ratio_figure(part.ratio, False, part.bound), value=part.ratio.value)


def _power_text(part: Part) -> str:
    """Return the power of a test that did not show enough."""
    if part.power is None or part.verdict != "cannot be told":
        return ""
    return f"; power {'below 0.01' if part.power < 0.005 else f'{part.power:.2f}'}"


# --- what decides ------------------------------------------------------------------------------------------------


def basis_text(basis: Basis, generator: str = DEFAULT_GENERATOR) -> str:
    """Return the figures that decide, or why there are none. `generator` made the load."""
    match basis:
        case Absent():
            return "; ".join(_reasons(basis, generator))
        case Unanswerable():
            return _UNANSWERABLE[basis].format(generator=generator)
        case Compared():
            figures = f"{_side_text(basis.first)} against {_side_text(basis.second)}"
            limited = f"; {generator} was the limit of both" if basis.both_limited else ""
            return f"{figures}{limited}{_start_text(basis.few_starts)}"
        case Gap():
            (begin, end), (before, after) = basis.at, basis.leads
            limited = f"; {generator} was the limit of some" if basis.limited else ""
            figures = f"the first group has {_lead_text(before)} the rate of the second at {begin}, "
            return f"{figures}{_lead_text(after)} at {end}{limited}{_start_text(basis.few_starts)}"
        case Failed():
            figures = f"{_failures_text(basis.first)} against {_failures_text(basis.second)}"
            return figures + _start_text(basis.few_starts)
        case Answered(is_published=True):
            return f"{basis.server} {'keeps' if all(basis.shares) else 'does not keep'} answering, as published"
        case Answered():
            shares = ", ".join(f"{100 * share:.0f} %" for share in basis.shares)
            return f"{basis.server} answers {shares} of the requests beside the load"


def _start_text(few_starts: bool) -> str:
    """Return the note on figures that allow no verdict."""
    return " (too few starts)" if few_starts else ""


def _reasons(basis: Basis, generator: str) -> Iterable[str]:
    """Return why there are no figures, each reason once."""
    if isinstance(basis, Absent):
        return dict.fromkeys(map(_absence_text, basis.absences))
    return (basis_text(basis, generator),)


def _absence_text(absence: Absence) -> str:
    why = absence.why
    match why:
        case NotThere.LEVEL:
            return "not measured at this level"
        case NotThere.WORKLOAD:
            return "not measured with this workload"
        case NotThere.SERVER:
            return f"{absence.server}: not measured"
        case CellSummary():  # of an open load it may have a figure, and not what the claim is about
            return f"{absence.server}: {why_absent(why) if why.figure is None else 'not measured'}"
        case Figure():
            return f"{absence.server}: {why.outcome}"


def _side_text(side: SideValue) -> str:
    at_least = "≥ " if side.at_least else ""
    match side.quantity:
        case "answered":
            figure = f"{side.value:,.0f} answered"
        case "mean" | "longest":
            figure = f"{side.quantity} {latency_figure(1000 / side.value)} ms beyond the wait"
        case _:
            figure = rate_figure(side.value)
    return f"{', '.join(side.servers)} {at_least}{figure}{' at most' if side.at_most else ''}"


def _lead_text(lead: Estimate) -> str:
    """Return `1.21 times`, with the interval if it has one."""
    interval = f" ({lead.interval.low:.2f} to {lead.interval.high:.2f})" if lead.interval else ""
    return f"{lead.value:.2f}{interval} times"


def _failures_text(failures: ServerFailures) -> str:
    """Return `62 + 9,991 failed`: a number for each concurrency with any."""
    numbers = " + ".join(f"{number:,}" for number in failures.failed if number)
    return f"{failures.server} {numbers or '0'} failed"
