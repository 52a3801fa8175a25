from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.attacks import attacking, says
from support.builders import load_host, said, said_of, server, sweep, usage
from support.course_sweep import course
from support.fakes import FakeRemote, FakeRuntime, FakeServer, Generate, recorded, sampled
from support.waiting import until

from ab_runner.host.cooldown import Settled
from ab_runner.host.interrupt import Interrupted
from ab_runner.load.generator import Completed
from ab_runner.model.load import Load
from ab_runner.model.message import Code, Message
from ab_runner.model.protocol import NO_WARM_UP, PROTOCOLS, Protocol, WarmUp
from ab_runner.model.records import AnswerRecord, EndRecord, Record, StartRecord, WarmUpRecord
from ab_runner.model.resources import Usage
from ab_runner.model.server import Server
from ab_runner.model.trial import COLD, DISTURBED, NotMeasured, RepeatedTrial, Trial
from ab_runner.model.workload import Workload, WorkloadName
from ab_runner.monitor.sampler import Monitored, ResourceSampler
from ab_runner.runtime.base import RuntimeUnusable
from ab_runner.store.plan import batches_of, plan
from ab_runner.store.reader import Stored, read
from ab_runner.store.writer import Store
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.events import CellFinished, Event, PhaseStarted
from ab_runner.sweep.repeats import PAUSE_SECONDS, RepeatBudget
from ab_runner.sweep.run import run
from ab_runner.sweep.server import probe
from ab_runner.sweep.server import start as start_module
from ab_runner.sweep.server.answers import Answer, Connect, ProbeError
from ab_runner.sweep.server.spot_checks import SpotChecks
from ab_runner.sweep.server.start import Start
from ab_runner.sweep.trial import closed

GOOD = recorded("close")
"""400 requests at concurrency 10, all well."""
PROTOCOL = msgspec.structs.replace(
    PROTOCOLS["quick"],
    warm_up=WarmUp(Load(requests=400)),
    trial=Load(requests=400),
)


class SweepHarness:
    """A folder with fixtures and a store, and what came of running a plan in it."""

    def __init__(self, folder: Path) -> None:
        self.fixtures = folder / "fixtures"
        self.docroot = folder / "docroot"
        for each in (self.fixtures, self.docroot):
            each.mkdir()
            (each / "small.html").write_bytes(b"x" * 100)
        self.folder = folder / "sweep"
        self.events: list[Event] = []

    def run(
        self,
        *servers: Server,
        generate: Generate,
        broken: Sequence[str] = (),
        levels: Sequence[int] = (10,),
        protocol: Protocol = PROTOCOL,
        workloads: Sequence[WorkloadName] = ("small",),
        spoil: Callable[[Store], None] = lambda kept: None,
        answered: Sequence[tuple[str, WorkloadName]] = (),
        together: int = 1,
        repeats: RepeatBudget | None = None,
        load_hosts: Sequence[FakeRemote] = (),
    ) -> list[str]:
        """Returns what the runtime was asked to do."""

        class FromHosts(FakeServer):
            pass

        FromHosts.load_hosts = load_hosts
        self.runtime = FakeRuntime(self.docroot, generate, broken, FromHosts)
        kept = Store.make(self.folder, sweep(*servers))
        self.runtime.begin("sweep", kept.raw, kept.scratch)
        spoil(kept)
        runs = plan(servers, workloads, levels, blocks=1, seed=1, together=together)
        catalog = {each.id: each for each in servers}
        try:
            context = SweepContext(
                catalog,
                protocol,
                self.runtime,
                kept,
                self.fixtures,
                self.events.append,
                answered=set(answered),
                repeats=repeats or RepeatBudget(),
                load_hosts={host.name: load_host(host.name) for host in load_hosts},
            )
            run(batches_of(runs), context)
        finally:
            kept.close()
        return self.runtime.log

    @property
    def stored(self) -> Stored:
        return read(self.folder)

    def kinds(self) -> list[str]:
        return [type(record).__name__ for record in self.stored.records]

    def cells(self) -> dict[tuple[str, int], str]:
        """What became of each cell: `valid` or its reason."""
        found = {}
        for record in self.stored.records:
            if isinstance(record, Trial):
                found[record.server, record.level] = said_of(record.verdict.reason) or "valid"
            elif isinstance(record, NotMeasured):
                found[record.server, record.level] = said_of(record.reason) or ""
        return found


@pytest.fixture
def harness(tmp_path: Path) -> SweepHarness:
    return SweepHarness(tmp_path)


def always(done: Completed) -> Generate:
    return lambda server, command: done


A, B = server("a-1"), server("b-1")
URL = "http://127.0.0.1:8080/small.html"


def test_each_server_is_started_warmed_up_measured_and_stopped_before_the_next(harness: SweepHarness) -> None:
    log = harness.run(A, B, generate=always(GOOD))
    assert log == [
        "start a-1", f"load a-1 c=10 {URL}", f"load a-1 c=10 {URL}", "stop a-1",
        "start b-1", f"load b-1 c=10 {URL}", f"load b-1 c=10 {URL}", "stop b-1",
        "close",
    ]  # fmt: skip
    of_a_server = ["StartRecord", "AnswerRecord", "WarmUpRecord", "Trial", "VerificationRecord"]
    assert harness.kinds() == of_a_server * 2 + ["EndRecord"]
    assert harness.cells() == {("a-1", 10): "valid", ("b-1", 10): "valid"}


def test_another_workload_can_warm_a_server_up_over_connections_of_its_own(
    harness: SweepHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that answers in that one is ready: in the workload of a trial an answer may take seconds."""
    ready_in, wait = list[WorkloadName](), probe.wait_until_ready

    def noted(connect: Connect, workload: Workload, *rest: Any) -> Message | None:
        ready_in.append(workload.name)
        return wait(connect, workload, *rest)

    monkeypatch.setattr(probe, "wait_until_ready", noted)
    warm_up = WarmUp(Load(requests=400), connections=7, workload="small-keepalive")
    harness.run(A, generate=always(GOOD), protocol=msgspec.structs.replace(PROTOCOL, warm_up=warm_up))
    assert ready_in == ["small-keepalive"]
    (found,) = [record for record in harness.stored.records if isinstance(record, WarmUpRecord)]
    assert [(turns.workload, turns.concurrency) for turns in found.turns] == [("small-keepalive", 7)]
    assert harness.cells() == {("a-1", 10): "valid"}


def test_a_server_that_another_workload_could_not_warm_up_is_not_measured_cold(harness: SweepHarness) -> None:
    warm_up = WarmUp(Load(requests=400), connections=7, workload="small-keepalive")

    def generate(server: Server, command: Sequence[str]) -> Completed:
        return recorded("never-answers") if "-c 7 " in " ".join(command) else GOOD

    harness.run(A, generate=generate, protocol=msgspec.structs.replace(PROTOCOL, warm_up=warm_up), levels=[10, 20])
    assert {*harness.cells().values()} == {"no warm-up: timeout"}
    assert "Trial" not in harness.kinds()


def test_a_warm_up_whose_request_the_generator_does_not_tell_costs_the_servers_cells_and_no_sweep(
    harness: SweepHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm_up = WarmUp(Load(requests=400), connections=7, workload="small-keepalive")
    question = Start.question

    def untold(start: Start, name: WorkloadName) -> probe.Question:
        if name == "small-keepalive":
            raise ProbeError(Message(Code.NO_REQUEST, detail="it ended"))
        return question(start, name)

    monkeypatch.setattr(Start, "question", untold)
    harness.run(A, generate=always(GOOD), protocol=msgspec.structs.replace(PROTOCOL, warm_up=warm_up))
    assert all(said.startswith("no warm-up: ") for said in harness.cells().values())
    assert harness.stored.ending == "finished"


def test_in_a_batch_all_are_started_and_warmed_up_then_their_trials_alternate_and_the_others_are_paused(
    harness: SweepHarness,
) -> None:
    log = harness.run(A, B, generate=always(GOOD), together=2)
    load = {name: f"load {name} c=10 {URL}" for name in ("a-1", "b-1")}
    turns = [each for name in ("a-1", "b-1") for each in (f"resume {name}", load[name], f"pause {name}")]
    assert log[6:] == [*turns, "stop b-1", "stop a-1", "close"]
    assert log[0] == "start a-1"
    for name in ("a-1", "b-1"):
        assert [line for line in log[:6] if name in line] == [f"start {name}", load[name], f"pause {name}"]
    assert log.index("pause a-1") < log.index(load["b-1"]), "one is warmed up at a time"
    trials = [record for record in harness.stored.records if isinstance(record, Trial)]
    assert [(each.server, each.batch) for each in trials] == [("a-1", 1), ("b-1", 1)]


def test_a_server_of_a_batch_is_started_while_the_one_before_it_is_warmed_up(harness: SweepHarness) -> None:
    seen: list[bool] = []

    def generate(server: Server, command: Sequence[str]) -> Completed:
        if server.id == "a-1" and not seen:
            until(lambda: "start b-1" in harness.runtime.log)
            seen.append(True)
        return GOOD

    harness.run(A, B, generate=generate, together=2)
    assert seen == [True]
    starts = [record for record in harness.stored.records if isinstance(record, StartRecord)]
    assert sorted((each.server, each.start) for each in starts) == [("a-1", 1), ("b-1", 2)]


def test_an_interruption_ends_a_server_that_was_started_ahead(harness: SweepHarness) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        raise Interrupted

    with pytest.raises(Interrupted):
        harness.run(A, B, generate=generate, together=2)
    log = harness.runtime.log
    assert [log.count(f"{what} {name}") for what in ("start", "stop") for name in ("a-1", "b-1")] == [1, 1, 1, 1]


def test_a_server_of_a_batch_that_dies_is_started_again_and_the_others_keep_theirs(harness: SweepHarness) -> None:
    log = harness.run(A, B, generate=dying_at(20, harness, recorded("resets")), levels=[20, 30], together=2)
    assert log.count("start a-1") == 2
    assert harness.cells()["a-1", 30] == harness.cells()["b-1", 30] == "valid"
    assert harness.cells()["a-1", 20] == "server exited with 1"
    assert log.count("start b-1") == 1


def test_a_server_of_a_batch_that_does_not_start_has_that_in_its_cells_and_the_others_are_measured(
    harness: SweepHarness,
) -> None:
    harness.run(A, B, generate=always(GOOD), broken=["a-1"], together=2)
    assert harness.cells() == {("a-1", 10): "does not start", ("b-1", 10): "valid"}


def test_the_head_of_an_answer_is_recorded_once_for_each_server_and_workload_however_often_it_is_started(
    harness: SweepHarness,
) -> None:
    workloads: list[WorkloadName] = ["small", "small-keepalive"]
    both = server("a-1", workloads=tuple(workloads))
    log = harness.run(both, B, generate=dying_at(20, harness, recorded("resets")), levels=[20, 30], workloads=workloads)
    assert log.count("start a-1") == 2
    answers = [record for record in harness.stored.records if isinstance(record, AnswerRecord)]
    assert [(each.server, each.workload, each.start) for each in answers] == [
        ("a-1", "small", 1), ("a-1", "small-keepalive", 1), ("b-1", "small", 3),
    ]  # fmt: skip
    assert [each.body_bytes for each in answers] == [100] * 3
    for each in answers:
        assert each.head.startswith("HTTP/1.1 200 OK\r\n")
        assert len(each.head) == each.head_bytes


def test_a_sweep_that_is_resumed_does_not_record_a_head_again(harness: SweepHarness) -> None:
    harness.run(A, B, generate=always(GOOD), answered=[("a-1", "small")])
    answers = [record for record in harness.stored.records if isinstance(record, AnswerRecord)]
    assert [each.server for each in answers] == ["b-1"]


def test_a_server_that_answers_wrongly_leaves_no_head(harness: SweepHarness) -> None:
    (harness.docroot / "small.html").write_bytes(b"y" * 100)
    harness.run(A, generate=always(GOOD))
    assert "AnswerRecord" not in harness.kinds()


def test_the_jdk_is_recorded_in_every_trial_of_a_jvm_server_and_in_no_other(harness: SweepHarness) -> None:
    harness.run(A, server("nginx-1", kind="c"), generate=always(GOOD), levels=[1, 10])
    trials = [record for record in harness.stored.records if isinstance(record, Trial)]
    assert [(trial.server, trial.jdk) for trial in trials] == [("a-1", 17)] * 2 + [("nginx-1", None)] * 2


def test_what_ab_printed_is_kept_beside_the_trial(harness: SweepHarness) -> None:
    harness.run(A, generate=always(GOOD))
    trial = next(record for record in harness.stored.records if isinstance(record, Trial))
    raw = (harness.folder / "raw" / trial.raw).read_text()
    assert raw.startswith("$ ab -n 400 -c 10")
    assert GOOD.stdout in raw
    assert raw.endswith("--- exit code 0\n")


def test_a_server_that_does_not_start_leaves_its_reason_in_every_cell_and_the_next_has_its_turn(
    harness: SweepHarness,
) -> None:
    harness.run(A, B, generate=always(GOOD), broken=["a-1"], levels=[10, 20])
    cells = harness.cells()
    assert cells["a-1", 10] == cells["a-1", 20] == "does not start"
    assert cells["b-1", 10] == "valid"
    assert harness.runtime.log.count("start a-1") == 1, "it is not tried again for every cell"
    start = harness.stored.records[0]
    assert isinstance(start, StartRecord)
    assert start.error == said("does not start", "no such image")


def test_a_server_that_fails_its_probe_gets_no_load(harness: SweepHarness) -> None:
    (harness.docroot / "small.html").write_bytes(b"y" * 100)
    log = harness.run(A, generate=always(GOOD))
    assert harness.cells() == {("a-1", 10): "wrong bytes"}
    assert not [line for line in log if line.startswith("load")]


@pytest.mark.parametrize("length", ["²", "9" * 5000, "-1"])
def test_a_server_that_answers_nonsense_has_that_as_its_reason_and_the_next_has_its_turn(
    harness: SweepHarness, monkeypatch: pytest.MonkeyPatch, length: str
) -> None:
    monkeypatch.setattr(start_module, "READY_SECONDS", 0.1)
    as_it_is = FakeRuntime.start
    with attacking(says(f"HTTP/1.0 200 OK\r\nContent-Length: {length}\r\n\r\n".encode("latin-1"))) as address:

        def start(self: FakeRuntime, which: Server, name: str) -> FakeServer:
            running = as_it_is(self, which, name)
            if which == A:
                running.address = address
            return running

        monkeypatch.setattr(FakeRuntime, "start", start)
        harness.run(A, B, generate=always(GOOD))
    assert harness.cells() == {("a-1", 10): "does not get ready", ("b-1", 10): "valid"}
    start_record = harness.stored.records[0]
    assert isinstance(start_record, StartRecord)
    assert start_record.error is not None
    assert (start_record.error.code, start_record.error.stage) == (Code.NOT_A_LENGTH, "readiness")


@pytest.mark.parametrize("planted", ["link", "fifo", "nonsense"])
def test_what_a_generator_leaves_in_place_of_its_files_costs_no_sweep(
    harness: SweepHarness, tmp_path: Path, planted: str
) -> None:
    (tmp_path / "secret").write_text("secret")

    def generate(server: Server, command: Sequence[str]) -> Completed:
        (folder,) = harness.folder.glob(".scratch-*")
        (folder / "1-a-1-1").mkdir(exist_ok=True)
        for kind in ("csv", "latencies"):
            path = folder / "1-a-1-1" / f"1-a-1-1-small-c10.{kind}"
            path.unlink(missing_ok=True)
            if planted == "link":
                path.symlink_to(tmp_path / "secret")
            elif planted == "fifo":
                os.mkfifo(path)
            else:
                path.write_text("² 1\n" + "9" * 5000 + " 1\n")
        return GOOD

    harness.run(A, generate=generate)
    assert harness.cells() == {("a-1", 10): "valid"}
    kept = {path.name for path in (harness.folder / "raw").iterdir()}
    assert ("1-a-1-1-small-c10.csv" in kept) == (planted == "nonsense")
    assert "secret" not in "".join(path.read_text() for path in (harness.folder / "raw").iterdir())


def test_a_trial_that_does_not_count_is_stored_with_its_reason_and_the_server_goes_on(harness: SweepHarness) -> None:
    log = harness.run(A, generate=always(recorded("not-found")), levels=[10, 20])
    assert all("non-2xx" in reason for reason in harness.cells().values())
    assert log.count("start a-1") == 1


def dying_at(level: int, harness: SweepHarness, how: Completed) -> Generate:
    """The server crashes under the trial of this concurrency, once."""
    crashed: list[bool] = []

    def generate(server: Server, command: Sequence[str]) -> Completed:
        if f"-c {level} " in " ".join(command) and not crashed:
            crashed.append(True)
            next(each for each in reversed(harness.runtime.running) if each.server == server).die()
            return how
        return GOOD

    return generate


def test_a_server_that_dies_in_a_trial_is_started_afresh_for_the_next_cell(harness: SweepHarness) -> None:
    log = harness.run(A, generate=dying_at(20, harness, recorded("resets")), levels=[20, 30])
    assert harness.cells()["a-1", 20] == "server exited with 1"
    assert log.count("start a-1") == 2
    trials = [record for record in harness.stored.records if isinstance(record, Trial)]
    assert [(trial.level, trial.start) for trial in trials] == [(20, 1), (30, 2)]
    assert harness.kinds().count("WarmUpRecord") == 2, "a fresh server is warmed up again"


def test_a_generator_that_is_gone_has_both_started_afresh_although_the_server_answers(harness: SweepHarness) -> None:
    lost: list[bool] = []

    def generate(server: Server, command: Sequence[str]) -> Completed:
        if "-c 20 " in " ".join(command) and not lost:
            lost.append(True)
            harness.runtime.running[-1].end = said("generator exited with 137")
            return recorded("never-answers")
        return GOOD

    log = harness.run(A, generate=generate, levels=[20, 30])
    assert harness.cells() == {("a-1", 20): "generator exited with 137", ("a-1", 30): "valid"}
    assert log.count("start a-1") == 2


def test_a_server_that_dies_in_its_warm_up_fails_one_cell_and_has_another_try_for_the_next(
    harness: SweepHarness,
) -> None:
    harness.run(A, generate=dying_at(10, harness, recorded("never-answers")), levels=[20, 30])
    cells = harness.cells()
    assert cells["a-1", 20] == "stopped in warm-up"
    assert cells["a-1", 30] != "stopped in warm-up"
    warm_ups = [record for record in harness.stored.records if isinstance(record, WarmUpRecord)]
    assert [bool(record.error) for record in warm_ups] == [True, False]


def test_an_interruption_stops_everything_and_keeps_what_was_measured(harness: SweepHarness) -> None:
    calls = []

    def generate(server: Server, command: Sequence[str]) -> Completed:
        calls.append(command)
        if len(calls) == 3:
            raise Interrupted
        return GOOD

    with pytest.raises(Interrupted):
        harness.run(A, B, generate=generate, levels=[10, 20])
    assert harness.cells() == {("a-1", 10): "valid"}
    assert harness.runtime.log[-2:] == ["stop a-1", "close"]
    end = harness.stored.records[-1]
    assert isinstance(end, EndRecord)
    assert end.reason == "interrupted"


def test_a_disk_that_takes_no_head_is_no_fault_of_the_server(
    harness: SweepHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_disk_before_the_first_answer(kept: Store) -> None:
        append = kept.append

        def failing(record: Record) -> None:
            if isinstance(record, AnswerRecord):
                raise OSError(28, "No space left on device")
            append(record)

        monkeypatch.setattr(kept, "append", failing)

    with pytest.raises(OSError, match="No space left"):
        harness.run(A, generate=always(GOOD), spoil=fill_disk_before_the_first_answer)
    assert "stop a-1" in harness.runtime.log
    assert harness.cells() == {}


def test_a_full_disk_ends_the_sweep_with_the_server_stopped_and_earlier_trials_readable(
    harness: SweepHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_disk_after_first_trial(kept: Store) -> None:
        append = kept.append

        def failing(record: Record) -> None:
            if isinstance(record, Trial) and record.level == 20:
                raise OSError(28, "No space left on device")
            append(record)

        monkeypatch.setattr(kept, "append", failing)

    with pytest.raises(OSError, match="No space left"):
        harness.run(A, generate=always(GOOD), levels=[10, 20], spoil=fill_disk_after_first_trial)
    assert "stop a-1" in harness.runtime.log
    assert harness.cells() == {("a-1", 10): "valid"}


def test_a_clean_up_that_fails_is_told_and_the_log_still_has_its_end(
    harness: SweepHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def close(runtime: FakeRuntime) -> None:
        raise RuntimeUnusable("the engine does not remove what the sweep started")

    monkeypatch.setattr(FakeRuntime, "close", close)
    with pytest.raises(RuntimeUnusable, match="does not remove"):
        harness.run(A, generate=always(GOOD))
    assert isinstance(harness.stored.records[-1], EndRecord)


TIMED = recorded("timed")
UNTIL_WARM = msgspec.structs.replace(
    PROTOCOL, warm_up=WarmUp(Load(seconds=3), steady=True, at_most=30), trial=Load(seconds=1)
)


def compiling(*shares: float) -> Iterator[Usage]:
    """The compiler takes so much of a second of CPU time, and none of what follows."""
    return (usage(server_cpu_seconds=1.0, jit_cpu_seconds=share) for share in chain(shares, repeat(0.0)))


def test_warm_up_goes_on_until_the_compiler_is_quiet(harness: SweepHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    sampled(monkeypatch, compiling(*[0.6] * 7))
    harness.run(A, generate=always(TIMED), protocol=UNTIL_WARM)
    warm_up = next(record for record in harness.stored.records if isinstance(record, WarmUpRecord))
    assert [len(turns.rates) for turns in warm_up.turns] == [8], "the eighth is the first quiet one"
    assert warm_up.steady is True


def test_where_the_compiler_is_not_visible_a_warm_up_takes_its_full_time_and_nobody_knows_whether_it_is_over(
    harness: SweepHarness,
) -> None:
    harness.run(A, generate=always(TIMED), protocol=UNTIL_WARM)
    warm_up = next(record for record in harness.stored.records if isinstance(record, WarmUpRecord))
    assert [len(turns.rates) for turns in warm_up.turns] == [1 + 2 * 29], "a second, then half seconds until 30"
    assert warm_up.steady is None


def test_a_start_is_warmed_up_once_for_all_its_workloads_in_turns(harness: SweepHarness) -> None:
    (harness.fixtures / "large.bin").write_bytes(b"z" * 947_111)
    (harness.docroot / "large.bin").write_bytes(b"z" * 947_111)
    both = server("a-1", workloads=("small", "large"))
    harness.run(both, generate=always(TIMED), levels=[10, 100], protocol=UNTIL_WARM, workloads=["small", "large"])
    (warm_up,) = [record for record in harness.stored.records if isinstance(record, WarmUpRecord)]
    assert [(turns.workload, turns.concurrency) for turns in warm_up.turns] == [
        ("small", 10), ("large", 10), ("small", 100), ("large", 100),
    ]  # fmt: skip
    loads = [line.split()[2:] for line in harness.runtime.log if line.startswith("load")]
    assert [level for level, _ in loads[:4]] == ["c=10", "c=10", "c=100", "c=100"]
    assert [url.rsplit("/", 1)[1] for _, url in loads[:4]] == ["small.html", "large.bin"] * 2


def test_a_server_has_the_generators_cpus_while_it_warms_up_and_its_own_again_for_the_trials(
    harness: SweepHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeRuntime, "server_cpus", (2, 3))
    monkeypatch.setattr(FakeRuntime, "generator_cpus", (1,))
    log = harness.run(A, server("nginx-1", kind="c"), generate=always(GOOD))
    load = f"load a-1 c=10 {URL}"
    assert log[1:5] == ["a-1 on CPU 2, 3, 1", load, "a-1 on CPU 2, 3", load]
    assert not [line for line in log if line.startswith("nginx-1 on CPU")], "nothing of it is compiled"


def test_a_lead_in_comes_before_each_timed_trial(harness: SweepHarness) -> None:
    commands = []

    def generate(server: Server, command: Sequence[str]) -> Completed:
        commands.append(" ".join(command))
        return TIMED

    harness.run(A, generate=generate, levels=[10, 20], protocol=UNTIL_WARM)
    after_warm_up = [command for command in commands if "-e " in command or "-n 50000000" not in command][-4:]
    assert ["-e " in command for command in after_warm_up] == [False, True, False, True]
    assert "-c 20 " in after_warm_up[2]


def test_a_trial_that_was_cold_is_made_again_and_kept(harness: SweepHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    sampled(monkeypatch, compiling(*[0.0] * 5, 0.3))
    harness.run(A, generate=always(TIMED), protocol=UNTIL_WARM)
    assert harness.cells() == {("a-1", 10): "valid"}
    (cold,) = [record for record in harness.stored.records if isinstance(record, RepeatedTrial)]
    assert cold.reason == COLD
    assert cold.trial.usage is not None
    assert cold.trial.usage.jit_cpu_seconds == 0.3
    assert len(list((harness.folder / "raw").glob("*-c10*.txt"))) == 2, "both outputs are there"


def test_a_cold_trial_is_stored_with_its_batch(harness: SweepHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    sampled(monkeypatch, compiling(*[0.0] * 10, *[0.3] * 4))
    harness.run(A, B, generate=always(TIMED), protocol=UNTIL_WARM, together=2)
    batches = {record.batch for record in harness.stored.records if isinstance(record, Trial)}
    cold = [record.trial for record in harness.stored.records if isinstance(record, RepeatedTrial)]
    assert cold
    assert batches == {each.batch for each in cold} == {1}


def test_a_trial_that_stays_cold_has_that_as_its_reason(harness: SweepHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    sampled(monkeypatch, compiling(*[0.0] * 5, 0.6, 0.5, 0.4, 0.3, 0.25))
    harness.run(A, generate=always(TIMED), protocol=UNTIL_WARM)
    assert harness.cells() == {("a-1", 10): "cold: the JIT took 25 % of the server's CPU time"}
    assert harness.kinds().count("RepeatedTrial") == 4


def test_a_cold_trial_by_requests_is_not_repeated(harness: SweepHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    sampled(monkeypatch, compiling(0.0, 0.3))
    harness.run(A, generate=always(GOOD))
    assert harness.cells() == {("a-1", 10): "cold: the JIT took 30 % of the server's CPU time"}
    assert "RepeatedTrial" not in harness.kinds()


def test_without_warm_up_a_cold_trial_counts_and_nothing_comes_before_it(
    harness: SweepHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled(monkeypatch, compiling(0.6))
    harness.run(A, generate=always(TIMED), protocol=msgspec.structs.replace(UNTIL_WARM, warm_up=NO_WARM_UP))
    assert harness.cells() == {("a-1", 10): "valid"}
    assert "RepeatedTrial" not in harness.kinds()
    assert "WarmUpRecord" not in harness.kinds()
    assert sum(line.startswith("load") for line in harness.runtime.log) == 1


@pytest.mark.parametrize("seconds", [1, 10])
def test_a_trial_is_stored_with_its_course_where_its_load_takes_ten_seconds_or_more(
    harness: SweepHarness, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    class Sampler(ResourceSampler):
        def __init__(self, running: Monitored, generators: int, interval: float, has_course: bool) -> None:
            super().__init__(running, generators, interval, has_course)
            self.course = course() if has_course else None

    monkeypatch.setattr(start_module, "ResourceSampler", Sampler)
    protocol = msgspec.structs.replace(PROTOCOL, trial=Load(seconds=seconds))
    harness.run(A, generate=always(TIMED), protocol=protocol)
    (trial,) = [record for record in harness.stored.records if isinstance(record, Trial)]
    assert trial.course == (course() if seconds == 10 else msgspec.UNSET)


TIMED_TRIALS = msgspec.structs.replace(PROTOCOL, trial=Load(seconds=1))
PLENTY = 1_000.0


@pytest.fixture
def stolen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes the hypervisor take such a share of the CPU time of each trial, and none of the warm-up's."""

    def take(*shares: float) -> None:
        sampled(
            monkeypatch,
            [usage(server_stolen_share=0.0, generator_stolen_share=share) for share in (0.0, *shares)],
        )

    return take


def share_of(trial: Trial) -> float | None:
    return trial.usage.generator_stolen_share if trial.usage else None


def kept_and_repeated(harness: SweepHarness) -> tuple[list[float | None], list[float | None]]:
    """The stolen shares of the cells' records, and of the trials that were made again."""
    records = harness.stored.records
    repeated = [record for record in records if isinstance(record, RepeatedTrial)]
    assert {each.reason for each in repeated} <= {DISTURBED}
    kept = [share_of(record) for record in records if isinstance(record, Trial)]
    return kept, [share_of(each.trial) for each in repeated]


def test_a_disturbed_trial_is_made_again_after_a_pause_and_both_are_kept(
    harness: SweepHarness, stolen: Callable[..., None]
) -> None:
    stolen(0.2, 0.0)
    pauses: list[float] = []
    log = harness.run(
        A, generate=always(TIMED), protocol=TIMED_TRIALS, repeats=RepeatBudget(PLENTY, sleep=pauses.append)
    )
    assert kept_and_repeated(harness) == ([0.0], [0.2])
    assert pauses == [PAUSE_SECONDS]
    assert log.count(f"load a-1 c=10 {URL}") == 5, "the warm-up, and twice a lead-in and a trial"
    assert len(list((harness.folder / "raw").glob("*-c10*.txt"))) == 2, "both outputs are there"
    phases = [event.what for event in harness.events if isinstance(event, PhaseStarted)]
    assert phases[-4:] == ["trial", "repeat", "verify", "stop"]


def test_of_a_disturbed_trial_and_its_repeat_the_less_disturbed_one_is_the_cells(
    harness: SweepHarness, stolen: Callable[..., None]
) -> None:
    stolen(0.2, 0.4)
    harness.run(A, generate=always(TIMED), protocol=TIMED_TRIALS, repeats=RepeatBudget(PLENTY, sleep=ignore))
    assert kept_and_repeated(harness) == ([0.2], [0.4])


def test_which_one_that_is_does_not_depend_on_whether_it_is_valid(
    harness: SweepHarness, stolen: Callable[..., None]
) -> None:
    stolen(0.2, 0.1)
    outcomes = [TIMED] * 3 + [recorded("never-answers")] * 2
    harness.run(
        A,
        generate=lambda server, command: outcomes.pop(0),
        protocol=TIMED_TRIALS,
        repeats=RepeatBudget(PLENTY, sleep=ignore),
    )
    assert kept_and_repeated(harness) == ([0.1], [0.2])
    assert harness.cells() == {("a-1", 10): "timeout"}


def test_a_trial_of_which_little_was_stolen_is_not_made_again(
    harness: SweepHarness, stolen: Callable[..., None]
) -> None:
    stolen(0.03)
    harness.run(A, generate=always(TIMED), protocol=TIMED_TRIALS, repeats=RepeatBudget(PLENTY, sleep=ignore))
    assert kept_and_repeated(harness) == ([0.03], [])


def test_disturbed_trials_are_made_again_while_the_sweep_has_time_for_that(
    harness: SweepHarness, stolen: Callable[..., None]
) -> None:
    stolen(*[0.2, 0.1] * 2, 0.3)
    now = 0.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    budget = RepeatBudget(3 * PAUSE_SECONDS, clock=lambda: now, sleep=sleep)
    harness.run(A, generate=always(TIMED), protocol=TIMED_TRIALS, levels=[10, 20, 30], repeats=budget)
    assert kept_and_repeated(harness) == ([0.1, 0.1, 0.3], [0.2, 0.2])


def test_a_disturbed_trial_by_requests_is_not_made_again(harness: SweepHarness, stolen: Callable[..., None]) -> None:
    stolen(0.2)
    harness.run(A, generate=always(GOOD), repeats=RepeatBudget(PLENTY, sleep=ignore))
    assert kept_and_repeated(harness) == ([0.2], [])


def test_a_disturbed_trial_is_kept_when_the_sweep_is_interrupted_before_its_repeat(
    harness: SweepHarness, stolen: Callable[..., None]
) -> None:
    stolen(0.2)

    def interrupted(seconds: float) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        harness.run(A, generate=always(TIMED), protocol=TIMED_TRIALS, repeats=RepeatBudget(PLENTY, sleep=interrupted))
    assert kept_and_repeated(harness) == ([], [0.2])
    assert harness.kinds()[-1] == "EndRecord"


def test_a_server_that_ends_in_a_repeat_is_started_again_for_the_next_cell(
    harness: SweepHarness, stolen: Callable[..., None]
) -> None:
    stolen(0.2, 0.4, 0.0, 0.0)
    runs: list[str] = []

    def generate(server: Server, command: Sequence[str]) -> Completed:
        runs.append("ab")
        if len(runs) == 5:
            harness.runtime.running[-1].die()
            return recorded("resets")
        return TIMED

    log = harness.run(
        A, generate=generate, protocol=TIMED_TRIALS, levels=[10, 20], repeats=RepeatBudget(PLENTY, sleep=ignore)
    )
    assert kept_and_repeated(harness) == ([0.2, 0.0], [0.4])
    assert log.count("start a-1") == 2


def test_a_repeated_trial_has_its_batch(harness: SweepHarness, stolen: Callable[..., None]) -> None:
    stolen(0.0, 0.2, 0.0, 0.0)
    harness.run(
        A, B, generate=always(TIMED), protocol=TIMED_TRIALS, together=2, repeats=RepeatBudget(PLENTY, sleep=ignore)
    )
    (repeated,) = [record for record in harness.stored.records if isinstance(record, RepeatedTrial)]
    assert repeated.trial.batch == 1


def ignore(seconds: float) -> None:
    pass


def test_a_server_closes_the_connections_of_a_trial_before_it_is_asked_again(
    harness: SweepHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    check = Start.check

    def settled(server: int | None, ports: int, connections: int) -> Settled:
        done.append(f"{connections} to close")
        return Settled(None, None, 0.0)

    def checked(start: Start, name: WorkloadName) -> Answer:
        done.append("asked")
        return check(start, name)

    def generate(server: Server, command: Sequence[str]) -> Completed:
        done.append("load")
        return GOOD

    monkeypatch.setattr(closed, "settle", settled)
    monkeypatch.setattr(Start, "check", checked)
    harness.run(A, generate=generate, protocol=msgspec.structs.replace(PROTOCOL, warm_up=NO_WARM_UP))
    assert done == ["asked", "10 to close", "load", "10 to close", "asked"]


def test_wrong_bytes_after_a_trial_are_its_reason(harness: SweepHarness) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        if "-e" in command:
            (harness.docroot / "small.html").write_bytes(b"y" * 100)
        return GOOD

    harness.run(A, generate=generate)
    assert harness.cells() == {("a-1", 10): "wrong answer after the trial: wrong bytes"}


@pytest.fixture
def spot_checks(monkeypatch: pytest.MonkeyPatch) -> list[SpotChecks]:
    """Those of each trial, from its begin on."""
    begun: list[SpotChecks] = []

    class Noted(SpotChecks):
        def __enter__(self) -> SpotChecks:
            begun.append(self)
            return super().__enter__()

    monkeypatch.setattr(start_module, "SpotChecks", Noted)
    return begun


def test_wrong_bytes_during_a_trial_are_its_reason_although_they_are_right_again_after_it(
    harness: SweepHarness, spot_checks: list[SpotChecks]
) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        if "-e" in command:
            (harness.docroot / "small.html").write_bytes(b"y" * 100)
            until(lambda: spot_checks[-1].wrong)
            (harness.docroot / "small.html").write_bytes(b"x" * 100)
        return GOOD

    harness.run(A, generate=generate)
    assert harness.cells() == {("a-1", 10): "wrong answer during the trial: wrong bytes"}


def test_a_fixture_is_read_once_for_each_start(harness: SweepHarness) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        (harness.fixtures / "small.html").write_bytes(b"y" * 100)
        return GOOD

    harness.run(A, generate=generate)
    assert harness.cells() == {("a-1", 10): "valid"}


def test_answers_that_were_sampled_are_counted_in_the_record(
    harness: SweepHarness, spot_checks: list[SpotChecks]
) -> None:
    def generate(server: Server, command: Sequence[str]) -> Completed:
        if "-e" in command:
            until(lambda: spot_checks[-1].answered >= 2)
        return GOOD

    harness.run(A, generate=generate)
    trial = next(record for record in harness.stored.records if isinstance(record, Trial))
    assert trial.samples is not None
    assert trial.samples >= 2


def test_without_warm_up_the_trial_comes_first(harness: SweepHarness) -> None:
    protocol = msgspec.structs.replace(PROTOCOL, warm_up=WarmUp(Load(requests=0)))
    log = harness.run(A, generate=always(GOOD), protocol=protocol)
    assert len([line for line in log if line.startswith("load")]) == 1
    assert "WarmUpRecord" not in harness.kinds()


def test_every_cell_is_reported_as_it_is_done(harness: SweepHarness) -> None:
    harness.run(A, B, generate=always(GOOD), broken=["a-1"], levels=[10, 20])
    done = [(event.record.server, event.record.level) for event in harness.events if isinstance(event, CellFinished)]
    assert done == [("a-1", 10), ("a-1", 20), ("b-1", 10), ("b-1", 20)]


def test_times_are_stored_with_their_zone(harness: SweepHarness) -> None:
    harness.run(A, generate=always(GOOD))
    assert all(record.at.tzinfo == datetime.UTC for record in harness.stored.records if isinstance(record, Trial))


def test_load_from_a_host_is_recorded_with_what_that_host_did(harness: SweepHarness) -> None:
    host = FakeRemote("lab2", lambda command: GOOD)
    harness.run(A, generate=lambda *_: pytest.fail("the generator beside the server makes no load"), load_hosts=[host])
    assert harness.cells() == {("a-1", 10): "valid"}
    (trial,) = (record for record in harness.stored.records if isinstance(record, Trial))
    assert trial.outcome
    assert trial.load_hosts
    (found,) = trial.load_hosts
    assert (found.name, found.connections, found.received_bytes) == ("lab2", 10, trial.outcome.received_bytes)
    assert host.taken == ["1-a-1-1-small-c10.host1.latencies", "1-a-1-1-small-c10.host1.csv"]


def test_a_server_whose_load_host_went_away_between_its_trials_is_started_again_at_no_cost(
    harness: SweepHarness,
) -> None:
    def answer(command: Sequence[str]) -> Completed:
        host.is_connected = len(host.commands) != 2  # the first trial is the second command
        return GOOD

    host = FakeRemote("lab2", answer)
    log = harness.run(A, generate=always(GOOD), levels=(10, 20), load_hosts=[host])
    assert harness.cells() == {("a-1", 10): "valid", ("a-1", 20): "valid"}
    assert log == ["start a-1", "stop a-1", "start a-1", "stop a-1", "close"]


def test_a_load_host_that_goes_away_costs_its_trial_and_all_is_started_again(harness: SweepHarness) -> None:
    def answer(command: Sequence[str]) -> Completed:
        if len(host.commands) != 2:  # the warm-up is the first
            return GOOD
        harness.runtime.running[-1].end = Message(Code.LOAD_HOST_GONE, {"who": "lab2"})
        return Completed(1, "", "unexpected EOF")

    host = FakeRemote("lab2", answer)
    log = harness.run(A, generate=always(GOOD), levels=(10, 20), load_hosts=[host])
    assert harness.cells() == {("a-1", 10): "load host lab2 is gone", ("a-1", 20): "valid"}
    assert log == ["start a-1", "stop a-1", "start a-1", "stop a-1", "close"]
