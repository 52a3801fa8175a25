"""What differs between two sweeps: in the machine, the versions of what takes part, the fixtures and the servers.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from ab_runner.model.server import Server
from ab_runner.model.sweep import Sweep


def differences(then: Sweep, now: Sweep) -> Iterator[str]:
    """Yield everything that is no longer as it was when a sweep began: `kernel is 6.12.1 and was 6.1.0`."""
    fields = [field for field in then.machine.__struct_fields__ if field != "sysctls"]
    yield from machine_differences(then, now, fields)
    yield from difference("server CPUs", then.server_cpus, now.server_cpus)
    yield from difference("generator CPUs", then.generator_cpus, now.generator_cpus)
    yield from load_host_differences(then, now, fields)
    yield from environment_differences(then, now)
    yield from fixture_differences(then, now)
    yield from workload_differences(then, now)
    yield from server_differences(then, now)


def machine_differences(then: Sweep, now: Sweep, fields: Iterable[str]) -> Iterator[str]:
    """Yield the differences of the machine in these fields of `Machine`. A host name that is not known, as in published
    sweeps, is no difference."""
    for field in fields:
        before, after = getattr(then.machine, field), getattr(now.machine, field)
        if field != "hostname" or (before and after):
            yield from difference(field.replace("_", " "), before, after)


def load_host_differences(then: Sweep, now: Sweep, fields: Iterable[str]) -> Iterator[str]:
    """Yield the differences of the hosts that load comes from, in these fields of `Machine` and in their engines."""
    before, after = ({host.name: host for host in sweep.load_hosts} for sweep in (then, now))
    yield from difference("load from", tuple(before), tuple(after))
    for name in (each for each in before if each in after):
        one, other = before[name], after[name]
        yield from difference(f"Docker engine of {name}", one.engine, other.engine)
        for field in fields:
            values = getattr(one.machine, field), getattr(other.machine, field)
            yield from difference(f"{field.replace('_', ' ')} of {name}", *values)


def environment_differences(then: Sweep, now: Sweep) -> Iterator[str]:
    """Yield the differences of the host's sysctls, and of the versions of what takes part."""
    yield from _by_name(then.machine.sysctls, now.machine.sysctls)
    yield from _by_name(then.environment, now.environment)


def fixture_differences(then: Sweep, now: Sweep) -> Iterator[str]:
    """Yield the differences of the files that are served."""
    yield from _by_name(then.fixtures, now.fixtures)


def workload_differences(then: Sweep, now: Sweep) -> Iterator[str]:
    """Yield a line for each workload that both have and that asks for something else now. How many requests it has is
    a matter of the protocol."""
    here = {workload.name: workload for workload in now.workloads}
    for workload in then.workloads:
        before, after = (
            replace(each, summary="", by_requests=None) for each in (workload, here.get(workload.name, workload))
        )
        if before != after:
            yield f"workload {workload.name} has changed"


def server_differences(then: Sweep, now: Sweep) -> Iterator[str]:
    """Yield the servers that have changed, in a line for each kind of change, and those that are gone, with the reason.
    New ones are no difference, and nor is what older sweeps say of a server that stands for a published one."""
    here = {server.id: server for server in now.everyone}
    revised = revisions(then, now)
    for (before, after), ids in by_revisions(revised).items():
        yield f"revision {before} → {after}: the server's behaviour changed ({', '.join(ids)})"
    for id in sorted({*then.outside} & {*now.outside}):
        if then.outside[id].program != now.outside[id].program:
            yield f"the image or the files of {id} have changed"
    set_anew = [
        each.id for each in then.everyone if each.id in here and settings_of(each) != settings_of(here[each.id])
    ]
    if set_anew:
        yield f"JDK, JVM flags or memory limit of {', '.join(set_anew)} changed"
    kept = [each for each in then.everyone if each.id in here and each.id not in (*revised, *set_anew)]
    edited = [each.id for each in kept if replace(each, published=None) != replace(here[each.id], published=None)]
    if edited:
        yield f"server.toml of {', '.join(edited)} changed"
    for server in then.everyone:
        if server.id not in here:
            skip = now.skipped.get(server.id)
            yield f"{server.id} cannot run: {skip.detail if skip else 'no server has that name'}"


def settings_of(server: Server) -> tuple[object, ...]:
    """Return what a study alone may set of a server."""
    return server.jdk, server.jvm_flags, server.memory


def revisions(then: Sweep, now: Sweep) -> dict[str, tuple[int, int]]:
    """Return the revisions then and now of the servers of both sweeps that have another one now."""
    here = {server.id: server.revision for server in now.everyone}
    pairs = {server.id: (server.revision, here.get(server.id, server.revision)) for server in then.everyone}
    return {id: pair for id, pair in pairs.items() if pair[0] != pair[1]}


def by_revisions(revised: Mapping[str, tuple[int, int]]) -> dict[tuple[int, int], list[str]]:
    """Return the servers by their revisions then and now."""
    groups: dict[tuple[int, int], list[str]] = {}
    for id, pair in revised.items():
        groups.setdefault(pair, []).append(id)
    return groups


def difference(name: str, then: object, now: object) -> Iterator[str]:
    """Yield a line with both values if they differ."""
    if then != now:
        yield f"{name} is {_text(now)} and was {_text(then)}"


def _by_name(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*then, *now}):
        yield from difference(name, then.get(name), now.get(name))


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)
