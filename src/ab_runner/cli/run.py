"""One sweep from its options to its tables."""

from __future__ import annotations

import datetime
import math
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
import msgspec
from rich.console import Console

from ab_runner import paths
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.analysis.warnings import findings_of
from ab_runner.catalog.servers import load
from ab_runner.cli.artifacts import provide
from ab_runner.cli.files import write_page
from ab_runner.cli.progress import display_for
from ab_runner.cli.reports import put_report
from ab_runner.cli.show import console_for, say, say_missing
from ab_runner.errors import UserError
from ab_runner.host import interrupt, machine, preflight
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.model.protocol import Protocol, SweepRequest
from ab_runner.model.records import AFTER, CellRecord, NotMeasured, Record, ResumeRecord, Sweep, Trial, is_valid
from ab_runner.model.server import DEFAULT_JDK, REFERENCE, Server
from ab_runner.model.workload import WorkloadName
from ab_runner.report import csv, markdown
from ab_runner.report.tables import report_of
from ab_runner.report.warnings import skipped_lines
from ab_runner.runtime.base import Runtime, RuntimeUnusable
from ab_runner.runtime.docker import DockerRuntime, why_unusable
from ab_runner.runtime.process import ProcessRuntime
from ab_runner.store.layout import StoreError
from ab_runner.store.reader import Stored, read
from ab_runner.store.writer import Store, point_latest_to, write_report
from ab_runner.sweep.dry_run import lines_of
from ab_runner.sweep.events import CellFinished, CellsAdded, Event
from ab_runner.sweep.precision import further_blocks
from ab_runner.sweep.protocol import ServerRun, plan_of
from ab_runner.sweep.resume import differences, remaining, starts_so_far
from ab_runner.sweep.run import run
from ab_runner.sweep.turn import SweepContext

SPARE_FILES = 16
"""What ab opens besides its connections."""
_NONE_HERE = "none of these servers can run here; `./ab-runner doctor` says what is missing"


def run_sweep(
    servers: Sequence[Server],
    workloads: tuple[WorkloadName, ...],
    concurrency: tuple[int, ...],
    protocol: Protocol,
    out: Path | None,
    *,
    runtime: str,
    network: str,
    port: int,
    jdk: int | None,
    until_precision: float | None,
    budget: int,
    generators: int,
    dry_run: bool,
) -> int:
    """Runs it all, or says what that would be, and returns the exit code. What is wrong with the input is raised before
    any server is started."""
    console = console_for(sys.stderr)
    interrupt.install()
    os.umask(0o022)  # servers run as somebody else and must read what is made for them
    servers = [server for server in servers if set(server.workloads) & set(workloads)]
    if not servers:
        raise click.UsageError(f"none of these servers has a workload of {', '.join(workloads)}")
    began = datetime.datetime.now(datetime.UTC)
    request = SweepRequest(
        protocol=protocol, servers=tuple(server.id for server in servers), workloads=workloads,
        concurrency=concurrency, runtime=runtime, network=network, seed=int(began.timestamp()), jdk=jdk,
        precision=until_precision, budget=budget if until_precision else None, generators=generators,
    )  # fmt: skip
    sweep_id = f"{began:%Y%m%d-%H%M%S}-{protocol.name}"
    folder = out or paths.RESULTS / sweep_id
    _check_folder(folder)
    if dry_run:
        return _say_plan(console, request, servers)
    with sweep_lock():
        prepared = _prepare(console, request, servers, port)
        sweep = _sweep_here(sweep_id, began, prepared)
        return _measure(console, Store.make(folder, sweep), sweep, plan_of(sweep), prepared, ())


def _say_plan(console: Console, request: SweepRequest, wanted: Sequence[Server]) -> int:
    """What the sweep would fetch or build counts as there. RuntimeUnusable if none of the servers can run here."""
    runtime = _choose_runtime(console, request, paths.FIXTURES, port=0)
    reference = load(paths.SERVERS)[REFERENCE]
    missing = {server.id: reason for server in [*wanted, reference] if (reason := runtime.unavailable(server))}
    able = [server for server in wanted if server.id not in missing]
    if not able:
        raise RuntimeUnusable(_NONE_HERE)
    shown = console_for(sys.stdout)
    for line in lines_of(request, able, None if reference.id in missing else reference):
        say(shown, line)
    say_missing(shown, wanted, missing)
    return 0


def resume_sweep(folder: Path, *, port: int, anyway: bool) -> int:
    """Goes on with an interrupted sweep and returns the exit code. click.UsageError if something is not as it was,
    unless it shall be done `anyway`: then the differences are part of the results."""
    console = console_for(sys.stderr)
    interrupt.install()
    os.umask(0o022)
    folder = folder.resolve()  # results/latest is a link, which would come to point to itself
    stored = read(folder)
    sweep = stored.sweep
    left = remaining(plan_of(sweep), stored.records)
    if not left:
        say(console, f"{folder} is complete: every cell has its record")
        return 0
    with sweep_lock():
        catalog = load(paths.SERVERS)
        wanted = [catalog[server.id] for server in sweep.servers if server.id in catalog]
        prepared = _prepare(console, sweep.request, wanted, port)
        now = _sweep_here(sweep.id, sweep.started, prepared)
        found = tuple(differences(sweep, now))
        if found and not anyway:
            raise click.UsageError(
                f"{folder} cannot go on as the same sweep: {'; '.join(found)} (--anyway goes on, and the tables say so)"
            )
        kept = Store(folder)
        try:
            kept.append(ResumeRecord(at=datetime.datetime.now(datetime.UTC), differences=found))
        except OSError as error:
            raise StoreError(f"cannot write to {folder}: {error.strerror}") from error
        here = {server.id for server in now.everyone}
        left = [part for part in left if part.server in here]
        return _measure(console, kept, now, left, prepared, stored.records)


class _Prepared(msgspec.Struct, frozen=True):
    """What a sweep runs on, made ready. `left_out` has the reasons of those that cannot run here; without a reference
    nobody knows of a drift."""

    request: SweepRequest
    runtime: Runtime
    fixtures: Path
    servers: tuple[Server, ...]
    skipped: dict[str, str]
    reference: Server | None


def _prepare(console: Console, request: SweepRequest, wanted: Sequence[Server], port: int) -> _Prepared:
    """Builds what can be built. A server that does not build takes part: its cells have that as their reason.
    RuntimeUnusable if none can run here."""

    def tell(text: str) -> None:
        say(console, text)

    fixtures = make_fixtures()
    runtime = _choose_runtime(console, request, fixtures, port)
    if runtime.name == ProcessRuntime.name:
        _check_port(port)
    _check_open_files(request.concurrency, runtime.prepare_generator())
    reference = load(paths.SERVERS)[REFERENCE]
    everyone = [*wanted, *(() if reference in wanted else (reference,))]
    skipped = {server.id: reason for server in everyone if (reason := runtime.unavailable(server))}
    skipped |= provide([server for server in everyone if server.id not in skipped], tell)
    able = [server for server in wanted if server.id not in skipped]
    unbuilt = runtime.prepare([server for server in everyone if server.id not in skipped], tell) if able else {}
    if reference not in wanted and reference.id in unbuilt:
        skipped[reference.id] = f"does not build: {unbuilt.pop(reference.id)}"
    for line in skipped_lines(skipped):
        tell(line)
    for server, reason in unbuilt.items():
        tell(f"does not build: {server}: {reason}")
    if len(unbuilt) == len(able):
        raise RuntimeUnusable(_NONE_HERE)
    return _Prepared(
        request=msgspec.structs.replace(request, runtime=runtime.name, network=runtime.network, jdk=runtime.jdk),
        runtime=runtime,
        fixtures=fixtures,
        servers=tuple(able),
        skipped=skipped,
        reference=None if reference.id in {*skipped, *unbuilt} else reference,
    )


def _sweep_here(sweep_id: str, began: datetime.datetime, prepared: _Prepared) -> Sweep:
    """What was asked, on this machine as it is now."""
    runtime = prepared.runtime
    return Sweep(
        id=sweep_id,
        started=began,
        request=prepared.request,
        machine=machine.describe(),
        conditions=preflight.look(),
        server_cpus=runtime.server_cpus,
        generator_cpus=runtime.generator_cpus,
        environment=runtime.environment() | _toolkit_version(),
        fixtures=_digests(),
        servers=prepared.servers,
        skipped=prepared.skipped,
        reference=prepared.reference,
    )


def _measure(
    console: Console,
    kept: Store,
    sweep: Sweep,
    runs: Sequence[ServerRun],
    prepared: _Prepared,
    before: Sequence[Record],
) -> int:
    """Makes these runs and shows the tables, of what there is if it had to stop. `before` is what the sweep has
    already."""
    cells = sum(len(part.cells) for part in runs)
    runtime = prepared.runtime
    servers = {server.id: server for server in sweep.everyone}
    taking_part = len({part.server for part in runs})
    say(console, f"{kept.folder}")
    for finding in findings_of(sweep):
        if not finding.good:
            say(console, f"! {finding.text}")
    say(console, f"{_count(cells, 'trial')} of {_count(taking_part, 'server')}, runtime {runtime.name}")
    stopped = False
    try:
        if kept.folder.parent == paths.RESULTS:
            point_latest_to(kept.folder)
        runtime.begin(sweep.id, kept.raw, kept.scratch)
        with display_for(console, cells) as display:
            records = [record for record in before if isinstance(record, Trial | NotMeasured)]

            def show_event(event: Event) -> None:
                if isinstance(event, CellFinished):
                    records.append(event.record)
                display.show(event)

            bench = SweepContext(
                servers, sweep.request.protocol, runtime, kept, prepared.fixtures, show_event, sweep.request.generators
            )
            run(_with_further_blocks(runs, sweep.request, records, show_event), bench, starts_so_far(before))
    except (OSError, subprocess.SubprocessError, RuntimeUnusable) as error:
        stopped = True
        say(console, f"ab-runner: the sweep stopped: {error}")
    finally:
        kept.close()
        stored = _report(console, kept.folder)
    return 1 if stopped or not any(is_valid(record) for record in stored.records) else 0


def _with_further_blocks(
    runs: Sequence[ServerRun], request: SweepRequest, records: Sequence[CellRecord], show: Callable[[Event], None]
) -> Iterator[ServerRun]:
    """What was planned, and before the last measurement of the reference what precision asks for."""
    yield from (part for part in runs if part.block != AFTER)
    if request.precision is not None:
        began = time.monotonic()
        budget = request.budget or math.inf
        for block in further_blocks(
            records, request.precision, request.seed, lambda: time.monotonic() - began > budget
        ):
            show(CellsAdded(sum(len(part.cells) for part in block)))
            yield from block
    yield from (part for part in runs if part.block == AFTER)


def _report(console: Console, folder: Path) -> Stored:
    """Shows the tables, if there is anything to put into them, and writes them into the folder."""
    stored = read(folder)
    analysis = analyse(stored)
    if any(isinstance(record, Trial | NotMeasured) for record in stored.records):
        put_report(report_of(analysis))
        say(console, f"./ab-runner report {folder} shows this again")
    else:
        say(console, f"no trial was made; {folder} says what happened until then")
    if remaining(plan_of(stored.sweep), stored.records):
        say(console, f"./ab-runner resume {folder} goes on with it")
    try:
        write_report(folder / "tables.md", markdown.render(report_of(analysis, everything=True)))
        write_report(folder / "trials.csv", csv.render(analysis))
        say(console, f"{write_page(analysis, folder)} has charts")
    except (OSError, UserError) as error:
        say(console, f"ab-runner: cannot write the reports: {error}; `./ab-runner report {folder}` shows them")
    return stored


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _check_folder(folder: Path) -> None:
    """StoreError where the folder cannot be made or is not empty, before the work of a sweep is done for nothing."""
    try:
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"{folder} is not a folder; name another with --out")
        if folder.exists() and any(folder.iterdir()):
            raise StoreError(f"{folder} is not empty; name another with --out")
        nearest = next(each for each in [folder.absolute(), *folder.absolute().parents] if each.exists())
        tempfile.TemporaryDirectory(dir=nearest).cleanup()
    except OSError as error:
        raise StoreError(f"{folder} cannot be written ({error.strerror}); name another with --out") from None


def make_fixtures() -> Path:
    folder = paths.FIXTURES / "files"
    done = subprocess.run(
        [sys.executable, str(paths.FIXTURES / "generate.py"), str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise StoreError(done.stderr)
    return folder


def _digests() -> dict[str, str]:
    """File name to sha256, from the list that generate.py has just checked the files against."""
    lines = (line.split() for line in (paths.FIXTURES / "SHA256SUMS").read_text().splitlines())
    return {name: digest for digest, name in lines}


def _choose_runtime(console: Console, request: SweepRequest, fixtures: Path, port: int) -> Runtime:
    cpus = machine.cpu_split(request.generators)
    if 0 < len(cpus.generator) < request.generators:
        say(
            console,
            f"! {request.generators} generators need {request.generators + 1} cores and this machine has fewer: "
            "they share what there is, and can do no more than that",
        )
    unusable = why_unusable() if request.runtime != "process" else None
    if request.runtime == "docker" and unusable:
        raise RuntimeUnusable(f"--runtime docker: {unusable}")
    if request.runtime != "process" and not unusable:
        return DockerRuntime(paths.ROOT, fixtures, cpus, request.network, request.jdk or DEFAULT_JDK)
    if request.network != "loopback":
        raise click.UsageError(f"--network {request.network} needs Docker" + (f": {unusable}" if unusable else ""))
    if unusable:
        say(console, f"servers run as processes of this host, because {unusable}")
    return ProcessRuntime(paths.SERVERS, fixtures, cpus, port, request.jdk)


def _check_port(port: int) -> None:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("", port))
        except OSError as error:
            raise click.UsageError(
                f"port {port}: {(error.strerror or str(error)).lower()}; free it or choose another with --port"
            ) from None


def _check_open_files(concurrency: Sequence[int], limit: int) -> None:
    if max(concurrency) + SPARE_FILES > limit:
        raise click.UsageError(
            f"concurrency {max(concurrency):,} needs {max(concurrency) + SPARE_FILES:,} open files "
            f"and ab may open {limit:,}: "
            "raise the limit (ulimit -n; for Docker that of the daemon) or ask for less"
        )


def _toolkit_version() -> dict[str, str]:
    command = ["git", "-C", str(paths.ROOT), "describe", "--always", "--dirty", "--tags"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return {}
    return {"toolkit": done.stdout.strip()} if done.returncode == 0 else {}
