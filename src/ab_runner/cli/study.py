"""./ab-runner study: lists the published comparisons, or runs one of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from msgspec.structs import replace

from ab_runner import paths
from ab_runner.cli import run
from ab_runner.errors import UserError
from ab_runner.model.protocol import SweepRequest

if TYPE_CHECKING:
    from ab_runner.catalog.catalog import Catalog
    from ab_runner.catalog.studies import Study
    from ab_runner.catalog.study_file import SweepTable
    from ab_runner.sweep.request import Place

_OPTIONS = (
    "servers", "workloads", "concurrency", "rate", "requests", "duration", "protocol", "blocks", "warmup", "generator",
    "server_cpus", "share_cpus", "runtime",
)  # fmt: skip
"""Those of `run` that a study's sweep has, under the same names."""
_CLOSED_LOAD: dict[str, Any] = {"concurrency": None, "generator": None}
_EXCLUDED_BY: dict[str, dict[str, Any]] = {
    "rate": _CLOSED_LOAD,
    "slo": _CLOSED_LOAD,
    "requests": {"duration": None},
    "duration": {"requests": None},
    "server_cpus": {"share_cpus": False},
    "share_cpus": {"server_cpus": None},
}
"""By an option that is typed: those of a study's sweep that it excludes, with their values where they are not given."""


@click.command("study", context_settings={"allow_interspersed_args": False})
@click.argument("id", required=False, metavar="[ID]")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[SWEEP] [OPTION OF run]…")
def command(id: str | None, options: tuple[str, ...]) -> None:
    """Lists published comparisons, or runs one. The list has how long each takes here. With an ID it runs a sweep as
    that study says, and shows the published figures and conclusions beside it: the SWEEP of that name, or the one that
    has been completed least often. All options of `run` can follow, such as --dry-run or --protocol quick; they have
    precedence."""
    from ab_runner.catalog.catalog import load_catalog
    from ab_runner.catalog.studies import load_study

    if id is None:
        _show_studies()
        return
    catalog = load_catalog(study=id)
    study = load_study(id, catalog)
    name, words = _sweep_of(study, catalog, options)
    request, place, is_dry = _asked(study, name, words)
    sys.exit(run.show(request, place) if is_dry else run.measured(request, place))


def _show_studies() -> None:
    from ab_runner.catalog.studies import load_studies
    from ab_runner.cli.console import console_for, put
    from ab_runner.report.formats import terminal
    from ab_runner.report.tables.studies import report_studies

    rows = [
        (study, name, *_extent(study, name, catalog))
        for study, catalog in load_studies()
        for name in study.about.sweeps
    ]
    put(*terminal.render(report_studies(rows), console_for(sys.stdout).width))


def _extent(study: Study, name: str, catalog: Catalog) -> tuple[int, str]:
    """Return how many servers of a study's sweep can run here, and how long that takes, in words."""
    from ab_runner.runtime.base import RuntimeUnusable
    from ab_runner.sweep.begin import expected_here
    from ab_runner.sweep.schedule.expected_time import time_text

    request, _, _ = _asked(study, name)
    try:
        servers, expected = expected_here(request, catalog)
    except RuntimeUnusable:
        return 0, "cannot run here"
    return servers, f"about {time_text(expected.seconds)}" if expected else "not known"


def _sweep_of(study: Study, catalog: Catalog, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the name of the sweep that is asked for, or else of the one that is due, and the options behind it.
    UserError if the study has no sweep of that name."""
    from ab_runner.catalog.servers import suggestion
    from ab_runner.store.made import requests_made

    names = list(study.about.sweeps)
    if words and not words[0].startswith("-"):
        if words[0] not in names:
            known = suggestion(words[0], names) or f"; there are {', '.join(names)}"
            raise UserError(f"study {study.id} has no sweep {words[0]!r}{known}")
        return words[0], words[1:]
    if len(names) == 1:
        return names[0], words
    made = [_extent_of(request) for request in requests_made(paths.RESULTS, study.id)]
    asked = {name: _asked(study, name)[0] for name in names}
    whole = {
        name: _extent_of(replace(each, servers=tuple(server.id for server in catalog.named(each.servers))))
        for name, each in asked.items()
    }
    return min(names, key=lambda name: made.count(whole[name])), words


def _extent_of(request: SweepRequest) -> tuple[object, ...]:
    """Return what a sweep of a study must have in common with another one to be the same sweep."""
    protocol = request.protocol
    return (
        request.study_sweep, {*request.servers}, request.workloads, request.levels, protocol.trial, protocol.blocks,
    )  # fmt: skip


def _asked(study: Study, name: str, typed: Sequence[str] = ()) -> tuple[SweepRequest, Place, bool]:
    """Return what a sweep of the study asks for, with what was typed, which has precedence, and whether it is to be
    shown only."""
    sweep = study.about.sweeps[name]
    with run.command.make_context(
        f"study {study.id}",
        list(typed),
        parent=click.get_current_context(),
        obj=study.id,
        default_map=_options_of(sweep),
    ) as context:
        values = _without_excluded(context)
        if sweep.rate is not None:
            values = _at_fixed_rates(f"sweep {name} of {study.id}", values)
        is_dry = values.pop("dry_run")
        request, place = run.asked(**values)
    protocol = request.protocol
    protocol = replace(
        protocol,
        warm_up=replace(protocol.warm_up, connections=sweep.warmup_connections, workload=sweep.warmup_workload),
        idle_timeout=sweep.timeout or protocol.idle_timeout,
        failures_at_most=study.about.failures_at_most,
    )
    open_load = sweep.open_load or request.open
    return replace(request, study=study.id, study_sweep=name, protocol=protocol, open=open_load), place, is_dry


def _options_of(sweep: SweepTable) -> dict[str, Any]:
    """Return a sweep of a study as values of the options of `run`."""
    values = {name: getattr(sweep, name) for name in _OPTIONS}
    return {
        name: ",".join(map(str, value)) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value is not None
    }


def _without_excluded(context: click.Context) -> dict[str, Any]:
    """Return the values of all options, without those of the study that an option that was typed excludes."""
    values: dict[str, Any] = dict(context.params)
    typed = {name for name in values if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    for name in typed:
        values |= {other: none for other, none in _EXCLUDED_BY.get(name, {}).items() if other not in typed}
    return values


def _at_fixed_rates(sweep: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the options of a study's open load, with a time in place of a number of requests. UsageError
    for options that it cannot have."""
    axis, rates = values["rate"]
    others = [f"--{option}" for option in ("concurrency", "slo", "idle") if values[option] is not None]
    others += ["--rate in per cent"] if axis == "peak" else []
    if others:
        raise click.UsageError(
            f"{sweep} has an open load at fixed rates, so {others[0]} cannot follow; --rate in requests/s, --requests "
            "or --duration, --warmup, --blocks, --servers and --workloads can"
        )
    requests, seconds = values["requests"], values["duration"]
    if requests is None or seconds is not None:
        return values
    if len(rates) > 1:
        raise click.UsageError(
            f"{sweep}: {requests:,} requests in each trial need one rate; give one --rate, or --duration in their place"
        )
    return values | {"requests": None, "duration": requests / rates[0]}
