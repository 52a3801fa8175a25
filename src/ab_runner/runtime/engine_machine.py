"""The machine of an engine that is not on this one, as the agent's image tells it."""

from __future__ import annotations

import subprocess

import msgspec
from msgspec.structs import replace

from ab_runner.catalog import compose
from ab_runner.model.sweep import Conditions, Machine
from ab_runner.runtime import docker_builds, engine
from ab_runner.runtime.agent import AGENT, IN_CONTAINER
from ab_runner.runtime.base import RuntimeUnusable
from ab_runner.runtime.docker_commands import checked
from ab_runner.runtime.engine import Engine


class EngineMachine(msgspec.Struct, frozen=True):
    """What is known of a machine. `cores` has the hyper-threads of each core that containers may use, `conntrack` the
    settings of its connection tracking."""

    machine: Machine
    conditions: Conditions
    cores: tuple[tuple[int, ...], ...]
    conntrack: dict[str, str] = {}


def engine_machine(on: Engine) -> EngineMachine | None:
    """Return what is known of the engine's machine; None where it is this one. RuntimeUnusable if it does not tell."""
    if not engine.is_elsewhere(on):
        return None
    build_agent(on)
    return machine_of(on)


def build_agent(on: Engine) -> None:
    """Build the image of the agent. RuntimeUnusable if that does not work."""
    docker_builds.make_base_images(on)
    if reason := docker_builds.build(on, compose.render((), of_sweep=True), [AGENT]):
        raise RuntimeUnusable(f"the image of the agent does not build: {reason}")


def machine_of(on: Engine) -> EngineMachine:
    """Return what is known of the machine of an engine that has the image of the agent. RuntimeUnusable if it does not
    tell."""
    python, *program = IN_CONTAINER
    # In the network of the machine, whose settings are asked for. Nothing is listened to or sent.
    container = ("run", "--rm", "--network=host", "--read-only", "--cap-drop=ALL", "--entrypoint", python)
    try:
        said = checked(on, *container, f"ab-runner/{AGENT}", *program, "facts")
        name, system = checked(on, "info", "--format", "{{.Name}}|{{.OperatingSystem}}").split("|")
        found = msgspec.json.decode(said, type=EngineMachine)
    except (subprocess.SubprocessError, msgspec.DecodeError, ValueError) as error:
        raise RuntimeUnusable(f"the machine of the Docker engine does not tell its facts: {error}") from error
    return replace(found, machine=replace(found.machine, hostname=name, system=system))
