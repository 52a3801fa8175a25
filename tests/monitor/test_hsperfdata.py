"""Recorded files of three JDKs; that a live one is read so too, the end-to-end tests see."""

from __future__ import annotations

import gzip
import os
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ab_runner.model.resources import JvmActivity
from ab_runner.monitor.hsperfdata import Counters, activity, parse
from ab_runner.runtime import perf_files

GOLDEN = Path(__file__).parents[1] / "recordings" / "perfdata"


def recorded(name: str) -> bytes:
    return gzip.decompress((GOLDEN / f"{name}.gz").read_bytes())


def counters(name: str) -> Counters:
    found = parse(recorded(name))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("jdk", "expected"),
    [
        (8, JvmActivity(gc_count=1, gc_seconds=0.104481, jit_seconds=3.939419, heap_after_gc_bytes=9_219_160)),
        (17, JvmActivity(gc_count=1, gc_seconds=0.019487, jit_seconds=4.182923, heap_after_gc_bytes=7_445_896)),
        (25, JvmActivity(gc_count=1, gc_seconds=0.025842, jit_seconds=2.266613, heap_after_gc_bytes=9_834_312)),
    ],
)
def test_every_jdk_tells_what_it_did_in_a_trial(jdk: int, expected: JvmActivity) -> None:
    assert activity(counters(f"jdk{jdk}-before"), counters(f"jdk{jdk}-after")) == expected


@pytest.mark.parametrize("jdk", [8, 17, 25])
def test_numbers_and_texts_are_those_of_jstat(jdk: int) -> None:
    found = counters(f"jdk{jdk}-after")
    assert found["sun.gc.policy.name"] == "Copy:MSC"
    assert found["sun.os.hrt.frequency"] == 1_000_000_000
    assert str(found["java.property.java.vm.specification.version"]).endswith(str(jdk))


def test_without_a_collection_the_heap_is_not_known() -> None:
    young = {name: 0 if ".collector." in name and name.endswith(("time", "invocations")) else value
             for name, value in counters("jdk25-after").items()}  # fmt: skip
    told = activity(young, young)
    assert told is not None
    assert (told.gc_count, told.heap_after_gc_bytes) == (0, None)


def test_a_first_collection_that_is_under_way_has_left_nothing_yet() -> None:
    before: Counters = {"sun.os.hrt.frequency": 1000, "sun.gc.collector.0.invocations": 0}
    after = before | {"sun.gc.collector.0.invocations": 1, "sun.gc.generation.0.space.1.used": 0}
    told = activity(before, after)
    assert told is not None
    assert (told.gc_count, told.gc_seconds, told.heap_after_gc_bytes) == (1, 0, None)


def test_all_collectors_and_all_spaces_but_eden_count() -> None:
    before: Counters = {"sun.os.hrt.frequency": 1000, "sun.gc.collector.0.invocations": 4}
    after = before | {
        "java.ci.totalTime": 250,
        "sun.gc.collector.0.invocations": 7, "sun.gc.collector.0.time": 100,
        "sun.gc.collector.2.invocations": 1, "sun.gc.collector.2.time": 20,
        "sun.gc.generation.0.space.0.name": "eden", "sun.gc.generation.0.space.0.used": 1,
        "sun.gc.generation.0.space.1.name": "s0", "sun.gc.generation.0.space.1.used": 20,
        "sun.gc.generation.1.space.0.name": "old", "sun.gc.generation.1.space.0.used": 300,
    }  # fmt: skip
    assert activity(before, after) == JvmActivity(
        gc_count=4, gc_seconds=0.12, jit_seconds=0.25, heap_after_gc_bytes=320
    )


@pytest.mark.parametrize("data", [b"", b"\n", b"no such file", recorded("jdk17-after")[:5000], b"\xca\xfe\xc0\xc0\1"])
def test_what_is_no_whole_file_is_none(data: bytes) -> None:
    assert parse(data) is None


def test_a_jvm_that_is_gone_at_the_end_tells_nothing() -> None:
    assert activity(counters("jdk17-before"), None) is None
    assert activity(None, counters("jdk17-after")) is None


# --- what a server may write there -----------------------------------------------------------------------------


def file_of(*entries: bytes, count: int) -> bytes:
    return struct.pack("<4sB19xii", b"\xca\xfe\xc0\xc0", 1, 32, count) + b"".join(entries)


def entry(length: int, name_at: int = 20, value_at: int = 20) -> bytes:
    return struct.pack("<iiicBBBi", length, name_at, 0, b"J", 0, 0, 0, value_at)


@pytest.mark.parametrize("length", [0, -20, 1, 19, 2**31 - 1, -(2**31)])
def test_entries_that_lead_nowhere_are_given_up_at_once(length: int) -> None:
    began = time.process_time()
    assert parse(file_of(entry(length), bytes(1000), count=2**31 - 1)) is None
    assert time.process_time() - began < 10, "two billion entries take minutes"


def test_names_that_overlap_are_cut_before_they_fill_the_memory() -> None:
    entries = [entry(20, name_at=20, value_at=0)] * 20_000
    found = parse(file_of(*entries, b"x" * 500_000, bytes(8), count=len(entries)))
    assert found is not None
    assert max(map(len, found)) == 1024


BASE: Counters = {"sun.os.hrt.frequency": 1000}


@pytest.mark.parametrize(
    "counters",
    [
        {"sun.os.hrt.frequency": "a text"}, {"sun.os.hrt.frequency": 0}, {"sun.os.hrt.frequency": -1},
        BASE | {"sun.gc.collector.0.time": 2**63 - 1}, BASE | {"java.ci.totalTime": -5},
        BASE | {"sun.gc.collector.0.invocations": 2**63 - 1},
        BASE | {"sun.gc.collector.0.invocations": 1, "sun.gc.generation.0.space.0.used": -(2**63)},
    ],
)  # fmt: skip
def test_numbers_that_no_jvm_reaches_tell_nothing(counters: Counters) -> None:
    assert activity(BASE, counters) is None


def test_a_text_in_place_of_a_number_is_no_number() -> None:
    texts: Counters = dict.fromkeys(
        ("sun.gc.collector.0.time", "sun.gc.collector.0.invocations", "java.ci.totalTime",
         "sun.gc.generation.0.space.0.used"), "²"
    )  # fmt: skip
    assert activity(BASE, BASE | texts) == JvmActivity(
        gc_count=0, gc_seconds=0, jit_seconds=0, heap_after_gc_bytes=None
    )


@given(st.binary(max_size=200) | st.tuples(st.integers(0, 5000), st.binary(min_size=1, max_size=40)))
@example((24, struct.pack("<ii", -(2**31), 2**31 - 1)))
@example((24, struct.pack("<ii", 32, -1)))
def test_any_bytes_tell_something_that_can_be_stored_or_nothing(change: bytes | tuple[int, bytes]) -> None:
    whole = recorded("jdk17-after")
    data = change if isinstance(change, bytes) else whole[: change[0]] + change[1] + whole[change[0] + len(change[1]) :]
    for before, after in ((parse(whole), parse(data)), (parse(data), parse(whole)), (parse(data), parse(data))):
        if told := activity(before, after):
            assert msgspec.json.decode(msgspec.json.encode(told), type=JvmActivity) == told


@pytest.fixture
def counter_file() -> Iterator[Path]:
    """Where this process would have its counters if it were a JVM."""
    with TemporaryDirectory(prefix="hsperfdata_", dir="/tmp") as folder:
        yield Path(folder) / str(os.getpid())


def test_only_a_regular_file_is_taken_for_counters_and_only_its_beginning(counter_file: Path, tmp_path: Path) -> None:
    counter_file.write_bytes(bytes(3 << 20))
    assert perf_files.of_process(os.getpid()) == bytes(1 << 20)
    counter_file.unlink()
    os.mkfifo(counter_file)
    assert perf_files.of_process(os.getpid()) == b""
    counter_file.unlink()
    (tmp_path / "secret").write_bytes(b"secret")
    counter_file.symlink_to(tmp_path / "secret")
    assert perf_files.of_process(os.getpid()) == b""


def test_in_a_container_a_fifo_is_not_waited_for_and_an_endless_file_is_cut(tmp_path: Path) -> None:
    script = perf_files.IN_CONTAINER[-1].replace("/tmp/", f"{tmp_path}/")
    (tmp_path / "hsperfdata_x").mkdir()
    os.mkfifo(tmp_path / "hsperfdata_x" / "1")
    (tmp_path / "hsperfdata_x" / "2").symlink_to("/dev/zero")
    assert subprocess.run(["sh", "-c", script], capture_output=True, timeout=60, check=False).stdout == b""
    (tmp_path / "hsperfdata_x" / "3").write_bytes(bytes(3 << 20))
    assert subprocess.run(["sh", "-c", script], capture_output=True, timeout=60, check=False).stdout == bytes(1 << 20)
