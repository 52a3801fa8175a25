"""A system under test, as sweeps store it. `catalog.server_file` reads it from what a person wrote."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from msgspec import Struct, field

from ab_runner.model.limits import Count
from ab_runner.model.protocol import StudyId
from ab_runner.model.workload import WorkloadName

JDKS = (8, 17, 25)
"""The JDKs that there are images for."""
DEFAULT_JDK = 25


FROM_OUTSIDE = ("image", "command")
"""The kinds of servers from outside the repository."""


class Needs(Struct, frozen=True):
    """What a server of Debian's needs on a host without Docker: the program that runs, and the packages with it."""

    command: str
    packages: tuple[str, ...]
    conflicts: str | None = None
    """A Debian package, needed for a sweep, that conflicts with these packages."""


class Artifact(Struct, frozen=True):
    """A file that a server needs and that no package registry has. It is kept in the user's cache, never in the
    repository or an image."""

    file: str
    """Its name, there and on the server's class path. Another version has another name."""
    sha256: str
    bytes: Count
    licence: str
    url: str


class Server(Struct, frozen=True, kw_only=True):
    """One system under test. `id` is the name of its folder.

    Sweeps of older and of newer versions of the toolkit are read too: a field that is added has a default, and what may
    get further values is text.
    """

    id: str
    summary: str
    family: str
    version: str
    released: datetime.date
    io_model: str
    workloads: tuple[WorkloadName, ...]
    kind: str
    """How it is built: `jvm` by Maven, `debian` not at all, as a package of Debian's, `c` by the C compiler, or `go` by
    Go's. From outside the repository: not here, as an `image` of Docker's, or as a `command` in its folder."""
    program: str
    """The folder whose build it runs; another server's for a variant."""
    environment: dict[str, str] = {}
    image: str = ""
    """The Docker image of the kind `image`."""
    command: tuple[str, ...] = ()
    """What a server of the kind `command` is started by; of the kind `image`, what its image's entrypoint is given."""
    origin: str | None = None
    """Of a server from outside: the address where others get it."""
    needs: Needs | None = None
    artifacts: tuple[Artifact, ...] = ()
    """What its class path needs besides what Maven provides."""
    jdk_at_least: Count = 8
    """The oldest Java release that it runs on."""
    published: str | None = None
    """Only in older sweeps: the server of the study cindy-2006 that it stands for. Today `study.toml` says that by ids,
    and this is used where an id has changed since."""
    caveats: tuple[str, ...] = field(name="cannot", default=())
    """What a reader of its figures should know."""
    lacks: tuple[str, ...] = ()
    """The requirements on all servers that it cannot meet; `catalog.server_file.Lack` has the values."""
    exceptions: dict[str, str] = {}
    """Rules of docs/fairness.md that it does not follow, and why; `catalog.server_file.RULES` has them."""
    revision: Count = 1
    """Raised whenever the server's behaviour is changed here: figures of two revisions are of two servers."""
    former_ids: tuple[str, ...] = ()
    """Ids that it had before, by which it can still be asked for: `current_id`."""
    untestable: dict[WorkloadName, str] = {}
    """Workloads that it serves in its own way, and why ab cannot measure them. Tables show `-` and say so."""
    unavailable: dict[str, str] = {}
    """Runtimes that it cannot run in, and why."""
    study: StudyId | None = None
    """The study whose folder it is in; None: servers/, or outside the repository."""
    jdk: Count | None = None
    """The JDK that its study runs it on. None: that of the sweep."""
    jvm_flags: tuple[str, ...] | None = None
    """What its study gives its JVM in place of the toolkit's heap and collector."""
    memory: Count | None = None
    """Bytes that its study lets its container have in place of the toolkit's limit."""

    @property
    def release_year(self) -> int:
        return self.released.year

    @property
    def is_jvm(self) -> bool:
        """Whether it runs on the JVM that the runner chooses."""
        return self.kind == "jvm"

    @property
    def variables(self) -> dict[str, str]:
        """What is in its environment beside what all servers have."""
        return self.environment | ({} if self.jvm_flags is None else {"JVM_FLAGS": " ".join(self.jvm_flags)})

    @property
    def is_package(self) -> bool:
        """Whether it is a package of Debian's."""
        return self.kind == "debian"

    @property
    def is_from_outside(self) -> bool:
        """Whether it is from outside the repository."""
        return self.kind in FROM_OUTSIDE

    @property
    def compiles(self) -> bool | None:
        """Whether it compiles itself while it runs, as a JVM does. None: it is from outside, and may or may not."""
        return None if self.is_from_outside else self.is_jvm


def current_id(id: str, servers: Iterable[Server]) -> str:
    """Return the id that a server has among these: the given one if one of them has it, else that of the one that had
    it before. An id that none of them has or had, or a pattern, is returned as it is."""
    found = id
    for server in servers:
        if server.id == id:
            return id
        if id in server.former_ids:
            found = server.id
    return found


REFERENCE = "ceiling"
"""The server that is measured in every batch, or before and after a sweep without batches, to see whether the machine
stayed as fast as it was."""
