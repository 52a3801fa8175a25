"""The part of the page about the versions of families. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ab_runner.model.workload import WorkloadName
from ab_runner.report.charts.versions import Rows, quantities_of_versions
from ab_runner.report.say.words import Words


class VersionSection(msgspec.Struct, frozen=True):
    """What is shown of a workload: the families, and the titles of a family's panels by the names of their charts."""

    workload: WorkloadName
    families: tuple[str, ...]
    titles: Mapping[str, str]


def version_sections(versions: Mapping[WorkloadName, Rows], words: Words) -> tuple[VersionSection, ...]:
    """Return a section for each workload that has families of several versions."""
    return tuple(
        VersionSection(name, tuple(dict.fromkeys(row["family"] for row in rows)), quantities_of_versions(rows, words))
        for name, rows in versions.items()
    )
