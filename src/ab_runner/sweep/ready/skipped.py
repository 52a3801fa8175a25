"""Why servers cannot take part, in a line for each reason. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.text import counted

_ARTIFACTS = "their artifacts are missing", "; ./ab-runner artifacts fetch gets them"


def skipped_lines(skips: Mapping[str, Skip]) -> Iterator[str]:
    """Return a line for each reason, with the servers that a sweep skips."""
    for (why, remedy), servers in _by_reason(skips).items():
        yield f"{counted(len(servers), 'server')} skipped: {why} ({', '.join(servers)}){remedy}"


def not_here_lines(skips: Mapping[str, Skip]) -> Iterator[str]:
    """Return a line for each reason, with the servers that cannot run here."""
    for (why, remedy), servers in _by_reason(skips).items():
        yield f"not here: {', '.join(servers)}: {why}{remedy}"


def _by_reason(skips: Mapping[str, Skip]) -> dict[tuple[str, str], list[str]]:
    """Return the servers of each reason and remedy. Missing artifacts are one reason, whichever they are."""
    servers: dict[tuple[str, str], list[str]] = {}
    for server, skip in skips.items():
        servers.setdefault(_ARTIFACTS if skip.kind == SkipKind.ARTIFACT else (skip.detail, ""), []).append(server)
    return servers
