from __future__ import annotations

import pytest
from support.builders import reading, usage

from ab_runner.model.resources import StolenSeconds
from ab_runner.monitor.readings import Reading, Thread
from ab_runner.monitor.usage import is_generator_full, limit_of, of_all_hosts, usage_of


def steady(seconds: int, server: float, generator: float, start: float = 100.0) -> list[Reading]:
    """Ten readings a second of CPUs that are busy for these shares."""
    return [reading(start + tenth / 10, tenth / 10 * server, tenth / 10 * generator) for tenth in range(10 * seconds)]


def test_what_ab_does_before_and_after_its_load_is_no_load() -> None:
    load = steady(5, server=0.4, generator=0.9)
    first, last = load[0], load[-1]
    before = [reading(first.at - 1 + tenth / 10, first.server_cpu, -1 + tenth / 10) for tenth in range(10)]
    after = [reading(last.at + tenth / 10, last.server_cpu, last.generator_cpu + tenth / 10) for tenth in range(1, 20)]
    found = usage_of([*before, *load, *after], {}, {})
    assert found is not None
    assert found.server_cores_busy == pytest.approx(0.4, abs=0.001)
    assert found.generator_cores_busy == pytest.approx(0.9, abs=0.001)
    assert found.server_cpu_seconds == pytest.approx(4.9 * 0.4)
    assert found.generator_cpu_seconds == pytest.approx(1 + 4.9 * 0.9 + 1.9), "the totals are of the whole trial"


def test_idle_time_and_interrupts_are_those_of_the_load() -> None:
    load = [
        reading(second, second, 0.0, server_cpus_idle=second * 0.5, generator_cpus_idle=second * 0.25,
                server_cpus_interrupts=second * 0.125, generator_cpus_interrupts=second * 0.0625)
        for second in range(11)
    ]  # fmt: skip
    found = usage_of(load, {}, {})
    assert found is not None
    assert (found.server_cpus_idle, found.generator_cpus_idle) == (0.5, 0.25)
    assert (found.server_cpus_interrupts, found.generator_cpus_interrupts) == (0.125, 0.062)


def test_stolen_time_is_that_of_the_load_as_a_share() -> None:
    load = [reading(second, second, 0.0, server_stolen=second * 0.125, generator_stolen=second * 0.25)
            for second in range(11)]  # fmt: skip
    found = usage_of(load, {}, {})
    assert found is not None
    assert (found.server_stolen_share, found.generator_stolen_share, found.stolen_share) == (0.125, 0.25, 0.25)
    unseen = [reading(second, second, 0.0, server_stolen=None, generator_stolen=None) for second in range(11)]
    assert (found := usage_of(unseen, {}, {})) is not None
    assert found.stolen_share is None


def test_stolen_time_is_told_for_each_cpu_over_the_looks_of_the_whole_trial() -> None:
    lost = [{0: 7.0, 1: 3.0}, {0: 7.0, 1: 3.013}, {0: 7.0, 1: 3.25}]
    found = usage_of([reading(50 + at / 2, at, 0.0, stolen=each) for at, each in enumerate(lost)], {}, {})
    assert found is not None
    assert found.stolen == StolenSeconds(at=(0.0, 0.5, 1.0), cpus={1: (0.0, 0.01, 0.25)}), "nothing of CPU 0"


def test_looks_at_which_nothing_had_changed_are_left_out() -> None:
    lost = [0.0] * 5 + [0.2] * 6 + [0.3] * 2
    found = usage_of([reading(at, at, 0.0, stolen={0: each}) for at, each in enumerate(lost)], {}, {})
    assert found is not None
    assert found.stolen == StolenSeconds(at=(0, 4, 5, 10, 11, 12), cpus={0: (0, 0, 0.2, 0.2, 0.3, 0.3)})


def test_a_cpu_that_is_switched_off_and_a_clock_that_goes_back_break_nothing() -> None:
    looks = [{0: 7.0, 1: 3.0, 2: 5.0}, {0: 8.0, 2: 4.0}, {0: 8.0, 1: 4.0, 2: 5.5}]
    found = usage_of([reading(at, at, 0.0, stolen=each) for at, each in enumerate(looks)], {}, {})
    assert found is not None
    assert found.stolen == StolenSeconds(at=(0, 1, 2), cpus={0: (0, 1, 1), 2: (0, 0, 0.5)})


@pytest.mark.parametrize("lost", [{}, {0: 1_000.0}])
def test_where_nothing_is_stolen_or_seen_nothing_is_told(lost: dict[int, float]) -> None:
    found = usage_of([reading(at, at, 0.0, stolen=lost) for at in range(3)], {}, {})
    assert found is not None
    assert found.stolen is None


def test_a_server_that_does_nothing_has_totals_and_no_rates() -> None:
    found = usage_of([reading(1, 5.0, 1.0), reading(2, 5.0, 1.5), reading(3, 5.1, 2.0)], {}, {})
    assert found is not None
    assert found.server_cpu_seconds == pytest.approx(0.1)
    assert found.generator_cpu_seconds == 1.0
    assert found.busiest_thread is None
    assert limit_of(found, (1,), (0,)) is None


def test_a_server_that_was_gone_at_once_has_none() -> None:
    assert usage_of([], {}, {}) is None
    assert usage_of([reading(1, 1, 1)], {}, {}) is None


def test_the_largest_memory_of_all_readings_counts() -> None:
    found = usage_of([reading(at, at, at, memory=memory) for at, memory in enumerate((5, 9, 7))], {}, {})
    assert found is not None
    assert found.peak_memory_bytes == 9


def test_threads_count_by_what_they_did_in_the_trial_and_new_ones_from_nothing() -> None:
    before = {1: Thread(50.0, 1000), 2: Thread(0.0, 10), 4: Thread(9.0, 9)}
    after = {1: Thread(50.5, 1100), 2: Thread(2.45, 15), 3: Thread(1.0, 7)}
    found = usage_of(steady(5, server=0.8, generator=0.1), before, after)
    assert found is not None
    assert found.context_switches == 100 + 5 + 7, "of 4, which has ended, nothing is known"
    assert found.busiest_thread == pytest.approx(2.45 / 4.9, abs=0.001)


def test_of_threads_that_compile_the_cpu_time_is_added_up() -> None:
    before = {1: Thread(50.0, 1000), 2: Thread(1.0, 10, compiles=True)}
    after = {1: Thread(52.0, 1100), 2: Thread(1.25, 15, compiles=True), 3: Thread(0.5, 7, compiles=True)}
    found = usage_of(steady(5, server=0.8, generator=0.1), before, after)
    assert found is not None
    assert found.jit_cpu_seconds == 0.75


def test_a_thread_that_compiles_is_not_the_busiest() -> None:
    before = {1: Thread(0.0, 0), 2: Thread(0.0, 0, compiles=True)}
    after = {1: Thread(0.49, 1), 2: Thread(4.9, 1, compiles=True)}
    found = usage_of(steady(5, server=1.1, generator=0.1), before, after)
    assert found is not None
    assert found.busiest_thread == pytest.approx(0.1, abs=0.001)
    assert limit_of(found, (1, 2), (0,)) is None


def test_without_threads_to_look_at_there_are_no_figures_of_them() -> None:
    found = usage_of(steady(5, server=0.8, generator=0.1), {}, {})
    assert found is not None
    assert (found.context_switches, found.busiest_thread, found.jit_cpu_seconds) == (None, None, None)


@pytest.mark.parametrize(
    ("changes", "server_cpus", "limit"),
    [
        ({"server_cores_busy": 0.45, "generator_cores_busy": 0.97}, 1, "generator"),
        ({"server_cores_busy": 0.98, "generator_cores_busy": 0.6}, 1, "server"),
        ({"server_cores_busy": 0.98, "generator_cores_busy": 0.98}, 1, "server"),
        ({"server_cores_busy": 0.6, "generator_cores_busy": 0.7}, 1, None),
        ({"server_cores_busy": 1.5, "generator_cores_busy": 0.7}, 3, None),
        ({"server_cores_busy": 2.9, "generator_cores_busy": 0.7}, 3, "server"),
        ({"server_cores_busy": 0.98, "busiest_thread": 0.98, "generator_cores_busy": 0.7}, 3, "server"),
        ({"server_cores_busy": 1.8, "busiest_thread": 0.6, "generator_cores_busy": 0.97}, 3, "generator"),
    ],
)
def test_full_is_the_servers_cpus_or_one_of_its_threads_or_abs_core(
    changes: dict[str, float], server_cpus: int, limit: str | None
) -> None:
    found = usage(**changes)
    assert limit_of(found, range(1, 1 + server_cpus), (0,)) == limit


@pytest.mark.parametrize(
    ("busy", "interrupts", "idle", "stolen", "is_full"),
    [
        # Interrupts are charged to nobody (CONFIG_IRQ_TIME_ACCOUNTING).
        (0.65, 0.34, 0.01, 0.0, True),
        (0.55, 0.30, 0.15, 0.0, False),
        (0.45, 0.24, 0.01, 0.30, True),
        (0.40, 0.20, 0.20, 0.20, False),
        # Interrupts are charged to the process that they interrupt.
        (0.98, 0.34, 0.02, 0.0, True),
        (0.75, 0.30, 0.25, 0.0, False),
        (0.69, 0.24, 0.01, 0.30, True),
        (0.60, 0.30, 0.20, 0.20, False),
        # So is stolen time (without CONFIG_PARAVIRT_TIME_ACCOUNTING).
        (0.99, 0.24, 0.01, 0.30, True),
        (0.80, 0.20, 0.20, 0.20, False),
        # Another program has the rest of the CPU.
        (0.60, 0.10, 0.0, 0.0, False),
        (0.40, 0.10, 0.0, 0.20, False),
    ],
)
def test_interrupts_count_once_and_stolen_time_is_nobodys_on_every_kernel(
    busy: float, interrupts: float, idle: float, stolen: float, is_full: bool
) -> None:
    server = usage(server_cores_busy=busy, server_cpus_interrupts=interrupts, server_cpus_idle=idle,
                   server_stolen_share=stolen, generator_cores_busy=0.3, generator_cpus_idle=0.7)  # fmt: skip
    assert limit_of(server, (1,), (0,)) == ("server" if is_full else None)
    generator = usage(generator_cores_busy=busy, generator_cpus_interrupts=interrupts, generator_cpus_idle=idle,
                      generator_stolen_share=stolen, server_cores_busy=0.3, server_cpus_idle=0.7)  # fmt: skip
    assert limit_of(generator, (1,), (0,)) == ("generator" if is_full else None)


def test_one_full_thread_of_many_cpus_is_full_though_time_was_stolen_from_it() -> None:
    alone = {"server_cores_busy": 0.8, "server_cpus_idle": 3.0, "server_stolen_share": 0.05}
    assert limit_of(usage(**alone, busiest_thread=0.79), range(1, 5), (0,)) == "server"
    assert limit_of(usage(**alone, busiest_thread=0.6), range(1, 5), (0,)) is None
    many = {"server_cores_busy": 3.2, "server_cpus_idle": 0.6, "server_stolen_share": 0.05}
    assert limit_of(usage(**many, busiest_thread=0.8), range(1, 5), (0,)) is None


def test_cpus_that_were_stolen_all_the_time_are_nobodys() -> None:
    gone = usage(server_cores_busy=0.0, server_cpus_idle=0.01, server_stolen_share=1.0, generator_cores_busy=0.1)
    assert limit_of(gone, (1,), (0,)) is None


def test_ab_fills_a_core_of_two_hyper_threads_with_one_of_them() -> None:
    found = usage(generator_cores_busy=0.97, generator_cpus_idle=1.02)
    assert limit_of(found, (2, 3), (0, 1)) == "generator"


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({"server_cores_busy": 1.1, "generator_cores_busy": 0.85, "server_cpus_idle": 0.02}, "machine"),
        ({"server_cores_busy": 0.3, "generator_cores_busy": 0.97, "server_cpus_idle": 0.7}, "generator"),
        ({"server_cores_busy": 0.97, "busiest_thread": 0.96, "generator_cores_busy": 0.5, "server_cpus_idle": 0.5},
         "server"),
        ({"server_cores_busy": 0.5, "generator_cores_busy": 0.5, "server_cpus_idle": 1.0}, None),
    ],
)  # fmt: skip
def test_where_nothing_is_pinned_both_may_fill_the_machine(changes: dict[str, float], limit: str | None) -> None:
    assert limit_of(usage(**changes), (0, 1), (0, 1)) == limit


def test_without_sight_of_the_cpus_their_own_time_decides() -> None:
    unseen = {"server_cpus_idle": None, "generator_cpus_idle": None, "server_cpus_interrupts": None,
              "generator_cpus_interrupts": None}  # fmt: skip
    found = usage_of([reading(second, second * 0.5, second * 0.97, **unseen) for second in range(11)], {}, {})
    assert found is not None
    assert (found.server_cpus_idle, found.generator_cpus_interrupts) == (None, None)
    assert limit_of(found, (1,), (0,)) == "generator"


def test_without_figures_nobody_is_the_limit() -> None:
    assert limit_of(None, (1,), (0,)) is None


def test_the_generators_of_all_load_hosts_are_added_up_in_the_place_of_the_one_beside_the_server() -> None:
    beside = usage(generator_cpu_seconds=0.0, generator_cores_busy=0.0, server_stolen_share=0.01)
    hosts = [
        usage(generator_cpu_seconds=1.5, generator_cores_busy=0.5, generator_stolen_share=0.02),
        usage(generator_cpu_seconds=2.5, generator_cores_busy=0.75, generator_stolen_share=0.04),
    ]
    found = of_all_hosts(beside, hosts)
    assert found is not None
    assert (found.generator_cpu_seconds, found.generator_cores_busy) == (4.0, 1.25)
    assert (found.server_stolen_share, found.stolen_share) == (0.01, 0.04), "the one that lost most"
    partly = of_all_hosts(beside, [*hosts, None])
    assert partly is not None
    assert (partly.generator_cpu_seconds, partly.generator_cores_busy) == (4.0, None)
    assert of_all_hosts(None, hosts) is None


@pytest.mark.parametrize(
    ("changes", "generators", "is_full"),
    [
        ({"generator_cores_busy": 0.97, "generator_cpus_idle": 3.0}, 1, True),
        ({"generator_cores_busy": 0.97, "generator_cpus_idle": 3.0}, 2, False),
        ({"generator_cores_busy": 0.7, "generator_cpus_idle": 3.3}, 1, False),
        ({"generator_cores_busy": 0.7, "generator_cpus_interrupts": 0.27, "generator_cpus_idle": 3.0}, 1, True),
        ({"generator_cores_busy": 3.9, "generator_cpus_idle": 0.05}, 8, True),
        ({"generator_cores_busy": None}, 1, False),
    ],
)
def test_a_generator_on_a_host_of_its_own_is_full_where_it_has_filled_its_cores(
    changes: dict[str, float | None], generators: int, is_full: bool
) -> None:
    assert is_generator_full(usage(**changes), range(4), generators) is is_full
    assert not is_generator_full(None, range(4), generators)
