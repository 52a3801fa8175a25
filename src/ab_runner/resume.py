"""What is left to do of a sweep that was interrupted, and whether it can go on as what it was. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ab_runner.model import NotMeasured, Record, StartRecord, Sweep, Trial, cell_of
from ab_runner.protocol import ServerRun


def remaining(runs: Iterable[ServerRun], records: Iterable[Record]) -> list[ServerRun]:
    """The parts of the plan that have cells without a record, with just these cells."""
    done = {(record.block, cell_of(record)) for record in records if isinstance(record, Trial | NotMeasured)}
    left = [
        msgspec.structs.replace(run, cells=tuple(cell for cell in run.cells if (run.block, cell) not in done))
        for run in runs
    ]
    return [run for run in left if run.cells]


def starts_so_far(records: Iterable[Record]) -> int:
    return max((record.start for record in records if isinstance(record, StartRecord | Trial)), default=0)


def differences(then: Sweep, now: Sweep) -> Iterator[str]:
    """What is no longer as it was when the sweep began: `kernel is 6.12.1 and was 6.1.0`."""
    for field in then.machine.__struct_fields__:
        if field != "sysctls":
            name = field.replace("_", " ")
            yield from _difference(name, getattr(then.machine, field), getattr(now.machine, field))
    yield from _difference("server CPUs", then.server_cpus, now.server_cpus)
    yield from _difference("generator CPUs", then.generator_cpus, now.generator_cpus)
    for before, after in (
        (then.machine.sysctls, now.machine.sysctls),
        (then.environment, now.environment),
        (then.fixtures, now.fixtures),
    ):
        for name in sorted({*before, *after}):
            yield from _difference(name, before.get(name), after.get(name))
    here = {server.id: server for server in filter(None, (*now.servers, now.reference))}
    for server in filter(None, (*then.servers, then.reference)):
        if server.id not in here:
            yield f"{server.id} cannot run: {now.left_out.get(server.id, 'no server has that name')}"
        elif server != here[server.id]:
            yield f"{server.id} has another server.toml"


def _difference(name: str, then: object, now: object) -> Iterator[str]:
    if then != now:
        yield f"{name} is {_text(now)} and was {_text(then)}"


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)
