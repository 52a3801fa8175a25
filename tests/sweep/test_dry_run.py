from __future__ import annotations

import msgspec
import pytest
from support.builders import server, sweep

from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Load
from ab_runner.model.protocol import PROTOCOLS, SweepRequest, WarmUp, for_open_load
from ab_runner.sweep.dry_run import lines_of

TOMCAT, JETTY = server("tomcat-11"), server("jetty-12.1", workloads=("small",))
NONE = WarmUp(Load(requests=0))
CEILING = server("ceiling", kind="c")


def asked(protocol: str, **changes: object) -> SweepRequest:
    """For both servers: small and large at 1 and 100."""
    there = sweep(TOMCAT, JETTY).request
    return msgspec.structs.replace(there, protocol=msgspec.structs.replace(PROTOCOLS[protocol], **changes))


def test_a_sweep_is_told_in_full() -> None:
    assert list(lines_of(asked("quick"), [TOMCAT, JETTY], CEILING)) == [
        "servers (2): tomcat-11, jetty-12.1",
        "workloads: small, large",
        "concurrency: 1, 100",
        "protocol: quick, blocks: 1, each trial: 1 s",
        "trials: 10, with those of ceiling before and after",
        # 6 of the servers, 2 of the ceiling before, 2 after; 2 warm-ups of 12 s, 2 of the ceiling in 4 turns
        "time: at least 28 s if every trial is made: warm-up and load, without builds and starts",
    ]


@pytest.mark.parametrize(
    ("protocol", "changes", "expected"),
    [
        ("standard", {}, "time: at least 2 min "),  # 6 blocks of 2 warm-ups of 7 s and 6 trials of 2 s
        ("quick", {"blocks": 1000}, "time: at least 5 h 33 min "),
        ("quick", {"warm_up": NONE, "large_warm_up": NONE}, "time: at least 6 s "),
    ],
)
def test_its_time_is_what_the_protocol_says(protocol: str, changes: dict[str, object], expected: str) -> None:
    assert list(lines_of(asked(protocol, **changes), [TOMCAT, JETTY], None))[-1].startswith(expected)


@pytest.mark.parametrize(
    ("load", "levels", "expected", "seconds"),
    [
        # a warm-up of 7 s for each, and for each rate a lead-in of a second and a trial of 2 s
        (OpenLoad(axis="rate"), (1_000, 2_000), "open load, rates: 1,000, 2,000 requests/s", 14 + 6 * 3),
        # the peak of each workload, and six rates of a search
        (OpenLoad(axis="slo"), (10,), "open load, capacity: the highest rate with p99 ≤ 10 ms", 14 + 3 * 2 + 18 * 3),
        (
            OpenLoad(axis="idle", rate=500),
            (0, 9),
            "open load, 500 requests/s beside idle connections: 0, 9",
            14 + 6 * 3,
        ),
    ],
)
def test_an_open_load_is_told_in_full(load: OpenLoad, levels: tuple[int, ...], expected: str, seconds: float) -> None:
    request = asked("quick")
    request = msgspec.structs.replace(request, open=load, levels=levels, protocol=for_open_load(request.protocol))
    lines = list(lines_of(request, [TOMCAT, JETTY], None))
    assert lines[2:4] == [expected, "protocol: quick, blocks: 1, each trial: 2 s"]
    assert lines[-1].startswith(f"time: {'about' if load.axis == 'slo' else 'at least'} {round(seconds)} s ")


def test_of_numbers_of_requests_nobody_knows_the_time() -> None:
    lines = list(lines_of(asked("2006"), [TOMCAT], None))
    assert lines[-2:] == [
        "protocol: 2006, blocks: 1, each trial: 200,000 requests (large: 10,000 requests)",
        "trials: 4",
    ]
