"""Logs of published sweeps, which are compressed."""

from __future__ import annotations

import lzma
import tracemalloc
from pathlib import Path

import pytest
from support.builders import NOON, answer, server, sweep, trial

from ab_runner.model.records import EndRecord
from ab_runner.store import log, reader
from ab_runner.store.answers import newest_answers
from ab_runner.store.layout import StoreError
from ab_runner.store.log import log_lines, log_path, packed
from ab_runner.store.reader import is_being_written, read, sweeps_in
from ab_runner.store.writer import Store

RECORDS = (
    answer("a-1", "HTTP/1.0 200 OK\r\n\r\n"),
    trial("a-1", "small", 1),
    EndRecord(at=NOON, reason="finished"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sweep whose log is compressed, in a folder of published ones."""
    made = tmp_path / "results" / "sweeps" / "one"
    store = Store.make(made, sweep(server("a-1")))
    for record in RECORDS:
        store.append(record)
    store.close()
    plain = made / "trials.jsonl"
    (made / "trials.jsonl.xz").write_bytes(packed(plain.read_bytes().splitlines()))
    plain.unlink()
    return made


def test_a_compressed_log_is_read_as_the_log(folder: Path) -> None:
    stored = read(folder)
    assert (stored.records, stored.damage, stored.ending) == (RECORDS, (), "finished")
    assert len(list(filter(None, log_lines(folder)))) == len(RECORDS)
    assert not is_being_written(folder)


def test_the_log_of_a_sweep_that_is_measured_goes_before_a_compressed_one(folder: Path) -> None:
    (folder / "trials.jsonl").write_bytes(b"")
    assert log_path(folder) == folder / "trials.jsonl"
    assert read(folder).records == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it ends in the middle"),
        (b"this is no xz file", "it cannot be decompressed"),
        (packed([b"{}"] * 1000)[:-20], "it ends in the middle"),
        (packed([b"{}"] * 1000)[:20] + b"\xff" * 20, "it cannot be decompressed"),
        (lzma.compress(b"{}\n", format=lzma.FORMAT_ALONE), "it cannot be decompressed"),
    ],
)
def test_a_damaged_compressed_log_is_one_line(folder: Path, content: bytes, reason: str) -> None:
    (folder / "trials.jsonl.xz").write_bytes(content)
    with pytest.raises(StoreError, match=rf"trials\.jsonl\.xz: cannot be read: {reason}"):
        read(folder)


def test_no_more_is_decompressed_than_a_log_may_have(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "trials.jsonl.xz").write_bytes(packed([b""] * 100_000))
    monkeypatch.setattr(log, "LOG_AT_MOST", 10_000)
    with pytest.raises(StoreError, match="it has more than 10,000 bytes"):
        read(folder)


def test_a_damaged_line_of_a_compressed_log_is_named(folder: Path) -> None:
    lines = [*filter(None, log_lines(folder)), b"{not json"]
    (folder / "trials.jsonl.xz").write_bytes(packed(lines))
    assert ["trials.jsonl.xz: line 4 is damaged" in line for line in read(folder).damage] == [True]


def test_nothing_is_added_to_a_published_sweep(folder: Path) -> None:
    with pytest.raises(StoreError, match="is a published sweep, to which nothing is added"):
        Store(folder)
    assert not (folder / "trials.jsonl").exists()


def test_published_sweeps_are_among_those_of_the_results_and_their_answers_are_found(folder: Path) -> None:
    results = folder.parents[1]
    assert sweeps_in(results) == [folder]
    assert newest_answers(results, [server("a-1")])["a-1"].answers == RECORDS[:1]


def test_published_sweeps_are_not_found_through_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sweeps").symlink_to(folder.parent)
    assert sweeps_in(tmp_path / "other") == []


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_log_is_read_without_being_in_memory_as_a_whole(tmp_path: Path, is_packed: bool) -> None:
    lines = [b"x" * 4_000] * 8_000
    content = b"".join(line + b"\n" for line in lines)
    if is_packed:  # by a preset for which little memory is needed
        (tmp_path / "trials.jsonl.xz").write_bytes(lzma.compress(content, preset=0))
    else:
        (tmp_path / "trials.jsonl").write_bytes(content)
    tracemalloc.start()
    try:
        assert sum(map(len, log_lines(tmp_path))) == 32_000_000
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_a_line_without_an_end_and_records_without_number_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (folder / "trials.jsonl").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(StoreError, match=r"trials\.jsonl: cannot be read: a line of it has more than 33,554,432 bytes"):
        read(folder)
    (folder / "trials.jsonl").unlink()
    monkeypatch.setattr(reader, "RECORDS_AT_MOST", 2)
    with pytest.raises(StoreError, match="it has more than 2 records"):
        read(folder)
