#!/usr/bin/env python3
"""Does the runner change what it measures? ab by hand against a trial of the runner, in turns on one running server.

    PYTHONPATH=src .venv/bin/python benchmarks/overhead.py [PAIRS] [SERVER] [CONCURRENCY]

By hand is `docker exec … ab` and nothing else; the runner samples answers, CPU time and the JVM's counters beside ab,
records every latency and waits for clean ground before. The order within a pair changes from pair to pair. The ratio
of the two rates should be within 0.98 and 1.02; its interval is Student's, of the logarithms of the pairs' ratios.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from math import exp, log
from pathlib import Path
from statistics import mean

from scipy.stats import ttest_1samp

from ab_runner import paths
from ab_runner.catalog.servers import load
from ab_runner.host.cooldown import settle
from ab_runner.host.machine import cpu_split, local_ports
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.load import ab
from ab_runner.model.load import LoadReport
from ab_runner.model.workload import workload_named
from ab_runner.monitor.sampler import ResourceSampler
from ab_runner.runtime.base import RunningServer
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.sweep import probe
from ab_runner.sweep.fixtures import make_fixtures
from ab_runner.sweep.samples import SpotChecks

SWEEP = "overhead"
SECONDS = 2
WARM_UP_SECONDS = 10


def main(pairs: int, server_id: str, concurrency: int) -> None:
    server = load(paths.SERVERS)[server_id]
    runtime = DockerRuntime(paths.ROOT, make_fixtures(), cpu_split(), "loopback")
    runtime.prepare_generator()
    runtime.prepare([server], print)
    workload = workload_named("small")
    with sweep_lock(), tempfile.TemporaryDirectory() as raw, tempfile.TemporaryDirectory() as scratch:
        runtime.begin(SWEEP, Path(raw), Path(scratch))
        try:
            running = runtime.start(server, server.id)
            probe.wait_until_ready(running.address, workload, 60, running.ended)
            url = f"http://{running.host}{workload.path}"
            by_hand(running, url, concurrency, WARM_UP_SECONDS)
            rates: dict[str, list[float]] = {"by hand": [], "ab-runner": []}
            for number in range(pairs):
                turns = [("by hand", by_hand), ("ab-runner", by_runner)]
                for name, run in turns if number % 2 else reversed(turns):
                    rates[name].append(run(running, url, concurrency, SECONDS))
                    print(f"{number + 1} {name}: {rates[name][-1]:,.0f}", flush=True)
        finally:
            runtime.close()
    ratios = [log(ours / theirs) for ours, theirs in zip(rates["ab-runner"], rates["by hand"], strict=True)]
    low, high = ttest_1samp(ratios, 0).confidence_interval(0.95)
    print(f"{server_id} c={concurrency}: ab-runner / by hand = {exp(mean(ratios)):.3f}, "
          f"95 % interval {exp(low):.3f} to {exp(high):.3f}, of {pairs} pairs")  # fmt: skip


def by_hand(running: RunningServer, url: str, concurrency: int, seconds: int) -> float:
    command = [
        "docker",
        "exec",
        f"ab-runner-{SWEEP}-ab-1",
        *ab.command(url=url, concurrency=concurrency, seconds=seconds),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=False)
    return rate(ab.parse(done.stdout, done.stderr, done.returncode))


def by_runner(running: RunningServer, url: str, concurrency: int, seconds: int) -> float:
    command = ab.command(url=url, concurrency=concurrency, seconds=seconds, percentiles="/raw/x.csv")
    settle(running.accounts.server.processes()[0] if running.accounts else None, local_ports(running.environment))
    head, expected = probe.question(running.host, workload_named("small"), paths.FIXTURES / "files")
    with SpotChecks(running.address, head, expected, keep_alive=False), ResourceSampler(running):
        done = running.generate(ab.recording_latencies(command, "/raw/x.latencies"), seconds + 60)
    return rate(ab.parse(done.stdout, done.stderr, done.exit_code))


def rate(outcome: object) -> float:
    assert isinstance(outcome, LoadReport), outcome
    return outcome.requests_per_second


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 60,
        sys.argv[2] if len(sys.argv) > 2 else "tomcat-5.5.15",
        int(sys.argv[3]) if len(sys.argv) > 3 else 100,
    )
