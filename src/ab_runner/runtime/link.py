"""What the links from the server's host to load hosts carry, by a short transfer between containers of the agent."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from ab_runner.agent.link import SENDS_SECONDS
from ab_runner.errors import UserError
from ab_runner.runtime.agent import AGENT, IN_CONTAINER
from ab_runner.runtime.base import RuntimeUnusable, last_lines
from ab_runner.runtime.docker_commands import checked, run
from ab_runner.runtime.engine import Engine

_PORT = "9000"
_ALONE = (
    "--rm", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--memory=256m",
    "--memory-swap=256m", "--pids-limit=64", f"--entrypoint={IN_CONTAINER[0]}",
)  # fmt: skip
"""What compose.yaml says of the agent's container."""
_PROGRAM = (f"ab-runner/{AGENT}", *IN_CONTAINER[1:])


def links(server: Engine, address: str, hosts: Sequence[Engine]) -> tuple[list[float], float]:
    """Return the bytes per second from the server's host to each host, when none go to the others, and to all of them
    at once. UserError if one cannot reach that address. All engines must have the agent's image."""
    sender = _sender(server, address)
    try:
        port = checked(server, "port", sender, f"{_PORT}/tcp").splitlines()[0].rpartition(":")[2]
        alone = [_received(address, port, host) for host in hosts]
        if len(hosts) == 1:
            return alone, alone[0]
        with ThreadPoolExecutor() as pool:
            return alone, sum(pool.map(partial(_received, address, port), hosts))
    except subprocess.SubprocessError as error:
        raise RuntimeUnusable(f"the link to the load hosts cannot be measured: {error}") from None
    finally:
        run(server, "rm", "--force", sender)


def _sender(server: Engine, address: str) -> str:
    """Return the container that sends to everybody who connects to that address. It ends by itself."""
    published = ("--detach", "--publish", f"{address}::{_PORT}")
    done = run(server, "run", *published, *_ALONE, *_PROGRAM, "send", _PORT, seconds=SENDS_SECONDS)
    if done.returncode:
        raise UserError(
            f"nothing can be published at {address}, which must be an address of the server's host "
            f"(--server-address): {last_lines(done.stderr, 1)}"
        )
    return done.stdout.strip()


def _received(address: str, port: str, host: Engine) -> float:
    done = run(host, "run", *_ALONE, *_PROGRAM, "receive", address, port)
    if done.returncode:
        raise UserError(
            f"load host {host.context} does not reach the server's host at {address}: {last_lines(done.stderr, 1)}; "
            "is that its address (--server-address), and does no firewall keep published ports away?"
        )
    return float(done.stdout)
