"""Begins a new sweep, or says what it would measure."""

from __future__ import annotations

import datetime
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ab_runner import paths
from ab_runner.catalog.catalog import Catalog, load_catalog
from ab_runner.errors import UserError
from ab_runner.host import interrupt
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.model.limits import PLANNED_AT_MOST
from ab_runner.model.protocol import SweepRequest
from ab_runner.model.server import Server
from ab_runner.runtime.base import RuntimeUnusable
from ab_runner.store.checks import planned_at_most
from ab_runner.store.layout import StoreError
from ab_runner.store.plan import plan_of
from ab_runner.store.writer import Store
from ab_runner.sweep.measure import ReadySweep
from ab_runner.sweep.ready.prepare import (
    NONE_HERE,
    nodes_of,
    prepare,
    request_here,
    sweep_here,
    unavailable_in,
    workloads_of,
)
from ab_runner.sweep.ready.runtime_choice import choose_runtime
from ab_runner.sweep.ready.skipped import skipped_lines
from ab_runner.sweep.request import Place, check
from ab_runner.sweep.schedule.dry_run import lines_of
from ab_runner.sweep.schedule.expected_time import ExpectedTime, expected_time_of


@contextmanager
def begin_sweep(request: SweepRequest, place: Place, tell: Callable[[str], None]) -> Iterator[ReadySweep]:
    """Prepare a sweep of these ids, patterns and sets, and hold the lock of sweeps until the block ends. UserError for
    what is wrong with the request, before any server is started."""
    prepare_process()
    catalog = load_catalog(place.servers_from, request.study, request.study_sweep)
    request, servers = _with_servers(request, catalog, tell)
    began = datetime.datetime.now(datetime.UTC)
    sweep_id = f"{began:%Y%m%d-%H%M%S}-{request.protocol.name}"
    folder = place.out or paths.RESULTS / sweep_id
    check_folder(folder)
    with sweep_lock():
        request = msgspec.structs.replace(request, seed=int(began.timestamp()))
        prepared = prepare(request, catalog, servers, place.port, tell)
        sweep = sweep_here(sweep_id, began, prepared)
        yield ReadySweep(
            sweep=sweep,
            runs=tuple(plan_of(sweep)),
            runtime=prepared.runtime,
            fixtures=prepared.fixtures,
            store=Store.make(folder, sweep),
            nodes=nodes_of(sweep.request),
        )


def prepare_process() -> None:
    """Handle signals at safe moments, and make files readable for servers, which run as another user."""
    interrupt.install()
    os.umask(0o022)


def lines_of_dry_run(request: SweepRequest, place: Place, tell: Callable[[str], None]) -> Iterator[str]:
    """Return what the sweep would measure, in lines. What it would fetch or build counts as available. RuntimeUnusable
    if none of the servers can run here."""
    catalog = load_catalog(place.servers_from, request.study, request.study_sweep)
    check_folder(place.out or paths.RESULTS / "new")
    request, able, reference, skipped = _here(request, catalog, tell)
    yield from lines_of(request, able, reference, workloads_of(request))
    yield from skipped


def expected_here(request: SweepRequest, catalog: Catalog) -> tuple[int, ExpectedTime | None]:
    """Return how many servers of the sweep can run here, and how long it takes; None where that is not known
    beforehand. RuntimeUnusable if none of them can run here."""
    request, able, reference, _ = _here(request, catalog, lambda line: None)
    return len(able), expected_time_of(request, able, reference, workloads_of(request))


def _here(
    request: SweepRequest, catalog: Catalog, tell: Callable[[str], None]
) -> tuple[SweepRequest, list[Server], Server | None, list[str]]:
    """Return what the runtime makes of the request, the servers and the reference that can run here, and a line for
    those that cannot."""
    request, wanted = _with_servers(request, catalog, tell)
    workloads_of(request)
    runtime = choose_runtime(request, catalog, paths.FIXTURES, port=0, tell=tell)
    reference = catalog.reference
    missing = unavailable_in(runtime, [*wanted, reference])
    able = [server for server in wanted if server.id not in missing]
    skipped = list(skipped_lines({server.id: missing[server.id] for server in wanted if server.id in missing}))
    if not able:
        raise RuntimeUnusable(f"{NONE_HERE}: {'; '.join(skipped)}")
    here = request_here(request, runtime, [*able, reference])
    return here, able, None if reference.id in missing else reference, skipped


def _with_servers(
    request: SweepRequest, catalog: Catalog, tell: Callable[[str], None]
) -> tuple[SweepRequest, list[Server]]:
    """Return the request with the ids of its servers, and these; without those that have none of the workloads."""
    check(request)
    named = catalog.named(request.servers, tell)
    servers = [server for server in named if set(server.workloads) & set(request.workloads)]
    if not servers:
        raise UserError(f"none of these servers has a workload of {', '.join(request.workloads)}")
    request = msgspec.structs.replace(request, servers=tuple(server.id for server in servers))
    if (planned := planned_at_most(len(servers), request)) > PLANNED_AT_MOST:
        raise UserError(f"that is {planned:,} trials, and a sweep has at most {PLANNED_AT_MOST:,}: give fewer --blocks")
    return request, servers


def check_name(folder: Path) -> None:
    """Raise StoreError for a path that Compose could not read in its files."""
    try:
        str(folder.absolute()).encode()
    except UnicodeEncodeError:
        raise StoreError(f"{folder}: its path is not UTF-8; give it another name") from None


def check_folder(folder: Path) -> None:
    """Raise StoreError where the folder cannot be made or is not empty, before any work is done for nothing."""
    check_name(folder)
    try:
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"{folder} is not a folder; name another with --out")
        if folder.exists() and any(folder.iterdir()):
            raise StoreError(f"{folder} is not empty; name another with --out")
        nearest = next(each for each in [folder.absolute(), *folder.absolute().parents] if each.exists())
        tempfile.TemporaryDirectory(dir=nearest).cleanup()
    except OSError as error:
        raise StoreError(f"{folder} cannot be written ({error.strerror}); name another with --out") from None
