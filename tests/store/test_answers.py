"""The newest heads of answers in a folder of sweeps."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from support.builders import NOON, answer, server, sweep, trial

from ab_runner.model.records import AnswerRecord
from ab_runner.model.server import Server
from ab_runner.store.answers import newest_answers
from ab_runner.store.writer import Store

A, B = server("a-1"), server("b-1")
OK = "HTTP/1.0 200 OK\r\n\r\n"


def kept(results: Path, name: str, *servers: Server, answers: tuple[AnswerRecord, ...], hours: int = 0) -> Path:
    """A sweep that began so many hours after noon."""
    folder = results / name
    store = Store.make(folder, sweep(*servers, id=name, started=NOON + datetime.timedelta(hours=hours)))
    store.append(trial("a-1", "small", 1))
    for record in answers:
        store.append(record)
    store.close()
    return folder


def sweeps_of(results: Path, *servers: Server) -> dict[str, str]:
    """Return for each server the sweep that its answers come from."""
    return {id: stored.sweep for id, stored in newest_answers(results, servers).items()}


def test_each_server_has_the_answers_of_the_newest_sweep_that_has_any(tmp_path: Path) -> None:
    kept(tmp_path, "z-first", A, B, answers=(answer("a-1", OK), answer("b-1", OK), answer("b-1", OK, "large")))
    kept(tmp_path, "second", A, B, answers=(answer("a-1", OK),), hours=1)
    kept(tmp_path, "third", A, B, answers=(), hours=2)
    (tmp_path / "latest").symlink_to("third")
    found = newest_answers(tmp_path, [A, B])
    assert {id: stored.sweep for id, stored in found.items()} == {"a-1": "second", "b-1": "z-first"}
    assert found["b-1"].answers == (answer("b-1", OK), answer("b-1", OK, "large"))


def test_a_server_that_was_renamed_has_its_former_answers_and_one_of_another_revision_has_not(tmp_path: Path) -> None:
    kept(tmp_path, "one", A, B, answers=(answer("a-1", OK), answer("b-1", OK)))
    renamed, revised = server("a-2", former_ids=("a-1",)), server("b-1", revision=2)
    assert sweeps_of(tmp_path, renamed, revised) == {"a-2": "one"}


@pytest.mark.parametrize("damage", ["sweep", "log", "line", "link"])
def test_what_cannot_be_read_has_no_answers_and_hides_no_other(tmp_path: Path, damage: str) -> None:
    kept(tmp_path, "one", A, answers=(answer("a-1", OK),))
    two = kept(tmp_path, "two", A, answers=(answer("a-1", OK),), hours=1)
    log = two / "trials.jsonl"
    if damage == "sweep":
        (two / "sweep.json").write_text("{")
    elif damage == "log":
        log.unlink()
    elif damage == "line":
        log.write_bytes(b'{"record":"answer","server":"a-1"\n{"record":"answer"}\n\xff"answer"\n')
    else:
        log.rename(tmp_path / "elsewhere")
        log.symlink_to(tmp_path / "elsewhere")
    assert sweeps_of(tmp_path, A) == {"a-1": "one"}


def test_where_there_are_no_sweeps_there_are_no_answers(tmp_path: Path) -> None:
    assert newest_answers(tmp_path, [A]) == newest_answers(tmp_path / "none", [A]) == {}
