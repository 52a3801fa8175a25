"""The machine of an engine that is not on this one, as the agent's image tells it."""

from __future__ import annotations

import subprocess

import msgspec
from msgspec.structs import replace

from ab_runner.catalog import compose
from ab_runner.model.sweep import Conditions, Machine
from ab_runner.runtime import docker_builds, engine
from ab_runner.runtime.agent import IN_CONTAINER
from ab_runner.runtime.base import RuntimeUnusable
from ab_runner.runtime.docker_commands import checked
from ab_runner.runtime.docker_server import AGENT


class EngineMachine(msgspec.Struct, frozen=True):
    """What is known of a machine. `cores` has the hyper-threads of each core that containers may use."""

    machine: Machine
    conditions: Conditions
    cores: tuple[tuple[int, ...], ...]


def engine_machine() -> EngineMachine | None:
    """Return what is known of the engine's machine; None where it is this one. RuntimeUnusable if it does not tell."""
    if not engine.is_elsewhere():
        return None
    docker_builds.make_base_images()
    if reason := docker_builds.build(compose.render((), of_sweep=True), [AGENT]):
        raise RuntimeUnusable(f"the image of the agent does not build: {reason}")
    python, *program = IN_CONTAINER
    # In the network of the machine, whose settings are asked for. Nothing is listened to or sent.
    container = ("docker", "run", "--rm", "--network=host", "--read-only", "--cap-drop=ALL", "--entrypoint", python)
    try:
        said = checked(*container, f"ab-runner/{AGENT}", *program, "facts")
        name, system = checked("docker", "info", "--format", "{{.Name}}|{{.OperatingSystem}}").split("|")
        found = msgspec.json.decode(said, type=EngineMachine)
    except (subprocess.SubprocessError, msgspec.DecodeError, ValueError) as error:
        raise RuntimeUnusable(f"the machine of the Docker engine does not tell its facts: {error}") from error
    return replace(found, machine=replace(found.machine, hostname=name, system=system))
