"""./ab-runner run: measures a sweep and shows its tables. This is what happens without a command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ab_runner.catalog.workloads import workloads_with
from ab_runner.cli import options
from ab_runner.host import interrupt
from ab_runner.load.generator_registry import DEFAULT, GENERATORS, OPEN
from ab_runner.model.protocol import PROTOCOLS, SweepRequest, WarmUp, for_open_load, for_workloads
from ab_runner.model.server import DEFAULT_JDK, JDKS
from ab_runner.model.workload import WorkloadName
from ab_runner.sweep.request import Place, with_changes


@click.command("run")
@click.option(
    "--servers",
    type=options.Names("server"),
    default="*",
    metavar="GLOB,…",
    help="Which servers, by id, pattern or set: '@core,nginx*'. ./ab-runner list shows ids and sets.  [default: all]",
)
@options.servers_from
@click.option(
    "--workloads",
    type=options.Names("workload", options.workload_names),
    default=lambda: ",".join(options.workload_names()),
    metavar="NAME,…",
    help=f"Some of {', '.join(options.workload_names())}.  [default: all]",
)
@click.option(
    "--concurrency",
    type=options.CONCURRENCY,
    help="Connections at once, each of which waits for its answer: a closed load.  "
    f"[default: {options.DEFAULT_CONCURRENCY}]",
)
@click.option(
    "--rate",
    type=options.Rates(),
    help="An open load by open-load: requests come at planned times, as those of independent users do, so many per "
    "second (1000,2000), or per cent of each server's peak (50%,90%). It shows latency.",
)
@click.option(
    "--slo",
    type=options.Slo(),
    help="An open load that searches for the capacity, the rate at which half of the trials keep a percentile within a "
    "bound: p99=10ms.",
)
@click.option("--idle", type=options.IDLE_CONNECTIONS, help="Idle connections beside one --rate.")
@click.option(
    "--protocol",
    type=click.Choice(list(PROTOCOLS)),
    default="standard",
    show_default=True,
    help="2006: 200,000 requests per trial after a warm-up of 100,000. standard: 6 blocks, 1 s per trial. quick: 1 "
    "block, 1 s per trial. A trial of an open load takes 5 s (standard) or 2 s (quick). With many connections and slow "
    "answers a timed trial takes up to five times as long.",
)
@click.option(
    "--requests", type=options.Whole(min=1), metavar="N", help="Requests per trial, instead of the protocol's length."
)
@click.option(
    "--duration",
    type=options.Duration(),
    help="Time per trial, instead of the protocol's length: 10, 10s, 2m or 1h.",
)
@click.option(
    "--blocks",
    type=options.Whole(1, 1000),
    metavar="N",
    help="How often every server is started and measured, each time in a new random order. Confidence intervals "
    "and ranks need 6.  [default: the protocol's]",
)
@click.option(
    "--generator",
    type=click.Choice(list(GENERATORS)),
    help=f"The program that makes a closed load.  [default: {DEFAULT.name}]",
)
@click.option(
    "--generator-processes",
    "generators",
    type=options.Whole(1, 64),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes or threads of the generator of a closed load, each on its own core, which share the connections. "
    "For timed trials only.",
)
@click.option(
    "--server-cpus",
    type=options.Whole(min=1),
    metavar="N",
    help="CPUs that each server is pinned to.  [default: all but the generators']",
)
@click.option(
    "--share-cpus",
    is_flag=True,
    help="Server and generator share all CPUs, as with most published figures; these are not those of a server alone.",
)
@click.option(
    "--warmup",
    type=options.WarmUpOption(),
    help="Warm-up of each start: a time with its unit (10s, 2m), or a number of requests of each workload (20000). "
    "With 0 a trial that was cold is made again; with none servers are measured as they start.  [default: until warm]",
)
@options.runtime
@click.option(
    "--network",
    type=click.Choice(["loopback", "bridge"]),
    default="loopback",
    show_default=True,
    help="docker only. loopback: the generator runs in the server's network namespace, as in 2006. bridge: it "
    "connects across a bridge.",
)
@click.option(
    "--server-host",
    metavar="CONTEXT",
    help="docker only: the Docker context of the host that servers run on.  [default: the engine that docker takes]",
)
@click.option(
    "--load-hosts",
    type=options.Names("load host"),
    metavar="CONTEXT,…",
    help="docker only: the Docker contexts of the hosts that load comes from.  [default: beside the server]",
)
@click.option(
    "--server-address",
    metavar="ADDRESS",
    help="The address at which load hosts reach the server's host.  [default: by the context of --server-host]",
)
@click.option(
    "--swarm",
    is_flag=True,
    help="docker only: blocks run on the nodes of a Docker swarm with the label ab-runner=bench, several at once. Each "
    "gives a container its engine's socket, which is root there.",
)
@click.option(
    "--registry",
    type=options.RegistryName(),
    help="Where the nodes of a swarm get images from.  [default: Docker contexts of their names]",
)
@click.option(
    "--jdk",
    type=click.Choice(JDKS),
    help=f"The JDK of all JVM servers.  [default: docker {DEFAULT_JDK}, process the newest of this host]",
)
@options.port_of_processes
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of this sweep.  [default: results/TIME-PROTOCOL]",
)
@click.option("--dry-run", is_flag=True, help="Checks the options, shows what would be measured, and starts nothing.")
def command(dry_run: bool, **values: Any) -> None:
    """Runs a sweep and shows its tables. This is what happens without a command."""
    request, place = asked(**values)
    sys.exit(show(request, place) if dry_run else measured(request, place))


def asked(
    *,
    servers: tuple[str, ...],
    servers_from: tuple[Path, ...],
    workloads: tuple[WorkloadName, ...],
    concurrency: tuple[int, ...] | None,
    rate: tuple[str, tuple[int, ...]] | None,
    slo: tuple[str, tuple[int, ...]] | None,
    idle: tuple[int, ...] | None,
    protocol: str,
    requests: int | None,
    duration: float | None,
    blocks: int | None,
    generator: str | None,
    generators: int,
    server_cpus: int | None,
    share_cpus: bool,
    warmup: WarmUp | None,
    runtime: str,
    network: str,
    server_host: str | None,
    load_hosts: tuple[str, ...] | None,
    server_address: str | None,
    swarm: bool,
    registry: str | None,
    jdk: int | None,
    port: int,
    out: Path | None,
) -> tuple[SweepRequest, Place]:
    """Return what the values of these options ask for. UsageError for options that do not go together."""
    trial = options.trial_load(requests, duration)
    opened, levels = options.open_load(rate, slo, idle, concurrency)
    if opened and generator not in (None, OPEN.name):
        raise click.UsageError(
            f"--generator {generator} is for closed loads: {OPEN.name} makes those of --rate and --slo"
        )
    study = options.study_here()
    usual = for_workloads(PROTOCOLS[protocol], workloads_with(study).values())
    usual = for_open_load(usual) if opened else usual
    request = SweepRequest(
        servers=servers,
        workloads=workloads,
        levels=levels,
        open=opened,
        protocol=with_changes(usual, trial=trial, warm_up=warmup, blocks=blocks),
        runtime=runtime,
        network=network,
        server_host=server_host,
        load_hosts=load_hosts or (),
        server_address=server_address,
        swarm=swarm,
        registry=registry,
        jdk=jdk,
        seed=0,
        generator=DEFAULT.name if opened or generator is None else generator,
        generators=generators,
        server_cpus=server_cpus,
        share_cpus=share_cpus,
    )
    return request, Place(servers_from=servers_from, port=port, out=out)


def show(request: SweepRequest, place: Place) -> int:
    """Show what a sweep would measure, and return the exit code."""
    from ab_runner.cli.console import say_err, say_out
    from ab_runner.sweep.begin import lines_of_dry_run

    for line in lines_of_dry_run(request, place, say_err):
        say_out(line)
    return 0


def measured(request: SweepRequest, place: Place) -> int:
    """Measure a sweep, show its tables, and return the exit code."""
    with interrupt.fatal():
        from ab_runner.cli.console import say_err
        from ab_runner.cli.measuring import measure_and_report
        from ab_runner.sweep.begin import begin_sweep

    with begin_sweep(request, place, say_err) as ready:
        return measure_and_report(ready)
