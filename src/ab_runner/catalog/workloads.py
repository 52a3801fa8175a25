"""fixtures/workloads.toml: what is asked of servers, checked strictly. A mistake is a `DocumentError` with file, key
and reason."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ab_runner import paths
from ab_runner.catalog.fixtures import digests
from ab_runner.catalog.toml_files import DocumentError, explained, read_toml
from ab_runner.model.limits import WORKLOADS_AT_MOST
from ab_runner.model.protocol import WARM_UP_CONCURRENCY
from ab_runner.model.text import shown
from ab_runner.model.workload import WORKLOAD_RULE, Requests, Workload, WorkloadName

OWN_HEADERS = frozenset({"accept", "connection", "content-length", "host", "transfer-encoding", "user-agent"})
"""Lines that generators send themselves, and those that a request without a body must not have."""
WORKLOADS_FILE = "workloads.toml"
"""In the folder of a study."""
LONGEST_WAIT = 60_000
"""Milliseconds. The probe asks three times before a trial, and again after it."""
_ANSWERS = ("fixture", "constant", "echo", "gzip_of", "probed_bytes")
_NAME_AT_MOST = 63
_CONSTANT_AT_MOST = 16_384
"""Characters: in UTF-8 an argument of a command, which Linux lets have 128 KiB."""

_PROBED_AT_MOST = 8 << 20
"""Bytes; the probe reads no longer bodies."""

_Line = Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]+: [!-~]([ -~]*[!-~])?\Z", max_length=1_000)]
_Path = Annotated[str, Meta(pattern=r"^/[!-~]*\Z", max_length=1_000)]
_Name = msgspec.json.Decoder(WorkloadName)


class RequestsTable(Requests, frozen=True, forbid_unknown_fields=True):
    """[workloads.NAME.by_requests]"""

    warm_up: Annotated[int, Meta(ge=WARM_UP_CONCURRENCY)]
    trial: Annotated[int, Meta(ge=1)]


class WorkloadTable(Workload, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of workloads.toml; its key is the name."""

    path: _Path
    headers: Annotated[tuple[_Line, ...], Meta(max_length=16)] = ()
    summary: Annotated[str, Meta(min_length=1, max_length=200)]
    constant: Annotated[str, Meta(pattern=r"^[^\x00]+\Z", max_length=_CONSTANT_AT_MOST)] | None = None
    probed_bytes: Annotated[int, Meta(ge=1, le=_PROBED_AT_MOST)] | None = None
    not_before_ms: Annotated[int, Meta(ge=0, le=LONGEST_WAIT)] = 0
    by_requests: RequestsTable | None = None


def load_workloads(path: Path) -> dict[str, Workload]:
    """Return all workloads by name, in the order of the file. DocumentError at the first mistake."""
    data = read_toml(path)
    del data["format"]
    tables = data.pop("workloads", {})
    if data:
        raise DocumentError(f"{path}: unknown key {shown(next(iter(data)), _NAME_AT_MOST)!r}; there is workloads alone")
    if not isinstance(tables, dict) or not 1 <= len(tables) <= WORKLOADS_AT_MOST:
        raise DocumentError(f"{path}: workloads: must be 1 to {WORKLOADS_AT_MOST} tables, [workloads.NAME]")
    return {name: _checked(f"{path}: workloads.{shown(name, _NAME_AT_MOST)}", name, tables[name]) for name in tables}


def workloads_with(study: str | None) -> dict[str, Workload]:
    """Return the workloads of the toolkit, and those that this study adds. DocumentError at the first mistake."""
    own = load_workloads(paths.WORKLOADS)
    added = paths.STUDIES / study / WORKLOADS_FILE if study else None
    if added is None or not added.is_file():
        return own
    more = load_workloads(added)
    if both := next((name for name in more if name in own), None):
        raise DocumentError(f"{added}: workloads.{both}: the toolkit has a workload of this name")
    return own | more


def _checked(place: str, name: str, table: Any) -> Workload:
    try:
        _Name.decode(msgspec.json.encode(name))
    except msgspec.ValidationError as error:
        rule = f"{WORKLOAD_RULE}, with at most {_NAME_AT_MOST} characters"
        raise DocumentError(f"{place}: a workload is named in {rule}") from error
    if not isinstance(table, dict) or "name" in table:
        raise DocumentError(f"{place}: must be a table without the key name; its own name is the workload's")
    try:
        workload = msgspec.convert(table | {"name": name}, WorkloadTable)
    except msgspec.ValidationError as error:
        raise DocumentError(f"{place}: {explained(error)}") from error
    answers = [key for key in _ANSWERS if getattr(workload, key)]
    if len(answers) != 1:
        found = f"has {' and '.join(answers)}" if answers else "has none"
        raise DocumentError(f"{place}: must have one answer of {', '.join(_ANSWERS)}; it {found}")
    if workload.file and workload.file not in (files := digests()):
        raise DocumentError(f"{place}: {answers[0]}: no fixture {workload.file!r}; there are {_listed(files)}")
    names = [line.partition(":")[0].lower() for line in workload.headers]
    if own := next((line for line, header in zip(workload.headers, names, strict=True) if header in OWN_HEADERS), None):
        raise DocumentError(f"{place}: headers: the generators send {own.partition(':')[0]} themselves")
    if workload.host_only and not workload.keep_alive:
        raise DocumentError(f"{place}: host_only: only where connections are kept; HTTP/1.1 keeps them without a line")
    if workload.gzip_of and "accept-encoding" not in names:
        raise DocumentError(f"{place}: headers: gzip_of needs a line such as 'Accept-Encoding: gzip'")
    fields = msgspec.structs.asdict(workload)
    fields["by_requests"] = workload.by_requests and Requests(**msgspec.structs.asdict(workload.by_requests))
    return Workload(**fields)


def unknown_workload(name: str, known: Collection[str]) -> str | None:
    """Return what is wrong with the name of a workload; None if it is one of the known."""
    return None if name in known else f"no workload {name!r}; there are {_listed(known)}"


def _listed(names: Collection[str]) -> str:
    return ", ".join(map(repr, names))
