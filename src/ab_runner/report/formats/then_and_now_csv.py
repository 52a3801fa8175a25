"""The comparison with a study as CSV: a row for each published figure and each server that it is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ab_runner.history.then_and_now import Comparison, FigurePair, ThenAndNow
from ab_runner.report.formats.csv import write
from ab_runner.report.say.figures import NO_RECORD, remark_text

COLUMNS = (
    "workload", "concurrency", "published", "then_requests_per_second", "then_reason", "beside", "server",
    "now_requests_per_second", "now_notes", "factor", "rank_then", "rank_now", "ranked", "rho", "rho_low", "rho_high",
    "now_lower_bound",
)  # fmt: skip

_RANGE = ("factor_low", "factor_high")


def render(compared: Iterable[ThenAndNow]) -> str:
    """Return the figures of each workload, then and now; with the range of factors where they are of several
    sessions."""
    rows = list(_rows(compared))
    has_ranges = any("factor_low" in row for row in rows)
    return write((*COLUMNS, *_RANGE) if has_ranges else COLUMNS, rows)


def _rows(compared: Iterable[ThenAndNow]) -> Iterator[dict[str, object]]:
    for each in compared:
        for level in each.levels:
            for beside, comparison in (("stand-in", level.stand_in), ("newest", level.newest)):
                yield from (_row(pair, comparison) | {"beside": beside} for pair in comparison.pairs if pair.server)


def _row(pair: FigurePair, comparison: Comparison) -> dict[str, object]:
    row: dict[str, object] = {
        "workload": pair.then.workload,
        "concurrency": pair.then.level,
        "published": pair.then.server,
        "then_requests_per_second": pair.then.requests_per_second,
        "then_reason": pair.then.reason,
        "server": pair.server.id if pair.server else None,
        "now_requests_per_second": pair.now.figure if pair.now else None,
        "now_notes": "; ".join(map(remark_text, pair.now.remarks)) if pair.now else NO_RECORD,
        "ranked": comparison.ranked,
        "now_lower_bound": pair.now.is_lower_bound if pair.now else None,
    }
    if pair.factor and pair.ranks:
        row |= {"factor": round(pair.factor, 4), "rank_then": pair.ranks[0], "rank_now": pair.ranks[1]}
    if pair.factors:
        row |= {name: round(factor, 4) for name, factor in zip(_RANGE, pair.factors, strict=True)}
    if comparison.agreement:
        row["rho"] = round(comparison.agreement.rho, 4)
    if comparison.agreement and comparison.agreement.interval:
        row["rho_low"], row["rho_high"] = (round(bound, 4) for bound in comparison.agreement.interval)
    return row
