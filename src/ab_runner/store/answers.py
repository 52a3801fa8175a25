"""The heads of servers' answers that sweeps have stored."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from ab_runner.model.records import AnswerRecord
from ab_runner.model.server import Server, current_id
from ab_runner.model.sweep import Sweep
from ab_runner.store.log import log_lines
from ab_runner.store.reader import UNREADABLE, readable_sweeps


class StoredAnswers(msgspec.Struct, frozen=True):
    """A server's answers in a sweep, which has this id."""

    sweep: str
    answers: tuple[AnswerRecord, ...]


def newest_answers(results: Path, servers: Iterable[Server]) -> dict[str, StoredAnswers]:
    """Return the answers of each of these servers by its id, from the newest sweep in a folder that has any of the
    server's revision. A sweep that cannot be read has none."""
    wanted = {server.id: server for server in servers}
    found: dict[str, StoredAnswers] = {}
    newest_first = sorted(readable_sweeps(results), key=lambda each: each[0].started, reverse=True)
    for sweep, folder in newest_first:
        names = _names_in(sweep, [server for id, server in wanted.items() if id not in found])
        by_server: dict[str, list[AnswerRecord]] = {}
        for answer in _answers_in(folder) if names else ():
            if answer.server in names:
                by_server.setdefault(names[answer.server], []).append(answer)
        found |= {id: StoredAnswers(sweep.id, tuple(answers)) for id, answers in by_server.items()}
        if len(found) == len(wanted):
            break
    return found


def _names_in(sweep: Sweep, servers: list[Server]) -> dict[str, str]:
    """Return, by the id of each server of the sweep that is one of these in its present revision, its id today."""
    revisions = {server.id: server.revision for server in servers}
    names = {server.id: current_id(server.id, servers) for server in sweep.everyone}
    return {each.id: names[each.id] for each in sweep.everyone if revisions.get(names[each.id]) == each.revision}


def _answers_in(folder: Path) -> list[AnswerRecord]:
    """Return the answers in a sweep's log. Other lines, which are far longer, are not decoded."""
    answers = []
    with suppress(OSError):
        for line in log_lines(folder):
            if b'"answer"' in line:
                with suppress(*UNREADABLE):  # it is another record, or damaged
                    answers.append(_ANSWER.decode(line))
    return answers


_ANSWER = msgspec.json.Decoder(AnswerRecord)
