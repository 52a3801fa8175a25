"""server.toml: what a person may write, checked strictly. A mistake is a `DocumentError` with file, key and reason."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, field

from ab_runner import paths
from ab_runner.catalog.toml_files import DocumentError, explained, key_and_reason, read_toml
from ab_runner.catalog.workloads import unknown_workload
from ab_runner.model.server import FROM_OUTSIDE, Artifact, Needs, Server
from ab_runner.model.text import shown

SERVER_FILE = "server.toml"
ID_RULE = "lower-case letters and digits, with single dots and dashes between them"
"""Names of images allow no more."""
ID_AT_MOST = 63
"""Characters, as in the name of a host."""
_ID = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")
GENERATORS = tuple(sorted(path.stem for path in (paths.DOCKER / "generators").glob("*.Dockerfile")))
"""The names of all generators, which are those of services too."""
TAKEN = frozenset(
    {"agent", "fixtures", "runner", "server", "shared", *GENERATORS, "false", "no", "null", "off", "on", "true", "yes"}
)
"""Names that no server may have: of other services in compose.yaml, of other folders, and what YAML does not take for a
text."""

IoModel = Literal[
    "blocking thread pool",
    "NIO reactor",
    "event loop",
    "process per connection",
    "thread per connection",
    "virtual threads",
    "fibers",
]
Kind = Literal["jvm", "debian", "c", "go", "image", "command"]
RUNTIMES = ("docker", "process")
_KINDS_WITH: Mapping[str, tuple[Kind, ...]] = {
    "program": ("jvm", "debian", "c", "go"),
    "artifacts": ("jvm",),
    "jdk_at_least": ("jvm",),
    "needs": ("debian",),
    "unavailable": ("jvm", "debian", "c", "go"),
    "image": ("image",),
    "command": ("image", "command"),
    "origin": ("image", "command"),
}
"""The keys that only servers of some kinds may have."""
_NOT_HERE = {
    "id": "the folder's name is the id",
    "published": "[stand_ins] in the study.toml of a study names what stands for its servers",
    "study": "the folder of a study that it is in says that",
    **dict.fromkeys(("jdk", "jvm_flags", "memory"), "[settings] in the study.toml of a study has such keys"),
}
"""The keys of a stored server that are not written, and what is written in their place."""
SET_BY_RUNNER = ("ADDRESS", "PORT", "DOCROOT", "PROCESSORS", "JVM_FLAGS")
Lack = Literal["http-1.0", "keep-alive", "close", "head", "long-header", "many-connections"]
"""The requirements on all servers that some server cannot meet: answer HTTP/1.0, keep an HTTP/1.0 connection open,
close one that is to be closed, answer HEAD, take a header of 8 KB, answer all of a thousand connections that come at
once. Tests hold each server to what it does not name."""
RULES = ("echo", "caching", "headers", "keep-alive", "threads", "accept", "no-delay", "release")
"""The rules of docs/fairness.md that a server may have an exception from, in its order."""


# `\Z`, because `$` also matches before a line end. These texts become part of compose.yaml and of commands.
Variable = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]*\Z", max_length=100)]
Package = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9+.-]*[a-z0-9+]\Z", max_length=100)]
"""A name of a Debian package, by Debian Policy 5.6.1. With a dash before it, it would be an option of apt-get, and with
one behind it, a package to be removed."""
Command = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9+._-]*\Z", max_length=100)]
Image = Annotated[str, Meta(pattern=r"^[a-z0-9][A-Za-z0-9._/:@-]*\Z", max_length=255)]
"""A reference of Docker's. With a dash before it, it would be an option."""
Word = Annotated[str, Meta(pattern=r"^[^\x00]*\Z", max_length=4096)]
Address = Annotated[str, Meta(pattern=r"^https://[!-~]+\Z", max_length=1000)]


class NeedsTable(Needs, frozen=True, forbid_unknown_fields=True):
    """[needs]"""

    command: Command
    packages: Annotated[tuple[Package, ...], Meta(min_length=1)]
    conflicts: Package | None = None


class ArtifactTable(Artifact, frozen=True, forbid_unknown_fields=True):
    """[[artifacts]]"""

    file: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z", max_length=100)]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    bytes: Annotated[int, Meta(gt=0, le=256 << 20)]
    url: Address


class ServerFile(Server, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of server.toml, with the folder's name as `id`; where `program` is not written, it is that name too."""

    io_model: IoModel
    workloads: tuple[str, ...]
    kind: Kind
    environment: dict[Variable, str] = field(default_factory=dict)
    image: Image = ""
    command: Annotated[tuple[Word, ...], Meta(max_length=100)] = ()
    origin: Address | None = None
    needs: NeedsTable | None = None
    artifacts: tuple[ArtifactTable, ...] = ()
    caveats: tuple[str, ...] = field(name="caveats", default=())
    lacks: tuple[Lack, ...] = ()
    revision: Annotated[int, Meta(ge=1)] = 1
    untestable: dict[str, str] = field(default_factory=dict)

    def server(self) -> Server:
        """Return the server as it is stored."""
        fields = msgspec.structs.asdict(self)
        fields["needs"] = self.needs and Needs(**msgspec.structs.asdict(self.needs))
        fields["artifacts"] = tuple(Artifact(**msgspec.structs.asdict(each)) for each in self.artifacts)
        return Server(**fields)


def is_id(name: str) -> bool:
    return _ID.fullmatch(name) is not None


def read_server(path: Path, workloads: Collection[str], outside: bool = False, study: str | None = None) -> Server:
    """Return the server that this file alone describes; `workloads` are those that there are, `outside` says whether it
    is from outside the repository, and `study` in whose folder it is."""
    name = path.parent.name
    if not is_id(name) or len(name) > ID_AT_MOST:
        rule = f"{ID_RULE}, with at most {ID_AT_MOST} characters"
        raise DocumentError(f"{path}: a server's folder is named in {rule}, not {shown(name, ID_AT_MOST)!r}")
    if name in TAKEN or not name[0].isalpha():
        raise DocumentError(f"{path}: no server can be called {name!r}; begin the name with its family")
    data = read_toml(path)
    del data["format"]
    for key, instead in _NOT_HERE.items():
        if key in data:
            raise DocumentError(f"{path}: {key}: remove this key; {instead}")
    try:
        server = msgspec.convert({"program": name} | data | {"id": name, "study": study}, ServerFile)
    except msgspec.ValidationError as error:
        raise DocumentError(f"{path}: {_explain(error)}") from error
    named = [(f"workloads[{position}]", workload) for position, workload in enumerate(server.workloads)]
    for key, workload in (*named, *(("untestable", workload) for workload in server.untestable)):
        if wrong := unknown_workload(workload, workloads):
            raise DocumentError(f"{path}: {key}: {wrong}")
    if not server.workloads:
        raise DocumentError(f"{path}: workloads: empty; name at least one")
    if both := sorted(set(server.workloads) & set(server.untestable)):
        raise DocumentError(f"{path}: untestable: {both[0]!r} is among the workloads too")
    if unknown := next((rule for rule in server.exceptions if rule not in RULES), None):
        raise DocumentError(f"{path}: exceptions: no rule {unknown!r}; there are {', '.join(map(repr, RULES))}")
    if unknown := next((runtime for runtime in server.unavailable if runtime not in RUNTIMES), None):
        raise DocumentError(f"{path}: unavailable: no runtime {unknown!r}; there are {', '.join(map(repr, RUNTIMES))}")
    if wrong := next((former for former in server.former_ids if not is_id(former)), None):
        raise DocumentError(f"{path}: former_ids: an id is written in {ID_RULE}, not {wrong!r}")
    _check_kind(path, server, data, outside)
    return server.server()


def _check_kind(path: Path, server: ServerFile, data: Collection[str], outside: bool) -> None:
    """Raise DocumentError for keys that a server of its kind must not have, or lacks."""
    if taken := next((name for name in server.environment if name in SET_BY_RUNNER), None):
        raise DocumentError(f"{path}: environment: {taken} is set by the runner; remove it")
    if server.study is not None and not server.is_jvm:
        raise DocumentError(f"{path}: kind: a server of a study has the kind jvm")
    if server.is_from_outside != outside:
        where = "from outside the repository" if outside else "of the repository"
        fitting = [kind for kind in get_args(Kind) if (kind in FROM_OUTSIDE) == outside]
        raise DocumentError(f"{path}: kind: a server {where} has one of the kinds {', '.join(fitting)}")
    for key, kinds in _KINDS_WITH.items():
        if key in data and server.kind not in kinds:
            raise DocumentError(f"{path}: {key}: only {', '.join(kinds)} servers may have this key")
    if server.is_from_outside and not getattr(server, server.kind):
        raise DocumentError(f"{path}: {server.kind}: missing or empty; a server of this kind must have it")
    has_build = server.program == server.id
    if server.artifacts and not has_build:
        raise DocumentError(f"{path}: artifacts: only jvm servers with a build of their own may have them")
    if (server.needs is not None) != (server.is_package and has_build):
        raise DocumentError(
            f"{path}: needs: debian servers with a build of their own must have this table, others must not"
        )


def _explain(error: msgspec.ValidationError) -> str:
    """Add the valid values where a value is none of them."""
    key, reason = key_and_reason(error)
    return explained(error) + (f"; there are {', '.join(map(repr, _choices(key)))}" if "enum value" in reason else "")


def _choices(key: str) -> Iterable[str]:
    """Return the values that a key such as `io_model` or `lacks[0]` may have."""
    kind = get_type_hints(ServerFile)[key.partition("[")[0]]
    return get_args(get_args(kind)[0]) if get_origin(kind) in (tuple, dict) else get_args(kind)
