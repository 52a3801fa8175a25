"""Which Docker engine is meant, and quick questions to it by its socket: the docker command needs 0.1 s and more to
start."""

from __future__ import annotations

import os
import platform
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
_VERSION_AT_MOST = 64 << 10
"""Bytes; an engine's version has one thousand."""
_POST_SECONDS = 30.0
"""Longest time that it may take to do something."""


class Engine(msgspec.Struct, frozen=True):
    """An engine, by the name of its context as `docker context ls` has it. Without a name it is the one that the docker
    command takes by itself. `endpoint` is where it is (unix://, ssh:// or tcp://), empty where nobody has asked."""

    context: str = ""
    endpoint: str = ""

    def docker(self, *arguments: str) -> tuple[str, ...]:
        """Return a docker command for this engine."""
        return ("docker", *(("--context", self.context) if self.context else ()), *arguments)

    @property
    def variables(self) -> dict[str, str]:
        """What a script needs in its environment, so that its docker commands are for this engine."""
        return {"DOCKER_HOST": "", "DOCKER_CONTEXT": self.context} if self.context else {}


USUAL = Engine()
"""The one that the docker command takes by itself."""


def is_usable(on: Engine = USUAL) -> bool:
    """Return True if the engine answers and the docker command has Compose and buildx. False means that only the docker
    command can tell (`docker_commands.why_unusable`): it knows other hosts, and why something does not work."""
    path = _socket_path(on)
    return path is not None and _has_docker_command() and _answers(path)


def _socket_path(on: Engine) -> str | None:
    """Return where the docker command would find the engine; None if that is no socket of this host, or not known."""
    if on.context:
        return path_in(on.endpoint)
    if host := os.environ.get("DOCKER_HOST"):
        return path_in(host)
    context = os.environ.get("DOCKER_CONTEXT") or _chosen_context()
    return USUAL_SOCKET if context in ("", "default") else None


def path_in(endpoint: str) -> str | None:
    """Return the path of the socket in an endpoint; None if it has none."""
    return endpoint.removeprefix(_UNIX) if endpoint.startswith(_UNIX) else None


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


def is_elsewhere(on: Engine = USUAL) -> bool:
    """Return whether the engine runs on another kernel than this program, as far as a quick look tells: any engine does
    that is not reached by a socket of this host, and one in a virtual machine."""
    path = _socket_path(on)
    if path is None:
        return True
    _, body = _exchange(path, "GET /version", _SECONDS, at_most=_VERSION_AT_MOST) or (b"", b"")
    try:
        kernel = msgspec.json.decode(body, type=_Version).kernel
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False  # whatever is wrong with it, the docker command will say
    return kernel not in ("", platform.release())


class _Version(msgspec.Struct):
    """The part of the engine's version that says where it runs."""

    kernel: str = msgspec.field(name="KernelVersion", default="")


def post(request: str, on: Engine = USUAL) -> bool:
    """Have the engine do what this path of its API says, which needs no data and gives none. False means that only the
    docker command can do it, or tell why it cannot be done."""
    path = _socket_path(on)
    return path is not None and _status(path, f"POST {request}", _POST_SECONDS) == b"204"


def _answers(path: str) -> bool:
    return _status(path, "GET /_ping", _SECONDS) == b"200"


def _status(path: str, request: str, seconds: float) -> bytes | None:
    """Return the status of the engine's answer; None if there is none."""
    answer = _exchange(path, request, seconds, at_most=64)
    return answer[0] if answer else None


def _exchange(path: str, request: str, seconds: float, at_most: int) -> tuple[bytes, bytes] | None:
    """Return the status and the body of the engine's answer, of which so many bytes are read; None if there is none."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(path)
            connection.sendall(f"{request} HTTP/1.0\r\nHost: docker\r\n\r\n".encode())
            answer = b""
            while len(answer) < at_most and (part := connection.recv(at_most)):
                answer += part
    except OSError:
        return None
    head, _, body = answer.partition(b"\r\n\r\n")
    line = head.split(b" ", 2)
    return (line[1], body) if len(line) > 1 and line[0].startswith(b"HTTP/1.") else None
