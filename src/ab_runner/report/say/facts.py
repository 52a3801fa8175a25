"""The lines at the head of a report: what was run, and on which machine. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ab_runner.analysis.comparison import to_know_of
from ab_runner.analysis.drift import Drift
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.axis import exact_text, levels_text
from ab_runner.model.protocol import cpus_text
from ab_runner.model.records import Record, StartRecord
from ab_runner.model.server import Server
from ab_runner.model.sweep import Outside, Sweep
from ab_runner.report.say.numbers import numbers_text, rate_figure
from ab_runner.report.say.words import words_of

_JVM_BUILD = re.compile(r"Runtime .{0,200}?\(build ([^)\n]{1,100})\)")
"""In what `java -version` prints, which a start keeps as it is."""
_SAID_AT_MOST = 2_000
"""Characters of it that are looked at."""


def heading_of(sweep: Sweep) -> str:
    """Return the first line of a report."""
    request = sweep.request
    what = f"{sweep.id}: protocol {request.protocol.name}, runtime {request.runtime}, network {request.network}"
    return f"{what}; {levels_text(request.axis, request.levels, request.open)}" if request.open else what


def subtitle_of(sweep: Sweep) -> str:
    """Return what a chart in a file of its own says of its sweep, beside what it shows."""
    machine = sweep.machine
    servers = "" if sweep.request.server_cpus is None else f", servers on {cpus_text(sweep.cpus_of_a_server)}"
    return (
        f"{sweep.id}, {machine.cpu_model}, {cpus_text(machine.cpus)}{servers}, protocol {sweep.request.protocol.name}"
    )


def session_lines(analysis: SweepAnalysis) -> tuple[str, ...]:
    """Return a line for each session of a result of several, and one for what else differs between them."""
    if not analysis.sessions:
        return ()
    first, *others = analysis.sessions
    differing = dict.fromkeys(line for other in others for line in to_know_of(first, other))
    return (
        *(_session_text(number, each) for number, each in enumerate(analysis.sessions, 1)),
        *((f"between sessions: {'; '.join(differing)}",) if differing else ()),
    )


def _session_text(number: int, sweep: Sweep) -> str:
    machine = sweep.machine
    begun = f"{sweep.started:%Y-%m-%d %H:%M} UTC"
    return f"session {number}: {sweep.id}, begun {begun}; {machine.cpu_model}, {cpus_text(machine.cpus)}"


def facts_of(analysis: SweepAnalysis) -> tuple[str, ...]:
    """Return the facts about the machine and how it was used, one in each line."""
    return tuple(_facts(analysis))


def _facts(analysis: SweepAnalysis) -> Iterator[str]:
    sweep = analysis.sweep
    machine, generator = sweep.machine, words_of(sweep.request).generator
    yield (
        f"{machine.cpu_model}, {cpus_text(machine.cpus)}, {machine.memory_bytes / 2**30:.0f} GiB; {machine.system}, "
        f"kernel {machine.kernel}; {_generator_text(sweep)}"
    )
    if sweep.load_hosts:
        yield from _load_hosts(sweep, generator)
    elif sweep.server_cpus:
        yield f"servers on {_pinned_text(sweep.server_cpus)}, {generator} on {_pinned_text(sweep.generator_cpus)}"
    else:
        yield f"servers and {generator} share the CPUs: the figures are not those of a server alone"
    if sweep.request.jdk is not None and any(server.is_jvm for server in sweep.servers):
        yield from _jvms(sweep, _builds(analysis.stored.records))
    if (plan := sweep.request.open) and plan.is_exact:
        yield f"{exact_text(plan)}; no lead-in, and every second counts"
    if sweep.request.protocol.warm_up.is_none:
        yield "without warm-up: servers are measured as they start"
    if share := sweep.request.protocol.failures_at_most:
        yield f"a trial counts if no more than {100 * share:g} % of its requests failed"
    for id, origin in origins_of(sweep).items():
        yield f"{id} is from outside the repository: {origin}"
    if analysis.drifts:
        yield _drift_fact(analysis.drifts)
    elif sweep.request.open:
        yield "whether the machine drifted is not tested under an open load"


def _load_hosts(sweep: Sweep, generator: str) -> Iterator[str]:
    """Yield which CPUs servers had, and a line for each host that load came from."""
    servers = f"on {_pinned_text(sweep.server_cpus)}" if sweep.server_cpus else "on all CPUs of their host"
    count = len(sweep.load_hosts)
    together = f", links together measured at {_link_text(sweep.links_together or 0.0)}" if count > 1 else ""
    yield f"servers {servers}, {generator} on {count} other host{'s' if count > 1 else ''}{together}"
    for host in sweep.load_hosts:
        machine = host.machine
        yield (
            f"load host {host.name}: {machine.cpu_model}, {cpus_text(machine.cpus)}, not pinned; {machine.system}, "
            f"kernel {machine.kernel}, Docker {host.engine}; link measured at {_link_text(host.link)}"
        )


def _link_text(bytes_per_second: float) -> str:
    return f"{8 * bytes_per_second / 1e6:,.0f} Mbit/s"


def _jvms(sweep: Sweep, builds: str) -> Iterator[str]:
    """Yield what JVM servers ran on: one line, or one for each group that the study set differently."""
    groups: dict[str, list[str]] = {}
    for server in sweep.servers:
        if server.is_jvm:
            groups.setdefault(_settings_text(server, sweep.request.jdk), []).append(server.id)
    if len(groups) == 1:
        yield f"JVM servers on {next(iter(groups))}{builds}"
        return
    yield from (f"on {settings}: {', '.join(ids)}" for settings, ids in groups.items())
    yield f"JVMs{builds}: between these groups it is not the servers alone that differ"


def _settings_text(server: Server, jdk: int | None) -> str:
    """Return `JDK 8 with -Xmx2g, memory limit 3 GiB`; without flags and limit where these are the toolkit's."""
    flags = "" if server.jvm_flags is None else f" with {' '.join(server.jvm_flags) or 'no flags'}"
    memory = "" if server.memory is None else f", memory limit {server.memory / 2**30:g} GiB"
    return f"JDK {server.jdk or jdk}{flags}{memory}"


def origins_of(sweep: Sweep) -> dict[str, str]:
    """Return where the servers from outside the repository come from: `image my:1, sha256:0123; others get it at …`."""
    outside = (server for server in sweep.servers if server.id in sweep.outside)
    return {server.id: _origin_text(server, sweep.outside[server.id]) for server in outside}


def _origin_text(server: Server, outside: Outside) -> str:
    what = f"image {server.image}" if server.image else f"command in {outside.folder}"
    where = f"others get it at {server.origin}" if server.origin else "it does not say where others get it"
    return f"{what}, {outside.program[:19]}; {where}"


def _pinned_text(cpus: Sequence[int]) -> str:
    """Return `2 CPUs (CPU 1, 2)`."""
    return f"{cpus_text(len(cpus))} (CPU {numbers_text(cpus)})"


def _generator_text(sweep: Sweep) -> str:
    name = sweep.request.load_by
    said = sweep.environment.get(f"{name} package") or sweep.environment.get(name) or name
    return said if said.partition(" ")[0] == name else f"{name} of {said}"


def _builds(records: Iterable[Record]) -> str:
    """Return ` (build 25.0.3+9-2)`, as reported by the JVMs that were started."""
    said = (record.environment.get("version", "") for record in records if isinstance(record, StartRecord))
    builds = dict.fromkeys(found[1] for text in said if (found := _JVM_BUILD.search(text[:_SAID_AT_MOST])))
    return f" (build {', '.join(builds)})" if builds else ""


def _drift_fact(drifts: Sequence[Drift]) -> str:
    changes = (f"{each.workload} {rate_figure(each.before)} and {rate_figure(each.after)}" for each in drifts)
    when = (
        "in the first and the last third of the sweep" if any(each.batches for each in drifts) else "before and after"
    )
    return f"ceiling {when}: {', '.join(changes)}"
