"""Recorded files of three JDKs; that a live one is read so too, the end-to-end tests see."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ab_runner.model import JvmActivity
from ab_runner.perfdata import Counters, activity, parse

GOLDEN = Path(__file__).parent / "golden" / "perfdata"


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
