from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders

from ab_runner.load.ab_output import AbFigures, Failures
from ab_runner.load.generator import Completed
from ab_runner.load.parallel import merged, outputs, parallel_command, split_connections, sum_counts
from ab_runner.model.message import Code, Message


@given(st.integers(1, 20_000), st.integers(1, 64))
def test_every_connection_is_somebodys_and_nobody_is_without(concurrency: int, generators: int) -> None:
    found = split_connections(concurrency, generators)
    assert sum(found) == concurrency
    assert len(found) == min(generators, concurrency)
    assert max(found) - min(found) <= 1
    assert min(found) >= 1


def test_all_run_at_once_and_each_keeps_its_output_and_its_exit_code(tmp_path: Path) -> None:
    meet = "touch $0.1; until [ -e $0.2 ]; do sleep 0.01; done; echo first; echo '$x \"y\"' >&2; exit 3"
    other = "touch $0.2; until [ -e $0.1 ]; do sleep 0.01; done; printf 'no newline'"
    place = str(tmp_path / "met")
    command = parallel_command([["bash", "-c", meet, place], ["bash", "-c", other, place]], cpus=())
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert outputs(done.stdout, 2) == [Completed(3, "first\n", '$x "y"\n'), Completed(0, "no newline", "")]


def test_each_is_pinned_to_a_cpu_and_the_cpus_are_used_in_turn() -> None:
    script = parallel_command([["ab", "a"], ["ab", "b"], ["ab", "c"]], cpus=(2, 5))[-1]
    assert [line.split("--cpu-list ")[1][:6] for line in script.splitlines() if "taskset" in line] == [
        "2 ab a", "5 ab b", "2 ab c",
    ]  # fmt: skip


def test_what_was_ended_from_outside_has_no_outputs() -> None:
    assert outputs("", 2) == []


@pytest.mark.parametrize("code", ["²", "9" * 5000, "-1", ""])
def test_an_exit_code_that_is_none_is_a_failure(code: str) -> None:
    assert outputs(f"\x1e{code}\nout\x1ferr", 1) == [Completed(1, "out", "err")]


def report(rate: float, latency: float, **changes: object) -> AbFigures:
    complete = round(rate)
    return builders.figures(
        requests_per_second=rate, complete=complete, html_bytes=100 * complete, concurrency=50, seconds=1.0,
        percentiles=dict.fromkeys(range(101), latency), **changes,
    )  # fmt: skip


def test_rates_and_counts_add_up() -> None:
    first = report(6000.5, 1.0, keep_alive=5900, failures=Failures(receive=1))
    found = merged([first, report(4000.0, 1.0, keep_alive=4000, failures=Failures(receive=2, length=1))], [{}, {}])
    assert isinstance(found, AbFigures)
    assert (found.requests_per_second, found.complete, found.keep_alive) == (10_000.5, 10_000, 9_900)
    assert found.failures == Failures(receive=3, length=1)
    assert (found.concurrency, found.html_bytes) == (100, 1_000_000)


def test_percentiles_are_those_of_all_requests_and_no_mean_of_percentiles() -> None:
    found = merged([report(9000, 1.0), report(1000, 101.0)], [{1: 9000}, {101: 1000}])
    assert isinstance(found, AbFigures)
    assert found.percentiles[50] == found.percentiles[89] == pytest.approx(1.0, rel=0.01)
    assert found.percentiles[91] == found.percentiles[100] == pytest.approx(101.0, rel=0.01)


def test_one_that_failed_makes_all_fail() -> None:
    timeout = Message(Code.TIMEOUT, detail="70007")
    assert merged([report(9000, 1.0), timeout], [{}, {}]) == timeout


def test_answers_of_different_lengths_are_an_error() -> None:
    found = merged([report(9000, 1.0), report(9000, 1.0, document_length=99)], [{}, {}])
    assert found == Message(Code.LENGTHS_DIFFER, detail="document lengths 99, 100")


def test_requests_per_millisecond_add_up() -> None:
    assert sum_counts([{1: 5, 2: 1}, {0: 3, 2: 2}]) == {0: 3, 1: 5, 2: 3}
