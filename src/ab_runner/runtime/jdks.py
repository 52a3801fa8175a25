"""The JDKs of this host, for servers that run as its processes."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ab_runner.runtime.base import text_of

FOLDER = Path("/usr/lib/jvm")
"""Where Linux distributions put them."""
_VERSION = re.compile(r'(?:^JAVA_VERSION=|\bversion )"(?:1\.)?([0-9]+)', re.MULTILINE)


class Jdk(msgspec.Struct, frozen=True):
    """A JDK of this host, or a JRE."""

    version: int
    home: Path

    @property
    def java(self) -> Path:
        """Return its program `java`."""
        return self.home / "bin" / "java"

    @property
    def compiles(self) -> bool:
        """Return whether it has a compiler."""
        return (self.home / "bin" / "javac").exists()


def installed() -> list[Jdk]:
    """Return all of them, the newest first; of those of one version first the one that JAVA_HOME or the PATH names."""
    found = (Jdk(version, home) for home in dict.fromkeys(_homes()) if (version := _version(home)))
    return sorted(found, key=lambda jdk: jdk.version, reverse=True)


def _homes() -> Iterator[Path]:
    if "JAVA_HOME" in os.environ:
        yield Path(os.environ["JAVA_HOME"]).resolve()
    if java := shutil.which("java"):
        yield Path(java).resolve().parents[1]
    yield from sorted(path.resolve() for path in FOLDER.glob("*"))


def _version(home: Path) -> int | None:
    """Return the version; None where there is no java that can be run."""
    java = home / "bin" / "java"
    if not os.access(java, os.X_OK):
        return None
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        release = ""
    return version_in(release) or version_in(text_of([str(java), "-version"]))


def version_in(text: str) -> int | None:
    """Return the version that a JDK's file `release` or `java -version` names: 8 for `JAVA_VERSION="1.8.0_504"`."""
    found = _VERSION.search(text)
    return int(found[1]) if found else None
