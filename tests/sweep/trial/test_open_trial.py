"""Sweeps with an open load on a fake runtime: which rates are tried, in which order, and what is stored. What the real
open-load says of real servers, the end-to-end tests see."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.builders import said_of, server, sweep, usage
from support.fakes import FakeRuntime, Generate, sampled

from ab_runner.host.cooldown import Settled
from ab_runner.load.generator import Completed, GeneratorError
from ab_runner.load.generator_registry import OPEN
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Load
from ab_runner.model.message import Code, Message, Verdict
from ab_runner.model.protocol import PROTOCOLS, WarmUp
from ab_runner.model.server import Server
from ab_runner.model.trial import PEAK, STEP, NotMeasured, RepeatedTrial, SupportingTrial, Trial
from ab_runner.store.layout import RAW_FOLDER
from ab_runner.store.plan import batches_of, plan
from ab_runner.store.reader import read
from ab_runner.store.writer import Store
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.repeats import RepeatBudget
from ab_runner.sweep.run import run
from ab_runner.sweep.trial import closed

PROTOCOL = msgspec.structs.replace(PROTOCOLS["quick"], warm_up=WarmUp(Load(requests=0)), trial=Load(seconds=2))
NATIVE = server("a-1", kind="debian", workloads=("small",))


def said(options: Sequence[str], milliseconds: float, answered: float = 1.0, **changes: Any) -> Completed:
    """What open-load would print of a server that answers that share of the requests, all in that time."""
    value = dict(itertools.pairwise(options))
    rate, seconds = float(value.get("--rate", 20_000)), float(value["--seconds"])
    planned = round(rate * seconds)
    right = round(answered * planned)
    output = {
        "format": 2, "version": "1.0.0", "expected_bytes": 100, "seconds": seconds,
        "options": {
            "connections": "new", "rate": rate if "--rate" in value else None,
            "closed": int(value["--closed"]) if "--closed" in value else None,
            "seconds": seconds, "at_most_seconds": float(value["--at-most"]) if "--at-most" in value else None,
        },
        "due_seconds": seconds, "counted_seconds": seconds,
        "requests": {"planned": planned, "sent": planned, "refused": 0, "answered": right, "failed": planned - right,
                     "retried": 0},
        "failed": {"timeout": planned - right} if right < planned else {}, "refused": {},
        "answered_per_second": answered * rate,
        "latency": {"milliseconds": {}, "microseconds": [[round(1000 * milliseconds), right]]},
        "lag": {"milliseconds": {"p99": 0.01, "max": 0.1}, "microseconds": []},
        "per_second": {
            "counted": [], "refused": [], "answered": [], "failed": [], "latency": [], "lag": [], "stolen": {},
        },
        "connections": {
            "opened": right, "most_at_once": 4, "closed_while_free": 0, "left_open": 0, "unrequested_bytes": 0,
            "idle_closed": 0,
        },
        "idle_opened": int(value.get("--idle", 0)), "opened_before": int(value.get("--open", 0)),
        "bytes_received": 200 * right,
    }  # fmt: skip
    return Completed(0, json.dumps(output | changes), "")


def of_capacity(capacity: int) -> Generate:
    """A server that answers within 1 ms up to this rate, and above it takes 100 ms."""

    def generate(server: Server, command: Sequence[str]) -> Completed:
        value = dict(itertools.pairwise(command))
        return said(command, 1.0 if float(value.get("--rate", 0)) <= capacity else 100.0)

    return generate


Measure = Callable[..., list[Trial | NotMeasured]]


@pytest.fixture
def measured(tmp_path: Path) -> Measure:
    """Measures the cells of a server at these levels, and returns their records."""
    fixtures = tmp_path / "fixtures"
    fixtures.mkdir()
    (fixtures / "small.html").write_bytes(b"x" * 100)

    def measure(generate: Generate, load: OpenLoad, *levels: int) -> list[Trial | NotMeasured]:
        runtime = FakeRuntime(fixtures, generate)
        measure.runtime = runtime  # type: ignore[attr-defined]
        folder = tmp_path / "sweep"
        stored = sweep(NATIVE)
        request = msgspec.structs.replace(stored.request, open=load, levels=levels)
        kept = Store.make(folder, msgspec.structs.replace(stored, request=request))
        try:
            context = SweepContext(
                {NATIVE.id: NATIVE},
                PROTOCOL,
                runtime,
                kept,
                fixtures,
                lambda event: None,
                generator=OPEN,
                open=load,
                seed=7,
                repeats=RepeatBudget(1_000, sleep=lambda seconds: None),
            )
            run(batches_of(plan([NATIVE], ["small"], levels, blocks=1, seed=1)), context)
        finally:
            kept.close()
        records = read(folder).records
        measure.repeated = [  # type: ignore[attr-defined]
            record.trial for record in records if isinstance(record, RepeatedTrial)
        ]
        measure.supporting = supporting(folder)  # type: ignore[attr-defined]
        return [record for record in records if isinstance(record, Trial | NotMeasured)]

    measure.folder = tmp_path / "sweep"  # type: ignore[attr-defined]
    return measure


def supporting(folder: Path) -> list[SupportingTrial]:
    """The trials on which figures rest, each of which must have its raw output."""
    found = [record for record in read(folder).records if isinstance(record, SupportingTrial)]
    assert all((folder / RAW_FOLDER / each.trial.raw).read_text().startswith("$ open-load ") for each in found)
    return found


def loads(measure: Measure) -> list[str]:
    """The kinds of the loads that were made: `rate=1000`, `closed=100`."""
    log = measure.runtime.log  # type: ignore[attr-defined]
    return [line.split()[2] for line in log if line.startswith("load")]


def test_each_rate_has_a_trial_with_a_lead_in(measured: Measure) -> None:
    trials = measured(of_capacity(10_000), OpenLoad(axis="rate"), 1_000, 2_000)
    assert loads(measured) == ["rate=1000", "rate=2000"]
    for trial, rate in zip(trials, (1_000, 2_000), strict=True):
        assert isinstance(trial, Trial)
        assert (trial.level, trial.verdict.valid, trial.outcome and trial.outcome.latency) == (
            rate,
            True,
            {1_000: 2 * rate},
        )
        assert trial.raw == f"1-a-1-1-small-rate{rate}.txt"
        assert "--lead-in 1 " in f"{' '.join(trial.command)} "
        assert "--max-connections 4000 " in " ".join(trial.command)
        assert trial.lead_in_seconds == 1
        assert (trial.peak, trial.search, trial.samples) == (None, None, None)


def test_shares_of_the_peak_are_of_one_closed_load_of_the_start(measured: Measure) -> None:
    trials = measured(of_capacity(100_000), OpenLoad(axis="peak"), 50, 90)
    assert loads(measured) == ["closed=100", "rate=10000", "rate=18000"]
    assert [trial.peak for trial in trials if isinstance(trial, Trial)] == [20_000, 20_000]


def test_a_capacity_is_searched_from_half_of_the_peak(measured: Measure) -> None:
    (trial,) = measured(of_capacity(14_500), OpenLoad(axis="slo"), 10)
    assert loads(measured)[:3] == ["closed=100", "rate=10000", "rate=20000"]
    assert isinstance(trial, Trial)
    search = trial.search
    assert search is not None
    assert (search.met, search.missed) == (12_500, 16_000)
    assert trial.outcome is not None
    assert trial.outcome.arrivals is not None
    assert trial.outcome.arrivals.rate == search.met, "it is the trial of the highest rate that met the SLO"
    assert [(step.rate <= 14_500) for step in search.steps] == [step.reason is None for step in search.steps]
    assert said_of(search.steps[1].reason) == "p99 100 ms"
    assert trial.verdict.valid


def test_the_rates_around_a_capacity_are_tried_again_with_other_arrivals(measured: Measure) -> None:
    measured(of_capacity(14_500), OpenLoad(axis="slo"), 10)
    steps = [each.trial for each in measured.supporting[1:]]  # type: ignore[attr-defined]
    rates = [trial.outcome.arrivals.rate for trial in steps]
    assert rates == [10_000, 20_000, 16_000, 12_500, 16_000, 12_500, 16_000]
    seeds = [trial.command[trial.command.index("--seed") + 1] for trial in steps]
    assert seeds == [*(["7000001"] * 4), "7001001", "7001001", "7002001"], (
        "of the sweep, of the tries, and of the block"
    )
    assert [trial.raw.removeprefix("1-a-1-1-small-slo10-") for trial in steps] == [
        "10000.txt", "20000.txt", "16000.txt", "12500.txt", "16000-2.txt", "12500-2.txt", "16000-3.txt"
    ]  # fmt: skip


@pytest.mark.parametrize(("limits", "limit"), [((0.0, 0.0), "server"), ((0.0, 5.0), "generator")])
def test_a_capacity_is_limited_by_the_generator_if_a_miss_above_the_highest_met_rate_was(
    measured: Measure, limits: tuple[float, float], limit: str
) -> None:
    """The first miss at 16,000 requests/s is the server's."""
    lags = list(limits)

    def generate(server: Server, command: Sequence[str]) -> Completed:
        value = dict(itertools.pairwise(command))
        rate = float(value.get("--rate", 0))
        lag = (lags.pop(0) if lags else 0.0) if rate == 16_000 else 0.0
        return said(
            command, 1.0 if rate <= 14_500 else 20.0, lag={"milliseconds": {"p99": lag, "max": lag}, "microseconds": []}
        )

    (trial,) = measured(generate, OpenLoad(axis="slo"), 10)
    assert isinstance(trial, Trial)
    assert (trial.limit == "generator") == (limit == "generator")


def test_the_peak_and_each_step_of_a_search_are_stored_whole(measured: Measure) -> None:
    (trial,) = measured(of_capacity(14_500), OpenLoad(axis="slo"), 10)
    assert isinstance(trial, Trial)
    assert trial.search is not None
    peak, *steps = measured.supporting  # type: ignore[attr-defined]
    assert (peak.role, peak.trial.outcome.connections, peak.trial.outcome.arrivals) == (PEAK, 100, None)
    assert {each.role for each in steps} == {STEP}
    assert [each.trial.outcome.arrivals.rate for each in steps] == [step.rate for step in trial.search.steps]
    assert all(each.trial.outcome.latency and each.trial.peak == 20_000 for each in steps)
    assert msgspec.structs.replace(trial, search=None, limit=None) in [
        msgspec.structs.replace(each.trial, limit=None) for each in steps
    ]


def test_an_interruption_in_the_middle_of_a_search_loses_no_step(measured: Measure) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        if float(dict(itertools.pairwise(command)).get("--rate", 0)) == 20_000:
            raise KeyboardInterrupt
        return said(command, 1.0)

    with pytest.raises(KeyboardInterrupt):
        measured(generate, OpenLoad(axis="slo"), 10)
    peak, step = supporting(measured.folder)  # type: ignore[attr-defined]
    assert (peak.role, step.role) == (PEAK, STEP)
    assert step.trial.outcome is not None
    assert step.trial.outcome.completed == 20_000


def test_a_disturbed_step_of_a_search_is_repeated_and_each_step_has_what_was_stolen(
    measured: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = [0.0, 0.2, 0.1, 0.01]
    clean = iter([2.0, 1.0])

    def generate(server: Server, command: Sequence[str]) -> Completed:
        rate = float(dict(itertools.pairwise(command)).get("--rate", 0))
        return said(command, 1.0 if rate <= 14_500 else 100.0, counted_seconds=next(clean, 2.0))

    sampled(monkeypatch, (usage(server_stolen_share=share) for share in itertools.chain(shares, itertools.repeat(0.0))))
    (trial,) = measured(generate, OpenLoad(axis="slo"), 10)
    assert loads(measured)[:4] == ["closed=100", "rate=10000", "rate=10000", "rate=20000"]
    assert isinstance(trial, Trial)
    assert trial.search is not None
    assert [step.stolen_share for step in trial.search.steps[:3]] == [0.1, 0.01, 0.0]
    (repeated,) = measured.repeated  # type: ignore[attr-defined]
    assert (repeated.usage.stolen_share, repeated.peak) == (0.2, 20_000)


def test_a_cold_trial_is_stored_with_the_peak_that_its_rate_is_a_share_of(
    measured: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled(monkeypatch, [usage(server_cpu_seconds=1.0, jit_cpu_seconds=share) for share in (0.0, 0.3, 0.0)])
    (trial,) = measured(of_capacity(100_000), OpenLoad(axis="peak"), 50)
    assert loads(measured) == ["closed=100", "rate=10000", "rate=10000"]
    (cold,) = measured.repeated  # type: ignore[attr-defined]
    assert isinstance(trial, Trial)
    assert (cold.peak, cold.usage.jit_cpu_seconds) == (20_000, 0.3)
    assert trial.peak == 20_000


EXACT = OpenLoad(axis="rate", is_exact=True, arrivals="constant", connections=900, opened_before=800)


def test_an_exact_load_is_as_its_study_says_and_a_cold_trial_of_it_is_not_made_again(
    measured: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled(monkeypatch, itertools.repeat(usage(server_cpu_seconds=1.0, jit_cpu_seconds=0.3)))
    (trial,) = measured(of_capacity(10_000), EXACT, 1_000)
    assert isinstance(trial, Trial)
    assert measured.repeated == []  # type: ignore[attr-defined]
    assert (trial.verdict.valid, trial.lead_in_seconds) == (True, None)
    said = " ".join(trial.command)
    for words in ("--arrivals constant --max-connections 900 --open 800 --seconds 2 --lead-in 0 ", "--rate 1000 "):
        assert words in said
    assert "--at-most" not in said


def test_a_rate_with_failures_misses_the_slo(measured: Measure) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        value = dict(itertools.pairwise(command))
        return said(command, 1.0, answered=1.0 if float(value.get("--rate", 0)) <= 12_000 else 0.995)

    (trial,) = measured(generate, OpenLoad(axis="slo"), 10)
    assert isinstance(trial, Trial)
    assert trial.search is not None
    assert trial.search.met <= 12_000
    assert said_of(next(step.reason for step in trial.search.steps if step.reason)) == "200 failed: timeout"


def test_a_server_that_meets_its_slo_at_no_rate_has_no_capacity(measured: Measure) -> None:
    (trial,) = measured(of_capacity(0), OpenLoad(axis="slo"), 10)
    assert isinstance(trial, Trial)
    assert not trial.verdict.valid
    assert said_of(trial.verdict.reason) == "SLO met at no rate: p99 100 ms"
    assert trial.search is not None
    assert (trial.search.met, trial.search.missed) == (0, 125)


def test_a_search_that_the_server_does_not_survive_keeps_what_it_met(measured: Measure) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        value = dict(itertools.pairwise(command))
        if float(value.get("--rate", 0)) > 12_000:
            measured.runtime.running[-1].die()  # type: ignore[attr-defined]
        return said(command, 1.0)

    (trial,) = measured(generate, OpenLoad(axis="slo"), 10)
    assert isinstance(trial, Trial)
    assert [said_of(note) for note in trial.verdict.notes] == [
        "did not survive 20,000 requests/s, and had to be started again"
    ]
    assert trial.search is not None
    assert (trial.search.met, trial.search.missed) == (10_000, 20_000)
    assert trial.outcome is not None
    assert trial.outcome.arrivals is not None
    assert trial.outcome.arrivals.rate == 10_000


def test_a_server_that_does_not_survive_the_first_rate_is_searched_again_from_a_lower_one(measured: Measure) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        rate = float(dict(itertools.pairwise(command)).get("--rate", 0))
        if rate > 8_000:
            measured.runtime.running[-1].die()  # type: ignore[attr-defined]
        return said(command, 1.0)

    (trial,) = measured(generate, OpenLoad(axis="slo"), 10)
    assert isinstance(trial, Trial)
    assert trial.search is not None
    assert [step.rate for step in trial.search.steps] == [2_500, 5_000, 10_000]
    assert (trial.search.met, trial.search.missed, trial.verdict.valid) == (5_000, 10_000, True)
    assert sum(line == "start a-1" for line in measured.runtime.log) == 2  # type: ignore[attr-defined]


def test_a_server_that_survives_no_rate_is_tried_twice_and_has_no_figure(measured: Measure) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        if "--rate" in command:
            measured.runtime.running[-1].die()  # type: ignore[attr-defined]
        return said(command, 1.0)

    (trial,) = measured(generate, OpenLoad(axis="slo"), 10)
    assert isinstance(trial, Trial)
    assert not trial.verdict.valid
    assert trial.search is not None
    assert trial.search.met == 0
    assert sum(line == "start a-1" for line in measured.runtime.log) == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(("milliseconds", "expected"), [(20.04, "p99 20 ms"), (1_234.4, "p99 1234 ms")])
def test_a_latency_above_the_slo_is_told_in_plain_digits(measured: Measure, milliseconds: float, expected: str) -> None:
    (trial,) = measured(lambda _, command: said(command, milliseconds), OpenLoad(axis="slo"), 10)
    assert isinstance(trial, Trial)
    assert trial.search is not None
    assert {said_of(step.reason) for step in trial.search.steps} == {expected}


def test_idle_connections_are_beside_one_rate(measured: Measure) -> None:
    trials = measured(of_capacity(10_000), OpenLoad(axis="idle", rate=500), 0, 900)
    assert [trial.command[trial.command.index("--idle") + 1] for trial in trials if isinstance(trial, Trial)] == [
        "0",
        "900",
    ]
    assert loads(measured) == ["rate=500"] * 2


def test_a_generator_that_does_not_tell_its_request_measures_nothing(
    measured: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    def request_head(*_: object) -> bytes:
        raise GeneratorError("open-load: no such option")

    monkeypatch.setattr(OPEN, "request_head", request_head)
    (record,) = measured(of_capacity(10_000), OpenLoad(axis="rate"), 1_000)
    assert isinstance(record, NotMeasured)
    assert record.reason == Message(Code.NO_REQUEST, detail="open-load: no such option")
    assert loads(measured) == []


def test_without_a_peak_a_cell_says_why(measured: Measure) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        return Completed(2, "", "open-load: cannot reach it") if "--closed" in command else said(command, 1.0)

    (record,) = measured(generate, OpenLoad(axis="slo"), 10)
    assert isinstance(record, NotMeasured)
    assert (said_of(record.reason), record.reason.detail) == ("no peak: refused", "open-load: cannot reach it")


def test_a_search_without_an_undisturbed_trial_says_nothing_of_the_slo(measured: Measure) -> None:
    (trial,) = measured(lambda _, command: said(command, 1.0, counted_seconds=1.0), OpenLoad(axis="slo"), 10)
    assert isinstance(trial, Trial)
    assert trial.search is not None
    assert (trial.search.met, trial.search.steps) == (0, ())
    assert trial.verdict == Verdict(False, Message(Code.FEW_CLEAN_SECONDS))


def test_a_server_closes_all_connections_of_a_trial_before_it_is_asked_again(
    measured: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    closes: list[int] = []

    def settled(server: int | None, ports: int, connections: int) -> Settled:
        closes.append(connections)
        return Settled(None, None, 0.0)

    monkeypatch.setattr(closed, "settle", settled)
    measured(of_capacity(5_000), OpenLoad(axis="idle", rate=1_000), 50)
    assert closes == [0, 54], "four of the load, and the idle ones"
