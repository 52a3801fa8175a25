"""Runs a sweep: one batch after the other, and an end that leaves nothing running."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from itertools import count

from ab_runner.host.interrupt import Interrupted, held
from ab_runner.model.records import EndRecord
from ab_runner.store.plan import ServerRun
from ab_runner.sweep.batch import run_batch
from ab_runner.sweep.context import SweepContext


def run(batches: Iterable[Sequence[ServerRun]], context: SweepContext, starts: int = 0) -> None:
    """Run everything that was planned. A server that fails leaves its reason in its cells, and the next has its turn.
    `starts` is how often servers were started before, in a sweep that is resumed.

    However it ends, nothing that was started is left over and the log's last record says how it ended.
    """
    ending = "finished"
    numbers = count(starts + 1)
    try:
        for batch in batches:
            run_batch(batch, context, numbers)
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
