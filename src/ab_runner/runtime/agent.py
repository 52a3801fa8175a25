"""The agent beside a server, as the runner sees it: a program at the other end of a stream, in a container on any
engine. What it says is decoded into the types that it was made of; anything else is an OSError."""

from __future__ import annotations

import errno
import itertools
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import msgspec

from ab_runner.agent.frames import Frame, Kind
from ab_runner.agent.relay import Channel, Relay
from ab_runner.host.cooldown import Settled, longest_wait
from ab_runner.host.interrupt import held
from ab_runner.monitor.readings import Reading, Watched
from ab_runner.monitor.watch import EachSecond
from ab_runner.runtime.base import last_lines

AGENT = "agent"
"""Its service in compose.yaml."""
IN_CONTAINER = ("python3", "-m", "ab_runner.agent")
_ANSWER_SECONDS = 10.0
"""Longest time that an answer may take."""
_SAID_AT_MOST = 64 << 10
"""Bytes of its last words."""
_END_SECONDS = 5.0
"""How long its stream may take to end after its process."""

Said = TypeVar("Said")


class Connection(socket.socket):
    """A connection that the agent relays. Where the agent's own was lost, reading fails as it did there."""

    lost = 0
    """The error's number."""

    def recv(self, bufsize: int, flags: int = 0) -> bytes:
        data = super().recv(bufsize, flags)
        if self.lost and bufsize and not data:
            raise OSError(self.lost, os.strerror(self.lost))
        return data


class _Opening(Channel):
    """The runner's end of a connection, and whether the agent's is there."""

    def __init__(self, number: int, end: socket.socket, connection: Connection) -> None:
        super().__init__(number, end)
        self._connection = connection
        self.result: SimpleQueue[int] = SimpleQueue()
        """The error's number, 0 where there is none."""

    def opened(self) -> None:
        self.result.put(0)

    def closed(self, error: int) -> None:
        self._connection.lost = error
        self.result.put(error or errno.ECONNABORTED)


class Agent:
    """An agent that was started, until `close`. Several threads may use it."""

    def __init__(self, command: Sequence[str]) -> None:
        """`command` runs its program and is its stream."""
        self._numbers = itertools.count(1)
        self._answers: dict[int, SimpleQueue[Frame | None]] = {}
        """Of the calls that wait for one; None is none."""
        self.hear: Callable[[bytes], None] | None = None
        """Is told of events, in the thread that relays."""
        self._why_gone = "the agent has gone"
        with held():
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                start_new_session=True,
            )  # fmt: skip
        assert self._process.stdin is not None, "they are pipes"
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._complaints = self._process.stderr
        os.set_blocking(self._complaints.fileno(), False)
        streams = self._process.stdout.fileno(), self._process.stdin.fileno()
        self._relay = Relay(*streams, self._handle, keeps_half=False)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._relay.run()
        if said := self._complaints.read(_SAID_AT_MOST):
            self._why_gone = last_lines(said.decode(errors="backslashreplace"), 1)
        for waiting in list(self._answers.values()):
            waiting.put(None)

    def connect(self, address: tuple[str, int], seconds: float) -> socket.socket:
        """Return a connection from the agent to that address. OSError if there is none within so many seconds."""
        self._check_alive()
        ours, theirs = socket.socketpair()
        connection = Connection(fileno=ours.detach())
        channel = _Opening(next(self._numbers), theirs, connection)
        asked = Frame(Kind.OPEN, channel.number, f"{address[0]} {address[1]}".encode())

        def begin() -> None:
            self._relay.add(channel)
            self._relay.send(asked)

        self._relay.post(begin)
        error = errno.EINTR
        try:
            error = channel.result.get(timeout=seconds)
        except Empty:
            error = errno.ETIMEDOUT
        finally:
            if error:
                self._relay.post(partial(self._relay.close, channel.number))
                connection.close()
        if error:
            raise OSError(error, os.strerror(error))
        connection.settimeout(seconds)
        return connection

    def ask(self, form: type[Said], call: str, *, within: float | None = None, **arguments: Any) -> Said:
        """Return the answer to a call, as this type. OSError if there is none within this time in seconds."""
        self._check_alive()
        number = next(self._numbers)
        answers: SimpleQueue[Frame | None] = SimpleQueue()
        self._answers[number] = answers
        request = Frame(Kind.CALL, number, msgspec.json.encode({"call": call, **arguments}))
        self._relay.post(partial(self._relay.send, request))
        try:
            answer = answers.get(timeout=within or _ANSWER_SECONDS)
        except Empty:
            raise TimeoutError(errno.ETIMEDOUT, f"the agent does not answer: {call}") from None
        finally:
            del self._answers[number]
        if answer is None:
            raise ConnectionError(errno.ECONNRESET, self._why_gone)
        if answer.kind is not Kind.ANSWER:
            raise ProcessLookupError(errno.ESRCH, answer.content.decode(errors="replace"))
        return decode(answer.content, form)

    def is_alive(self) -> bool:
        """Return whether it can still be asked."""
        return self._thread.is_alive()

    def _check_alive(self) -> None:
        if not self.is_alive():
            raise ConnectionError(errno.ECONNRESET, self._why_gone)

    def _handle(self, frame: Frame) -> None:
        if frame.kind in (Kind.ANSWER, Kind.FAILED):
            if (waiting := self._answers.get(frame.number)) is not None:
                waiting.put(frame)
        elif frame.kind is Kind.EVENT and self.hear is not None:
            self.hear(frame.content)

    def close(self) -> None:
        """End it; may be called twice."""
        self._process.kill()
        self._thread.join(_END_SECONDS)
        with self._process:  # which closes the pipes, and waits
            pass


def decode(content: bytes, form: type[Said]) -> Said:
    """Return what the agent has said. OSError if it is not of this type."""
    try:
        return msgspec.json.decode(content, type=form)
    except (msgspec.MsgspecError, ValueError) as error:
        raise OSError(errno.EBADMSG, f"the agent says what it should not: {error}") from None


class AgentAccounts:
    """The accounts of a server and of its generator, as the agent sees them: `monitor.watch.Accounts`."""

    def __init__(
        self,
        agent: Agent,
        server: str,
        generator: str,
        server_cpus: tuple[int, ...],
        generator_cpus: tuple[int, ...],
    ) -> None:
        """`server` and `generator` are their containers' ids. OSError if the agent cannot see them."""
        self._agent = agent
        cpus = agent.ask(
            tuple[tuple[int, ...], tuple[int, ...]], "meter", server=server, generator=generator,
            server_cpus=server_cpus, generator_cpus=generator_cpus,
        )  # fmt: skip
        self.server_cpus, self.generator_cpus = cpus

    def watch(self, interval: float, each_second: EachSecond | None = None) -> AgentWatch:
        """Have the agent look at them every `interval` seconds from now on."""
        return AgentWatch(self._agent, interval, each_second)

    def settle(self, ports: int, connections: int) -> Settled:
        """Wait for what earlier trials left, and return what remains."""
        within = longest_wait(connections) + _ANSWER_SECONDS
        with suppress(OSError):
            return self._agent.ask(Settled, "settle", within=within, ports=ports, connections=connections)
        return Settled(None, None, 0.0)


class AgentWatch:
    """A trial that the agent watches. Its looks come at the end; those that somebody wants to be told of each second,
    at once, in a thread of their own: what is done then must not hold up connections."""

    def __init__(self, agent: Agent, interval: float, each_second: EachSecond | None) -> None:
        self._agent = agent
        self._each_second = each_second
        self._heard: SimpleQueue[bytes | None] = SimpleQueue()
        self._is_over = False
        self._teller = threading.Thread(target=self._tell, daemon=True)
        self._teller.start()
        agent.hear = self._heard.put
        with suppress(OSError):  # which its end will say again
            agent.ask(type(None), "watch", interval=interval, each_second=each_second is not None)

    def end(self) -> Watched:
        """End it and return what was read; nothing where the agent has gone."""
        watched = Watched([], {}, {})
        try:
            watched = self._agent.ask(Watched, "watched")
        except OSError:
            pass
        finally:
            self._is_over = True
            self._agent.hear = None
            self._heard.put(None)
            self._teller.join()
        return watched

    def _tell(self) -> None:
        with suppress(OSError):  # it says what it should not
            while (said := self._heard.get()) is not None and not self._is_over:
                if self._each_second is not None:
                    self._each_second(decode(said, Reading))
