"""One cell of a sweep with an open load: a trial at its rate, or the search for its capacity under an SLO."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil

import msgspec

from ab_runner.analysis.disturbed import is_disturbed
from ab_runner.model.axis import HIGHEST_RATE, OpenLoad, percentage
from ab_runner.model.limits import BLOCKS_AT_MOST
from ab_runner.model.load import NOT_THE_SERVER, Load
from ab_runner.model.message import Code, Message, MessageError, Verdict
from ab_runner.model.trial import PEAK, STEP, Cell, Search, Step, SupportingTrial, Trial
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.histogram import weighted
from ab_runner.sweep.server.start import Start
from ab_runner.sweep.server.warm_up import HIGH_CONCURRENCY
from ab_runner.sweep.trial.capacity import search
from ab_runner.sweep.trial.closed import PlannedTrial, TrialResult, make_trial, make_undisturbed_trial
from ab_runner.sweep.trial.connection_limit import connection_limit

PEAK_CONNECTIONS = HIGH_CONCURRENCY
PEAK_SECONDS = 2
"""Of the closed load whose rate is a server's peak."""
LEAD_IN_SECONDS = 1.0
"""In which connections are opened. Each takes so much time of generator and server that the first requests are late:
docs/benchmarks.md."""
FIRST_SHARES = (0.5, 0.125)
"""The share of its peak at which the search for a server's capacity begins, and the one at which it begins again, at
another start, if the server did not survive the first before any rate met the SLO: an overload can exhaust its heap."""
TAIL_REQUESTS = 10
"""A percentile is told by at least so many requests that take longer."""
CLEAN_WITHIN = 4
"""A trial goes on until it has its seconds without stolen time, up to so many times their number."""
SEEDS = 1_000 * BLOCKS_AT_MOST
"""So many for each sweep, which has its own."""
LONGEST_STRETCH = 4
"""The step of a search takes at most so many times as long as a trial, where low rates make few requests."""


class Peak(msgspec.Struct, frozen=True):
    """Requests per second of a closed load; `is_bound`: the generator or the network was its limit."""

    rate: float
    is_bound: bool


class NoPeak(MessageError):
    """A server has no peak that rates could come from."""


class _Ended(Exception):
    """A search ended early, because server or generator have to be restarted."""


def measure_open_cell(
    start: Start, cell: Cell, peaks: dict[WorkloadName, Peak], first_share: float = FIRST_SHARES[0]
) -> TrialResult:
    """Make a cell's trial, or its search from that share of the peak on, and return it. `peaks` are those of this
    start; one that is needed and not there is measured. NoPeak if that gives no figure."""
    plan = start.context.open
    assert plan is not None, "the sweep's load is open"
    name = f"{start.name}-{cell.workload}-{plan.axis}{cell.level}"
    match plan.axis:
        case "rate":
            return _trial(start, cell, Load(rate=cell.level), name)
        case "idle":
            return _trial(start, cell, Load(rate=plan.rate, idle=cell.level), name)
        case "peak":
            peak = _peak(start, cell, peaks)
            result = _trial(start, cell, Load(rate=max(1, round(cell.level / 100 * peak.rate))), name, peak.rate)
        case "slo":
            peak = _peak(start, cell, peaks)
            result = _Capacity(start, cell, plan, name, peak.rate).find(first_share)
    trial = result.trial
    if peak.is_bound and plan.axis == "peak" and trial.verdict.valid:
        trial = msgspec.structs.replace(trial, verdict=Verdict(True, notes=(Message(Code.PEAK_IS_BOUND),)))
    return msgspec.structs.replace(result, trial=trial)


def _peak(start: Start, cell: Cell, peaks: dict[WorkloadName, Peak]) -> Peak:
    """Return the peak of the cell's workload. One that is not known yet is measured, for this cell."""
    if cell.workload not in peaks:
        name = f"{start.name}-{cell.workload}-peak"
        load = Load(seconds=PEAK_SECONDS)
        trial = make_trial(start, PlannedTrial(cell=cell, load=load, name=name, connections=PEAK_CONNECTIONS)).trial
        start.context.store.append(SupportingTrial(trial=trial, role=PEAK))
        if trial.verdict.reason is not None or trial.outcome is None:
            raise NoPeak(msgspec.structs.replace(trial.verdict.reason or Message(Code.NO_FIGURES), stage="peak"))
        peaks[cell.workload] = Peak(round(trial.outcome.rate, 1), trial.limit in NOT_THE_SERVER)
    return peaks[cell.workload]


def _trial(
    start: Start, cell: Cell, load: Load, name: str, peak: float | None = None, fewest: int = 0, tries: int = 0
) -> TrialResult:
    """Make the trial of one rate, after a lead-in. It is stretched until it has `fewest` requests; one that is to be
    exact has neither. Its seed is of the sweep, of the block and of how often the start has tried the rate: all servers
    of a block have the same arrivals at the same rate, and no start, and no other sweep, has the same arrivals twice.
    """
    protocol, plan = start.context.protocol, start.context.open
    assert plan is not None, "the load is open"
    seconds = protocol.trial_of(cell.workload).seconds or 1
    assert load.rate is not None, "and has a rate"
    stretched = max(seconds, ceil(min(fewest / load.rate, LONGEST_STRETCH * seconds)))
    load = msgspec.structs.replace(
        load,
        most_connections=plan.connections
        or connection_limit(load.rate, start.context.workloads[cell.workload].keep_alive),
        seconds=stretched,
        at_most=None if plan.is_exact else CLEAN_WITHIN * stretched,
        seed=start.context.seed * SEEDS + tries * BLOCKS_AT_MOST + max(0, start.block),
        lead_in=0 if plan.is_exact else LEAD_IN_SECONDS,
        arrivals=plan.arrivals,
        opened_before=plan.opened_before,
        beside=plan.beside,
    )
    return make_undisturbed_trial(start, PlannedTrial(cell=cell, load=load, name=name, peak=peak))


class _Capacity:
    """The search of one cell. Its trial is that of the highest rate at which the SLO was met, or the last one if it was
    met at none."""

    def __init__(self, start: Start, cell: Cell, plan: OpenLoad, name: str, peak: float) -> None:
        self._start = start
        self._cell = cell
        self._plan = plan
        self._name = name
        self._peak = peak
        self._fewest = requests_that_tell(plan)
        self._tries: Counter[int] = Counter()
        self._steps: list[Step] = []
        self._met: TrialResult | None = None
        self._last: TrialResult | None = None

    def find(self, first_share: float) -> TrialResult:
        """Search from a share of the peak on, and return the trial with the search."""
        seconds = self._start.context.protocol.trial_of(self._cell.workload).seconds or 1
        lowest = ceil(self._fewest / (LONGEST_STRETCH * seconds))
        try:
            search(round(first_share * self._peak), lowest, HIGHEST_RATE, self._meets)
        except _Ended:
            return self._ended()
        if self._met is None:
            last = self._last_result
            verdict = Verdict(False, self._why_none())
            return self._with_search(TrialResult(msgspec.structs.replace(last.trial, verdict=verdict), last.alive))
        limits = [step.limit for step in self._missed] or ["generator"]
        limit = next((each for each in limits if each in NOT_THE_SERVER), limits[0])
        return self._with_search(TrialResult(msgspec.structs.replace(self._met.trial, limit=limit), self._met.alive))

    def _ended(self) -> TrialResult:
        """Return the search as far as it came before server or generator had to be restarted."""
        if self._met is None:
            return msgspec.structs.replace(self._with_search(self._last_result), is_worth_another=True)
        note = Message(Code.ENDED_BY_RATE, {"requests": self._steps[-1].rate if self._steps else 0})
        verdict = Verdict(True, notes=(*self._met.trial.verdict.notes, note))
        return self._with_search(TrialResult(msgspec.structs.replace(self._met.trial, verdict=verdict), alive=False))

    def _why_none(self) -> Message:
        """Return why the SLO was met at no rate; whether it would have been is not known where every trial was
        disturbed."""
        if not self._steps:
            return Message(Code.FEW_CLEAN_SECONDS)
        reason = self._steps[-1].reason
        assert reason is not None, "the SLO was met at no rate"
        return msgspec.structs.replace(reason, stage="slo")

    @property
    def _last_result(self) -> TrialResult:
        assert self._last is not None, "a search has a step"
        return self._last

    @property
    def _highest_met(self) -> int:
        return max((step.rate for step in self._steps if step.reason is None), default=0)

    @property
    def _missed(self) -> Sequence[Step]:
        """The steps at the lowest rate above it, none of which met the SLO."""
        above = [step for step in self._steps if step.rate > self._highest_met]
        lowest = min((step.rate for step in above), default=0)
        return [step for step in above if step.rate == lowest]

    def _with_search(self, result: TrialResult) -> TrialResult:
        missed = self._missed
        found = Search(met=self._highest_met, missed=missed[0].rate if missed else None, steps=tuple(self._steps))
        return TrialResult(msgspec.structs.replace(result.trial, search=found), result.alive)

    def _meets(self, rate: int) -> bool:
        """Try a rate, and return whether the SLO was met. A disturbed trial is no step, but says where to go on."""
        tries = self._tries[rate]
        self._tries[rate] += 1
        name = f"{self._name}-{rate}" + (f"-{tries + 1}" if tries else "")
        result = _trial(self._start, self._cell, Load(rate=rate), name, self._peak, self._fewest, tries)
        self._last = result
        self._start.context.store.append(SupportingTrial(trial=result.trial, role=STEP))
        step = step_of(result.trial, rate, self._plan, self._cell.level)
        if not is_disturbed(result.trial):
            if step.reason is None and rate >= self._highest_met:
                self._met = result
            self._steps.append(step)
        if not result.alive:
            raise _Ended
        return step.reason is None and step.latency is not None


def requests_that_tell(plan: OpenLoad) -> int:
    """Return the fewest requests that tell the percentile of an SLO."""
    return round(TAIL_REQUESTS / (1 - percentage(plan.percentile) / 100))


def step_of(trial: Trial, rate: int, plan: OpenLoad, bound: int) -> Step:
    """Return the step of a search that this trial is. `bound` is that of the SLO's percentile in milliseconds."""
    spread = weighted(trial.outcome.latency.items() if trial.outcome else ())
    latency = spread.milliseconds(percentage(plan.percentile))
    reason = None if trial.verdict.valid else trial.verdict.reason
    if reason is None and latency is not None and latency > bound:
        reason = Message(Code.SLO_MISSED, {"milliseconds": latency, "percentile": plan.percentile})
    return Step(
        rate=rate,
        latency=latency,
        answers_per_second=trial.outcome.completed_per_second if trial.outcome else 0.0,
        reason=reason,
        limit=trial.limit,
        stolen_share=trial.usage.stolen_share if trial.usage else None,
    )
