"""Runs a sweep: one batch after the other, and an end that leaves nothing running."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from ab_runner.host.interrupt import Interrupted, held
from ab_runner.model.records import FINISHED, EndRecord
from ab_runner.store.plan import ServerRun
from ab_runner.store.writer import Store
from ab_runner.sweep.batch import run_batch
from ab_runner.sweep.context import SweepContext


def run(batches: Iterable[Sequence[ServerRun]], context: SweepContext, starts: int = 0) -> None:
    """Run everything that was planned. A server that fails leaves its reason in its cells, and the next has its turn.
    `starts` is how often servers were started before, in a sweep that is resumed.

    However it ends, nothing that was started is left over and the log's last record says how it ended.
    """
    numbers = count(starts + 1)
    with recorded_end(context.store, context.runtime.close):
        for batch in batches:
            run_batch(batch, context, numbers)


@contextmanager
def recorded_end(store: Store, clean_up: Callable[[], None]) -> Iterator[None]:
    """Clean up after the block, however it ends, and record how it ended."""
    ending = FINISHED
    try:
        yield
    except Interrupted:
        ending = "interrupted"
        raise
    except BaseException as error:
        ending = f"stopped: {error!r}"
        raise
    finally:
        try:
            with held():  # a sweep that ends on its own may be interrupted, its clean-up not
                clean_up()
        finally:
            store.append(EndRecord(at=datetime.datetime.now(datetime.UTC), reason=ending))
