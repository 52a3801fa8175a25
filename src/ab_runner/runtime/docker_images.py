"""Images that this toolkit has not built, as the engine describes them."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache

from msgspec import Struct

from ab_runner.errors import UserError
from ab_runner.runtime.docker_commands import checked
from ab_runner.runtime.engine import Engine

_PATH = re.compile(r"(/[A-Za-z0-9_][A-Za-z0-9._-]*)+")
_WANTED = '{"id": {{json .Id}}, "architecture": {{json .Architecture}}, "volumes": {{json .Config.Volumes}}}'


class UnusableImage(UserError):
    """An image that cannot be measured here, with the reason."""


class Image(Struct, frozen=True):
    """An image of this machine. `volumes` are the folders that it declares: without a limit of their own, containers
    could fill the disk through them."""

    id: str
    volumes: tuple[str, ...]


def image_called(on: Engine, name: str) -> Image:
    """Return the image of that name. UnusableImage if the engine does not have it, or it is not for its machine."""
    try:
        said = json.loads(checked(on, "image", "inspect", "--format", _WANTED, name))
    except subprocess.CalledProcessError:
        raise UnusableImage(f"its image {name} is not on this machine: build it, or docker pull {name}") from None
    if said["architecture"] != (engines := architecture(on)):
        raise UnusableImage(
            f"{name} is built for {said['architecture']} and this is a machine of {engines}: an emulator would be "
            "measured"
        )
    volumes = tuple(sorted(said["volumes"] or ()))
    if odd := next((volume for volume in volumes if not _PATH.fullmatch(volume)), None):
        raise UnusableImage(f"its image {name} declares the volume {odd!r}, which is no plain path")
    return Image(said["id"], volumes)


@cache
def architecture(on: Engine) -> str:
    """Return that of an engine's machine, as Docker names it."""
    return checked(on, "version", "--format", "{{.Server.Arch}}")
