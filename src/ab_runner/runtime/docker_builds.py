"""What an engine gets before servers start: base images, images that Compose builds, and files in volumes. All of it
goes through the docker command, which sends it to an engine on another machine too."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ab_runner import paths
from ab_runner.model.server import DEFAULT_JDK
from ab_runner.runtime.base import RuntimeUnusable, last_lines
from ab_runner.runtime.docker_commands import ENGINE_SECONDS, checked, run, run_command
from ab_runner.runtime.docker_images import architecture
from ab_runner.runtime.engine import Engine

_LIBRARIES = "ab-runner-libraries-"
_COPY_SECONDS = 1800.0
"""Longest time that an image may take from one engine to another: over 10 Mbit/s it is some minutes."""
_ALONE = (
    "--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--memory=1g",
    "--memory-swap=1g", "--pids-limit=64",
)  # fmt: skip
"""What compose.yaml says of the fixtures' container."""


def compose(
    on: Engine, services: str, *arguments: str, jdk: int | None = None, seconds: float = ENGINE_SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run a command of Compose on services that are given as YAML."""
    command = ("compose", "--project-directory", str(paths.ROOT), "--file", "-", *arguments)
    return run(on, *command, seconds=seconds, variables={"JDK": str(jdk or DEFAULT_JDK)}, given=services)


def build(on: Engine, services: str, names: Sequence[str], jdk: int | None = None) -> str:
    """Build the images of these services, and return the end of what Docker said if that fails, else an empty text."""
    # Not --quiet, which leaves out what the step that failed has said.
    done = compose(on, services, "--progress", "plain", "build", *names, jdk=jdk, seconds=3600)
    return last_lines(done.stdout + done.stderr, 5) if done.returncode else ""


def make_base_images(on: Engine, *images: str) -> None:
    """Make or pull the base images, and these. RuntimeUnusable if that does not work."""
    done = run_command([str(paths.DOCKER / "base-images"), *images], seconds=900, variables=on.variables)
    if done.returncode:
        raise RuntimeUnusable(f"docker/base-images failed: {last_lines(done.stderr)}")


def copy_images(images: Sequence[str], source: Engine, target: Engine) -> None:
    """Have these images of one engine on another one too: those that it lacks, in one stream, so that layers that they
    share are sent once. RuntimeUnusable if that does not work, or if the other engine's machine is of another kind."""
    try:
        wanted, there = images_on(source), images_on(target)
        if unknown := [image for image in images if _tagged(image) not in wanted]:
            raise RuntimeUnusable(f"there is no image {', '.join(unknown)} to be copied")
        lacking = [image for image in images if there.get(_tagged(image)) != wanted[_tagged(image)]]
        if not lacking:
            return
        if (its := architecture(target)) != (ours := architecture(source)):
            raise RuntimeUnusable(f"images cannot be copied to {target.context}: it is {its}, and they are for {ours}")
        words = shlex.join(source.docker("save", *lacking)), shlex.join(target.docker("load", "--quiet"))
        done = run_command(["bash", "-o", "pipefail", "-c", " | ".join(words)], seconds=_COPY_SECONDS * len(lacking))
    except subprocess.SubprocessError as error:
        raise RuntimeUnusable(f"images cannot be copied to {target.context}: {error}") from None
    if done.returncode:
        raise RuntimeUnusable(f"images cannot be copied to {target.context}: {last_lines(done.stderr, 1)}")


def images_on(engine: Engine) -> dict[str, str]:
    """Return the id of each image of an engine, by its name with the tag."""
    said = checked(engine, "image", "ls", "--no-trunc", "--format", "{{.Repository}}:{{.Tag}} {{.ID}}")
    return dict(line.split(" ", 1) for line in said.splitlines())


def lacks(engine: Engine, images: Sequence[str]) -> list[str]:
    """Return those of these images that an engine does not have."""
    there = images_on(engine)
    return [image for image in images if _tagged(image) not in there]


def _tagged(image: str) -> str:
    """Return the name of an image as `docker image ls` has it."""
    return image if ":" in image.rpartition("/")[2] else f"{image}:latest"


def fill_fixtures(on: Engine, image: str, volume: str, folder: str) -> None:
    """Have the files that servers serve in a volume, which the image makes in that folder, and checks against their
    checksums. RuntimeUnusable if that does not work."""
    done = run(on, "run", "--rm", *_ALONE, "--volume", f"{volume}:{folder}", image)
    if done.returncode:
        raise RuntimeUnusable(f"the fixtures cannot be made: {last_lines(done.stderr, 1)}")


def fill_libraries(on: Engine, image: str, folder: str, files: Sequence[Path]) -> str:
    """Return a volume with what an image has in this folder and these files: those that no registry has are in no
    image. It is named after the image's id. subprocess.CalledProcessError if that does not work."""
    volume = _LIBRARIES + image.removeprefix("sha256:")[:16]
    container = checked(on, "create", "--network=none", "--volume", f"{volume}:{folder}", image)
    try:
        for file in files:
            checked(on, "cp", str(file), f"{container}:{folder}/{file.name}")
    finally:
        run(on, "rm", container)
    return volume
