"""Why servers cannot take part, in a line for each kind of reason. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec


class Reason(msgspec.Struct, frozen=True):
    """Why one server cannot run here: `detail` is the full reason, with what to do. Many servers may share a `kind`,
    the reason in a few words, and its `remedy`."""

    detail: str
    kind: str
    remedy: str = ""


def plain(detail: str) -> Reason:
    """Return a reason that is short enough to be its own kind."""
    return Reason(detail, detail)


def missing_artifact(detail: str) -> Reason:
    """Return the reason of a server that needs a file that no package registry has."""
    return Reason(detail, "their artifacts are missing", "./ab-runner artifacts fetch gets them")


def skipped_lines(reasons: Mapping[str, Reason]) -> Iterator[str]:
    """Return a line for each kind of reason, with the servers that a sweep skips."""
    for reason, servers in by_kind(reasons):
        count = f"{len(servers)} server{'' if len(servers) == 1 else 's'}"
        yield f"{count} skipped: {reason.kind} ({', '.join(servers)}){_remedy(reason)}"


def not_here_lines(reasons: Mapping[str, Reason]) -> Iterator[str]:
    """Return a line for each kind of reason, with the servers that cannot run here."""
    for reason, servers in by_kind(reasons):
        yield f"not here: {', '.join(servers)}: {reason.kind}{_remedy(reason)}"


def by_kind(reasons: Mapping[str, Reason]) -> Iterator[tuple[Reason, list[str]]]:
    """Return the servers of each kind of reason, with the first reason of that kind."""
    servers: dict[str, list[str]] = {}
    for server, reason in reasons.items():
        servers.setdefault(reason.kind, []).append(server)
    for ids in servers.values():
        yield reasons[ids[0]], ids


def _remedy(reason: Reason) -> str:
    return f"; {reason.remedy}" if reason.remedy else ""
