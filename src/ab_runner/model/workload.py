"""What is asked of a server, and the right answer. `catalog.workloads` reads it from what a person wrote."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from ab_runner.model.limits import Count

WORKLOAD_RULE = "lower-case letters and digits, with single dashes between them"
WorkloadName = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=63)]
"""Names of files, and places in pages, have it."""


class Requests(Struct, frozen=True):
    """How many requests of a workload there are where a protocol counts them, because each is worth many."""

    warm_up: Count
    trial: Count


class Workload(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The requests to a server, and the right answer: one of `fixture`, `constant`, `echo`, `gzip_of`, `probed_bytes`.

    A sweep stores those that it has. A newer version of the toolkit may have others, so everything but the name has a
    default.
    """

    name: WorkloadName
    path: str = ""
    headers: tuple[str, ...] = ()
    """Further lines of the request's head, such as `Accept-Encoding: gzip`."""
    keep_alive: bool = False
    host_only: bool = False
    """Its head has no line about the connection, which HTTP/1.1 keeps without one."""
    summary: str = ""
    fixture: str | None = None
    """The file that is the right answer's body."""
    constant: str | None = None
    """The text that is the right answer's body."""
    echo: bool = False
    """The right answer's body is the head of the request."""
    gzip_of: str | None = None
    """The right answer's body is this file, compressed with gzip."""
    probed_bytes: Count | None = None
    """The right answer's body is the one that each start gives at first; it must have so many bytes, unpacked where it
    comes compressed with gzip."""
    may_be_chunked: bool = False
    """Whether an answer may come in chunks, without Content-Length."""
    not_before_ms: Count = 0
    """An answer that comes earlier after its request is wrong."""
    by_requests: Requests | None = None
    """None: as many as the protocol has."""

    @property
    def in_brackets(self) -> str:
        """Return what follows its name in headings: ` (a file of 100 bytes)`, or an empty text."""
        return f" ({self.summary})" if self.summary else ""

    @property
    def file(self) -> str | None:
        """Return the file that is served, compressed or not; None where the answer is no file."""
        return self.fixture or self.gzip_of

    @property
    def is_comparable(self) -> bool:
        """Return whether a generator can compare each answer. Those in gzip may differ, and others are known only to
        the probe."""
        return self.gzip_of is None and self.probed_bytes is None
