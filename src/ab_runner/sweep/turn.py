"""One server's run in a batch: its starts, and for each the probe, the warm-up and the trials of its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress

from msgspec.structs import replace

from ab_runner.model.message import Code, Message
from ab_runner.model.trial import Cell, CellRecord, NotMeasured, cell_of
from ab_runner.model.workload import WorkloadName
from ab_runner.runtime.base import StartError
from ab_runner.store.plan import ServerRun
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.events import CellFinished, PhaseStarted
from ab_runner.sweep.server import answers
from ab_runner.sweep.server.start import Start
from ab_runner.sweep.server.warm_up import HIGH_CONCURRENCY, WarmUpLoad, rate_expected
from ab_runner.sweep.server.warm_up_run import loads_for, run_warm_up
from ab_runner.sweep.trial.closed import measure_cell
from ab_runner.sweep.trial.open import FIRST_SHARES, NoPeak, Peak, measure_open_cell


class Turn:
    """One server's run in one block. It is restarted when it stops answering, so that one cell's failure does not
    affect the next."""

    def __init__(self, server_run: ServerRun, context: SweepContext, starts: Iterator[int], is_alone: bool) -> None:
        """`starts` numbers the starts of the sweep. Unless it `is_alone`, the server is paused between its trials."""
        self._starts = starts
        self._is_alone = is_alone
        self._block = server_run.block
        self._batch = server_run.batch
        self._server = context.servers[server_run.server]
        self._open = list(server_run.cells)
        """Cells that have no record yet."""
        self._context = context
        self._start: Start | None = None
        self._ahead: Future[Start] | None = None
        """A start that another thread makes."""
        self._rates: dict[WarmUpLoad, float] = {}
        """Requests per second at the end of the warm-up."""
        self._peaks: dict[WorkloadName, Peak] = {}
        """Of this start, where rates of open loads come from them."""

    def begin_ahead(self, helper: Executor) -> None:
        """Have the server started in another thread, for the first start of this turn; may be called twice."""
        if self._ahead is None and self._start is None and self._open:
            start = self._new_start()
            self._ahead = helper.submit(self._begun, start)

    def get_ready(self, meanwhile: Callable[[], None] | None = None) -> Start | None:
        """Return the server, started and warm; `meanwhile` is called when it has been started. It is started as often
        as needed: after each start that fails fewer cells lack a record. None if no cell is left to be measured. One
        that lost a load host while others were measured is started again, and no cell pays for it."""
        if self._start is not None and self._open and self._start.has_lost_hosts:
            self.stop()
        try:
            while self._start is None and self._open:
                start = self._begin()
                if meanwhile is not None:
                    meanwhile()
                if self._probe(start) and self._open and self._warm_up(start):
                    self._pause(start)
                else:
                    self.stop()
        except StartError as error:
            self._start = None
            self._give_up(list(self._open), error.message)
        return self._start

    def measure(self, cell: Cell) -> None:
        """Measure a cell, unless it was given up. Afterwards the server is ready for the next one, or stopped."""
        for first_share in FIRST_SHARES:
            start = self.get_ready() if cell in self._open else None
            if start is None or cell not in self._open:
                return
            if not self._is_alone:
                start.running.resume()
            if self._cell(start, cell, first_share):
                self._pause(start)
            else:
                self.stop()

    def stop(self) -> None:
        """End the server if it runs; may be called twice."""
        if self._ahead is not None:
            with suppress(StartError):
                self._start = self._ahead.result()
            self._ahead = None
        if self._start is not None:
            start, self._start = self._start, None
            start.stop()

    def _new_start(self) -> Start:
        return Start(self._context, self._server, self._block, next(self._starts), self._batch)

    def _begun(self, start: Start) -> Start:
        start.begin(self._context.protocol.warm_up.workload or self._open[0].workload)
        return start

    def _begin(self) -> Start:
        """Return a start that has begun: the one that was made ahead, or a new one. StartError if it does not."""
        if self._ahead is None:
            start = self._start = self._new_start()  # before it begins, so that `stop` ends what is begun
            return self._begun(start)
        try:
            start = self._start = self._ahead.result()
        except StartError:  # an interruption leaves it to `stop`, which waits for it
            self._ahead = None
            raise
        self._ahead = None
        return start

    def _pause(self, start: Start) -> None:
        if not self._is_alone:
            start.running.pause()

    def _workloads(self) -> list[WorkloadName]:
        """Return the workloads of the cells that are still to be measured."""
        return list(dict.fromkeys(cell.workload for cell in self._open))

    def _probe(self, start: Start) -> bool:
        """Give up the cells of the workloads that the server answers wrongly, and return whether it still answers."""
        for name in self._workloads():
            self._context.emit(PhaseStarted("probe", self._server.id, name))
            try:
                answer = start.check(name)
            except answers.ProbeError as error:
                self._give_up([cell for cell in self._open if cell.workload == name], error.message)
                if not start.is_alive(name):
                    return False
            else:
                start.record_head(name, answer)
        return True

    def _warm_up(self, start: Start) -> bool:
        """Warm the server up, and return whether it can be measured. If it does not survive, one cell is given up. A
        workload that fails is skipped, and the others are warmed up without it; one that is to warm the server up for
        all has no other in its place, and all cells are given up."""
        self._rates, self._peaks = {}, {}
        plan = self._context.protocol.warm_up
        names = [plan.workload] if plan.workload else self._workloads()
        while names and (plan.load.seconds or plan.load.requests):
            self._context.emit(PhaseStarted("warm-up", self._server.id))
            windows = run_warm_up(start, loads_for(start, names, self._connections()))
            self._rates |= {window.load: window.rate for window in windows if window.rate}
            last = windows[-1]
            if last.error is None:
                break
            if not start.is_alive(last.load.workload):
                cell = next((cell for cell in self._open if cell.workload == last.load.workload), self._open[0])
                self._give_up([cell], Message(Code.STOPPED_IN_WARM_UP, {"cause": last.error.code}))
                return False
            if plan.workload:
                self._give_up(list(self._open), replace(last.error, stage="warm-up"))
                return False
            names.remove(last.load.workload)
        return True

    def _cell(self, start: Start, cell: Cell, first_share: float) -> bool:
        """Measure one cell, and return False when server or generator have to be restarted. A search that is worth
        another one is not the cell's; its steps are stored."""
        self._context.emit(PhaseStarted("trial", self._server.id, cell.workload, cell.level))
        try:
            if self._context.open is None:
                result = measure_cell(start, cell, rate_expected(self._rates, cell))
            else:
                result = measure_open_cell(start, cell, self._peaks, first_share)
        except NoPeak as error:
            self._give_up([cell], error.message)
            return start.is_alive(cell.workload)
        if result.is_worth_another and first_share != FIRST_SHARES[-1]:
            return False
        self._record(result.trial)
        if result.alive and cell.workload not in self._workloads():
            start.verify(cell.workload)
        return result.alive

    def _connections(self) -> list[int]:
        """Return the connections that the server must be warm for."""
        return [cell.level for cell in self._open] if self._context.open is None else [HIGH_CONCURRENCY]

    def _give_up(self, cells: Sequence[Cell], reason: Message) -> None:
        for cell in cells:
            self._record(
                NotMeasured(
                    block=self._block,
                    batch=self._batch,
                    server=cell.server,
                    workload=cell.workload,
                    level=cell.level,
                    reason=reason,
                )
            )

    def _record(self, record: CellRecord) -> None:
        self._context.store.append(record)
        self._open.remove(cell_of(record))
        self._context.emit(CellFinished(record))
