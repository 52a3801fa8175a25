"""Did the machine stay as fast as it was? The reference server's figures from before and after the sweep. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ab_runner.model import AFTER, BEFORE, Record, WorkloadName, is_valid

WORTH_A_WARNING = 0.05


class Drift(msgspec.Struct, frozen=True):
    """Requests per second of the reference in one workload."""

    workload: WorkloadName
    before: float
    after: float

    @property
    def change(self) -> float:
        """0.02: two per cent faster after the sweep than before."""
        return self.after / self.before - 1


def drifts(records: Iterable[Record]) -> list[Drift]:
    """One for each workload that was measured both times."""
    rates = {
        (record.block, record.workload): record.report.requests_per_second
        for record in records
        if is_valid(record) and record.block in (BEFORE, AFTER) and record.report
    }
    return [
        Drift(workload, rate, rates[AFTER, workload])
        for (block, workload), rate in rates.items()
        if block == BEFORE and (AFTER, workload) in rates
    ]
