"""Trials of starts that gave wrong answers after them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from ab_runner.model.message import Message, Verdict
from ab_runner.model.records import Record, VerificationRecord
from ab_runner.model.trial import Trial
from ab_runner.model.workload import WorkloadName


def judged_by_verification(records: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records. A valid trial is not valid any more if the server gave a wrong answer in its workload after
    the trials of its start: it may have given such answers in the trial as well, where few were compared."""
    wrong = {
        (record.start, record.workload): msgspec.structs.replace(record.first_wrong, stage="verification")
        for record in records
        if isinstance(record, VerificationRecord) and record.first_wrong is not None
    }
    return tuple(_judged(record, wrong) for record in records) if wrong else tuple(records)


def _judged(record: Record, wrong: Mapping[tuple[int, WorkloadName], Message]) -> Record:
    if not isinstance(record, Trial) or not record.verdict.valid:
        return record
    message = wrong.get((record.start, record.workload))
    return msgspec.structs.replace(record, verdict=Verdict(False, message)) if message else record
