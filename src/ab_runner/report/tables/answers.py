"""The heads of servers' answers, for a reader. They are as the server wrote them: what is hostile in one is made
harmless here. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ab_runner.model.records import AnswerRecord, Record
from ab_runner.model.text import shown
from ab_runner.model.workload import WorkloadName
from ab_runner.report.document import Table, TableCell

_LINES_AT_MOST = 40
_LINE_AT_MOST = 200
"""Characters; the log has all of them."""


class AnswerHeads(msgspec.Struct, frozen=True):
    """The heads of a server's answers, with their lengths in a table."""

    lengths: Table
    heads: tuple[tuple[WorkloadName, str], ...]


def head_lines(answer: AnswerRecord) -> list[str]:
    """Return the head line by line, without control characters, and without its end if it is very long."""
    lines = answer.head.removesuffix("\r\n\r\n").split("\r\n", _LINES_AT_MOST)
    found = [shown(line, _LINE_AT_MOST) for line in lines[:_LINES_AT_MOST]]
    return found if len(lines) <= _LINES_AT_MOST else [*found, "…"]


def answer_heads(records: Iterable[Record]) -> dict[str, AnswerHeads]:
    """Return the heads by the server's id."""
    found: dict[str, dict[WorkloadName, AnswerRecord]] = {}
    for record in records:
        if isinstance(record, AnswerRecord):
            found.setdefault(record.server, {}).setdefault(record.workload, record)
    return {server: _heads(server, list(answers.values())) for server, answers in found.items()}


def _heads(server: str, answers: list[AnswerRecord]) -> AnswerHeads:
    rows = (
        (
            TableCell(each.workload),
            *(TableCell(f"{length:,}", value=length) for length in (each.head_bytes, each.body_bytes)),
        )
        for each in answers
    )
    return AnswerHeads(
        Table(title=f"{server}: answer head bytes", headings=("workload", "head", "body"), rows=tuple(rows)),
        tuple((each.workload, "\n".join(head_lines(each))) for each in answers),
    )
