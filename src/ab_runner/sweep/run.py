"""Runs a sweep: one server's turn after the other, and an end that leaves nothing running."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from ab_runner.host.interrupt import Interrupted, held
from ab_runner.model.records import EndRecord
from ab_runner.store.plan import ServerRun
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.turn import Turn


def run(runs: Iterable[ServerRun], context: SweepContext, starts: int = 0) -> None:
    """Run everything that was planned. A server that fails leaves its reason in its cells, and the next has its turn.
    `starts` is how often servers were started before, in a sweep that is resumed.

    However it ends, nothing that was started is left over and the log's last record says how it ended.
    """
    ending = "finished"
    try:
        for server_run in runs:
            turn = Turn(server_run, context, starts)
            try:
                turn.run()
            finally:
                turn.stop()
            starts = turn.starts
    except Interrupted:
        ending = "interrupted"
        raise
    except BaseException as error:
        ending = f"stopped: {error!r}"
        raise
    finally:
        try:
            with held():  # a sweep that ends on its own may be interrupted, its clean-up not
                context.runtime.close()
        finally:
            context.store.append(EndRecord(at=datetime.datetime.now(datetime.UTC), reason=ending))
