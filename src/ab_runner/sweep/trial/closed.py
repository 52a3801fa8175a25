"""One trial: load against one cell, what is observed meanwhile, and the verdict on it."""

from __future__ import annotations

import datetime
import sys
import time
from math import inf

import msgspec

from ab_runner.analysis.disturbed import is_disturbed, stolen_share
from ab_runner.host.cooldown import Settled, settle
from ab_runner.host.facts import sysctls
from ab_runner.host.machine import local_ports
from ab_runner.load.cold import cold
from ab_runner.load.generator import Run
from ab_runner.load.trial_validity import ROUNDED_DOWN, too_early
from ab_runner.model.load import Limit, Load
from ab_runner.model.message import Message, Verdict
from ab_runner.model.resources import Cooldown
from ab_runner.model.trial import COLD, DISTURBED, Cell, RepeatedTrial, Trial
from ab_runner.model.workload import WorkloadName
from ab_runner.runtime.base import RunningServer
from ab_runner.sweep.events import PhaseStarted
from ab_runner.sweep.server import answers, probe
from ab_runner.sweep.server.start import Start, WatchedLoad
from ab_runner.sweep.server.trial_length import lead_in, trial_load

NOTICED_SECONDS = 1.0
"""How long after its connections break the end of a server or generator may become visible."""
LEAD_IN_IDLE_TIMEOUT = 1
"""Seconds without progress after which a lead-in ends. Connections that a server does not serve while others are kept
alive would hold it until the server closes those."""
COLD_REPEATS = 4
"""How often a cold trial is made again. Each is a second more of warm-up by the very load that needs it."""


class TrialResult(msgspec.Struct, frozen=True):
    """A trial, and whether the next one can be made at once."""

    trial: Trial
    alive: bool
    """False when server or generator have to be restarted."""
    is_worth_another: bool = False
    """Whether a search ended with the server before any rate met the SLO: from a lower rate it may find one."""


class PlannedTrial(msgspec.Struct, frozen=True, kw_only=True):
    """A trial that is to be made. Its files have that `name`. `rate` is what the warm-up showed, and `peak` that of a
    closed load before an open one, each None if it is not known. `lead_in` is the load before it, if that is one of
    its own. `connections` are those of a closed load, if the cell's level is something else."""

    cell: Cell
    load: Load
    name: str
    rate: float | None = None
    peak: float | None = None
    lead_in: Load | None = None
    connections: int | None = None

    @property
    def seconds(self) -> float:
        """The longest time that it takes with its lead-in; 0 where that is not known, because its load is a number of
        requests."""
        return self.load.longest + (self.lead_in.longest if self.lead_in else 0.0)


def measure_cell(start: Start, cell: Cell, rate: float | None) -> TrialResult:
    """Make a cell's trial after a lead-in, and return it. `rate` is what the warm-up showed; None if it is not known.

    A timed trial that was cold or disturbed is stored as such and made again; a trial by requests is never repeated."""
    unstretched = start.context.protocol.trial_of(cell.workload)
    planned = PlannedTrial(
        cell=cell,
        load=trial_load(unstretched, cell.level, rate),
        name=f"{start.name}-{cell.workload}-c{cell.level}",
        rate=rate,
        lead_in=lead_in(unstretched, cell.level, rate),
    )
    return make_undisturbed_trial(start, planned)


def make_undisturbed_trial(start: Start, planned: PlannedTrial) -> TrialResult:
    """Make a trial and return it. A timed one that is disturbed is made again, once, if the sweep has time left for
    that. The one from which more CPU time was stolen is stored as repeated. That choice knows neither rates nor
    latencies, nor whether they are valid."""
    context = start.context
    first = make_warm_trial(start, planned)
    if not (first.alive and planned.seconds and is_disturbed(first.trial) and context.repeats.allows(planned.seconds)):
        return first
    context.emit(PhaseStarted("repeat", planned.cell.server, planned.cell.workload, planned.cell.level))
    try:
        with context.repeats.repeat():
            second = make_warm_trial(start, msgspec.structs.replace(planned, name=f"{planned.name}-repeat"))
    except BaseException:
        context.store.append(RepeatedTrial(trial=first.trial, reason=DISTURBED))
        raise
    trial, other = sorted((first.trial, second.trial), key=lambda each: stolen_share(each) or 0.0)
    context.store.append(RepeatedTrial(trial=other, reason=DISTURBED))
    return TrialResult(trial, second.alive)


def make_warm_trial(start: Start, planned: PlannedTrial) -> TrialResult:
    """Make a trial and return it. A timed one that was cold is stored as such and made again, unless servers are not to
    be warmed up, or their warm-up is that of a study."""
    result = make_trial(start, planned, _make_lead_in(start, planned))
    if start.context.protocol.warm_up.is_none or (start.context.open and start.context.open.is_exact):
        return result
    for number in range(1, COLD_REPEATS + 1):
        if not (result.trial.verdict.valid and _cold(result.trial) and planned.load.seconds):
            break
        start.context.store.append(RepeatedTrial(trial=result.trial, reason=COLD))
        result = make_trial(start, msgspec.structs.replace(planned, name=f"{planned.name}-again{number}"))
    trial = result.trial
    if trial.verdict.valid and (reason := _cold(trial)):
        trial = msgspec.structs.replace(trial, verdict=Verdict(False, reason))
    return TrialResult(trial, result.alive)


def _cold(trial: Trial) -> Message | None:
    return cold(trial.usage, trial.watched_seconds if trial.is_open else None)


def _make_lead_in(start: Start, planned: PlannedTrial) -> float | None:
    """Make a short load of the cell's own kind, which is not counted, so that queues and pools adapt. Return the
    seconds that it took; None if there is none."""
    if planned.lead_in is None or start.context.protocol.warm_up.is_none:
        return None
    cell = planned.cell
    outcome = start.load(cell.workload, cell.level, planned.lead_in, LEAD_IN_IDLE_TIMEOUT, planned.rate)
    return round(outcome.seconds, 3)


def make_trial(start: Start, planned: PlannedTrial, lead_in_seconds: float | None = None) -> TrialResult:
    """Make a trial and return it. `lead_in_seconds` is what the load before it took."""
    context = start.context
    cell, load, name = planned.cell, planned.load, planned.name
    connections = planned.connections or cell.level
    ports = local_ports(sysctls() | start.running.environment)
    settled = _settle(start, connections if load.rate is None else 0, ports)  # an open load's lead-in leaves few
    at = datetime.datetime.now(datetime.UTC)
    watched = start.watched_load(cell.workload, connections, load, planned.rate, record_as=name)
    run, sampler = watched.run, watched.sampler
    context.store.keep_raw(f"{name}.txt", run.output)
    limit = watched.limit(context.generator)
    verdict, alive = _judged(start, cell.workload, load, connections, watched, limit)
    trial = Trial(
        block=start.block,
        batch=start.batch,
        server=cell.server,
        workload=cell.workload,
        level=cell.level,
        start=start.number,
        at=at,
        command=run.command,
        exit_code=run.exit_code,
        outcome=run.outcome,
        verdict=verdict,
        raw=f"{name}.txt",
        wall_seconds=round(run.seconds, 3),
        jdk=(start.server.jdk or context.runtime.jdk) if start.server.is_jvm else None,
        usage=watched.usage,
        limit=limit,
        jvm=sampler.jvm,
        cooldown=Cooldown(**settled._asdict()),
        lead_in_seconds=load.lead_in or lead_in_seconds,
        peak=planned.peak,
        samples=watched.spot_checks.answered if watched.spot_checks else None,
        course=sampler.course or msgspec.UNSET,
        load_hosts=watched.from_hosts.hosts if watched.from_hosts else msgspec.UNSET,
    )
    return TrialResult(trial, alive)


def _settle(start: Start, to_close: int, ports: int) -> Settled:
    """Give the server time to close so many connections of a load before, and return what is left of that."""
    accounts = start.running.accounts
    return accounts.settle(ports, to_close) if accounts else settle(None, ports, to_close)


def _judged(
    start: Start, workload: WorkloadName, load: Load, connections: int, watched: WatchedLoad, limit: Limit | None
) -> tuple[Verdict, bool]:
    """Return the verdict, and False when server or generator have to be restarted."""
    run, question = watched.run, start.question(workload)
    asked = start.asked(workload, load, connections)
    verdict = start.context.generator.judge(run.outcome, asked, limit) if run.outcome else Verdict(False, run.failure)
    if verdict.valid:
        # A server that closes connections may answer nobody meanwhile. That ports are free need not be waited for.
        arrivals = run.outcome.arrivals if run.outcome else None
        to_close = arrivals.most_connections + arrivals.idle_opened if arrivals else connections
        _settle(start, to_close, sys.maxsize)
        if wrong := _early_answer(question, run) or _wrong_answer(start, workload, watched):
            verdict = Verdict(False, wrong)
    if verdict.valid:
        return verdict, True
    alive = start.is_alive(workload)
    if end := end_of(start.running, patient=not alive or run.failure is not None):
        detail = verdict.reason.detail if verdict.reason else ""
        return Verdict(False, msgspec.structs.replace(end, detail=detail)), False
    return verdict, alive


def _early_answer(question: probe.Question, run: Run) -> Message | None:
    """Return that an answer of the trial came before it could be right; None if none did. What it may have taken longer
    than is stored is forgiven."""
    latencies = run.outcome.latency if run.outcome else {}
    earliest = (1 + ROUNDED_DOWN) * min(latencies, default=inf)
    return too_early(earliest, question.workload.not_before_ms)


def _wrong_answer(start: Start, workload: WorkloadName, watched: WatchedLoad) -> Message | None:
    """Return what was wrong with an answer that was compared during the trial, or with one after it; None if all were
    right. Most generators look at no body."""
    if watched.spot_checks is not None and watched.spot_checks.wrong is not None:
        return msgspec.structs.replace(watched.spot_checks.wrong, stage="during trial")
    try:
        start.check(workload)
    except answers.ProbeError as error:
        return msgspec.structs.replace(error.message, stage="after trial")
    return None


def end_of(running: RunningServer, patient: bool) -> Message | None:
    """Return why server or generator ended, None if neither did. Where something broke, a runtime may notice it a
    moment later."""
    deadline = time.monotonic() + (NOTICED_SECONDS if patient else 0)
    while (end := running.ended()) is None and time.monotonic() < deadline:
        time.sleep(0.1)
    return end
