"""Several sweeps compared with the first of them, or why they cannot be compared. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ab_runner.analysis.comparison import SweepComparison, compare_sweeps, why_not_comparable
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.errors import UserError
from ab_runner.report.tables.comparison import LETTERS


def compare_all(
    named: Sequence[tuple[str, SweepAnalysis]], *, slower: float | None, anyway: bool
) -> list[SweepComparison]:
    """Return the comparison of each of the others with the first; error messages use the names in `named`. UserError
    for sweeps that cannot be compared, unless `anyway` is true: then the tables say why they should not be."""
    if not 2 <= len(named) <= len(LETTERS):
        raise UserError(f"compare needs 2 to {len(LETTERS)} sweeps, and was given {len(named)}")
    (first_name, first), *others = named
    for name, other in others:
        found = list(why_not_comparable(first.sweep, other.sweep))
        if found and not anyway:
            raise UserError(
                f"{name} cannot be compared with {first_name}: {'; '.join(found)} "
                "(--anyway compares them, and the tables say so)"
            )
    compared = [compare_sweeps(first, other, slower) for _, other in others]
    for (name, _), each in zip(others, compared, strict=True):
        if not any(cell.before and cell.after for cell in each.cells):
            raise UserError(f"{name} has no cell that {first_name} has")
        if slower is not None and not each.can_tell:
            raise UserError(
                f"--fail-if-slower: {name} and {first_name} have no cell with six starts in both, of one revision of "
                "its server, by one generator and as many CPUs for it, so no change can be told from noise; measure "
                "both with --blocks 6"
            )
    return compared
