"""The time that a sweep names beforehand, beside the time that sweeps took."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import pytest
from support.builders import server, sweep
from support.workloads import WORKLOADS
from sweep_times import expected_of

from ab_runner import paths
from ab_runner.catalog.servers import load, select
from ab_runner.catalog.sets import expand, load_sets
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Load
from ab_runner.model.protocol import PROTOCOLS, SweepRequest, WarmUp, for_open_load
from ab_runner.model.records import EndRecord, Record, StartRecord
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.trial import RepeatedTrial, SupportingTrial, Trial
from ab_runner.model.workload import Workload
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.log import log_lines
from ab_runner.store.plan import plan
from ab_runner.store.reader import read
from ab_runner.sweep.schedule.expected_time import (
    CLOSING,
    CROWDED,
    OLD,
    PROBES,
    SEARCH,
    SERVER,
    START,
    START_OF_STUDY,
    TRIAL,
    VERIFICATION,
    WARM,
    WARM_OF_STUDY,
    ExpectedTime,
    expected_time,
    time_text,
)
from ab_runner.sweep.server.trial_length import LEAD_IN_SHARE
from ab_runner.sweep.trial.capacity import USUAL_STEPS
from ab_runner.sweep.trial.open import PEAK_SECONDS

CLOSED = 1 + LEAD_IN_SHARE + TRIAL
"""Seconds of a trial of a closed load that takes a second."""
RECORDINGS = Path(__file__).parents[2] / "recordings" / "sweeps"
MAKE_BENCH = 235.0
"""Seconds that the sweep of `make bench` took on two vCPUs of an AMD EPYC, with all images built."""
TAKEN = [*sorted((paths.RESULTS / PUBLISHED_SWEEPS).iterdir()), RECORDINGS / "quick"]


@pytest.mark.parametrize("folder", TAKEN, ids=lambda folder: folder.name)
def test_the_time_of_recorded_sweeps_is_named_within_15_percent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the seconds that were made again because the hypervisor took CPU time in them."""
    stored = read(folder)
    request = stored.sweep.request
    if request.axis == "slo":
        searches = [each.search for each in stored.records if isinstance(each, Trial) and each.search]
        steps = median(len(search.steps) for search in searches)
        monkeypatch.setattr("ab_runner.sweep.schedule.expected_time.USUAL_STEPS", steps)
    left_out = sum(seconds_left_out(folder)) if request.open else 0.0
    assert expected_of(stored).seconds == pytest.approx(seconds_taken(folder) - left_out, rel=0.15)


def seconds_left_out(folder: Path) -> Iterator[float]:
    """Of each open load that went on until it had its clean seconds, those beyond them."""
    for record in read(folder).records:
        trial = record.trial if isinstance(record, RepeatedTrial | SupportingTrial) else record
        found = trial.outcome.arrivals if isinstance(trial, Trial) and trial.outcome else None
        if found and found.due_seconds and found.clean_seconds_asked:
            yield found.due_seconds - found.clean_seconds_asked


def seconds_taken(folder: Path) -> float:
    """From the first start to the end."""
    lines = [line for line in log_lines(folder) if line.strip()]
    first, last = (msgspec.json.decode(line, type=Record) for line in (lines[0], lines[-1]))
    assert isinstance(first, StartRecord)
    assert isinstance(last, EndRecord)
    return (last.at - first.at).total_seconds()


def test_the_time_of_make_bench_is_named_within_15_percent() -> None:
    catalog = load(paths.SERVERS)
    core = select(catalog, expand(["@core"], load_sets(paths.SERVERS, catalog)))
    request = msgspec.structs.replace(
        asked("quick"), workloads=tuple(each.name for each in WORKLOADS), levels=(10, 100), runtime="docker"
    )
    assert named(request, *core, reference=catalog[REFERENCE]).seconds == pytest.approx(MAKE_BENCH, rel=0.15)


# --- its parts ---------------------------------------------------------------------------------------------------

JAVA = server("tomcat-11", workloads=("small",), released=datetime.date(2024, 1, 1))
NATIVE = server("nginx-1", kind="debian", workloads=("small",), released=datetime.date(2024, 1, 1))
OLD_ONE = server("thttpd-1", kind="debian", workloads=("small",), released=datetime.date(2003, 1, 1))


def asked(name: str, **changes: Any) -> SweepRequest:
    """By that protocol, for the small file at 10 connections, in Docker."""
    request = msgspec.structs.replace(
        sweep(JAVA).request, protocol=PROTOCOLS[name], workloads=("small",), levels=(10,), runtime="docker"
    )
    return msgspec.structs.replace(request, **changes)


def named(request: SweepRequest, *servers: Server, reference: Server | None = None) -> ExpectedTime:
    runs = plan(
        servers, request.workloads, request.levels, request.protocol.blocks, 1, reference, request.protocol.together
    )
    everyone = [*servers, reference] if reference else servers
    found = expected_time(request, runs, {each.id: each for each in everyone})
    assert found is not None
    return found


def seconds(request: SweepRequest, *servers: Server) -> float:
    return named(request, *servers).seconds


def test_a_jvm_is_warmed_up_longer_than_a_native_server() -> None:
    assert seconds(asked("quick"), NATIVE) == pytest.approx(START + SERVER + 1 + CLOSED + VERIFICATION)
    assert seconds(asked("quick"), JAVA) == pytest.approx(START + SERVER + 7 + WARM + CLOSED + VERIFICATION)


def test_the_servers_of_a_study_start_and_warm_up_slower() -> None:
    of_study = msgspec.structs.replace(JAVA, study="spring-boot-2018")
    longer = START_OF_STUDY + WARM_OF_STUDY
    assert seconds(asked("quick"), of_study) - seconds(asked("quick"), JAVA) == pytest.approx(longer)


def test_from_1_000_connections_on_each_one_takes_time_to_close() -> None:
    few, many = asked("quick", levels=(1_000,)), asked("quick", levels=(5_000,))
    assert seconds(many, JAVA) - seconds(few, JAVA) == pytest.approx(4_000 * CLOSING)


def test_in_a_batch_in_docker_only_the_first_start_takes_time() -> None:
    together = msgspec.structs.replace(PROTOCOLS["standard"], blocks=1)
    in_docker = asked("quick", protocol=together)
    as_processes = msgspec.structs.replace(in_docker, runtime="process")
    assert seconds(as_processes, NATIVE, JAVA) - seconds(in_docker, NATIVE, JAVA) == pytest.approx(START)


def test_old_servers_take_longer_most_of_all_at_many_connections() -> None:
    few, many = asked("quick"), asked("quick", levels=(500,))
    assert seconds(few, OLD_ONE) - seconds(few, NATIVE) == pytest.approx(OLD)
    assert seconds(many, OLD_ONE) - seconds(many, NATIVE) == pytest.approx(CROWDED)


@pytest.mark.parametrize(("warm_up", "expected"), [(WarmUp(Load(seconds=60)), 60), (WarmUp(Load(requests=0)), 0)])
def test_a_warm_up_that_was_asked_for_takes_its_time(warm_up: WarmUp, expected: float) -> None:
    protocol = msgspec.structs.replace(PROTOCOLS["quick"], warm_up=warm_up)
    found = seconds(asked("quick", protocol=protocol), JAVA)
    assert found == pytest.approx(START + SERVER + expected + CLOSED + VERIFICATION)


def test_without_a_warm_up_there_is_no_lead_in() -> None:
    protocol = msgspec.structs.replace(PROTOCOLS["quick"], warm_up=WarmUp(Load(requests=0), is_none=True))
    found = seconds(asked("quick", protocol=protocol), JAVA)
    assert found == pytest.approx(START + SERVER + 1 + TRIAL + VERIFICATION)


def test_of_a_number_of_requests_the_time_is_not_known() -> None:
    request = asked("2006")
    runs = plan([NATIVE], request.workloads, request.levels, 1, 1)
    assert expected_time(request, runs, {NATIVE.id: NATIVE}) is None
    by_requests = msgspec.structs.replace(PROTOCOLS["quick"], trial=Load(requests=10))
    assert expected_time(asked("quick", protocol=by_requests), runs, {NATIVE.id: NATIVE}) is None


def test_an_exact_load_has_no_lead_in_and_answers_that_wait_are_waited_for() -> None:
    request = asked("quick", open=OpenLoad(axis="rate", is_exact=True))
    warm_up = WarmUp(Load(seconds=20), connections=20, workload="sooner")
    request = msgspec.structs.replace(
        request, protocol=msgspec.structs.replace(request.protocol, warm_up=warm_up, trial=Load(seconds=50))
    )
    runs = plan([JAVA], ["small"], [10], 1, 1)
    waiting = [Workload(name="small", not_before_ms=5_000), Workload(name="sooner", not_before_ms=100)]
    found = expected_time(request, runs, {JAVA.id: JAVA}, workloads=waiting)
    assert found is not None
    before = START + 0.1 + SERVER + PROBES * 5
    assert found.seconds == pytest.approx(before + 20 + 0.1 + PROBES * 0.1 + 50 + TRIAL + 5 + PROBES * 5)


BOTH = msgspec.structs.replace(JAVA, workloads=("small", "small-keepalive"))


@pytest.mark.parametrize(
    ("warm_up", "expected"),
    [
        (WarmUp(Load(seconds=20), connections=1_000), 2 * 20),
        (WarmUp(Load(seconds=20), connections=1_000, workload="small"), 20),
        (WarmUp(Load(seconds=7), steady=True, at_most=30, connections=1_000), 2 * 7),
        (WarmUp(Load(seconds=20)), 20),
        (WarmUp(Load(seconds=20), workload="small"), 20),
        (WarmUp(Load(seconds=2)), 3),
        (WarmUp(Load(seconds=2), workload="small"), 2),
    ],
)
def test_a_study_warms_up_by_each_workload_for_all_of_the_time_or_by_one_and_others_are_in_turns(
    warm_up: WarmUp, expected: float
) -> None:
    protocol = msgspec.structs.replace(PROTOCOLS["quick"], warm_up=warm_up)
    request = asked("quick", protocol=protocol, workloads=BOTH.workloads, levels=(100,))
    trials = 2 * (CLOSED + VERIFICATION)
    assert seconds(request, BOTH) == pytest.approx(START + SERVER + expected + trials)


def test_each_window_of_a_warm_up_waits_for_its_answers() -> None:
    """One of a second, and four of half a second."""
    protocol = msgspec.structs.replace(PROTOCOLS["quick"], warm_up=WarmUp(Load(seconds=3)))
    request, runs = asked("quick", protocol=protocol), plan([JAVA], ["small"], [10], 1, 1)
    at_once, later = (
        expected_time(request, runs, {JAVA.id: JAVA}, workloads=[Workload(name="small", not_before_ms=wait)])
        for wait in (0, 1_000)
    )
    assert at_once is not None
    assert later is not None
    assert later.seconds - at_once.seconds == pytest.approx(1 + PROBES + 5 * (1 + PROBES) + 1 + PROBES)


def test_the_first_block_is_complete_after_its_own_batches() -> None:
    found = named(asked("standard"), NATIVE, JAVA)
    assert found.first_block == pytest.approx(found.seconds / 6)
    assert named(asked("quick"), NATIVE, JAVA, reference=OLD_ONE).first_block is None


def test_of_a_first_block_that_is_measured_already_nothing_is_told() -> None:
    request = asked("standard")
    runs = [run for run in plan([NATIVE], request.workloads, request.levels, 6, 1) if run.block > 1]
    found = expected_time(request, runs, {NATIVE.id: NATIVE})
    assert found is not None
    assert found.first_block is None


def test_a_search_takes_some_rates_and_shares_of_the_peak_are_given_up_where_half_of_the_servers_fail() -> None:
    def opened(axis: str, *levels: int) -> float:
        load = OpenLoad(axis=axis)  # type: ignore[arg-type]
        return seconds(
            asked("standard", open=load, levels=levels, protocol=for_open_load(PROTOCOLS["standard"])), NATIVE
        )

    rate, slo = opened("rate", 1_000), opened("slo", 10)
    assert slo - rate == pytest.approx(6 * (SEARCH + PEAK_SECONDS + TRIAL + (USUAL_STEPS - 1) * (5 + 1 + TRIAL)))
    low, high = opened("peak", 50), opened("peak", 90)
    assert low - high == pytest.approx(3 * 0.5 * (5 + 1 + TRIAL))


@pytest.mark.parametrize(
    ("exact", "text"),
    [(44.4, "44 s"), (90, "2 min"), (303, "5 min"), (3_540, "59 min"), (3_580, "1 h"), (11_500, "3 h 10 min")],
)
def test_a_time_is_told_as_exactly_as_it_is_known(exact: float, text: str) -> None:
    assert time_text(exact) == text
