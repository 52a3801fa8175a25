"""A paper's conclusions and what became of them, as tables. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import msgspec

from ab_runner.analysis.cells import AT_LEAST, BY_CPU_TIME, OF_CPU_TIME, ratio_figure
from ab_runner.history.conclusions import Judged, JudgedClaim, Part, Verdict
from ab_runner.history.evidence import Evidence
from ab_runner.history.papers import Paper
from ab_runner.report.tables import Listing, Report
from ab_runner.stats.hypotheses import ONE_FIGURE
from ab_runner.stats.ranking import ALPHA, MINIMUM_EFFECT

IN_PART = "*: as far as it was measured"
PUBLISHED = (
    f"as published ({{}}): one figure per cell, of which the noise is not known; the author's figures are taken at "
    f"their word, and differences up to {100 * ONE_FIGURE:g} % count as none"
)
ONE_START = "one start ({}): nothing can be told from noise, so there are no verdicts; measure with --blocks 6"
TESTED = (
    f"several starts ({{}}): holds and does not hold are tested; differences up to {100 * MINIMUM_EFFECT:g} % count as "
    f"none, and the verdict on a conclusion is wrong with a probability of {100 * ALPHA:g} % at the most"
)


class Column(msgspec.Struct, frozen=True):
    """What one evidence says of all the conclusions of a paper."""

    evidence: Evidence
    judged: Sequence[Judged]

    @property
    def name(self) -> str:
        """Short: a sweep's id is long."""
        return str(self.evidence.year or "now")


def report_conclusions(papers: Sequence[tuple[Paper, Sequence[Column]]], damage: Iterable[str] = ()) -> Report:
    kinds: dict[str, dict[str, None]] = {PUBLISHED: {}, ONE_START: {}, TESTED: {}}
    for _, found in papers:
        for column in found:
            several = TESTED if column.evidence.blocks > 1 else ONE_START
            kinds[PUBLISHED if column.evidence.is_published else several][column.name] = None
    facts = [f"now: {each.evidence.name}" for _, found in papers[:1] for each in found if not each.evidence.year]
    facts += [text.format(", ".join(names)) for text, names in kinds.items() if names]
    tables = chain.from_iterable(_tables(paper, found) for paper, found in papers)
    return Report("what was concluded, and what holds", tuple(facts), tuple(tables), tuple(damage))


def _tables(paper: Paper, columns: Sequence[Column]) -> Iterable[Listing]:
    yield _overview(paper, columns)
    for number, conclusion in enumerate(paper.conclusions):
        rows = []
        for place, claim in enumerate(conclusion.claims):
            says = claim.says
            for column in columns:
                for row in _rows(column.judged[number].claims[place]):
                    rows.append((says, column.name, *row))
                    says = ""
        notes = [f"read as: {conclusion.reading}"] if conclusion.reading else []
        if any(row[-2].endswith(OF_CPU_TIME) for row in rows):
            notes.append(BY_CPU_TIME)
        if any("≥" in text or "≤" in text for row in rows for text in row[-2:]):
            notes.append(AT_LEAST)
        yield Listing(
            f"{number + 1}. {conclusion.sentence}", _HEADINGS, tuple(rows), tuple(notes), names=4, prose=(0, 2, 5)
        )


def _overview(paper: Paper, columns: Sequence[Column]) -> Listing:
    rows = tuple(
        (str(number), *(_verdict_text(column.judged[number - 1]) for column in columns), conclusion.sentence)
        for number, conclusion in enumerate(paper.conclusions, 1)
    )
    partial = any(text.endswith("*") for row in rows for text in row[1:-1])
    headings = ("", *(column.name for column in columns), "conclusion")
    prose = tuple(range(1, len(headings)))
    return Listing(paper.source, headings, rows, (IN_PART,) if partial else (), prose=prose)


def _verdict_text(judged: Judged | JudgedClaim) -> str:
    """With a star where part of it was not measured."""
    return judged.verdict if judged.complete or judged.verdict == "not measured" else f"{judged.verdict}*"


_HEADINGS = ("claim", "in", "c", "verdict", "ratio", "what decides")
_ORDER: tuple[Verdict, ...] = ("does not hold", "cannot be told", "holds")


def _rows(claim: JudgedClaim) -> Iterable[tuple[str, str, str, str]]:
    """A row for each workload and verdict, with the part that has the least to spare for the claim."""
    workloads = dict.fromkeys(part.workload for part in claim.parts)
    for workload in workloads:
        where = f"{workload} " if len(workloads) > 1 else ""
        for verdict in _ORDER:
            parts = [part for part in claim.parts if (part.workload, part.verdict) == (workload, verdict)]
            if parts:
                deciding = min(parts, key=lambda part: part.margin)
                levels = _levels(parts)
                at = f" (at {_levels([deciding])})" if ", " in levels and len(deciding.at) == 1 else ""
                ratio = _ratio_text(deciding)
                yield f"{where}{levels}", verdict, ratio, f"{deciding.figures}{at}"
        missing = [part for part in claim.parts if (part.workload, part.verdict) == (workload, "not measured")]
        if missing:
            reasons = dict.fromkeys(reason for part in missing for reason in part.figures.split("; "))
            yield f"{where}{_levels(missing)}", "not measured", "", "; ".join(reasons)


def _levels(parts: Iterable[Part]) -> str:
    return ", ".join(map(str, sorted({level for part in parts for level in part.at})))


def _ratio_text(part: Part) -> str:
    if part.ratio is None:
        return ""
    return ratio_figure(part.ratio, part.by_cpu_time, part.bound)
