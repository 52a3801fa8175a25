"""Chooses where servers and generators run, and checks what that needs from this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from ab_runner import paths
from ab_runner.errors import UserError
from ab_runner.host import machine
from ab_runner.model.protocol import SweepRequest
from ab_runner.model.server import DEFAULT_JDK
from ab_runner.runtime import process
from ab_runner.runtime.base import Runtime, RuntimeUnusable
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.docker_commands import why_unusable
from ab_runner.runtime.process import ProcessRuntime

SPARE_FILES = 16
"""What ab opens besides its connections."""


def choose_runtime(request: SweepRequest, fixtures: Path, port: int, tell: Callable[[str], None]) -> Runtime:
    """Return Docker where its engine answers, else processes of this host. RuntimeUnusable or UserError where the
    request cannot be met."""
    cpus = machine.cpu_split(request.generators)
    if 0 < len(cpus.generator) < request.generators:
        tell(
            f"! {request.generators} generators need {request.generators + 1} cores and this machine has fewer: "
            "they share the cores there are, which limits their load"
        )
    unusable = why_unusable() if request.runtime != "process" else None
    if request.runtime == "docker" and unusable:
        raise RuntimeUnusable(f"--runtime docker: {unusable}")
    if request.runtime != "process" and not unusable:
        return DockerRuntime(paths.ROOT, fixtures, cpus, request.network, request.jdk or DEFAULT_JDK)
    if request.network != "loopback":
        raise UserError(f"--network {request.network} needs Docker" + (f": {unusable}" if unusable else ""))
    if unusable:
        tell(f"servers run as processes of this host, because {unusable}")
    if rights := process.rights():
        tell(f"! {rights}")
    return ProcessRuntime(paths.SERVERS, fixtures, cpus, port, request.jdk)


def check_limits(runtime: Runtime, concurrency: Sequence[int], port: int) -> None:
    """Make the generator ready. UserError if the port of a process is taken, or ab may open too few files."""
    if runtime.name == ProcessRuntime.name:
        _check_port(port)
    _check_open_files(concurrency, runtime.prepare_generator())


def _check_port(port: int) -> None:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("", port))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UserError(f"port {port}: {reason}; free it or choose another with --port") from None


def _check_open_files(concurrency: Sequence[int], limit: int) -> None:
    if max(concurrency) + SPARE_FILES > limit:
        raise UserError(
            f"concurrency {max(concurrency):,} needs {max(concurrency) + SPARE_FILES:,} open files "
            f"and ab may open {limit:,}: "
            "raise the limit (ulimit -n; for Docker that of the daemon) or lower --concurrency"
        )
