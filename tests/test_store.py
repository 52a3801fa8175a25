from __future__ import annotations

import json
import re
import resource
from pathlib import Path

import pytest
from builders import NOON, failed_trial, not_measured, server, sweep, trial

from ab_runner.model import EndRecord, StartRecord, Trial, WarmUpRecord
from ab_runner.store import Store, StoreError, point_latest_to, read

RECORDS = (
    StartRecord(block=1, server="a-1", start=1, at=NOON, seconds=0.5, environment={"image": "sha256:0"}),
    WarmUpRecord(block=1, server="a-1", start=1, workload="small", at=NOON, rates=(1.0, 2.0)),
    trial("a-1", "small", 1),
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


def test_a_sweep_from_before_jdks_were_recorded_can_still_be_read(tmp_path: Path) -> None:
    stored(tmp_path / "s").close()
    for path in ((tmp_path / "s" / "sweep.json"), (tmp_path / "s" / "trials.jsonl")):
        text = path.read_text()
        assert '"jdk"' in text
        path.write_text(re.sub(r',\s*"jdk": ?25', "", text))
        assert '"jdk"' not in path.read_text()
    again = read(tmp_path / "s")
    assert again.damage == ()
    assert again.sweep.asked.jdk is None
    assert [record.jdk for record in again.records if isinstance(record, Trial)] == [None, None]


def test_a_record_is_on_disk_before_the_next_one_is_measured(tmp_path: Path) -> None:
    store = stored(tmp_path / "s")
    assert len((tmp_path / "s" / "trials.jsonl").read_text().splitlines()) == len(RECORDS)
    store.close()


@pytest.mark.parametrize(
    "damage", [b"{not json", b'{"record":"trial"}', b'{"record":"unheard-of"}', b"\xff\xfe", b'"text"']
)
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
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 2}))
    with pytest.raises(StoreError, match="format 2; this toolkit reads format 1"):
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
