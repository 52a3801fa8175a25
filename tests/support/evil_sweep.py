"""A sweep in which every text that a server or a file can choose is an attack on the page."""

from __future__ import annotations

from support.builders import answer, failed_trial, not_measured, server, sweep, trial
from support.small_sweep import STORED

from ab_runner.model.message import Message, Skip, Verdict
from ab_runner.model.records import Record, StartRecord
from ab_runner.model.server import Server
from ab_runner.model.workload import Workload
from ab_runner.store.reader import Stored

CONTROLS = "".join(map(chr, (*range(10), 11, 12, *range(14, 32), *range(127, 160)))) + "\u202e\n\r"
"""All control characters of latin-1, a mark that turns the direction of text, and line ends that are not HTTP's."""
EVIL = "</script><script>window.hit = 1</script><img src=x onerror='window.hit = 1'>\"'&"

HOSTILE_HEAD = f"HTTP/1.0 200 OK\r\nServer: {EVIL}{CONTROLS}\r\nX: {'x' * 50_000}\r\nY: y\r\n\r\n"


def evil_sweep() -> Stored:
    """Every text that comes from a server or a file tries to be markup."""
    one: Server = server(
        f"x-{EVIL}", summary=EVIL, family=EVIL, version=EVIL, caveats=(EVIL,), environment={EVIL: EVIL}, published=EVIL,
        exceptions={EVIL: EVIL}, untestable={"large": EVIL}, workloads=("small",),
    )  # fmt: skip
    failed = Message(EVIL, {EVIL: EVIL}, {EVIL: 1}, detail=EVIL)
    noted = Verdict(True, notes=(Message(EVIL),))
    records: tuple[Record, ...] = (
        StartRecord(block=1, server=one.id, start=1, at=STORED.sweep.started, seconds=1.0, environment={EVIL: EVIL}),
        StartRecord(
            block=1,
            server=one.id,
            start=2,
            at=STORED.sweep.started,
            seconds=1.0,
            error=failed,
        ),
        answer(one.id, HOSTILE_HEAD),
        trial(one.id, "small", 1, verdict=noted, raw=f"{EVIL}.txt", command=("ab", EVIL)),
        failed_trial(one.id, "small", 100, EVIL, EVIL),
        not_measured(one.id, "small", 10, EVIL, EVIL),
    )
    asked = Workload(name="small", path=EVIL, headers=(EVIL,), summary=EVIL, constant=EVIL)
    skipped = {EVIL: Skip(EVIL, EVIL)}
    return Stored(
        sweep(one, environment={EVIL: EVIL}, skipped=skipped, id=EVIL, workloads=(asked,)), records, damage=(EVIL,)
    )
