"""A study's figures beside all that is known of a sweep's runs, with those that failed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from support.builders import arrivals, not_measured, open_outcome, outcome, server, sweep, trial, usage

from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.studies import read_study
from ab_runner.history.study_rows import StudyRow, study_rows
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Beside, Second, SecondLoad
from ab_runner.model.message import Code, Message, Verdict
from ab_runner.model.protocol import DEFAULT_STUDY
from ab_runner.model.workload import Workload
from ab_runner.report.say.numbers import NONE
from ab_runner.report.tables.study_rows import study_tables
from ab_runner.store.reader import Stored

STUDY = read_study("spring-boot-2018", load_catalog(study="spring-boot-2018").servers)
JETTY, INFO, OTHER = (
    server(id, workloads=("test",))
    for id in ("spring-boot-1.5-jetty-9.4-logging", "spring-boot-1.5-jetty-9.4", "spring-boot-4-jetty-12.1")
)


def run(id: str, block: int, rate: float, failed: int = 0) -> object:
    found = outcome(
        is_timed=True, requests_per_second=rate, complete=round(rate), total_bytes=round(rate) * 138, seconds=1.0
    )
    found = replace(found, generator="wrk", own_mean=1e3 * 5_000 / rate, own_percentiles={"p100": 9_000.0}, latency={})
    if failed:
        found = replace(found, failed={"timeout": failed}, failed_at_least=failed, requests=round(rate))
    verdict = Verdict(False, Message(Code.FAILED, failed={"timeout": failed})) if failed else Verdict(True)
    return trial(id, "test", 5_000, block=block, outcome=found, verdict=verdict, usage=usage(server_cpu_seconds=0.5))


def analysed(*records: object, workloads: tuple[str, ...] = ("test",)) -> SweepAnalysis:
    made = sweep(JETTY, INFO, OTHER)
    request = replace(made.request, study=STUDY.id, workloads=workloads, levels=(5_000,))
    return analyse(Stored(replace(made, request=request), records))  # type: ignore[arg-type]


def rows() -> dict[str, StudyRow]:
    records = [run(INFO.id, block, rate) for block, rate in enumerate((8_000, 9_000, 8_500, 10_000), 1)]
    records += [run(JETTY.id, block, 300, failed=60) for block in (1, 2)]
    (found,) = study_rows(analysed(*records, not_measured(OTHER.id, "test", 5_000, "refused")), STUDY)
    return {row.server: row for row in found.rows}


def test_a_published_row_has_its_stand_ins_below_it_and_others_come_last() -> None:
    assert list(rows()) == ["jetty-9.4.8", JETTY.id, INFO.id, OTHER.id]


def test_medians_are_over_starts_and_the_best_is_of_the_first_three() -> None:
    found = rows()[INFO.id].quantities
    assert (found.rate, found.best_rate) == (8_750, 9_000)
    assert found.cpu_us is not None
    assert 55 < found.cpu_us < 60
    assert found.connections_served == 5_000
    assert (found.answer_bytes, found.latency_longest) == (138, 9_000)


def test_a_run_that_failed_is_shown_with_what_it_did_and_its_cell_says_that_it_failed() -> None:
    row = rows()[JETTY.id]
    assert (row.quantities.rate, row.quantities.failed_share) == (300, 0.2)
    assert row.cell is not None
    assert row.cell.figure is None


def test_a_server_without_any_run_has_no_quantities() -> None:
    row = rows()[OTHER.id]
    assert row.quantities.rate is None
    assert row.quantities.best_rate is None


def test_what_was_published_is_computed_from_its_row() -> None:
    found = rows()["jetty-9.4.8"].quantities
    assert found.connections_served is not None
    assert round(found.connections_served) == 205
    assert found.failed_share is not None
    assert round(100 * found.failed_share, 2) == 10.54
    assert found.best_rate is None


def test_a_study_of_rates_alone_has_no_such_table() -> None:
    assert study_rows(analysed(run(INFO.id, 1, 8_000)), read_study(DEFAULT_STUDY, {})) == ()
    assert study_rows(analysed(run(INFO.id, 1, 8_000), workloads=("small",)), STUDY) == ()


# --- open loads --------------------------------------------------------------------------------------------------

FIBERS = read_study("fibers-2014", load_catalog(study="fibers-2014").servers)
THREADS = server("jetty-9.2-threads-200", workloads=("service-5s",))
VIRTUAL = server("jetty-12.1-virtual-threads", workloads=("service-5s",))


def of_open_load(beside: Beside | None) -> SweepAnalysis:
    found = open_outcome(
        40, completed=150, latency={5_020_000: 150}, beside=beside,
        arrivals=arrivals(40, planned=200, mean_from_sending=5_018.0, longest_from_sending=5_100.0),
    )  # fmt: skip
    verdict = Verdict(False, Message(Code.OVERLOADED, {"answers_per_second": 30.0}))
    made = sweep(THREADS, VIRTUAL)
    records = [
        trial(each.id, "service-5s", 40, outcome=found, verdict=verdict, usage=usage(jit_cpu_seconds=0.25))
        for each in (THREADS, VIRTUAL)
    ]
    load = OpenLoad(axis="rate", is_exact=True, beside=SecondLoad("service-a", 10))
    request = replace(made.request, study=FIBERS.id, workloads=("service-5s",), levels=(40,), open=load)
    return analyse(Stored(replace(made, request=request), tuple(records)))


def test_a_study_of_open_loads_shows_counts_and_latencies_from_sending_and_what_was_beside() -> None:
    seconds = (Second(10, 0), Second(10, 0), Second(2, 8))
    beside = Beside(planned=30, answered=22, latency={1_000: 21, 9_000_000: 1}, per_second=seconds)
    (found,) = study_rows(of_open_load(beside), FIBERS)
    assert [row.server for row in found.rows] == ["jetty-threads-2000", THREADS.id, VIRTUAL.id]
    then, now = (row.quantities for row in found.rows[:2])
    assert (found.rows[0].figure and found.rows[0].figure.reason, then.answered) == ("failed", None)
    assert (now.answered, now.requests, now.failed_share) == (150, 200, 0.25)
    assert (now.latency_mean, now.latency_longest, now.latency_p99) == (5_018, 5_100, 5_020)
    assert (now.beside_answered, now.beside_longest, now.jit_share) == (0.2, 9_000, 0.1)
    assert (now.rate, now.connections_served) == (None, None), "a server has the rate that it is given"


def test_without_a_second_load_nothing_is_known_of_it() -> None:
    (found,) = study_rows(of_open_load(None), FIBERS)
    assert found.rows[1].quantities.beside_answered is None


def test_the_table_of_an_open_load_says_what_is_beside_it_and_why_a_run_does_not_count() -> None:
    analysis = of_open_load(Beside(planned=10, answered=0, per_second=(Second(0, 10),)))
    (table,) = study_tables(study_rows(analysis, FIBERS), analysis)
    assert table.title.startswith("service-5s at 40/s: all that was published, and the same of each run")
    assert table.headings == (
        "server", "counts", "answered", "of", "mean ms", "longest ms", "p99 ms from due", "failed %",
        "beside: answered %", "CPU µs/request", "JIT %", "memory MiB",
    )  # fmt: skip
    assert [cell.text for cell in table.rows[0]][:3] == ["jetty-threads-2000, 2014", "failed", NONE]
    assert table.rows[1][1].text == "overloaded"
    assert any(note.startswith("beside: service-a at 10/s in the same run") for note in table.notes)


# --- memory of what waits ----------------------------------------------------------------------------------------

JVM = read_study("jvm-concurrency-2016", load_catalog(study="jvm-concurrency-2016").servers)
MIB = 2**20


def of_waiting(names: tuple[str, ...], due_seconds: float = 3.0, answered: int = 9_000) -> SweepAnalysis:
    """A server that has 100 MiB without a wait, and 9,000 requests that take 10 to 15 KiB each while they wait."""
    server_here = server("jetty-12.1-virtual-threads", workloads=names)
    workloads = tuple(Workload(name=name, not_before_ms=10_000 if name == "wait-10s" else 0) for name in names)
    made = sweep(server_here, workloads=workloads)
    records = []
    for block in range(1, 7):
        for name in names:
            memory = 100 * MIB + (9_000 * (9 + block) * 1_024 if name == "wait-10s" else 0)
            found = open_outcome(
                3_000, completed=answered,
                arrivals=arrivals(3_000, planned=9_000, due_seconds=due_seconds, opened_before=8_990 + block),
            )  # fmt: skip
            records.append(
                trial(
                    server_here.id, name, 3_000, block=block, start=block, outcome=found,
                    usage=usage(peak_memory_bytes=memory),
                )
            )  # fmt: skip
    load = OpenLoad(axis="rate", is_exact=True, opened_before=9_000)
    request = replace(made.request, study=JVM.id, workloads=names, levels=(3_000,), open=load)
    return analyse(Stored(replace(made, request=request), tuple(records)))


def test_what_a_request_takes_while_it_waits_is_the_difference_to_a_trial_of_the_same_start_in_which_none_waits() -> (
    None
):
    analysis = of_waiting(("wait-none", "wait-10s"))
    without, waiting = study_rows(analysis, JVM)
    found = waiting.rows[0].quantities.waiting_bytes
    assert found is not None
    assert found.interval is not None
    assert found.value == 12.5 * 1_024
    assert 10 * 1_024 <= found.interval.low < found.value < found.interval.high <= 15 * 1_024
    assert without.rows[0].quantities.waiting_bytes is None
    table = study_tables([waiting], analysis)[0]
    assert table.headings[-1] == "bytes/waiting request"
    assert table.rows[0][table.headings.index("open before")].text == "8,994", "the median of its starts"
    assert table.rows[0][-1].text.startswith("12,800 (1")
    assert any("less that in the trial of wait-none before it" in note for note in table.notes)
    assert any("the connections were open before" in note for note in table.notes)


@pytest.mark.parametrize(
    "analysis",
    [
        of_waiting(("wait-10s",)),
        of_waiting(("wait-10s", "wait-none")),
        of_waiting(("wait-none", "wait-10s"), due_seconds=11.0),
        of_waiting(("wait-none", "wait-10s"), answered=8_999),
    ],
    ids=["no control", "control last", "not all at once", "not all answered"],
)
def test_without_a_control_before_it_or_if_not_all_wait_and_are_answered_it_is_not_known(
    analysis: SweepAnalysis,
) -> None:
    assert {row.quantities.waiting_bytes for each in study_rows(analysis, JVM) for row in each.rows} == {None}


def test_a_closed_load_of_a_study_of_open_loads_has_no_table() -> None:
    assert study_rows(analysed(run(INFO.id, 1, 8_000)), FIBERS) == ()
