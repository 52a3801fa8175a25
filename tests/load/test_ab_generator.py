"""ab as a generator: what it has run, what it takes back, and what it makes of that."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from recordings.ab.outputs import golden

from ab_runner.load.ab_generator import Ab
from ab_runner.load.generator import Completed, Target
from ab_runner.model.load import Load, Outcome
from ab_runner.model.message import Code, Message
from ab_runner.model.workload import Workload

CLOSE = golden("close")
GOOD = Completed(CLOSE.exit_code, CLOSE.stdout, CLOSE.stderr)
"""400 requests at concurrency 10, all well."""
CSV = CLOSE.percentiles_csv or ""


class RecordedExecutor:
    """Answers every command in the same way, and has these files in its folder."""

    folder = "/raw"
    fixtures = "/srv/www"
    cpus = (2, 5)

    def __init__(self, done: Completed, files: dict[str, str]) -> None:
        self.commands: list[Sequence[str]] = []
        self.limits: list[float] = []
        self.taken: list[str] = []
        self._done = done
        self._files = files

    def execute(self, command: Sequence[str], time_limit: float) -> Completed:
        self.commands.append(command)
        self.limits.append(time_limit)
        return self._done

    def take(self, name: str) -> str | None:
        self.taken.append(name)
        return self._files.get(name)


def executor(done: Completed = GOOD, **files: str) -> RecordedExecutor:
    """`t_csv` is the file `t.csv`, `t_2_csv` is `t.2.csv`."""
    return RecordedExecutor(done, {name.replace("_", "."): text for name, text in files.items()})


def target(executor: RecordedExecutor, processes: int = 1, record_as: str | None = None) -> Target:
    return Target(
        url="http://127.0.0.1:8080/small.html", keep_alive=False, idle_timeout=30, time_limit=99.0, executor=executor,
        processes=processes, record_as=record_as,
    )  # fmt: skip


def test_load_that_is_not_recorded_is_ab_alone_and_leaves_no_files() -> None:
    made = executor()
    run = Ab().run(target(made), Load(requests=400), 10)
    (command,) = made.commands
    assert command == ["ab", "-n", "400", "-c", "10", "-r", "-s", "30", "http://127.0.0.1:8080/small.html"]
    assert made.limits == [99.0]
    assert made.taken == []
    assert run.command == tuple(command)
    assert run.outcome is not None
    assert (run.outcome.completed, run.outcome.latency) == (400, {})
    assert not run.outcome.is_timed
    assert run.output == f"$ {' '.join(command)}\n{GOOD.stdout}\n--- stderr\n{GOOD.stderr}\n--- exit code 0\n"


def test_headers_are_lines_of_its_requests() -> None:
    made = executor()
    lines = ("Accept-Encoding: gzip", "X-A: b")
    run = Ab().run(msgspec.structs.replace(target(made), headers=lines), Load(requests=400), 10)
    assert run.command[-5:-1] == ("-H", lines[0], "-H", lines[1])
    assert Ab().request_head(made, "h:1", Workload(name="a", path="/a", keep_alive=True, headers=lines)) == (
        b"GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\nAccept-Encoding: gzip\r\nX-A: b\r\n"
        b"Host: h:1\r\nUser-Agent: ApacheBench/2.3\r\nAccept: */*\r\n\r\n"
    )


def test_a_recorded_run_has_every_latency_and_its_files_bear_its_name() -> None:
    made = executor(t_csv=CSV, t_latencies="  390 1\n  10 3\n")
    run = Ab().run(target(made, record_as="t"), Load(requests=400), 10)
    assert sorted(made.taken) == ["t.csv", "t.latencies"]
    assert run.outcome is not None
    assert sum(run.outcome.latency.values()) == 400
    assert 2_500 <= max(run.outcome.latency) < 3_500
    assert run.command[-3:] == ("-e", "/raw/t.csv", "http://127.0.0.1:8080/small.html")
    assert "-g" not in run.command
    assert "/raw/t.latencies" in made.commands[0]


@pytest.mark.parametrize(("concurrency", "files"), [(20, 2), (1, 1)])
def test_several_processes_share_the_connections_and_are_one_result(concurrency: int, files: int) -> None:
    stdout = "".join(f"\x1e0\n{GOOD.stdout}\x1f{GOOD.stderr}" for _ in range(files)) if files > 1 else GOOD.stdout
    made = executor(Completed(0, stdout, ""), t_1_csv=CSV, t_2_csv=CSV, t_csv=CSV)
    run = Ab().run(target(made, processes=2, record_as="t"), Load(seconds=1), concurrency)
    names = {"t.1.csv", "t.2.csv"} if files > 1 else {"t.csv"}
    assert {name for name in made.taken if name.endswith("csv")} == names
    assert isinstance(run.result, Outcome)
    assert run.result.completed == 400 * files
    assert ("taskset --cpu-list 5" in made.commands[0][-1]) == (files > 1)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_that_was_ended_from_outside_is_a_failure(processes: int) -> None:
    made = executor(Completed(124, "", ""))
    run = Ab().run(target(made, processes=processes, record_as="t"), Load(seconds=1), 10)
    assert run.outcome is None
    assert run.failure == Message(Code.OVER_TIME, detail="exit code 124, and ab did not say why")
    assert run.exit_code == 124
