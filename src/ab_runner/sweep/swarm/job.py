"""A job on a node of a swarm: measures one block with the engine of its node, as a sweep on one machine does, and tells
the runner what it finds by its log."""

from __future__ import annotations

import base64
import datetime
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TextIO

import msgspec
from msgspec.structs import replace

from ab_runner.host import interrupt, safe_files
from ab_runner.host.machine import CpuSplit, cpu_split
from ab_runner.host.sweep_lock import NotAloneError, sweep_lock
from ab_runner.load.generator_registry import generator_of
from ab_runner.model.records import FINISHED, EndRecord, NodeRecord, Record
from ab_runner.model.server import DEFAULT_JDK
from ab_runner.model.sweep import Sweep
from ab_runner.runtime.base import RuntimeUnusable, last_lines
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.docker_builds import lacks
from ab_runner.runtime.docker_commands import checked, run
from ab_runner.runtime.engine import USUAL
from ab_runner.runtime.engine_machine import EngineMachine, machine_of
from ab_runner.runtime.swarm import JOB_FILE
from ab_runner.store.layout import RAW_FOLDER
from ab_runner.store.plan import ServerRun
from ab_runner.store.writer import Store
from ab_runner.sweep.events import Event, PhaseStarted
from ab_runner.sweep.measure import ReadySweep, measure
from ab_runner.sweep.ready.fixtures import make_fixtures
from ab_runner.sweep.ready.prepare import provide
from ab_runner.sweep.ready.runtime_choice import check_limits
from ab_runner.sweep.swarm.told import EndTold, FileTold, PhaseTold, RecordTold, Told, lines_of

STARTS = 10_000
"""Numbers of starts that each job has for itself."""
_WAIT_SECONDS = 90.0
"""How long a job waits for the one before it on its node, which has been told to end."""
_PULL_SECONDS = 1800.0
_LOG_AT_MOST = 1 << 20
"""Bytes of the end of a server's log that the runner gets."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a job is told."""

    number: int
    """From 1 in a sweep."""
    block: int
    node: str
    sweep: Sweep
    runs: tuple[ServerRun, ...]
    images: dict[str, str] = {}
    """What it pulls, by the names that the images have then."""
    unbuilt: dict[str, str] = {}
    """Servers that have no image, with the reason, which is that of their cells."""


class Teller:
    """Writes messages to a stream. Several threads may use it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._number = 0
        self._one_at_a_time = Lock()

    def tell(self, told: Told) -> None:
        """Write a message, whole and at once."""
        with self._one_at_a_time:
            self._number += 1
            self._stream.write("".join(f"{line}\n" for line in lines_of(self._number, told)))
            self._stream.flush()


class TellingStore(Store):
    """A store whose records go to the runner, and whose files do before the records that name them."""

    def __init__(self, folder: Path, teller: Teller) -> None:
        (folder / RAW_FOLDER).mkdir()
        super().__init__(folder)
        self._teller = teller
        self._told: set[str] = set()

    def append(self, record: Record) -> None:
        """Tell a record. The sweep does not end with this block."""
        if not isinstance(record, EndRecord):
            self._tell_files(whole=False)
            self._teller.tell(RecordTold(record))

    def close(self) -> None:
        """Tell the files that were still being written, and end."""
        self._tell_files(whole=True)
        super().close()

    def _tell_files(self, whole: bool) -> None:
        """Tell new files; a server's log, which grows, when the `whole` block has been measured."""
        for path in sorted(self.raw.iterdir()):
            is_log = path.suffix == ".log"
            if path.name not in self._told and not path.name.startswith(".") and (whole or not is_log):
                self._told.add(path.name)
                with suppress(OSError):
                    self._teller.tell(FileTold(path.name, _end_of(path) if is_log else safe_files.read(path)))


def _end_of(path: Path) -> bytes:
    with open(path, "rb", opener=safe_files.opener) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - _LOG_AT_MOST))
        return file.read(_LOG_AT_MOST)


def main() -> None:
    """Do the job, and tell how it ended."""
    interrupt.install()
    os.umask(0o022)
    teller = Teller(sys.stdout)
    ending = FINISHED
    try:
        job = msgspec.json.decode(zlib.decompress(base64.b64decode(JOB_FILE.read_bytes())), type=Job)
        with _alone(), tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            _run(job, Path(folder), teller)
    except interrupt.Interrupted:
        ending = "interrupted"
    except Exception as error:
        ending = str(error) or repr(error)
    teller.tell(EndTold(ending))


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the lock of sweeps of this node. NotAloneError if another job keeps it."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        lock = sweep_lock()
        try:
            lock.__enter__()
            break
        except NotAloneError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(1)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


def _run(job: Job, folder: Path, teller: Teller) -> None:
    request, everyone = job.sweep.request, job.sweep.everyone
    servers = [server for server in everyone if any(run.server == server.id for run in job.runs)]
    _pull(job.images)
    there = machine_of(USUAL)
    cpus = CpuSplit((), ()) if request.share_cpus else cpu_split(request.generators, request.server_cpus, there.cores)
    jdk = request.jdk or DEFAULT_JDK
    runtime = DockerRuntime(cpus, request.network, jdk, generator_of(request), there, USUAL, builds=False)
    runtime.unbuilt |= job.unbuilt
    if missing := lacks(USUAL, runtime.images_of(servers)):
        raise RuntimeUnusable(f"the node has no image {', '.join(missing)}")
    unusable = {server.id: skip.detail for server in servers if (skip := runtime.unavailable(server))}
    unusable |= {id: skip.detail for id, skip in provide(servers, lambda line: None).items()}
    fixtures = make_fixtures()
    check_limits(runtime, request, job.sweep.workloads, port=0)
    unbuilt = runtime.prepare(servers, lambda line: None)
    unusable |= {id: why for id, why in unbuilt.items() if id not in job.unbuilt}
    if unusable:
        raise RuntimeUnusable("; ".join(f"{id}: {why}" for id, why in unusable.items()))
    environment = runtime.environment()
    here = _here(job.sweep, there, cpus)
    ready = ReadySweep(
        sweep=here, runs=job.runs, runtime=runtime, fixtures=fixtures, store=TellingStore(folder, teller),
        starts=job.number * STARTS,
    )  # fmt: skip
    teller.tell(
        RecordTold(
            NodeRecord(
                block=job.block,
                node=job.node,
                job=job.number,
                at=datetime.datetime.now(datetime.UTC),
                machine=there.machine,
                conditions=there.conditions,
                server_cpus=cpus.server,
                generator_cpus=cpus.generator,
                environment=environment,
            )
        )
    )
    measure(ready, lambda event: _show(event, teller))


def _show(event: Event, teller: Teller) -> None:
    """Tell what goes on; that a cell is finished, its record tells."""
    if isinstance(event, PhaseStarted):
        teller.tell(PhaseTold(event))


def _here(sweep: Sweep, there: EngineMachine, cpus: CpuSplit) -> Sweep:
    return replace(
        sweep,
        machine=there.machine,
        conditions=there.conditions,
        server_cpus=cpus.server,
        generator_cpus=cpus.generator,
    )


def _pull(images: dict[str, str]) -> None:
    """Have these images, by the names that are the keys. RuntimeUnusable if that does not work."""
    for name, reference in images.items():
        done = run(USUAL, "pull", "--quiet", reference, seconds=_PULL_SECONDS)
        if done.returncode:
            raise RuntimeUnusable(f"{name} cannot be pulled: {last_lines(done.stderr, 1)}")
        try:
            checked(USUAL, "tag", reference, name)
        except subprocess.CalledProcessError as error:
            raise RuntimeUnusable(f"{name} cannot be named: {last_lines(error.stderr, 1)}") from None
