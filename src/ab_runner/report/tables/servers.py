"""The servers of the catalog as a table for a page. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ab_runner.model.server import Server
from ab_runner.report.document import Report, Table, plain


def report_servers(servers: Sequence[Server]) -> Report:
    """Return a row for each server with what holds on every machine."""
    rows = (
        plain((each.id, each.family, str(each.release_year), each.io_model, ", ".join(each.workloads)))
        for each in servers
    )
    headings = ("server", "family", "year", "I/O model", "workloads")
    table = Table(title="servers", headings=headings, rows=tuple(rows), names=len(headings))
    return Report(tables=(table,))
