"""The figures of a study beside those of a sweep: which servers are compared, factors, and ranks. Pure;
`report.tables.then_and_now` and `report.formats.then_and_now_csv` write it down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.catalog.studies import Study
from ab_runner.catalog.study_figures import Figure
from ab_runner.model.server import Server
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.correlation import RankCorrelation, mid_ranks, spearman


class Match(msgspec.Struct, frozen=True):
    """The servers measured now for a published one: the old software or its stand-in, and its newest descendant."""

    published: str
    stand_in: Server | None
    newest: Server | None


class FigurePair(msgspec.Struct, frozen=True):
    """A published figure and the cell that it is compared with; `ranks`, then and now, among the valid pairs."""

    then: Figure
    server: Server | None
    now: CellSummary | None
    ranks: tuple[float, float] | None = None

    @property
    def rates(self) -> tuple[float, float] | None:
        """Then and now, where both are valid."""
        if self.then.rate is None or self.now is None or self.now.figure is None:
            return None
        return self.then.rate, self.now.figure

    @property
    def factor(self) -> float | None:
        """Now as a multiple of then."""
        return self.rates[1] / self.rates[0] if self.rates else None

    @property
    def factors(self) -> tuple[float, float] | None:
        """The lowest and the highest factor of several sessions; None of a single sweep."""
        found = self.now.estimate.range if self.now is not None and self.now.estimate is not None else None
        if self.then.rate is None or found is None:
            return None
        return found.low / self.then.rate, found.high / self.then.rate


class Comparison(msgspec.Struct, frozen=True):
    """The published servers at one workload and concurrency. `ranked` is the number of valid pairs, and `agreement` is
    theirs."""

    pairs: tuple[FigurePair, ...]
    ranked: int
    agreement: RankCorrelation | None


class Level(msgspec.Struct, frozen=True):
    """One concurrency of a workload. Both comparisons have the same published servers in the same order."""

    concurrency: int
    stand_in: Comparison
    newest: Comparison


class ThenAndNow(msgspec.Struct, frozen=True):
    """One workload of a study, then and now. `missing` are its servers with no counterpart in this sweep."""

    study: Study
    workload: WorkloadName
    matches: tuple[Match, ...]
    missing: tuple[str, ...]
    levels: tuple[Level, ...]


def then_and_now(analysis: SweepAnalysis, study: Study) -> tuple[ThenAndNow, ...]:
    """Return the workloads of the sweep with at least a server and a concurrency of the study; none of an open
    load."""
    if study.is_open or not analysis.is_closed:
        return ()
    found = (_workload(name, analysis, study) for name in analysis.sweep.request.workloads)
    return tuple(each for each in found if each.levels and each.matches)


def _workload(name: WorkloadName, analysis: SweepAnalysis, study: Study) -> ThenAndNow:
    then = {(figure.server, figure.level): figure for figure in study.figures if figure.workload == name}
    able = [server for server in analysis.sweep.servers if name in server.workloads]
    published = dict.fromkeys(server for server, _ in then)
    every = [match_of(server, able, study) for server in published]
    matches = [match for match in every if match.stand_in or match.newest]
    levels = [level for level in analysis.levels if any(at == level for _, at in then)]
    return ThenAndNow(
        study=study,
        workload=name,
        matches=tuple(matches),
        missing=tuple(match.published for match in every if match not in matches),
        levels=tuple(_level(matches, level, then, analysis.cells) for level in levels),
    )


def match_of(published: str, servers: Iterable[Server], study: Study) -> Match:
    """Return the servers measured now for a server of a study. `servers` are those of one workload. Of several
    stand-ins, it is the one that the study names first; where only an older sweep itself knows one of them, the one
    with a build of its own.

    The newest is of the stand-in's family; of its variants it is the one with the stand-in's I/O model, else the one
    with a build of its own, which has the default configuration."""
    servers, named = list(servers), study.stand_ins.get(published, ())
    stand_ins = [server for server in servers if study.stands_for(server) == published]
    if all(server.id in named for server in stand_ins):
        stand_in = min(stand_ins, key=lambda server: named.index(server.id), default=None)
    else:
        stand_in = min(stand_ins, key=_plainness)
    family = stand_in.family if stand_in else published.partition("-")[0]
    ours = (server for server in servers if not server.is_from_outside)  # others may call their family what they like
    descendants = [server for server in ours if server.family == family and _is_later(server, study)]
    latest = max((server.released for server in descendants), default=None)
    newest = min(
        (server for server in descendants if server.released == latest),
        key=lambda server: (stand_in is not None and server.io_model != stand_in.io_model, _plainness(server)),
        default=None,
    )
    return Match(published, stand_in, newest)


def _plainness(server: Server) -> tuple[bool, str]:
    return server.program != server.id, server.id


def _is_later(server: Server, study: Study) -> bool:
    """Return whether a server is later than a study. Debian's packages are: older sweeps have the year in which their
    line began."""
    return server.release_year > study.year or server.is_package


def _level(
    matches: Sequence[Match],
    concurrency: int,
    then: Mapping[tuple[str, int], Figure],
    cells: Mapping[Cell, CellSummary],
) -> Level:
    def pair(match: Match, server: Server | None) -> FigurePair:
        figure = then[match.published, concurrency]
        return FigurePair(figure, server, cells.get(Cell(server.id, figure.workload, concurrency)) if server else None)

    published = [match for match in matches if (match.published, concurrency) in then]
    return Level(
        concurrency,
        stand_in=_comparison([pair(match, match.stand_in) for match in published]),
        newest=_comparison([pair(match, match.newest) for match in published]),
    )


def _comparison(pairs: Sequence[FigurePair]) -> Comparison:
    """Return the pairs with their ranks, 1 for the most requests per second."""
    rates = [pair.rates for pair in pairs if pair.rates]
    then, now = [-rate for rate, _ in rates], [-rate for _, rate in rates]
    ranks = zip(mid_ranks(then), mid_ranks(now), strict=True)
    ranked = tuple(msgspec.structs.replace(pair, ranks=next(ranks)) if pair.rates else pair for pair in pairs)
    return Comparison(ranked, len(rates), spearman(then, now))
