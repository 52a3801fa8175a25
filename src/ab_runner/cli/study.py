"""./ab-runner study: lists the published comparisons, or runs one of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from ab_runner.cli import run

if TYPE_CHECKING:
    from ab_runner.catalog.catalog import Catalog
    from ab_runner.catalog.studies import Study


@click.command("study", context_settings={"allow_interspersed_args": False})
@click.argument("id", required=False, metavar="[ID]")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[OPTION OF run]…")
def command(id: str | None, options: tuple[str, ...]) -> None:
    """Lists published comparisons, or runs one. The list has how long each takes here. With an ID it runs a sweep as
    that study says, and shows the published figures and conclusions beside it. All options of `run` can follow, such as
    --dry-run or --protocol quick; they have precedence."""
    from ab_runner.catalog.catalog import load_catalog
    from ab_runner.catalog.studies import load_study

    catalog = load_catalog()
    if id is None:
        _show_studies(catalog)
        return
    values = _values_of(load_study(id, catalog), options)
    is_dry = values.pop("dry_run")
    request, place = run.asked(**values)
    request = replace(request, study=id)
    sys.exit(run.show(request, place) if is_dry else run.measured(request, place, beside_study=True))


def _show_studies(catalog: Catalog) -> None:
    from ab_runner.catalog.studies import load_studies
    from ab_runner.cli.console import console_for, put
    from ab_runner.report.formats import terminal
    from ab_runner.report.tables.studies import report_studies

    rows = [(study, *_extent(study, catalog)) for study in load_studies(catalog)]
    put(*terminal.render(report_studies(rows), console_for(sys.stdout).width))


def _extent(study: Study, catalog: Catalog) -> tuple[int, str]:
    """Return how many servers of a study can run here, and how long that takes, in words."""
    from ab_runner.runtime.base import RuntimeUnusable
    from ab_runner.sweep.begin import expected_here
    from ab_runner.sweep.schedule.expected_time import time_text

    values = _values_of(study)
    del values["dry_run"]
    request, _ = run.asked(**values)
    try:
        servers, expected = expected_here(request, catalog)
    except RuntimeUnusable:
        return 0, "cannot run here"
    return servers, f"about {time_text(expected.seconds)}" if expected else "not known"


def _values_of(study: Study, more: Sequence[str] = ()) -> dict[str, Any]:
    """Return the values of the options of `run`: those of the study, and of what was typed, which has precedence."""
    words = [*_words_of(study), *more]
    return run.command.make_context(f"study {study.id}", words, parent=click.get_current_context().parent).params


def _words_of(study: Study) -> Iterator[str]:
    asked = study.about.run
    yield from ("--servers", ",".join(asked.servers))
    yield from ("--workloads", ",".join(asked.workloads))
    yield from ("--concurrency", ",".join(map(str, asked.concurrency)))
    yield from ("--protocol", asked.protocol)
    yield from ("--runtime", asked.runtime)
    if asked.jdk is not None:
        yield from ("--jdk", str(asked.jdk))
