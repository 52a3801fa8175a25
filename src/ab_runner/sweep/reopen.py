"""Opens an interrupted sweep, to go on with it as the same sweep."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ab_runner.catalog.catalog import load_catalog
from ab_runner.errors import UserError
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.records import ResumeRecord
from ab_runner.model.server import Server, current_id
from ab_runner.model.sweep import Sweep
from ab_runner.store.differences import differences
from ab_runner.store.layout import StoreError
from ab_runner.store.plan import left_of
from ab_runner.store.reader import read
from ab_runner.store.writer import Store
from ab_runner.sweep.begin import check_name, prepare_process
from ab_runner.sweep.measure import ReadySweep
from ab_runner.sweep.ready.prepare import nodes_of, prepare, sweep_here


@contextmanager
def reopen_sweep(
    folder: Path, servers_from: Iterable[Path], port: int, anyway: bool, tell: Callable[[str], None]
) -> Iterator[ReadySweep | None]:
    """Prepare what is left of a sweep, and hold the lock of sweeps until the block ends; None if nothing is left.
    UserError if something has changed, unless `anyway` is true: then the differences are part of the results."""
    prepare_process()
    check_name(folder)
    if not left_of(read(folder)):
        yield None
        return
    with sweep_lock():
        stored = read(folder)  # again: until here another process could still write to it
        sweep = stored.sweep
        left = left_of(stored)
        catalog = load_catalog(servers_from, sweep.request.study, sweep.request.study_sweep)
        if unknown := [id for id in sweep.outside if id not in catalog.servers]:
            where = sorted({str(Path(sweep.outside[id].folder).parent) for id in unknown})
            raise UserError(
                f"{folder}: {', '.join(unknown)} came from outside the repository: "
                f"add --servers-from {' --servers-from '.join(where)}"
            )
        wanted = [catalog.servers[server.id] for server in sweep.servers if server.id in catalog.servers]
        prepared = prepare(sweep.request, catalog, wanted, port, tell)
        now = sweep_here(sweep.id, sweep.started, prepared)
        now = msgspec.structs.replace(now, skipped=now.skipped | _renamed(sweep, catalog.servers))
        found = tuple(differences(sweep, now))
        if found and not anyway:
            raise UserError(
                f"{folder} cannot be resumed as the same sweep: {'; '.join(found)} "
                "(--anyway resumes it, and the tables say so)"
            )
        here = {server.id for server in now.everyone}
        yield ReadySweep(
            sweep=now,
            runs=tuple(run for run in left if run.server in here),
            runtime=prepared.runtime,
            fixtures=prepared.fixtures,
            store=_store_of(folder, found),
            before=stored.records,
            nodes=nodes_of(sweep.request),
        )


def _renamed(sweep: Sweep, catalog: Mapping[str, Server]) -> dict[str, Skip]:
    """Return the sweep's servers that have another id now, each with that as the reason why it cannot run: its cells
    have the old id."""
    now = {server.id: current_id(server.id, catalog.values()) for server in sweep.servers}
    return {then: Skip(SkipKind.OTHER, f"it is {id} now") for then, id in now.items() if id != then}


def _store_of(folder: Path, differences: tuple[str, ...]) -> Store:
    """Return the sweep's store with a record of how it differs from now on. StoreError if it takes none."""
    store = Store(folder)
    try:
        store.append(ResumeRecord(at=datetime.datetime.now(datetime.UTC), differences=differences))
    except OSError as error:
        raise StoreError(f"cannot write to {folder}: {error.strerror}") from error
    return store
