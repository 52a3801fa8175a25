"""The conclusions as CSV: a row for each part that decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ab_runner.catalog.studies import Study
from ab_runner.history.verdicts import ConclusionVerdict, JudgedClaim, Judgement, Part
from ab_runner.report.formats.csv import ratio_columns, write
from ab_runner.report.tables.conclusions import basis_text

COLUMNS = (
    "study", "number", "conclusion", "evidence", "verdict", "strict_verdict", "complete", "claim", "reading",
    "claim_verdict", "workload", "concurrency", "part_verdict", "ratio", "ratio_low", "ratio_high", "power", "figures",
)  # fmt: skip


def render(studies: Iterable[tuple[Study, Sequence[Judgement]]]) -> str:
    """Return the verdicts of each evidence on the conclusions of each study."""
    return write(
        COLUMNS,
        (row for study, judgements in studies for judgement in judgements for row in _rows(study, judgement)),
    )


def _rows(study: Study, judgement: Judgement) -> Iterator[dict[str, object]]:
    for number, judged in enumerate(judgement.conclusions, 1):
        for claim in judged.claims:
            for reading, verdict, parts in _readings(claim):
                for part in parts:
                    yield {
                        "study": study.id,
                        "number": number,
                        "conclusion": judged.conclusion.sentence,
                        "evidence": judgement.evidence.name,
                        "verdict": judged.verdict,
                        "strict_verdict": judged.strict,
                        "complete": judged.complete,
                        "claim": claim.claim.says,
                        "reading": reading,
                        "claim_verdict": verdict,
                        **_part(part, judgement.evidence.generator),
                    }


def _readings(claim: JudgedClaim) -> Iterator[tuple[str, ConclusionVerdict, Sequence[Part]]]:
    if claim.has_one_reading:
        yield "", claim.verdict, claim.parts
    else:
        yield "means", claim.verdict, claim.parts
        yield "strict", claim.strict, claim.strict_parts


def _part(part: Part, generator: str) -> dict[str, object]:
    row: dict[str, object] = {
        "workload": f"{part.workload} against {part.against}" if part.against else part.workload,
        "concurrency": " ".join(map(str, part.at)),
        "part_verdict": part.verdict,
        "figures": basis_text(part.basis, generator),
    }
    row |= ratio_columns(part.ratio)
    if part.power is not None:
        row["power"] = round(part.power, 3)
    return row
