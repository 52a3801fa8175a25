"""The conclusions as CSV: a row for each part that decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ab_runner.history.papers import Paper
from ab_runner.history.verdicts import Judgement
from ab_runner.report.conclusions_tables import basis_text
from ab_runner.report.csv import write

COLUMNS = (
    "paper", "number", "conclusion", "evidence", "verdict", "complete", "claim", "claim_verdict", "workload",
    "concurrency", "part_verdict", "ratio", "ratio_low", "ratio_high", "of_cpu_seconds", "figures",
)  # fmt: skip


def render(papers: Iterable[tuple[Paper, Sequence[Judgement]]]) -> str:
    """Return the verdicts of each evidence on the conclusions of each paper."""
    return write(
        COLUMNS,
        (row for paper, judgements in papers for judgement in judgements for row in _rows(paper, judgement)),
    )


def _rows(paper: Paper, judgement: Judgement) -> Iterator[dict[str, object]]:
    for number, judged in enumerate(judgement.conclusions, 1):
        for claim in judged.claims:
            for part in claim.parts:
                row: dict[str, object] = {
                    "paper": paper.source,
                    "number": number,
                    "conclusion": judged.conclusion.sentence,
                    "evidence": judgement.evidence.name,
                    "verdict": judged.verdict,
                    "complete": _yes_no(judged.complete),
                    "claim": claim.claim.says,
                    "claim_verdict": claim.verdict,
                    "workload": part.workload,
                    "concurrency": " ".join(map(str, part.at)),
                    "part_verdict": part.verdict,
                    "of_cpu_seconds": _yes_no(part.by_cpu_time),
                    "figures": basis_text(part.basis),
                }
                if part.ratio:
                    row["ratio"] = round(part.ratio.value, 4)
                if part.ratio and part.ratio.interval:
                    row["ratio_low"] = round(part.ratio.interval.low, 4)
                    row["ratio_high"] = round(part.ratio.interval.high, 4)
                yield row


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"
