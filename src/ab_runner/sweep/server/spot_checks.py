"""Spot checks: requests that are sent while a trial runs, whose answers are compared byte for byte. Generators count
bytes and do not look at them."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType

from ab_runner.model.message import Message
from ab_runner.sweep.server import answers, probe
from ab_runner.sweep.server.answers import Connect
from ab_runner.sweep.server.probe import Question

_CHECKS_PER_SECOND = 4
_BYTES_PER_SECOND = 4_000_000
"""The load of the checks must stay small, and of larger files there are fewer. Twenty a second, by way of the engine
and an agent on the same two CPUs, took some 5 % of ab's rate (docs/benchmarks.md)."""
_CONNECT_SECONDS = 0.5
"""How long a connection may take, and with it the end of a trial."""


class SpotChecks:
    """A context manager around a trial that sends the generator's request from time to time, on a connection of its
    own. `answered` is the number of whole answers; `wrong` says what was wrong with the first wrong one. A connection
    that is refused, reset or never served is not a wrong answer: the generator sees those itself.
    """

    answered = 0
    wrong: Message | None = None

    def __init__(self, connect: Connect, question: Question) -> None:
        self._connect = connect
        self._question = question
        self._interval = max(1 / _CHECKS_PER_SECOND, len(question.expected) / _BYTES_PER_SECOND)
        self._over = threading.Event()
        self._connection: socket.socket | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> SpotChecks:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        connection = self._connection
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # wakes up a check that is still waiting for its answer
        self._thread.join()

    def _run(self) -> None:
        while self.wrong is None and not self._over.wait(self._interval):
            try:
                self._check()
            except answers.NoAnswer:
                self._hang_up()
            except answers.ProbeError as error:
                if not self._over.is_set():
                    self.wrong = error.message
        self._hang_up()

    def _check(self) -> None:
        if self._connection is None:
            self._connection = answers.open_connection(self._connect, _CONNECT_SECONDS)
            if self._over.is_set():  # it was set before anybody could have woken this connection up
                return
        asked = self._question
        answer = answers.exchange(self._connection, asked.head, probe.seconds_of(asked.workload))
        probe.check_answer(answer, asked)
        self.answered += 1
        if not (asked.workload.keep_alive and answers.stays_open(asked.head, answer)):
            self._hang_up()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
