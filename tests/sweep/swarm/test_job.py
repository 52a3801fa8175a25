"""What a job tells: records as they are appended, and the files that these name before them."""

from __future__ import annotations

import base64
import io
import json
import zlib
from pathlib import Path

import msgspec
import pytest
from support.builders import NOON, trial
from support.swarm import swarm_sweep

from ab_runner.model.records import EndRecord
from ab_runner.store.plan import plan_of
from ab_runner.sweep.swarm import job as room
from ab_runner.sweep.swarm.job import Job, Teller, TellingStore
from ab_runner.sweep.swarm.told import EndTold, FileTold, Hearing, RecordTold, Told


def heard(text: str) -> list[Told]:
    hearing = Hearing()
    return [told for line in text.splitlines() if (told := hearing.hear(line)) is not None]


def test_a_record_comes_after_the_files_that_it_names_and_logs_come_last(tmp_path: Path) -> None:
    stream = io.StringIO()
    store = TellingStore(tmp_path, Teller(stream))
    (store.raw / "1-a-1-1.log").write_text("begins")
    store.keep_raw("1.txt", "$ ab")
    store.append(trial("a-1", "small", 1, raw="1.txt"))
    (store.raw / "1-a-1-1.log").write_text("x" * (1 << 20) + "end")
    store.append(EndRecord(at=NOON, reason="finished"))
    store.close()
    found = heard(stream.getvalue())
    assert found[:2] == [FileTold("1.txt", b"$ ab"), RecordTold(trial("a-1", "small", 1, raw="1.txt"))]
    (log,) = found[2:]
    assert isinstance(log, FileTold), "the sweep does not end with a block"
    assert (log.name, len(log.content), log.content[-3:]) == ("1-a-1-1.log", 1 << 20, b"end")


def test_what_a_job_is_told_survives_the_way(tmp_path: Path) -> None:
    made = swarm_sweep()
    job = Job(number=1, block=1, node="n1", sweep=made, runs=tuple(plan_of(made)[:3]), unbuilt={"a-1": "no"})
    assert msgspec.json.decode(msgspec.json.encode(job), type=Job) == job


def test_a_job_that_cannot_begin_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "job"
    file.write_bytes(base64.b64encode(zlib.compress(json.dumps({"number": 1}).encode())))
    monkeypatch.setattr(room, "JOB_FILE", file)
    monkeypatch.setattr("ab_runner.host.interrupt.install", lambda: None)
    room.main()
    (end,) = heard(capsys.readouterr().out)
    assert isinstance(end, EndTold)
    assert "missing required field" in end.reason
