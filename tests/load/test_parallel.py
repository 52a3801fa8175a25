from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recordings.ab.outputs import golden
from support.executor import Kept

from ab_runner.load.generator import Completed, Target
from ab_runner.load.generator_registry import GENERATORS
from ab_runner.load.parallel import outputs, parallel_command, split_connections
from ab_runner.model.load import Load
from ab_runner.model.message import Code


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


def test_one_that_failed_makes_all_fail() -> None:
    ends = [golden(name) for name in ("close", "never-answers")]
    printed = "".join(f"\x1e{end.exit_code}\n{end.stdout}\x1f{end.stderr}" for end in ends)
    target = Target(
        url="http://127.0.0.1:8080/small.html", keep_alive=False, idle_timeout=10, time_limit=20,
        executor=Kept(Completed(0, printed, "")), fixture="small.html", processes=2,
    )  # fmt: skip
    failure = GENERATORS["ab"].run(target, Load(requests=400), 10).failure
    assert failure is not None
    assert failure.code == Code.TIMEOUT
