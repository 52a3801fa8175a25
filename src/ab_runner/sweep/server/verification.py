"""Answers that are compared byte for byte after the trials of a start.

The samples of a trial, 20 to 40, miss a server that is wrong in one of 500 answers: 2,000 answers miss it in 2 % of the
starts."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from itertools import count, islice

import msgspec

from ab_runner.model.message import Message
from ab_runner.sweep.server import probe
from ab_runner.sweep.server.answers import Connect, NoAnswer, ProbeError, exchange, open_connection, stays_open
from ab_runner.sweep.server.probe import Question

ANSWERS = 2_000
SECONDS = 2.0
"""Fewer answers are compared if they take longer: 2,000 large files may take four seconds."""


class Verification(msgspec.Struct, frozen=True):
    """How many answers were compared, how many of them were wrong, and what was wrong with the first of these."""

    compared: int
    wrong: int
    first_wrong: Message | None


def verify(
    connect: Connect, asked: Question, answers: int = ANSWERS, clock: Callable[[], float] = time.monotonic
) -> Verification:
    """Send the generator's request one after the other, on one connection where the workload keeps it, and compare the
    answers. It ends when a connection or an answer does not come: that is no wrong answer."""
    compared = 0
    wrong: list[Message] = []
    deadline = clock() + SECONDS
    with closing(_comparisons(connect, asked)) as comparisons:
        for difference in islice(comparisons, answers):
            compared += 1
            if difference is not None:
                wrong.append(difference)
            if clock() >= deadline:
                break
    return Verification(compared, len(wrong), wrong[0] if wrong else None)


def _comparisons(connect: Connect, asked: Question) -> Generator[Message | None]:
    """Yield for each answer what is wrong with it, None if it is right."""
    with suppress(NoAnswer):
        while True:
            with open_connection(connect) as connection:
                yield from _comparisons_on(connection, asked)


def _comparisons_on(connection: socket.socket, asked: Question) -> Generator[Message | None]:
    """Yield the same for the answers on one connection. NoAnswer if there is none."""
    for number in count():
        try:
            answer = exchange(connection, asked.head, probe.seconds_of(asked.workload))
            probe.check_answer(answer, asked)
        except NoAnswer:
            if number:
                return  # a server may close a kept connection at any time
            raise
        except ProbeError as error:
            yield error.message
            return
        yield None
        if not (asked.workload.keep_alive and stays_open(asked.head, answer)):
            return
