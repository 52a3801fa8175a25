from __future__ import annotations

import json
import os
import re
import resource
from pathlib import Path
from typing import Any

import pytest
from support.builders import NOON, failed_trial, not_measured, open_outcome, open_trial, server, sweep, trial, usage
from support.course_sweep import WARM, course, course_trial

from ab_runner.model.records import EndRecord, StartRecord, WarmUpRecord
from ab_runner.model.resources import StolenSeconds
from ab_runner.model.trial import Search, Trial
from ab_runner.runtime.base import take_from
from ab_runner.store.layout import StoreError
from ab_runner.store.reader import is_being_written, read
from ab_runner.store.writer import Store, point_latest_to

RECORDS = (
    StartRecord(block=1, server="a-1", start=1, at=NOON, seconds=0.5, environment={"image": "sha256:0"}),
    WarmUpRecord(block=1, server="a-1", start=1, workload="small", at=NOON, rates=(1.0, 2.0)),
    trial("a-1", "small", 1, usage=usage(stolen=StolenSeconds(at=(0.0, 0.5), cpus={1: (0.0, 0.02)}))),
    failed_trial("a-1", "small", 100, "timeout", "apr_pollset_poll: The timeout specified has expired (70007)"),
    not_measured("a-1", "large", 1, "no keep-alive"),
    EndRecord(at=NOON, reason="finished"),
)


def stored(folder: Path) -> Store:
    store = Store.make(folder, sweep(server("a-1")))
    for record in RECORDS:
        store.append(record)
    return store


def test_what_was_stored_is_read_back_as_it_was(tmp_path: Path) -> None:
    stored(tmp_path / "s").close()
    again = read(tmp_path / "s")
    assert again.sweep == sweep(server("a-1"))
    assert again.records == RECORDS
    assert again.damage == ()


def test_a_course_is_read_back_as_it_was_and_the_record_of_a_trial_without_one_does_not_mention_it(
    tmp_path: Path,
) -> None:
    store, long = stored(tmp_path / "s"), course_trial("a-1", WARM)
    store.append(long)
    store.close()
    assert read(tmp_path / "s").records == (*RECORDS, long)
    lines = (tmp_path / "s" / "trials.jsonl").read_text().splitlines()
    assert ['"course"' in line for line in lines] == [False] * len(RECORDS) + [True]


def test_a_sweep_from_before_jdks_were_recorded_can_still_be_read(tmp_path: Path) -> None:
    stored(tmp_path / "s").close()
    for path in ((tmp_path / "s" / "sweep.json"), (tmp_path / "s" / "trials.jsonl")):
        text = path.read_text()
        assert re.search(r'"jdk": ?25', text)
        path.write_text(re.sub(r',\s*"jdk": ?25', "", text))
        assert not re.search(r'"jdk": ?25', path.read_text())
    again = read(tmp_path / "s")
    assert again.damage == ()
    assert again.sweep.request.jdk is None
    assert [record.jdk for record in again.records if isinstance(record, Trial)] == [None, None]


def test_a_record_is_on_disk_before_the_next_one_is_measured(tmp_path: Path) -> None:
    store = stored(tmp_path / "s")
    assert len((tmp_path / "s" / "trials.jsonl").read_text().splitlines()) == len(RECORDS)
    store.close()


def test_a_new_sweep_is_on_disk_before_its_first_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[Path] = []
    fsync = os.fsync

    def noted(file: int) -> None:
        flushed.append(Path(os.readlink(f"/proc/self/fd/{file}")))
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    Store.make(tmp_path / "s", sweep(server("a-1"))).close()
    assert flushed == [tmp_path / "s" / "sweep.json", tmp_path / "s", tmp_path]


@pytest.mark.parametrize("damage", [b"{not json", b'{"record":"trial"}', b"\xff\xfe", b'"text"'])
def test_a_damaged_line_is_named_and_the_rest_is_kept(tmp_path: Path, damage: bytes) -> None:
    stored(tmp_path / "s").close()
    path = tmp_path / "s" / "trials.jsonl"
    lines = path.read_bytes().splitlines()
    lines[2] = damage
    path.write_bytes(b"\n".join(lines))
    again = read(tmp_path / "s")
    assert again.records == RECORDS[:2] + RECORDS[3:]
    assert [line for line in again.damage if "trials.jsonl: line 3 is damaged" in line] == list(again.damage)
    assert len(again.damage) == 1


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"latency": {0: 5_000}}, "must have latencies above 0"),
        ({"search": Search(met=0, missed=125, steps=())}, "must have a rate at which the SLO was met"),
        ({"course": course(at=(1.0,))}, "must have a figure for each look"),
        ({"course": course(server_cpu_seconds=())}, "must have a figure for each look"),
        ({"course": course(2, at=(1.0, 1.0))}, "must be 0.1 s or more after the one before"),
        ({"usage": usage(stolen=StolenSeconds((0.0, 0.5), {1: (0.0,)}))}, "must have a figure for each look"),
    ],
)
def test_a_valid_trial_with_a_figure_of_zero_or_without_one_is_damaged(
    tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    store = stored(tmp_path / "s")
    store.append(open_trial("a-1", 10, 5.0, **changes))
    store.close()
    again = read(tmp_path / "s")
    assert again.records == RECORDS
    (damage,) = again.damage
    assert why in damage


def test_a_valid_trial_whose_answers_all_came_after_the_last_request_was_due_is_kept(tmp_path: Path) -> None:
    late = open_trial("a-1", 10, 5.0, outcome=open_outcome(1_000, completed_per_second=0.0))
    store = stored(tmp_path / "s")
    store.append(late)
    store.close()
    again = read(tmp_path / "s")
    assert (again.records, again.damage) == ((*RECORDS, late), ())


def test_what_a_newer_version_has_added_is_ignored_and_a_line_says_so(tmp_path: Path) -> None:
    stored(tmp_path / "s").close()
    sweep_file, log = tmp_path / "s" / "sweep.json", tmp_path / "s" / "trials.jsonl"
    later = json.loads(sweep_file.read_text())
    later["weather"] = "fine"
    later["servers"][0] |= {"colour": "red", "io_model": "fibers"}
    sweep_file.write_text(json.dumps(later))
    lines = [json.dumps(json.loads(line) | {"mood": 1}) for line in log.read_text().splitlines()]
    log.write_text("\n".join([*lines, '{"record":"unheard-of"}', '{"record":"unheard-of","at":1}']))
    again = read(tmp_path / "s")
    assert again.records == RECORDS
    assert again.sweep.servers[0].io_model == "fibers"
    assert [line.partition("trials.jsonl: ")[2] for line in again.damage] == [
        "2 records of a kind that this version does not know are ignored: unheard-of"
    ]


def test_a_log_that_ends_in_a_broken_line_is_written_on_without_losing_the_next_record(tmp_path: Path) -> None:
    stored(tmp_path / "s").close()
    path = tmp_path / "s" / "trials.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    again = Store(tmp_path / "s")
    again.append(RECORDS[-1])
    again.append(RECORDS[2])
    again.close()
    assert read(tmp_path / "s").records == (*RECORDS[:-1], RECORDS[-1], RECORDS[2])


def test_a_record_that_does_not_fit_on_the_disk_leaves_nothing_of_itself(tmp_path: Path) -> None:
    kept = stored(tmp_path / "s")
    room = (tmp_path / "s" / "trials.jsonl").stat().st_size + 20
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with pytest.raises(OSError, match="No space left"):
            kept.append(RECORDS[2])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (read(tmp_path / "s").records, read(tmp_path / "s").damage) == (RECORDS, ())
    kept.append(RECORDS[2])
    kept.close()
    assert read(tmp_path / "s").records == (*RECORDS, RECORDS[2])


def test_a_last_line_cut_off_by_a_crash_is_named(tmp_path: Path) -> None:
    stored(tmp_path / "s").close()
    path = tmp_path / "s" / "trials.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    again = read(tmp_path / "s")
    assert again.records == RECORDS[:-1]
    assert "line 6" in again.damage[0]


def test_a_sweep_never_overwrites_another(tmp_path: Path) -> None:
    stored(tmp_path / "s").close()
    with pytest.raises(StoreError, match="cannot write"):
        Store.make(tmp_path / "s", sweep(server("b-1")))
    assert read(tmp_path / "s").sweep.servers[0].id == "a-1"


@pytest.mark.parametrize("content", [None, b"", b"{}", b"[1]", b"\xff"])
def test_a_folder_that_is_no_sweep_is_refused_in_one_line(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "sweep.json").write_bytes(content)
    with pytest.raises(StoreError) as caught:
        read(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_sweep_of_another_format_says_so(tmp_path: Path) -> None:
    stored(tmp_path / "s").close()
    path = tmp_path / "s" / "sweep.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 3}))
    with pytest.raises(StoreError, match="format 3; this toolkit reads formats up to 2"):
        read(tmp_path / "s")


def test_latest_points_to_the_newest_sweep(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        point_latest_to(tmp_path / name)
    assert (tmp_path / "latest").resolve() == (tmp_path / "two").resolve()


def test_a_folder_of_the_users_that_is_called_latest_stays(tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    (tmp_path / "one").mkdir()
    point_latest_to(tmp_path / "one")
    assert not (tmp_path / "latest").is_symlink()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_bytes(b"secret\n")
    return path


@pytest.mark.parametrize("name", ["sweep.json", "trials.jsonl"])
def test_a_sweep_is_not_read_through_links_or_from_what_is_no_file(tmp_path: Path, name: str) -> None:
    stored(tmp_path / "s").close()
    path = tmp_path / "s" / name
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(
        StoreError, match=rf"{name}: cannot be read: it is a symbolic link.*replace it by the file it points to"
    ):
        read(tmp_path / "s")
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(StoreError, match=rf"{name}: cannot be read: it is not a regular file"):
        read(tmp_path / "s")
    assert not is_being_written(tmp_path / "s")


def test_a_sweep_that_is_named_through_a_link_is_read_and_written_on(tmp_path: Path) -> None:
    stored(tmp_path / "s").close()
    point_latest_to(tmp_path / "s")
    (tmp_path / "mine").symlink_to(tmp_path / "latest")
    again = Store(tmp_path / "mine")
    again.append(RECORDS[-1])
    again.close()
    assert read(tmp_path / "latest").records == (*RECORDS, RECORDS[-1])


def test_a_sweep_does_not_go_on_where_its_log_or_raw_is_a_link(tmp_path: Path, secret: Path) -> None:
    stored(tmp_path / "s").close()
    log, raw = tmp_path / "s" / "trials.jsonl", tmp_path / "s" / "raw"
    log.rename(tmp_path / "log")
    log.symlink_to(secret)
    with pytest.raises(StoreError, match=r"cannot write to .*trials\.jsonl: it is a symbolic link"):
        Store(tmp_path / "s")
    log.unlink()
    (tmp_path / "log").rename(log)
    raw.rmdir()
    raw.symlink_to(tmp_path)
    with pytest.raises(StoreError, match=r"cannot write to .*raw: it is a symbolic link"):
        Store(tmp_path / "s")
    assert secret.read_bytes() == b"secret\n"


def test_what_is_kept_in_raw_is_not_written_through_a_link(tmp_path: Path, secret: Path) -> None:
    store = stored(tmp_path / "s")
    (store.raw / "x.txt").symlink_to(secret)
    store.keep_raw("x.txt", "This is ApacheBench")
    store.close()
    assert secret.read_bytes() == b"secret\n"
    assert (store.raw / "x.txt").read_text() == "This is ApacheBench"


def test_what_the_generator_leaves_is_kept_and_nothing_of_its_folder_stays(tmp_path: Path) -> None:
    store = stored(tmp_path / "s")
    (store.scratch / "1-a-1").mkdir()
    (store.scratch / "1-a-1" / "x.csv").write_bytes(b"0,1\n\xff")
    taken = take_from(store.scratch / "1-a-1", "x.csv")
    assert taken == b"0,1\n\xff"
    store.keep("x.csv", taken)
    assert (store.raw / "x.csv").read_bytes() == b"0,1\n\xff"
    assert take_from(store.scratch / "1-a-1", "y.csv") is None
    store.close()
    assert {path.name for path in (tmp_path / "s").iterdir()} == {"sweep.json", "trials.jsonl", "raw"}


def test_what_a_generator_plants_is_not_read(tmp_path: Path, secret: Path) -> None:
    store = stored(tmp_path / "s")
    folder = store.scratch / "1-a-1"
    folder.mkdir()
    (folder / "link").symlink_to(secret)
    os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir()
    with (folder / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    (store.scratch / "linked").symlink_to(tmp_path)
    for name in ("link", "fifo", "folder", "sparse"):
        assert take_from(folder, name) is None
    assert take_from(store.scratch / "linked", "secret") is None
    store.close()
    assert secret.read_bytes() == b"secret\n"


def test_the_scratch_folder_of_a_killed_sweep_is_removed_when_it_goes_on(tmp_path: Path, secret: Path) -> None:
    stored(tmp_path / "s").close()
    (tmp_path / "s" / ".scratch-old").mkdir()
    (tmp_path / "s" / ".scratch-old" / "link").symlink_to(secret)
    (tmp_path / "s" / ".scratch-planted").symlink_to(tmp_path)
    Store(tmp_path / "s").close()
    assert not (tmp_path / "s" / ".scratch-old").exists()
    assert secret.exists()
