"""The docker command line: whether it can be used, and its commands, run so that an interruption leaves nothing. The
first argument is the engine that a command is for."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO

from ab_runner.errors import UserError
from ab_runner.host.interrupt import held
from ab_runner.host.sweep_lock import LOCK
from ab_runner.model.protocol import CONTEXT_PATTERN
from ab_runner.runtime import engine
from ab_runner.runtime.base import STOP_SECONDS, RuntimeUnusable, end_group, last_lines
from ab_runner.runtime.engine import USUAL, Engine

LABEL = "ab-runner.sweep-under"
OURS = f"{LABEL}={platform.node()}:{LOCK}"
"""Label of every container of a sweep: the holder of the lock may remove what earlier holders left, on any engine."""
_CONTEXT = re.compile(CONTEXT_PATTERN)
ENGINE_SECONDS = 120.0
"""Longest time that the engine may take for one of our small requests."""
_LOOK_SECONDS = 15.0
"""Longest time that it may take to say what it is."""
INSTALL_HINT = (
    "on Debian run docker/install-engine as root, "
    "elsewhere install Docker Engine 25 or newer with Compose v2 and buildx"
)


def why_unusable(on: Engine = USUAL) -> str | None:
    """Return why Docker cannot be used here, in a line that says how to fix it; None if it can."""
    if engine.is_usable(on):  # the docker command needs 0.1 s and more to start, and `list` would wait for it
        return None
    # One call for all three. That it names the server's version makes it ask the engine.
    template = "{{.ServerVersion}}{{range .ClientInfo.Plugins}} {{.Name}}{{end}}"
    try:
        done = run(on, "info", "--format", template, seconds=_LOOK_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return f"no Docker engine answers: {INSTALL_HINT}"
    if "permission denied" in done.stderr:
        return "you may not use the Docker engine: join the group docker, or run as root"
    if done.returncode:
        return f"no Docker engine answers ({last_lines(done.stderr, 1)}): {INSTALL_HINT}"
    plugins = done.stdout.split()[1:]
    for plugin, name in (("compose", "Compose v2"), ("buildx", "buildx")):
        if plugin not in plugins:
            return f"the docker command has no {name}: {INSTALL_HINT}"
    return None


def engine_of(context: str) -> Engine:
    """Return the engine of a context, or the one that the docker command takes by itself where the name is empty, with
    its endpoint. UserError if docker knows no context of that name."""
    if context and not _CONTEXT.fullmatch(context):
        raise UserError(f"{context[:60]!r} is no name of a Docker context")
    names = [context] if context else []
    try:
        done = run(USUAL, "context", "inspect", "--format", "{{.Endpoints.docker.Host}}", *names, seconds=_LOOK_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        raise UserError(f"there is no docker command that works: {INSTALL_HINT}") from None
    if done.returncode:
        raise UserError(
            f"there is no Docker context {context}: `docker context create {context} --docker host=ssh://{context}` "
            "makes one, and `docker context ls` lists them"
        )
    return Engine(context, done.stdout.strip())


def remove_left_over(on: Engine, label: str = OURS) -> list[str]:
    """Remove what sweeps of this user of this machine, or those of another label, left on an engine when they were
    killed, and return the names of their projects. Whoever holds the lock of sweeps is alone, so that none of them is
    running."""
    template = '{{.Label "com.docker.compose.project"}}'
    found = checked(on, "ps", "--all", "--filter", f"label={label}", "--format", template)
    projects = sorted(set(found.splitlines()))
    for project in projects:
        down(on, project)
    return projects


def down(on: Engine, project: str, seconds: float = 1) -> None:
    """Remove all that a project has, by its labels, and try for so long to do it; RuntimeUnusable if some of it stays:
    it would share the CPUs. Nothing is given time to end in its own way, which takes a JVM 0.3 s each time: what it had
    to say has been kept."""
    command = ("compose", "--project-name", project, "down", "--volumes", "--remove-orphans")
    deadline = time.monotonic() + seconds
    while True:
        with suppress(subprocess.TimeoutExpired):
            done = run(on, *command, "--timeout", "0")
            if done.returncode == 0:
                return
        if time.monotonic() >= deadline:
            break
        time.sleep(1)
    by_hand = " ".join(on.docker(*command))
    raise RuntimeUnusable(f"the Docker engine does not remove what the sweep started; run: {by_hand}")


def run(
    on: Engine,
    *arguments: str,
    seconds: float = ENGINE_SECONDS,
    output: BinaryIO | None = None,
    variables: Mapping[str, str] | None = None,
    given: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a docker command, as `run_command` does."""
    return run_command(on.docker(*arguments), seconds, output, variables, given)


def run_command(
    command: Sequence[str],
    seconds: float,
    output: BinaryIO | None = None,
    variables: Mapping[str, str] | None = None,
    given: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a command in a session of its own, so that Ctrl-C reaches the runner alone. `output` takes both streams;
    `given` is what the command reads.

    However it ends early (its time is up, the runner is interrupted), its whole process group is asked to end first:
    a script's clean-up runs, and a client tells the engine.
    """
    # These are for a person's `docker compose up`; a sweep must not depend on them.
    own = {name: value for name, value in os.environ.items() if name not in ("SERVER", "PORT", "JDK")}
    process: subprocess.Popen[str] | None = None
    try:
        with held():
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=output or subprocess.PIPE,
                stderr=subprocess.STDOUT if output else subprocess.PIPE,
                text=True,
                errors="backslashreplace",
                env={**own, **(variables or {})},
                start_new_session=True,
            )
        stdout, stderr = process.communicate(given, timeout=seconds)
    except BaseException:
        if process is not None:
            with process:  # which closes its pipes
                end_group(process, STOP_SECONDS)
        raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


class DockerFailed(subprocess.CalledProcessError):
    """A docker command failed. As a text it is what docker said last."""

    def __str__(self) -> str:
        return f"docker {' '.join(self.cmd[:2])} failed: {last_lines(self.stderr, 1)}"


def checked(on: Engine, *arguments: str, seconds: float = ENGINE_SECONDS, given: str = "") -> str:
    """Return the output of a docker command, which reads `given`; DockerFailed if it fails."""
    done = run(on, *arguments, seconds=seconds, given=given)
    if done.returncode:
        raise DockerFailed(done.returncode, arguments, done.stdout, done.stderr)
    return done.stdout.strip()
