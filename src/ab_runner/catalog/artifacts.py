"""Files that servers need and no package registry has: kept in the user's cache under their sha256, fetched by URL or
put there by hand. Whatever is read from the cache has been checked."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import Literal

from ab_runner.errors import UserError
from ab_runner.model.server import Artifact, Server

State = Literal["present", "missing", "damaged"]
_CHUNK = 1 << 16
_SILENCE_SECONDS = 15.0
"""Longest time that a download may be without a byte."""


class ArtifactError(UserError):
    """A file that could not be had, or is not the one that it should be, in a line that says why."""


def cache_folder() -> Path:
    """As the XDG base directory specification has it; compose.yaml names the same folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ab-runner" / "artifacts"


def artifacts_of(servers: Iterable[Server]) -> dict[Artifact, list[str]]:
    """Every artifact with the servers that need it."""
    found: dict[Artifact, list[str]] = {}
    for server in servers:
        for artifact in server.artifacts:
            found.setdefault(artifact, []).append(server.id)
    return found


def path_of(artifact: Artifact) -> Path:
    return cache_folder() / artifact.cached_as


def state_of(artifact: Artifact) -> State:
    path = path_of(artifact)
    if not path.is_file():
        return "missing"
    return "present" if _sha256(path) == artifact.sha256 else "damaged"


def unavailable(server: Server) -> str | None:
    """Which artifact keeps the server from running and how to get it, or None if they are all there."""
    lacking = [artifact for artifact in server.artifacts if state_of(artifact) != "present"]
    return how_to_get(lacking[0]) if lacking else None


def how_to_get(artifact: Artifact) -> str:
    return (
        f"needs {artifact.file}, which no registry has: `./ab-runner artifacts fetch` downloads it; "
        f"or get {artifact.url} elsewhere and do `./ab-runner artifacts add FILE`"
    )


def add(file: Path, known: Iterable[Artifact]) -> Artifact:
    """Takes a file into the cache if it is one of the known ones, whatever its name; ArtifactError if it is not."""
    known = list(known)
    try:
        digest = _sha256(file)
        for artifact in known:
            if artifact.sha256 == digest:
                _keep(file, artifact)
                return artifact
    except OSError as error:
        raise ArtifactError(f"{file} cannot be taken into {cache_folder()}: {error.strerror}") from error
    names = ", ".join(artifact.file for artifact in known)
    raise ArtifactError(f"{file}: its sha256 {digest} is that of no file that a server needs; those are {names}")


def fetch(artifact: Artifact) -> None:
    """Downloads it into the cache, from where an earlier attempt was cut off. ArtifactError if it cannot be had;
    a file that turns out to be another one is removed."""
    import http.client  # here and below, because these take a quarter of the time of `list`
    import urllib.error

    cache_folder().mkdir(parents=True, exist_ok=True)
    part = path_of(artifact).with_name(f"{artifact.cached_as}.part")
    try:
        _download(artifact, part)
        if part.stat().st_size < artifact.bytes:
            raise ArtifactError(
                f"{artifact.url} broke off after {part.stat().st_size:,} of {artifact.bytes:,} bytes; "
                "fetching again goes on from there"
            )
        digest = _sha256(part)
        if digest != artifact.sha256:
            part.unlink()
            raise ArtifactError(f"{artifact.url} gave another file (sha256 {digest}) than {artifact.file}")
        _keep(part, artifact)
        part.unlink()
    except urllib.error.HTTPError as error:
        raise ArtifactError(f"{artifact.url} answers {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise ArtifactError(f"{artifact.url} cannot be fetched: {reason}") from error


def _download(artifact: Artifact, part: Path) -> None:
    """Adds to `part` what it lacks, one byte more than the file has at the most, which shows that it is another."""
    import urllib.request

    begun = part.stat().st_size if part.exists() else 0
    if begun >= artifact.bytes:  # nothing that a server could add would make it right
        part.unlink()
        begun = 0
    request = urllib.request.Request(artifact.url, headers={"Range": f"bytes={begun}-"} if begun else {})
    with urllib.request.urlopen(request, timeout=_SILENCE_SECONDS) as answer:
        goes_on = answer.status == HTTPStatus.PARTIAL_CONTENT
        left = artifact.bytes + 1 - (begun if goes_on else 0)
        with part.open("ab" if goes_on else "wb") as file:
            while left > 0 and (chunk := answer.read1(min(left, _CHUNK))):
                file.write(chunk)
                left -= len(chunk)


def _keep(file: Path, artifact: Artifact) -> None:
    """Copies it to its place in one step, readable for the servers, which run as somebody else."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=folder)
    os.close(descriptor)
    try:
        shutil.copyfile(file, name)
        os.chmod(name, 0o644)
        os.replace(name, path_of(artifact))
    except BaseException:
        os.unlink(name)
        raise


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
