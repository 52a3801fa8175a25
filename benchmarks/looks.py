#!/usr/bin/env python3
"""What does a look per second at a JVM's counters cost, and does it slow a server down?

    PYTHONPATH=src .venv/bin/python benchmarks/looks.py [PAIRS] [SERVER]

One server in Docker. First many looks while it has no load: their CPU time in the server's container, in the runner and
in the whole machine, in which the shell and the Docker engine are too. Then trials of 12 s with a course and without
one, in turns, by open-load over 100 kept connections. docs/benchmarks.md has the result.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from unittest.mock import patch

from overhead import in_turns, one_start, ratio_of, said

from ab_runner.host.procfs import CpuTimes, machine_stat
from ab_runner.load.generator_registry import OPEN
from ab_runner.model.load import Load, Outcome
from ab_runner.model.trial import Cell
from ab_runner.monitor import hsperfdata
from ab_runner.monitor.watch import ResourceAccounts
from ab_runner.sweep.server.start import Start
from ab_runner.sweep.trial.closed import PlannedTrial, make_trial

LOOKS = 500
TRIAL = Load(seconds=12)
WARM_UP = Load(seconds=20)
WORKLOAD, CONNECTIONS = "small-keepalive", 100


def main(pairs: int, server_id: str) -> None:
    with one_start(server_id, "looks", OPEN) as start:
        running = start.running
        idle = used(start, lambda: time.sleep(0.005))
        found = used(start, lambda: hsperfdata.parse(running.perf_data()))
        print(f"ms of a look: {', '.join(f'{name} {1000 * found[name] / LOOKS:.2f}' for name in found)}")
        print(f"ms of a pause of 5 ms: {', '.join(f'{name} {1000 * idle[name] / LOOKS:.2f}' for name in idle)}")
        start.load(WORKLOAD, CONNECTIONS, WARM_UP, idle_timeout=30)
        ratio = ratio_of(in_turns(pairs, ("without", lambda: rate(start, False)), ("with", lambda: rate(start, True))))
    print(f"{server_id}, with over without: {said(ratio)}")


def used(start: Start, do: Callable[[], object]) -> Mapping[str, float]:
    """Return the CPU time that doing something `LOOKS` times takes, in seconds."""
    accounts = start.running.accounts
    assert isinstance(accounts, ResourceAccounts), "the engine shows no control groups"

    def totals() -> tuple[float, float, float, float]:
        return time.monotonic(), accounts.server.look().cpu_seconds, time.process_time(), _busy(machine_stat().cpus)

    before = totals()
    for _ in range(LOOKS):
        do()
    names = ("wall-clock", "server", "runner", "machine")
    return {name: after - ours for name, ours, after in zip(names, before, totals(), strict=True)}


def _busy(cpus: Mapping[int, CpuTimes]) -> float:
    return sum(each.programs + each.interrupts for each in cpus.values())


def rate(start: Start, has_course: bool) -> float:
    cell = Cell(start.server.id, WORKLOAD, CONNECTIONS)
    with patch("ab_runner.sweep.server.start.has_course", return_value=has_course):
        trial = make_trial(start, PlannedTrial(cell=cell, load=TRIAL, name=start.name)).trial
    assert isinstance(trial.outcome, Outcome), trial.verdict
    assert bool(trial.course) is has_course
    return trial.outcome.completed_per_second


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10, sys.argv[2] if len(sys.argv) > 2 else "tomcat-11")
