from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aims
import msgspec
import pytest
import suite_time
import swarm
import sweep_times
from make_bench import MakeBench
from overhead import RatePair, ratio_of, said
from pairs import PairTrial, factors
from repeatability import opposite_orders, seconds_of
from rows import rows_in
from support import builders
from warmup import WarmUpRow

import generators
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.model.records import EndRecord, StartRecord
from ab_runner.paths import RESULTS
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.reader import Stored, read
from generators import KEPT, NEW, PAIRINGS, Run


def row(kind: str, first: float | None, later: float | None = 100.0) -> WarmUpRow:
    return WarmUpRow(
        server="a-1", kind=kind, workload="small", concurrency=10, first=first, later=later,
        reason=None if first else "cold", first_jit_share=None, warm_up_seconds=12,
    )  # fmt: skip


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of records by which every aim is met."""
    monkeypatch.setattr(aims, "RECORDS", tmp_path)
    for of_published_sweeps in (
        "named_times",
        "twins",
        "roster",
        "orders",
        "rates",
        "over_sessions",
    ):  # they take seconds to analyse
        monkeypatch.setattr(aims, of_published_sweeps, lambda: iter(()))
    for level in (10, 100):
        keep(tmp_path / f"warm-up-c{level}.jsonl", [row("jvm", 98.0)] * 20 + [row("c", 99.0)] * 20)
    found = MakeBench(images_before=0, seconds=480.0, sweep_seconds=300.0, named_seconds=310.0)
    (tmp_path / "make-bench.json").write_bytes(msgspec.json.encode(found))
    keep(tmp_path / "suite-time.jsonl", [suite("check", 59.0), suite("test", 1_000.0)])
    keep(tmp_path / "sweep-times.jsonl", [named("@core", 2_400.0, 2_100.0)])
    keep(tmp_path / "adapters.jsonl", pairs("a-1 files", [(100.0, 100.0), (100.0, 101.0), (100.0, 102.0)]))
    keep(tmp_path / "generators.jsonl", GENERATORS)
    keep(tmp_path / "overhead.jsonl", [RatePair(1_000.0, 990.0), RatePair(1_000.0, 1_000.0)])
    keep(tmp_path / "swarm.jsonl", [COST])
    return tmp_path


GENERATORS = [
    Run(shape=shape, program=program, per_second=(shape.rate or 1_000) * part, p50=1.0, p99=2.0, lost=0)
    for part in (0.995, 1.0)
    for shape, program in PAIRINGS
]


COST = swarm.Cost(
    nodes=16, servers=500, trials=16_000, cpu_seconds=8.0, memory_mib=50.0, more_mib=10.0, cpu_model="a CPU"
)


def suite(target: suite_time.Target, seconds: float, **changes: Any) -> suite_time.SuiteTime:
    found = suite_time.SuiteTime(
        target=target, commit="1234567", images_before=0, set_up_seconds=30.0, seconds=seconds, cpu_model="a CPU",
        cpus=2, memory_bytes=2**34, busy_cores=0.0,
    )  # fmt: skip
    return msgspec.structs.replace(found, **changes)


def named(name: str, seconds: float, took: float) -> sweep_times.NamedTime:
    return sweep_times.NamedTime(name=name, named_seconds=seconds, took_seconds=took)


def pairs(name: str, figures: list[tuple[float, float | None]]) -> list[PairTrial]:
    """Pairs of one trial each; None for one that failed."""
    return [
        PairTrial(
            comparison=name, pair=number, side=side, workload="small", rate=figure, per_cpu_second=figure,
            error=None if figure else "timeout",
        )
        for number, both in enumerate(figures)
        for side, figure in enumerate(both)
    ]  # fmt: skip


def keep(file: Path, rows: Sequence[msgspec.Struct]) -> None:
    file.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in rows))


def test_aims_that_are_met_exit_with_0(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert aims.main() == 0
    assert "MISSED" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "missed"),
    [
        ([row("jvm", 96.0)] * 20 + [row("c", 99.0)] * 20, "median of 20 JVM cells: 0.960"),
        ([row("jvm", 98.0)] * 18 + [row("jvm", 80.0)] * 2 + [row("c", 99.0)] * 20, "10.0% of 20 JVM cells, 0.0% of 20"),
    ],
    ids=["median", "share below 0.90"],
)
def test_an_aim_that_is_missed_is_named_and_exits_with_1(
    records: Path, capsys: pytest.CaptureFixture[str], rows: list[WarmUpRow], missed: str
) -> None:
    keep(records / "warm-up-c10.jsonl", rows)
    assert aims.main() == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED")]
    assert missed in line


def test_the_machines_noise_is_that_of_servers_without_a_compiler(records: Path) -> None:
    noisy = [row("jvm", 98.0)] * 18 + [row("jvm", 80.0)] * 2 + [row("c", 99.0)] * 18 + [row("c", 80.0)] * 2
    keep(records / "warm-up-c10.jsonl", noisy)
    assert aims.main() == 0


def test_a_cold_first_trial_is_told_beside_the_ratios(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(records / "warm-up-c10.jsonl", [row("jvm", 98.0)] * 19 + [row("jvm", None)] + [row("c", 99.0)] * 20)
    aims.main()
    assert "19 JVM cells: 0.980 (at least 0.97; 1 more have no figure)" in capsys.readouterr().out


def test_a_slow_bench_misses_its_aim(records: Path) -> None:
    slow = MakeBench(images_before=0, seconds=480.0, sweep_seconds=301.0)
    (records / "make-bench.json").write_bytes(msgspec.json.encode(slow))
    assert aims.main() == 1


@pytest.mark.parametrize(
    ("record", "missed"),
    [
        (suite("check", 61.0), "make check, after its set-up: 61 s (at most 60)"),
        (suite("test", 1_060.0), "make test with its set-up, from nothing: 18.2 minutes"),
        (suite("test", 900.0, images_before=3), "3 images built before (0)"),
    ],
    ids=["check", "test", "not from nothing"],
)
def test_a_slow_suite_misses_its_aim_and_the_last_record_counts(
    records: Path, capsys: pytest.CaptureFixture[str], record: suite_time.SuiteTime, missed: str
) -> None:
    keep(records / "suite-time.jsonl", [suite("check", 59.0), suite("test", 900.0), record])
    assert aims.main() == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED")]
    assert missed in line


def test_what_was_not_measured_is_no_aim_that_is_met(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (records / "suite-time.jsonl").unlink()
    old = MakeBench(images_before=0, seconds=480.0, sweep_seconds=300.0)
    (records / "make-bench.json").write_bytes(msgspec.json.encode(old))
    assert aims.main() == 1
    missed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED")]
    assert len(missed) == 3
    assert all("not measured" in line for line in missed)


@pytest.mark.parametrize(("seconds", "took"), [(2_100.0, 2_500.0), (2_330.0, 2_000.0)])
def test_a_sweep_that_names_a_wrong_time_misses_its_aim(
    records: Path, capsys: pytest.CaptureFixture[str], seconds: float, took: float
) -> None:
    keep(records / "sweep-times.jsonl", [named("@core", 2_400.0, 2_400.0), named("@core", seconds, took)])
    assert aims.main() == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED")]
    assert "time named beforehand over time taken, @core: " in line


def test_the_time_of_a_sweep_that_was_ended_is_that_of_its_first_block(tmp_path: Path) -> None:
    """A published sweep of six blocks, ended after its first one."""
    whole = read(RESULTS / PUBLISHED_SWEEPS / "core-rates")
    second = next(each for each in whole.records if isinstance(each, StartRecord) and each.block == 2)
    first = whole.records[: whole.records.index(second)]
    ended = EndRecord(at=second.at, reason="interrupted")
    part = msgspec.structs.replace(whole, records=(*first, ended))
    assert sweep_times.first_block_of(part) == sweep_times.first_block_of(whole)
    expected = sweep_times.expected_of(whole).first_block
    assert expected is not None
    assert sweep_times.first_block_of(part) == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize(
    ("figures", "missed"),
    [
        ([(100.0, 89.0), (100.0, 89.5), (100.0, 90.0)], "a-1 small, requests per CPU-second"),
        ([(100.0, 100.0), (100.0, 80.0), (100.0, 120.0)], "0.99 (0.60 to 1.63), 3 pairs"),
        ([(100.0, None), (100.0, None)], "no figure"),
    ],
    ids=["slower", "unclear", "failed"],
)
def test_an_adapter_that_may_be_slower_than_the_smallest_program_misses_its_aim(
    records: Path, capsys: pytest.CaptureFixture[str], figures: list[tuple[float, float | None]], missed: str
) -> None:
    keep(records / "adapters.jsonl", pairs("a-1 files", figures))
    assert aims.main() == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED")]
    assert missed in line


@pytest.mark.parametrize(
    ("shape", "program", "changes", "missed"),
    [
        (KEPT, "open-load", {"per_second": 49_400.0}, "open, 50,000/s poisson, kept: 98.8% of the rate"),
        (NEW, "open-load", {"lost": 1}, "2 requests lost"),
        (next(iter(generators.AGREED)), "ab", {"per_second": 900.0}, "over those of ab: 1.11 (1.07 to 1.14), 2 pairs"),
        (
            generators.AGREED_RATES[0],
            "open-load",
            {"p50": 1.2},
            "p50 of open-load 1.200 ms, of vegeta and oha 1.000",
        ),
    ],
    ids=["slow", "lost", "closed", "open"],
)
def test_a_generator_that_is_slow_or_disagrees_misses_its_aim(
    records: Path, capsys: pytest.CaptureFixture[str], shape: generators.Shape, program: str,
    changes: dict[str, object], missed: str,
) -> None:  # fmt: skip
    bad = [
        msgspec.structs.replace(run, **changes) if (run.shape, run.program) == (shape, program) else run
        for run in GENERATORS
    ]
    keep(records / "generators.jsonl", bad)
    assert aims.main() == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED")]
    assert missed in line


@pytest.mark.parametrize(
    ("file", "row", "missed"),
    [
        ("overhead.jsonl", RatePair(1_000.0, 950.0), "0.970 (95 % interval 0.746 to 1.260, 2 pairs)"),
        ("swarm.jsonl", msgspec.structs.replace(COST, cpu_seconds=110.0), "5.5% of a core, 50 MiB"),
        ("swarm.jsonl", msgspec.structs.replace(COST, memory_mib=101.0), "0.4% of a core, 101 MiB"),
    ],
)
def test_a_runner_that_costs_too_much_misses_its_aim(
    records: Path, capsys: pytest.CaptureFixture[str], file: str, row: msgspec.Struct, missed: str
) -> None:
    keep(records / file, [RatePair(1_000.0, 990.0), row] if isinstance(row, RatePair) else [row])
    assert aims.main() == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED")]
    assert missed in line


def sweep_of(rates: dict[str, float]) -> SweepAnalysis:
    """Six blocks of small at one connection."""
    records = [trial for name, rate in rates.items() for trial in builders.blocks(name, rate)]
    return analyse(Stored(builders.sweep(*map(builders.server, rates)), tuple(records)))


def test_pairs_that_two_sweeps_put_into_opposite_orders_are_counted() -> None:
    first, other = sweep_of({"a-1": 2e4, "b-1": 1e4, "c-1": 5e3}), sweep_of({"a-1": 1e4, "b-1": 2e4, "c-1": 5e3})
    assert (opposite_orders(first, first), opposite_orders(first, other)) == (0, 1)


def test_sweeps_of_all_servers_that_lack_a_workload_miss_their_aim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aims, "published", lambda name: sweep_of({"a-1": 2e4, "b-1": 1e4, "c-1": 5e3}))
    monkeypatch.setattr(aims, "seconds_of", lambda stored: 600.0)
    duration, *_ = aims.roster()
    assert "30 minutes in 3 sweeps" in duration.text
    assert "missing: echo, small-keepalive, large" in duration.text
    assert not duration.met


def test_trials_of_one_start_count_as_one(records: Path) -> None:
    once = pairs("a-1 files", [(100.0, 100.0), (100.0, 101.0)])
    assert factors(once, "rate") == factors([*once, *once], "rate")


PAGE = " ".join((RESULTS.parent / "docs/benchmarks.md").read_text().split())
"""What its rows say changes with the records; a test names the words that they have to have."""


def test_the_page_has_the_times_of_the_records() -> None:
    bench = aims.made_bench()
    sweep, whole = bench.sweep_seconds / 60, bench.seconds / 60
    ratio = ratio_of(rows_in(aims.RECORDS / "overhead.jsonl", RatePair))
    *_, cost = rows_in(aims.RECORDS / "swarm.jsonl", swarm.Cost)
    found = [
        f"| 5 minutes, 8 minutes | {sweep:.1f}{_missed(sweep > 5)} and {whole:.1f}{_missed(whole > 8)} minutes |",
        _row("`make bench`", bench.named_seconds, bench.sweep_seconds, digits=1),
        *(
            _row(each.name, each.named_seconds, each.took_seconds)
            for each in sweep_times.named_times_in(aims.RECORDS / "sweep-times.jsonl")
        ),
        f"| 0.98 to 1.02 | {said(ratio)[:-1]}{'' if 0.98 <= ratio.ratio <= 1.02 else '; missed'})",
        f"| 5 %, 100 MiB | {100 * cost.share_of_a_core:.1f} %, {cost.memory_mib:.0f} MiB |",
    ]
    check, test = (
        suite_time.newest(rows_in(aims.RECORDS / "suite-time.jsonl", suite_time.SuiteTime, missing_ok=True), target)
        for target in suite_time.TARGETS
    )
    checked = f"{check.seconds:.0f} s{_missed(check.seconds > 60)}" if check else "not recorded"
    minutes = (test.set_up_seconds + test.seconds) / 60 if test else 0.0
    tested = f"{minutes:.1f} minutes{_missed(minutes > 18)}" if test else "not recorded"
    assert [words for words in (*found, f"| 60 s; 18 minutes | {checked}; {tested} |") if words not in PAGE] == []


def test_the_page_has_the_times_that_published_sweeps_named() -> None:
    rows = []
    for folder in sweep_times.published():
        stored = read(folder)
        rows.append(_row(folder.name, sweep_times.expected_of(stored).seconds, seconds_of(stored)))
    assert [row for row in rows if row not in PAGE] == []


def _row(name: str, named: float | None, took: float, digits: int = 0) -> str:
    took_text = f"{took / 60:.{digits}f} min"
    if named is None:
        return f"| {name} | not recorded | {took_text} | - |"
    return f"| {name} | {named / 60:.{digits}f} min | {took_text} | {named / took:.2f} |"


def _missed(is_missed: bool) -> str:
    return " (missed)" * is_missed
