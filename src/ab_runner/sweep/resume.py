"""What is left to do of a sweep that was interrupted, and whether it can go on as what it was. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from ab_runner.model.records import NotMeasured, Record, StartRecord, Sweep, Trial, cell_of
from ab_runner.sweep.protocol import ServerRun


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
    fields = [field for field in then.machine.__struct_fields__ if field != "sysctls"]
    yield from machine_differences(then, now, fields)
    yield from difference("server CPUs", then.server_cpus, now.server_cpus)
    yield from difference("generator CPUs", then.generator_cpus, now.generator_cpus)
    yield from environment_differences(then, now)
    yield from fixture_differences(then, now)
    yield from server_differences(then, now)


def machine_differences(then: Sweep, now: Sweep, fields: Iterable[str]) -> Iterator[str]:
    for field in fields:
        yield from difference(field.replace("_", " "), getattr(then.machine, field), getattr(now.machine, field))


def environment_differences(then: Sweep, now: Sweep) -> Iterator[str]:
    """Of the host's sysctls, and of the versions of what takes part."""
    yield from _each(then.machine.sysctls, now.machine.sysctls)
    yield from _each(then.environment, now.environment)


def fixture_differences(then: Sweep, now: Sweep) -> Iterator[str]:
    yield from _each(then.fixtures, now.fixtures)


def server_differences(then: Sweep, now: Sweep) -> Iterator[str]:
    here = {server.id: server for server in now.everyone}
    for server in then.everyone:
        if server.id not in here:
            yield f"{server.id} cannot run: {now.skipped.get(server.id, 'no server has that name')}"
        elif server != here[server.id]:
            yield f"{server.id} has another server.toml"


def _each(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*then, *now}):
        yield from difference(name, then.get(name), now.get(name))


def difference(name: str, then: object, now: object) -> Iterator[str]:
    if then != now:
        yield f"{name} is {_text(now)} and was {_text(then)}"


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)
