"""Files that servers need and no package registry has: kept in the user's cache, downloaded or added by hand.
Nothing is kept whose sha256 is not the one in server.toml."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from ab_runner.errors import UserError
from ab_runner.host.safe_files import write_whole
from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.server import Artifact, Server

State = Literal["present", "missing", "damaged"]
_SILENCE_SECONDS = 15.0
"""Longest time that a download may go without receiving a byte."""
_DOWNLOAD_SECONDS = 120.0
"""Longest time that a download may take: the files have some hundred kilobytes."""


class ArtifactError(UserError):
    """A file that cannot be obtained, or is not the expected one, in a line that says why."""


def cache_folder() -> Path:
    """Return the folder of all artifacts. compose.yaml names the same one in Compose's own words, on every system."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ab-runner" / "artifacts"


def artifacts_of(servers: Iterable[Server]) -> dict[Artifact, list[str]]:
    """Return every artifact with the ids of the servers that need it."""
    found: dict[Artifact, list[str]] = {}
    for server in servers:
        for artifact in server.artifacts:
            found.setdefault(artifact, []).append(server.id)
    return found


def path_of(artifact: Artifact) -> Path:
    """Return where the artifact is kept, whether or not it is there."""
    return cache_folder() / artifact.file


def state_of(artifact: Artifact) -> State:
    """Return whether the artifact is in the cache, with the right sha256. One that is there under its former name is
    copied to its place. ArtifactError if the cache cannot be read, or the copy not be written."""
    path = path_of(artifact)
    try:
        if not path.is_file():
            former = path.with_name(f"{artifact.sha256}-{artifact.file}")  # its name in the cache until November 2026
            if not former.is_file() or _sha256(former) != artifact.sha256:
                return "missing"
            _keep(former.read_bytes(), artifact)
        return "present" if _sha256(path) == artifact.sha256 else "damaged"
    except OSError as error:
        raise ArtifactError(f"{path}: {error.strerror}; it is in the cache of files that no registry has") from error


def unavailable(server: Server) -> Skip | None:
    """Return which artifact keeps the server from running and how to get it, or None if they are all there."""
    lacking = [artifact for artifact in server.artifacts if state_of(artifact) != "present"]
    return Skip(SkipKind.ARTIFACT, how_to_get(lacking[0])) if lacking else None


def how_to_get(artifact: Artifact) -> str:
    """Return what the user can do about an artifact that is missing from the cache."""
    return (
        f"needs {artifact.file}, which no registry has: `./ab-runner artifacts fetch` downloads it; "
        f"or download {artifact.url} elsewhere and run `./ab-runner artifacts add FILE`"
    )


def add(file: Path, known: Iterable[Artifact]) -> Artifact:
    """Copy a file into the cache and return which of the known artifacts it is: its sha256 decides, not its name.
    ArtifactError if it is not one of them."""
    known = list(known)
    try:
        digest = _sha256(file)
        for artifact in known:
            if artifact.sha256 == digest:
                _keep(file.read_bytes(), artifact)
                return artifact
    except OSError as error:
        raise ArtifactError(f"{file} cannot be copied to {cache_folder()}: {error.strerror}") from error
    names = ", ".join(artifact.file for artifact in known)
    raise ArtifactError(f"{file}: its sha256 {digest} matches no file that a server needs; those are {names}")


def fetch(artifact: Artifact) -> None:
    """Download the artifact into the cache. ArtifactError if it cannot be downloaded or is another file: then nothing
    of it is kept."""
    content = _downloaded(artifact)
    if len(content) < artifact.bytes:
        raise ArtifactError(
            f"{artifact.url} ended after {len(content):,} of {artifact.bytes:,} bytes, or is another file"
        )
    digest = hashlib.sha256(content).hexdigest()
    if digest != artifact.sha256:
        raise ArtifactError(f"{artifact.url} serves another file (sha256 {digest}) than {artifact.file}")
    try:
        _keep(content, artifact)
    except OSError as error:
        raise ArtifactError(f"{artifact.file} cannot be stored in {cache_folder()}: {error.strerror}") from error


def _downloaded(artifact: Artifact) -> bytes:
    """Return what the URL serves, but at most one byte more than the file has: that byte shows that it is another
    file."""
    import http.client  # here, because these take a quarter of the time of `list`
    import urllib.error
    import urllib.request

    content = b""
    deadline = time.monotonic() + _DOWNLOAD_SECONDS
    try:
        with urllib.request.urlopen(artifact.url, timeout=_SILENCE_SECONDS) as answer:
            while chunk := answer.read1(artifact.bytes + 1 - len(content)):
                content += chunk
                if time.monotonic() > deadline:
                    raise TimeoutError(
                        f"too slow, {len(content):,} of {artifact.bytes:,} bytes in {_DOWNLOAD_SECONDS:.0f} s"
                    )
    except urllib.error.HTTPError as error:
        raise ArtifactError(f"{artifact.url} answers {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise ArtifactError(f"{artifact.url} cannot be fetched: {reason}") from error
    return content


def _keep(content: bytes, artifact: Artifact) -> None:
    """Put the file in its place whole, readable for the servers, which run as another user."""
    path = path_of(artifact)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
    path.chmod(0o644)


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
