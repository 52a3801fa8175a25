"""What is asked of a server."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

WorkloadName = Literal["echo", "small", "small-keepalive", "large"]


class Workload(Struct, frozen=True):
    """The requests to a server. `length` is the body's, in bytes; None where the answer depends on the request."""

    name: WorkloadName
    path: str
    fixture: str | None
    length: int | None
    keep_alive: bool
    summary: str


WORKLOADS: tuple[Workload, ...] = (
    Workload("echo", "/echo", None, None, False, "the request's head comes back; a connection per request"),
    Workload("small", "/small.html", "small.html", 100, False, "a file of 100 bytes; a connection per request"),
    Workload("small-keepalive", "/small.html", "small.html", 100, True, "a file of 100 bytes; connections kept open"),
    Workload("large", "/large.bin", "large.bin", 947_111, False, "a file of 947,111 bytes; a connection per request"),
)


def workload_named(name: WorkloadName) -> Workload:
    return _WORKLOADS_BY_NAME[name]


_WORKLOADS_BY_NAME = {each.name: each for each in WORKLOADS}
