from __future__ import annotations

from collections.abc import Sequence

import pytest

from ab_runner.model.load import Load
from ab_runner.model.message import Code, Message
from ab_runner.model.protocol import PROTOCOLS, WarmUp
from ab_runner.model.records import WarmUpTurns
from ab_runner.model.trial import Cell
from ab_runner.sweep.server.warm_up import (
    WarmUpLoad,
    Window,
    is_over,
    is_warm,
    jit_share,
    jit_shares,
    rate_expected,
    run_windows,
    turns_measured,
    turns_of,
    window_load,
)

TIMEOUT = Message(Code.TIMEOUT)
SMALL, LARGE = LOADS = WarmUpLoad("small", 10), WarmUpLoad("large", 10)
UNTIL_WARM = WarmUp(Load(seconds=3), steady=True, at_most=10)
"""For two loads: a window of a second and one of half a second of each, at the earliest."""


def window(
    load: WarmUpLoad, rate: float | None = 100.0, jit: float | None = 0.0, error: Message | None = None
) -> Window:
    """One of a second, in which the server used a second of CPU time."""
    return Window(load=load, rate=rate, seconds=1.0, server_cpu_seconds=1.0, jit_cpu_seconds=jit, error=error)


def quiet(load: WarmUpLoad, _: float | None) -> Window:
    return window(load)


def windows(rates: Sequence[float], jit: Sequence[float | None]) -> list[Window]:
    """In turns of two workloads."""
    loads = [SMALL, LARGE] * len(rates)
    return [window(load, rate, share) for load, rate, share in zip(loads, rates, jit, strict=False)]


def test_a_cycle_has_all_workloads_at_a_low_and_then_at_a_high_concurrency() -> None:
    loads = turns_of(UNTIL_WARM, ["small", "large"], [1, 1000], True)
    assert [(load.workload, load.concurrency) for load in loads] == [
        ("small", 10), ("large", 10), ("small", 100), ("large", 100),
    ]  # fmt: skip


def test_a_sweep_without_high_concurrency_has_none_in_its_warm_up() -> None:
    assert turns_of(UNTIL_WARM, ["small"], [1, 99], True) == [SMALL]


def test_a_warm_up_that_a_study_says_is_one_load_over_its_connections() -> None:
    plan = WarmUp(Load(seconds=20), connections=1_000)
    (load,) = loads = turns_of(plan, ["small"], [3_600], True)
    assert load == WarmUpLoad("small", 1_000)
    assert window_load(plan, None) == Load(seconds=20)
    assert not is_over(plan, [], loads, True)
    assert is_over(plan, [window(load, None, jit=0.9)], loads, True)


def test_a_server_that_does_not_compile_has_the_high_concurrency_alone() -> None:
    loads = turns_of(UNTIL_WARM, ["small", "large"], [1, 1000], False)
    assert [(load.workload, load.concurrency) for load in loads] == [("small", 100), ("large", 100)]


def test_a_warm_up_by_requests_is_that_of_2006() -> None:
    assert turns_of(PROTOCOLS["2006"].warm_up, ["small", "large"], [1, 1000], True) == [SMALL, LARGE]


def test_windows_follow_each_other_in_turns_until_the_server_is_warm() -> None:
    done = list(run_windows(UNTIL_WARM, [SMALL, LARGE], True, quiet))
    assert [each.load for each in done] == [SMALL, LARGE, SMALL, LARGE]


def test_a_window_is_given_its_workloads_rate_in_the_one_before() -> None:
    rates = iter([100.0, 50.0, 120.0])
    given: list[float | None] = []
    small_100 = WarmUpLoad("small", 100)

    def run(load: WarmUpLoad, rate: float | None) -> Window:
        given.append(rate)
        return window(load, next(rates))

    list(run_windows(WarmUp(Load(seconds=2)), (SMALL, LARGE, small_100), True, run))
    assert given == [None, None, 100.0]


def test_the_first_window_of_a_workload_takes_a_second_and_later_ones_half_of_that() -> None:
    assert window_load(WarmUp(Load(seconds=8)), rate=None) == Load(seconds=1)
    assert window_load(WarmUp(Load(seconds=8)), rate=3_000) == Load(seconds=0.5)


def test_a_window_by_requests_has_all_of_them() -> None:
    assert window_load(WarmUp(Load(requests=2_000)), rate=3_000) == Load(requests=2_000)


def test_a_window_that_fails_is_the_last() -> None:
    done = list(run_windows(UNTIL_WARM, [SMALL, LARGE], True, lambda load, rate: window(load, None, error=TIMEOUT)))
    assert [each.error for each in done] == [TIMEOUT]


def test_a_server_that_does_not_compile_needs_one_cycle() -> None:
    assert len(list(run_windows(UNTIL_WARM, [SMALL, LARGE], False, quiet))) == 2


def test_a_warm_up_of_a_given_length_lasts_that_long_for_every_server() -> None:
    for compiles in (True, False):
        assert len(list(run_windows(WarmUp(Load(seconds=5)), [SMALL, LARGE], compiles, quiet))) == 2 + 6


def test_a_warm_up_by_requests_has_one_window_of_each_workload() -> None:
    assert len(list(run_windows(WarmUp(Load(requests=400)), [SMALL, LARGE], True, quiet))) == 2


def test_a_compiler_that_is_never_quiet_ends_the_warm_up_at_its_longest() -> None:
    done = list(run_windows(UNTIL_WARM, [SMALL, LARGE], True, lambda load, rate: window(load, jit=0.5)))
    assert len(done) == 2 + 16
    assert not is_warm(done, LOADS)


@pytest.mark.parametrize(
    ("jit", "warm"),
    [
        ([0, 0], True),
        ([0.5, 0.5, 0.01, 0.02], True),
        ([0, 0, 0.02, 0.04], False),
        ([0, 0, 0.06, 0], False),
        ([0], False),
        ([None, None], False),
    ],
    ids=["quiet", "quiet at last", "compiles", "compiles for one", "a load is missing", "JIT not known"],
)
def test_a_server_is_warm_when_its_compiler_is_quiet(jit: list[float | None], warm: bool) -> None:
    assert is_warm(windows([100.0] * len(jit), jit), LOADS) is warm


def test_a_load_that_takes_little_cpu_time_is_looked_at_by_itself() -> None:
    large = Window(load=LARGE, rate=50.0, seconds=1.0, server_cpu_seconds=0.1, jit_cpu_seconds=0.02)
    done = [window(SMALL), window(LARGE), window(SMALL), large]
    assert jit_share(done[2:]) == pytest.approx(0.02 / 1.1), "quiet on the whole"
    assert not is_warm(done, LOADS)


def test_after_its_time_only_the_loads_that_are_still_compiled_for_get_more_windows() -> None:
    large = iter([0.5, 0.5, 0.3, 0.1, 0.01])

    def run(load: WarmUpLoad, _: float | None) -> Window:
        return window(load, jit=next(large) if load == LARGE else 0.0)

    done = list(run_windows(UNTIL_WARM, LOADS, True, run))
    assert [each.load for each in done] == [SMALL, LARGE, SMALL, LARGE, LARGE, LARGE, LARGE]


def test_a_warm_server_has_its_full_time_all_the_same() -> None:
    assert not is_over(UNTIL_WARM, windows([100, 50, 100], [0] * 3), LOADS, True)
    assert is_over(UNTIL_WARM, windows([100, 50, 100, 50], [0] * 4), LOADS, True)


def test_a_server_from_outside_has_the_planned_time_and_more_only_while_a_jvm_is_seen_to_compile() -> None:
    rates = [100, 50, 100, 50]
    assert turns_of(UNTIL_WARM, ["small"], [1000], None) == turns_of(UNTIL_WARM, ["small"], [1000], True)
    assert not is_over(UNTIL_WARM, windows(rates[:3], [None] * 3), LOADS, None)
    assert is_over(UNTIL_WARM, windows(rates, [None] * 4), LOADS, None)
    assert not is_over(UNTIL_WARM, windows(rates, [0.5] * 4), LOADS, None)
    assert not is_over(UNTIL_WARM, windows(rates, [None] * 4), LOADS, True), "a JVM whose compiler is not seen"


def test_the_compilers_share_is_of_the_cpu_time_of_all_windows() -> None:
    assert jit_share([window(SMALL, jit=0.3), window(LARGE, jit=0.1)]) == pytest.approx(0.2)
    assert jit_share([window(SMALL, jit=None)]) is None
    assert jit_share([]) is None


def test_the_record_has_the_rates_of_each_load_and_the_compilers_share_of_each_cycle() -> None:
    done = windows([100, 50, 110, 55, 120], [0.5, 0.3, 0.1, 0.1, 0.02])
    assert turns_measured([SMALL, LARGE], done) == (
        WarmUpTurns("small", 10, (100, 110, 120)),
        WarmUpTurns("large", 10, (50, 55)),
    )
    assert jit_shares(done, 2) == (0.4, 0.1, 0.02)


@pytest.mark.parametrize(
    ("concurrency", "rate"), [(1, 100.0), (10, 1000.0), (99, 1000.0), (100, 1500.0), (500, 1500.0)]
)
def test_the_rate_of_a_cell_is_that_of_the_nearest_level_that_was_warmed_up(concurrency: int, rate: float) -> None:
    rates = {WarmUpLoad("small", 10): 1000.0, WarmUpLoad("small", 100): 1500.0, WarmUpLoad("large", 100): 20.0}
    assert rate_expected(rates, Cell("a-1", "small", concurrency)) == rate
    assert rate_expected(rates, Cell("a-1", "echo", concurrency)) is None


def test_quick_and_standard_warm_up_alike() -> None:
    assert PROTOCOLS["quick"].warm_up == PROTOCOLS["standard"].warm_up
