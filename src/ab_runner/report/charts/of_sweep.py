"""The charts of one sweep, for its page and for files, and the data that they show. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.history.then_and_now import ThenAndNow
from ab_runner.model.workload import WorkloadName
from ab_runner.report.charts.courses import course_panel, quantities_of
from ab_runner.report.charts.data import Row, cell_rows, course_series, pair_rows, version_rows
from ab_runner.report.charts.latencies import latencies
from ab_runner.report.charts.models import model_panel
from ab_runner.report.charts.one_level import one_level
from ab_runner.report.charts.palette import Style, styles
from ab_runner.report.charts.parts import Spec
from ab_runner.report.charts.rates import figures
from ab_runner.report.charts.then_and_now import then_and_now
from ab_runner.report.charts.versions import quantities_of_versions, version_panel
from ab_runner.report.charts.warm_up import warm_up
from ab_runner.report.say.words import Words, words_of


class ChartData(msgspec.Struct, frozen=True, kw_only=True):
    """What the charts of a sweep show. By workload, `cells` has a row for each cell, `pairs` the rows of the comparison
    with its study, where that has figures of it, `models` the servers of each I/O model, `courses` what happened in
    each second of trials, where that is known, and `versions` a row for each cell of a family of several versions.
    `compared_levels` are the levels of the comparison, and `year` is that of the study; empty where nothing is
    compared."""

    words: Words
    levels: tuple[int, ...]
    compared_levels: tuple[int, ...]
    year: str
    styles: Mapping[str, Style]
    cells: Mapping[WorkloadName, Sequence[Row]]
    pairs: Mapping[WorkloadName, Sequence[Row]]
    models: Mapping[WorkloadName, Mapping[str, tuple[str, ...]]]
    courses: Mapping[WorkloadName, Sequence[Row]]
    versions: Mapping[WorkloadName, Sequence[Row]]

    @property
    def name_of_figures(self) -> str:
        """The name of the chart of figures: a line for each server, or a row where there is one level."""
        return "rates" if len(self.levels) > 1 else "one-level"

    @property
    def has_grey(self) -> bool:
        """Whether some servers are in grey until a reader chooses them."""
        return not all(style.in_colour for style in self.styles.values())


def chart_data(analysis: SweepAnalysis, compared: Iterable[ThenAndNow], core: Collection[str] = ()) -> ChartData:
    """Return what the charts of a sweep show, beside the published figures. `core` are the servers to be in colour
    among many."""
    compared = list(compared)
    published = {level.concurrency for each in compared for level in each.levels}
    return ChartData(
        words=words_of(analysis.sweep.request),
        levels=analysis.sweep.request.levels,
        compared_levels=tuple(level for level in analysis.levels if level in published),
        year=str(compared[0].study.year) if compared else "",
        styles=styles(analysis.shown_servers, core),
        cells={name: cell_rows(name, analysis) for name in analysis.workloads},
        pairs={each.workload: pair_rows(each) for each in compared},
        models={name: {row.io_model: row.servers for row in analysis.io_models[name]} for name in analysis.workloads},
        courses={name: series for name in analysis.workloads if (series := course_series(name, analysis))},
        versions={name: rows for name in analysis.workloads if (rows := version_rows(name, analysis))},
    )


def chart_of_figures(data: ChartData) -> Spec:
    """Return the chart of figures."""
    if data.name_of_figures == "rates":
        return figures(data.styles, data.levels, data.words)
    return one_level(data.styles, data.levels[0], data.words)


def charts_of_page(data: ChartData) -> dict[str, Spec]:
    """Return the charts of a page, by the names that its template uses. The page has their data apart."""
    compared = [row for rows in data.pairs.values() for row in rows]
    found = {
        data.name_of_figures: chart_of_figures(data),
        "latencies": latencies(data.styles, data.levels, data.words),
        "model": model_panel(data.styles, data.levels, data.words),
        "warm-up": warm_up(),
    }
    titles = quantities_of([each for series in data.courses.values() for each in series])
    found |= {name: course_panel(name, titles) for name in titles}
    named = quantities_of_versions([row for rows in data.versions.values() for row in rows], data.words)
    found |= {name: version_panel(name, named, data.styles, data.levels, data.words) for name in named}
    if compared:
        found["then-and-now"] = then_and_now(compared, data.compared_levels, data.year)
    return found
