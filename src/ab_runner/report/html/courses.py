"""The part of the page about each second of trials. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.workload import WorkloadName
from ab_runner.report.charts.courses import Series, quantities_of
from ab_runner.report.document import Table
from ab_runner.report.tables.courses import course_tables


class CourseSection(msgspec.Struct, frozen=True):
    """What is shown of a workload: the servers and the levels that have trials whose seconds are known, the titles of a
    server's panels by the names of their charts, and what stands behind them."""

    workload: WorkloadName
    levels: tuple[int, ...]
    servers: tuple[str, ...]
    titles: Mapping[str, str]
    tables: tuple[Table, ...]


def course_sections(courses: Mapping[WorkloadName, Series], analysis: SweepAnalysis) -> tuple[CourseSection, ...]:
    """Return a section for each workload that has courses."""
    found = []
    for name, series in courses.items():
        servers = {each["server"] for each in series}
        levels = {each["c"] for each in series}
        found.append(
            CourseSection(
                name,
                tuple(level for level in analysis.levels if level in levels),
                tuple(server.id for server in analysis.shown_servers if server.id in servers),
                quantities_of(series),
                course_tables(name, analysis),
            )
        )
    return tuple(found)
