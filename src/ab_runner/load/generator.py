"""The interface of a load generator, and the input and outcome of one run of it.

A new generator provides two files. Sweeps and runtimes know no more of it than this interface:

- `load/NAME_generator.py`, with `GENERATOR`, an instance of a class that has what `Generator` asks for. `run` makes
  the generator's command line, has the target's executor run it, and turns what the generator printed and left in
  files into an `Outcome`. A run that went wrong is a `Message` that says why. `run` raises nothing for it, whatever
  text comes back: a server may have chosen that text. `judge` says whether an outcome is valid. `load/ab_generator.py`
  is the example; `load/ab_command.py`, `load/ab_output.py` and `load/ab_outcome.py` beside it are pure.
- `docker/generators/NAME.Dockerfile`, an image of Debian with the program. One of our own has its source in
  `generators/NAME`, for Cargo, and is built from it for the process runtime. `make compose` gives it the service NAME.
  A sweep starts it with an entry point of its own, and runs commands in it.

`load/generator_registry.py` finds them all, and names those that sweeps use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from ab_runner.model.load import Limit, Load, Outcome
from ab_runner.model.message import Message, Verdict
from ab_runner.model.workload import Workload


class Completed(Struct, frozen=True):
    """How a command ended; the exit code is 124, as of timeout(1), if it had to be ended from outside."""

    exit_code: int
    stdout: str
    stderr: str


class GeneratorError(Exception):
    """A generator did not say what it was asked; the text is its own line about that."""


def transcript(command: Sequence[str], done: Completed, at_most: int) -> str:
    """Return a command and what it printed, up to so many characters of each stream."""
    stdout, stderr = done.stdout[:at_most], done.stderr[:at_most]
    return f"$ {' '.join(command)}\n{stdout}\n--- stderr\n{stderr}\n--- exit code {done.exit_code}\n"


class Executor(Protocol):
    """Runs a generator's commands beside one server that has been started."""

    @property
    def folder(self) -> str:
        """Return the folder where commands may leave files, as they see it."""

    @property
    def fixtures(self) -> str:
        """Return the folder with the files that servers serve, as commands see it."""

    @property
    def cpus(self) -> tuple[int, ...]:
        """Return the CPUs that commands run on; empty where nothing is pinned."""

    def execute(self, command: Sequence[str], time_limit: float) -> Completed:
        """Run a command for at most this many seconds, and return how it ended."""

    def take(self, name: str) -> str | None:
        """Return the text of a file that a command left in the folder, and keep it with the sweep. None where there is
        no regular file of that name and of a plausible size: a hostile server may have taken over the generator."""


class Target(Struct, frozen=True, kw_only=True):
    """The target of one run of a generator, and its settings."""

    url: str
    keep_alive: bool
    idle_timeout: int
    """Seconds without any progress after which the generator gives up by itself."""
    time_limit: float
    """Seconds after which the run is ended from outside."""
    executor: Executor
    headers: tuple[str, ...] = ()
    """Further lines of the request's head."""
    host_only: bool = False
    """Whether its head has no line about the connection."""
    fixture: str | None = None
    """The file in the executor's `fixtures` that is the right answer's body."""
    constant: str | None = None
    """The text that is the right answer's body."""
    beside: Workload | None = None
    """What the load's second one asks for; its right answer is a constant."""
    echo: bool = False
    """Whether the right answer's body is the request's head. Without any of the three nothing can be compared."""
    rate: float | None = None
    """The requests per second that can be expected; None where that is not known."""
    cpus: tuple[int, ...] = ()
    """Those of server and generator, whose stolen time matters; empty where they are not known."""
    has_own_cpus: bool = False
    """Whether the generator's are none of the server's, so that it may poll."""
    processes: int = 1
    """Processes or threads of the generator that share the connections, as `Generator.processes` has it."""
    record_as: str | None = None
    """For a trial: what the names of its files begin with. The latencies of all its requests are recorded, and the
    generator's files are kept. None for load of which the rate alone is of interest."""


class Asked(Struct, frozen=True, kw_only=True):
    """What an outcome is judged by. `body_length` is that of the right answer in bytes, as the fixture or the probe has
    it, never as the generator saw it."""

    load: Load
    connections: int
    keep_alive: bool
    body_length: int
    failures_at_most: float = 0.0
    """The share of requests that may fail."""
    answer_length: int | None = None
    """Bytes of the right answer, with its head, as the probe received it; None where it did not."""
    stays_open: bool = False
    """Whether the connection stays open after that answer, by what its head says."""
    wait_ms: int = 0
    """What each request asks to wait at least."""


class Run(Struct, frozen=True, kw_only=True):
    """One run of a generator; the record of a trial has all of it."""

    command: tuple[str, ...]
    """The generator's arguments, without what was put around them to record latencies; the first one's of several
    processes."""
    exit_code: int
    result: Outcome | Message
    """What it found, or why it found nothing."""
    seconds: float
    """The seconds of the whole run, including the generator's start and what it does after the load."""
    output: str
    """The command and all that was printed, as the raw file of a trial has it."""

    @property
    def outcome(self) -> Outcome | None:
        """Return what it found; None if the run failed."""
        return self.result if isinstance(self.result, Outcome) else None

    @property
    def failure(self) -> Message | None:
        """Return why it found nothing; None if it did find something."""
        return self.result if isinstance(self.result, Message) else None


class Generator(Protocol):
    """A program that makes load."""

    @property
    def name(self) -> str:
        """Return the name of the program, which is that of its Dockerfile and of its service in compose.yaml too."""

    @property
    def package(self) -> str | None:
        """Return the name of Debian's package that has the program; None for one of our own."""

    @property
    def compares_answers(self) -> bool:
        """Return whether it compares every answer, byte for byte, where the target says with what."""

    @property
    def can_ask_host_only(self) -> bool:
        """Return whether it can keep connections without a line about that in the head of its requests."""

    @property
    def counts_requests(self) -> bool:
        """Return whether it can make a given number of requests; otherwise a load is a time."""

    @property
    def version_command(self) -> Sequence[str]:
        """Return a command whose first line of output names the version."""

    def processes(self, connections: int, at_most: int) -> int:
        """Return how many processes or threads share so many connections of a closed load, at most `at_most`."""

    def request_head(self, executor: Executor, host: str, workload: Workload) -> bytes:
        """Return the head of a workload's requests, byte for byte: the probe sends it, and an echo server returns it. A
        program that can print it is run by the executor; GeneratorError if it does not."""

    def run(self, target: Target, load: Load, concurrency: int) -> Run:
        """Make this load over this many connections at once, and return what came of it."""

    def limit(self, outcome: Outcome, by_cpu: Limit | None) -> Limit | None:
        """Return what limited a run; `by_cpu` is whose CPUs were full."""

    def judge(self, outcome: Outcome, asked: Asked, limit: Limit | None) -> Verdict:
        """Return whether a run with this outcome is valid, and why not. `limit` is what limited it."""
