"""A quick look at the Docker engine of this host, by its socket: the docker command needs 0.1 s and more to start."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import msgspec

USUAL_SOCKET = "/var/run/docker.sock"
_UNIX = "unix://"
_PLUGINS = ("docker-compose", "docker-buildx")
PLUGIN_FOLDERS = (
    "/usr/local/lib/docker/cli-plugins",
    "/usr/local/libexec/docker/cli-plugins",
    "/usr/lib/docker/cli-plugins",
    "/usr/libexec/docker/cli-plugins",
)
"""Where the docker command looks for its plugins, after the user's own folder."""
_SECONDS = 1.0
"""Longest time that the engine may take for a ping."""


def is_usable() -> bool:
    """Return True if the engine answers and the docker command has Compose and buildx. False means that only the docker
    command can tell (`docker.why_unusable`): it knows other hosts and contexts, and why something does not work."""
    engine = _socket_path()
    return engine is not None and _has_docker_command() and _answers(engine)


def _socket_path() -> str | None:
    """Return where the docker command would find the engine; None if that is no socket of this host, or not known."""
    if host := os.environ.get("DOCKER_HOST"):
        return host.removeprefix(_UNIX) if host.startswith(_UNIX) else None
    context = os.environ.get("DOCKER_CONTEXT") or _chosen_context()
    return USUAL_SOCKET if context in ("", "default") else None


class _Settings(msgspec.Struct):
    """The part of the docker command's config.json that says which engine it talks to."""

    current_context: str = msgspec.field(name="currentContext", default="")


def _chosen_context() -> str | None:
    """Return the context that the user has chosen, empty for none; None if it cannot be read."""
    try:
        return msgspec.json.decode((_settings_folder() / "config.json").read_bytes(), type=_Settings).current_context
    except FileNotFoundError:
        return ""
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _settings_folder() -> Path:
    return Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")


def _has_docker_command() -> bool:
    """Return whether the command is there with both plugins."""
    folders = [str(_settings_folder() / "cli-plugins"), *PLUGIN_FOLDERS]
    plugins = (shutil.which(plugin, path=os.pathsep.join(folders)) for plugin in _PLUGINS)
    return shutil.which("docker") is not None and all(plugins)


def _answers(engine: str) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_SECONDS)
            connection.connect(engine)
            connection.sendall(b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n")
            return connection.recv(64).startswith((b"HTTP/1.0 200 ", b"HTTP/1.1 200 "))
    except OSError:
        return False
