"""A Docker swarm, as its manager's engine shows it: its nodes, and jobs on them. All of it goes through the docker
command. A job is a service of one task; what it is told is a config of the swarm, and what it tells is its log."""

from __future__ import annotations

import base64
import subprocess
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ab_runner.errors import UserError
from ab_runner.host.interrupt import held
from ab_runner.runtime.base import RuntimeUnusable, last_lines
from ab_runner.runtime.docker import RUNNER
from ab_runner.runtime.docker_builds import copy_images
from ab_runner.runtime.docker_commands import LABEL, OURS, checked, engine_of, remove_left_over, run
from ab_runner.runtime.engine import USUAL_SOCKET, Engine, path_in

NODE_LABEL = "ab-runner=bench"
"""Of the nodes that take part."""
JOB_FILE = Path("/job")
"""In a job's container: what it is to do."""
HOST_OF_JOBS = "ab-runner-job"
_TEMPORARY = "/run/ab-runner"
"""In a job's container. It stays on the node, with the lock of sweeps: one job at a time."""
_CACHE = "/root/.cache/ab-runner/artifacts"
_LOCK_OF_JOBS = f"{HOST_OF_JOBS}:{_TEMPORARY}/ab-runner-0.lock"
LABEL_OF_JOBS = f"{LABEL}={_LOCK_OF_JOBS}"
"""Of the containers of servers that jobs start, as `OURS` is of those that a runner starts."""
_VOLUME = "ab-runner-jobs"
_SWEEP, _BLOCK, _NODE, _NUMBER = (f"ab-runner.{name}" for name in ("sweep", "block", "node", "job"))
_FACTS = (
    "{{.ID}}|{{.Description.Hostname}}|{{.Status.State}}|{{.Spec.Availability}}|{{.Description.Resources.MemoryBytes}}"
)
_NAME_AT_MOST = 40
"""Characters of a sweep's id in the name of a service, which has at most 63."""
_ENDED = ("complete", "failed", "rejected", "shutdown", "orphaned", "remove")
"""States of a task after which it does nothing any more."""
_COPY_SECONDS = 1800.0
_SAYS_AT_MOST = 300


class Node(Struct, frozen=True):
    """A node of the swarm with the label."""

    id: str
    name: str
    is_ready: bool
    memory_bytes: int


class Service(Struct, frozen=True):
    """A job as the swarm knows it."""

    name: str
    number: int
    block: int
    node: str
    """The node's name."""


def why_no_swarm(on: Engine) -> str | None:
    """Return why this engine can place no jobs, in a line that says what to do; None if it can."""
    state, is_manager = _swarm_of(on)[:2]
    if state != "active":
        return "this engine is in no swarm: `docker swarm init` makes one, and docs/swarm.md has the rest"
    if is_manager != "true":
        return "this engine is no manager of its swarm: run the sweep where `docker node ls` works"
    names = [node.name for node in nodes(on)]
    if not names:
        return f"no node has the label {NODE_LABEL}: docker node update --label-add {NODE_LABEL} NODE"
    if len(set(names)) < len(names):
        return "two nodes have the same host name, by which the sweep would tell them apart: give each its own"
    return None


def _swarm_of(on: Engine) -> list[str]:
    template = "{{.Swarm.LocalNodeState}}|{{.Swarm.ControlAvailable}}|{{.Swarm.NodeID}}"
    return checked(on, "info", "--format", template).split("|")


def nodes(on: Engine) -> list[Node]:
    """Return the nodes with the label, in the order of their names."""
    ids = checked(on, "node", "ls", "--quiet", "--filter", f"node.label={NODE_LABEL}").split()
    if not ids:
        return []
    lines = checked(on, "node", "inspect", "--format", _FACTS, *ids).splitlines()
    return sorted((_node(line) for line in lines), key=lambda node: (node.name, node.id))


def _node(line: str) -> Node:
    id, name, state, availability, memory = line.split("|")
    return Node(id, name, state == "ready" and availability == "active", int(memory))


def engine_of_node(manager: Engine, node: Node) -> Engine:
    """Return the engine of a node: the manager's own, or that of the context with the node's name. UserError if there
    is none, or it is of another machine; RuntimeUnusable if it does not answer."""
    if _swarm_of(manager)[2] == node.id:
        return manager
    try:
        engine = engine_of(node.name)
    except UserError:
        raise UserError(
            f"it has no images: make a Docker context {node.name} for its engine, or name a --registry"
        ) from None
    try:
        id = _swarm_of(engine)[2]
    except subprocess.SubprocessError as error:
        raise RuntimeUnusable(f"the engine of the context {node.name} does not answer: {error}") from None
    if id != node.id:
        raise UserError(f"the context {node.name} is of another machine than the node of that name")
    return engine


class Log:
    """The lines of a job's log. They end where the job does or the connection to its node breaks."""

    def __init__(self, command: Sequence[str]) -> None:
        """`command` prints them."""
        with held():
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip

    def __iter__(self) -> Iterator[str]:
        assert self._process.stdout is not None, "it is a pipe"
        for line in self._process.stdout:
            yield line.decode(errors="backslashreplace").rstrip("\r\n")

    def close(self) -> None:
        """End it; may be called twice, by another thread than the one that reads."""
        self._process.kill()
        self._process.wait()


class Swarm:
    """The jobs of one sweep on the nodes of a swarm."""

    def __init__(
        self,
        on: Engine,
        sweep_id: str,
        images: Sequence[str],
        artifacts: Sequence[Path] = (),
        registry: str | None = None,
    ) -> None:
        """`on` is a manager's engine, which has these images and that of jobs. `artifacts` are files of this machine
        that no image has."""
        self._files = artifacts
        self._on = on
        self._sweep_id = sweep_id
        self._images = (*images, f"ab-runner/{RUNNER}")
        self._registry = registry
        self._own = _swarm_of(on)[2]
        self._references: dict[str, str] = {}
        """Of the images in the registry, by their names: with digests."""
        self._sockets: dict[str, str] = {}
        """The path of the engine's socket on each node, by the node's id."""
        self._artifacts: dict[str, str] = {}
        """Configs with files that no registry has, by the files' names."""

    def nodes(self) -> list[Node]:
        """Return the nodes that take part, ready or not."""
        return nodes(self._on)

    def begin(self) -> None:
        """Remove what killed runners left, but for this sweep, and have images in the registry, and files in the swarm.
        RuntimeUnusable or subprocess.SubprocessError if that does not work."""
        remove_jobs(self._on, but_of=self._sweep_id)
        if self._registry:
            self._references = {image: _pushed(self._on, image, self._registry) for image in self._images}
        for number, file in enumerate(self._files):
            name = f"{_prefix_of(self._sweep_id)}-file-{number}"
            self._make_config(name, str(file))
            self._artifacts[file.name] = name

    def images_from(self, node: Node) -> Mapping[str, str]:
        """Return what a job on the node pulls, by the names that the images have then; nothing where they are there."""
        return {} if node.id == self._own else self._references

    def prepare(self, node: Node) -> None:
        """Have all images on a node, unless it is to pull them. RuntimeUnusable or UserError if that does not work."""
        try:
            engine = engine_of_node(self._on, node)
        except (UserError, subprocess.SubprocessError):
            if not self._registry:
                raise
            return
        self._sockets[node.id] = path_in(engine.endpoint) or USUAL_SOCKET
        if engine != self._on and not self._registry:
            copy_images(self._images, self._on, engine)

    def start(self, node: Node, number: int, block: int, told: bytes) -> Service:
        """Start a job on a node, which is told this. subprocess.SubprocessError if the swarm does not take it."""
        service = Service(f"{_prefix_of(self._sweep_id)}-{number}", number, block, node.name)
        self._make_config(service.name, "-", base64.b64encode(zlib.compress(told, 9)).decode())
        image = self._references.get(f"ab-runner/{RUNNER}") if node.id != self._own else None
        # By its id: a name could be asked of a registry, and what came from there would be root.
        image = image or checked(self._on, "image", "inspect", "--format", "{{.Id}}", f"ab-runner/{RUNNER}")
        labels = {_SWEEP: self._sweep_id, _BLOCK: block, _NODE: node.name, _NUMBER: number}
        socket = self._sockets.get(node.id, USUAL_SOCKET)
        files = {service.name: str(JOB_FILE)}
        files |= {config: f"{_CACHE}/{name}" for name, config in self._artifacts.items()}
        checked(
            self._on, "service", "create", "--quiet", "--detach", "--name", service.name,
            "--mode", "replicated-job", "--restart-condition", "none", "--no-resolve-image",
            "--constraint", f"node.id=={node.id}", "--hostname", HOST_OF_JOBS, "--cap-drop", "ALL",
            "--stop-grace-period", "30s", "--log-driver", "json-file", "--log-opt", "max-size=2g",
            "--env", f"TMPDIR={_TEMPORARY}", "--label", OURS,
            *(word for name, value in labels.items() for word in ("--label", f"{name}={value}")),
            *(word for name, file in files.items() for word in ("--config", f"source={name},target={file},mode=0444")),
            "--mount", f"type=bind,source={socket},target={USUAL_SOCKET}",
            "--mount", f"type=volume,source={_VOLUME},target={_TEMPORARY}", image,
        )  # fmt: skip
        return service

    def _make_config(self, name: str, file: str, given: str = "") -> None:
        """Make a config of the swarm, in the place of one that a killed runner left; one that a job has stays."""
        create = ("config", "create", "--label", OURS, name, file)
        if run(self._on, *create, given=given).returncode:
            removed = run(self._on, "config", "rm", name)
            if "is in use" not in removed.stderr:
                checked(self._on, *create, given=given)

    def follow(self, service: Service) -> Log:
        """Return the log of a job from its beginning, and what is added to it."""
        return Log(self._on.docker("service", "logs", "--follow", "--raw", "--no-trunc", service.name))

    def ended(self, services: Iterable[Service]) -> dict[str, str]:
        """Return those of these jobs that run no more or never will, by their names, with what the swarm says of it."""
        said = checked(self._on, "service", "ls", "--filter", f"label={OURS}", "--format", "{{.Name}} {{.Replicas}}")
        running = dict(line.split(" ", 1) for line in said.splitlines())
        found = {}
        for service in services:
            if service.name not in running:
                found[service.name] = "its service was removed"
            elif running[service.name].startswith("0/") and (end := self._end_of(service)) is not None:
                found[service.name] = end
        return found

    def _end_of(self, service: Service) -> str | None:
        template = "{{.CurrentState}}|{{.Error}}"
        done = run(self._on, "service", "ps", "--no-trunc", "--format", template, service.name)
        state, _, error = done.stdout.strip().partition("|")
        if done.returncode == 0 and not state.lower().startswith(_ENDED):
            return None
        return (error or state or done.stderr).strip()[:_SAYS_AT_MOST]

    def left(self) -> list[Service]:
        """Return the jobs of this sweep that the swarm has: of a runner that was killed."""
        return [each for each in _services(self._on, f"label={_SWEEP}={self._sweep_id}") if each is not None]

    def remove(self, services: Iterable[Service]) -> None:
        """Remove these jobs. What a job has started is ended by itself, within half a minute."""
        names = [service.name for service in services]
        if names:
            run(self._on, "service", "rm", *names)
            run(self._on, "config", "rm", *names)

    def close(self) -> None:
        """Remove the files from the swarm."""
        if self._artifacts:
            run(self._on, "config", "rm", *self._artifacts.values())


def _prefix_of(sweep_id: str) -> str:
    """Return what the names of a sweep's services and configs begin with."""
    return f"ab-runner-{sweep_id[:_NAME_AT_MOST]}"


def _pushed(on: Engine, image: str, registry: str) -> str:
    """Return the reference, with its digest, of an image that was pushed to a registry."""
    name = f"{registry}/{image}"
    checked(on, "tag", image, name)
    try:
        done = run(on, "push", "--quiet", name, seconds=_COPY_SECONDS)
        if done.returncode:
            raise RuntimeUnusable(f"{image} cannot be pushed to {registry}: {last_lines(done.stderr, 1)}")
        template = "{{range .RepoDigests}}{{println .}}{{end}}"
        digests = checked(on, "image", "inspect", "--format", template, name).splitlines()
    finally:
        run(on, "image", "rm", "--no-prune", name)
    repository = name.rpartition(":")[0] if ":" in name.rpartition("/")[2] else name
    return next(each for each in digests if each.startswith(f"{repository}@"))


def _services(on: Engine, wanted: str) -> list[Service | None]:
    """Return the services that a filter finds: None for each that is no job."""
    names = checked(on, "service", "ls", "--filter", wanted, "--format", "{{.Name}}").split()
    if not names:
        return []
    template = "{{.Spec.Name}}" + "".join(f'|{{{{index .Spec.Labels "{each}"}}}}' for each in (_NUMBER, _BLOCK, _NODE))
    return [_service(line) for line in checked(on, "service", "inspect", "--format", template, *names).splitlines()]


def _service(line: str) -> Service | None:
    name, number, block, node = line.split("|")
    return Service(name, int(number), int(block), node) if number.isdecimal() and block.isdecimal() else None


def others_at_work(on: Engine) -> str | None:
    """Return whose jobs are on this swarm that are not of this user of this machine; None if there are none. Two sweeps
    would measure each other."""
    names = checked(on, "service", "ls", "--filter", f"label={LABEL}", "--format", "{{.Name}}").split()
    if not names:
        return None
    whose = checked(on, "service", "inspect", "--format", f'{{{{index .Spec.Labels "{LABEL}"}}}}', *names).splitlines()
    ours = OURS.partition("=")[2]
    return next((each.partition(":")[0] for each in whose if each and each != ours), None)


def remove_jobs(on: Engine, but_of: str = "") -> list[str]:
    """Remove the jobs that killed runners of this user of this machine left on a swarm, and their configs, and return
    the names of the jobs; not those of the sweep with the id `but_of`. Whoever holds the lock of sweeps is alone."""
    kept = [each.name for each in _services(on, f"label={_SWEEP}={but_of}") if each] if but_of else []
    found = checked(on, "service", "ls", "--filter", f"label={OURS}", "--format", "{{.Name}}").split()
    names = [name for name in found if name not in kept]
    if names:
        checked(on, "service", "rm", *names)
    configs = checked(on, "config", "ls", "--filter", f"label={OURS}", "--format", "{{.Name}}").split()
    files = f"{_prefix_of(but_of)}-file-" if but_of else "-"
    if stale := [name for name in configs if name not in kept and not name.startswith(files)]:
        run(on, "config", "rm", *stale)
    return names


def clean_swarm(on: Engine) -> list[str]:
    """Remove what killed sweeps left on a swarm: jobs, and what these started on nodes whose engines answer. Return the
    names of what was removed; nothing where the engine is no manager."""
    if _swarm_of(on)[1] != "true":
        return []
    removed = remove_jobs(on)
    for node in nodes(on) if others_at_work(on) is None else ():
        try:
            removed += remove_left_over(engine_of_node(on, node), LABEL_OF_JOBS)
        except (UserError, subprocess.SubprocessError):
            continue  # the next job there does it
    return removed
