"""The docker command line: whether it can be used, and its commands, run so that an interruption leaves nothing."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import BinaryIO

from ab_runner.host.interrupt import held
from ab_runner.runtime import engine
from ab_runner.runtime.base import STOP_SECONDS, RuntimeUnusable, end_group, last_lines

ENGINE_SECONDS = 120.0
"""Longest time that the engine may take for one of our small requests."""
INSTALL_HINT = (
    "on Debian run docker/install-engine as root, "
    "elsewhere install Docker Engine 25 or newer with Compose v2 and buildx"
)


def why_unusable() -> str | None:
    """Return why Docker cannot be used here, in a line that says how to fix it; None if it can."""
    if engine.is_usable():  # the docker command needs 0.1 s and more to start, and `list` would wait for it
        return None
    # One call for all three. That it names the server's version makes it ask the engine.
    template = "{{.ServerVersion}}{{range .ClientInfo.Plugins}} {{.Name}}{{end}}"
    try:
        done = run("docker", "info", "--format", template, seconds=15)
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


def down(project: str, seconds: float = 1) -> None:
    """Remove all that a project has, by its labels, and try for so long to do it; RuntimeUnusable if some of it stays:
    it would share the CPUs. Nothing is given time to end in its own way, which takes a JVM 0.3 s each time: what it had
    to say has been kept."""
    command = ("docker", "compose", "--project-name", project, "down", "--volumes", "--remove-orphans")
    deadline = time.monotonic() + seconds
    while True:
        with suppress(subprocess.TimeoutExpired):
            done = run(*command, "--timeout", "0")
            if done.returncode == 0:
                return
        if time.monotonic() >= deadline:
            break
        time.sleep(1)
    raise RuntimeUnusable(f"the Docker engine does not remove what the sweep started; run: {' '.join(command)}")


def run(
    *command: str,
    seconds: float = ENGINE_SECONDS,
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


def checked(*command: str) -> str:
    """Return a command's output; subprocess.CalledProcessError if it fails."""
    done = run(*command)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return done.stdout.strip()
