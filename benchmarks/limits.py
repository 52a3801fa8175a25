#!/usr/bin/env python3
"""Do the limits of docker/service.yaml change what is measured? With and without them, in turns on one running server.

    PYTHONPATH=src .venv/bin/python benchmarks/limits.py [PAIRS] [SERVER] [CONCURRENCY]

`docker update` sets the memory and the processes of the server's container and of ab's. Without limits means 1 TiB: no
container that runs can lose its limit of memory. The trials are those of benchmarks/overhead.py. The ratio of the two
rates should be within 0.98 and 1.02."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from overhead import SECONDS, WARM_UP_SECONDS, by_runner, in_turns, one_start, ratio_of, said

from ab_runner.model.load import Load

SWEEP = "limits"
WITHOUT = ("--memory=1t", "--memory-swap=1t", "--pids-limit=-1")


def main(pairs: int, server_id: str, concurrency: int) -> None:
    containers = [f"ab-runner-{SWEEP}-1-{name}-1" for name in (server_id, "ab")]
    with one_start(server_id, SWEEP) as start:
        limits = {container: limits_of(container) for container in containers}
        start.load("small", concurrency, Load(seconds=WARM_UP_SECONDS), start.context.protocol.idle_timeout)

        def rate(limited: bool) -> float:
            for container in containers:
                set_limits(container, limits[container] if limited else WITHOUT)
            return by_runner(start, concurrency, SECONDS)

        ratio = ratio_of(in_turns(pairs, ("without limits", lambda: rate(False)), ("with limits", lambda: rate(True))))
    print(f"{server_id} c={concurrency}, with limits over without: {said(ratio)}")


def limits_of(container: str) -> tuple[str, ...]:
    """Return the options of `docker update` that set the limits which the container has."""
    options = (("memory", "Memory"), ("memory-swap", "MemorySwap"), ("pids-limit", "PidsLimit"))
    template = " ".join(f"--{option}={{{{.HostConfig.{field}}}}}" for option, field in options)
    done = subprocess.run(
        ["docker", "inspect", "--format", template, container], capture_output=True, text=True, check=True
    )
    return tuple(done.stdout.split())


def set_limits(container: str, options: Sequence[str]) -> None:
    subprocess.run(["docker", "update", *options, container], capture_output=True, check=True)


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 60,
        sys.argv[2] if len(sys.argv) > 2 else "tomcat-5.5.15",
        int(sys.argv[3]) if len(sys.argv) > 3 else 100,
    )
