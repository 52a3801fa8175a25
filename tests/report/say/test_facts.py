"""The lines at the head of a report that say with what servers ran."""

from __future__ import annotations

from msgspec.structs import replace
from support.builders import blocks, load_host, server, sweep

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import SecondLoad
from ab_runner.model.protocol import NO_WARM_UP
from ab_runner.model.server import Server
from ab_runner.report.say.facts import facts_of
from ab_runner.store.reader import Stored


def facts(*servers: Server, **changes: object) -> str:
    made = sweep(*servers)
    protocol = replace(made.request.protocol, **changes)
    made = replace(made, request=replace(made.request, protocol=protocol))
    return "\n".join(facts_of(analyse(Stored(made, tuple(blocks(servers[0].id, 1_000))))))


def test_servers_that_run_alike_are_one_line() -> None:
    assert "JVM servers on JDK 25" in facts(server("a-1"), server("b-1"))
    said = facts(server("a-1", jdk=8, jvm_flags=("-Xmx2g",), memory=3 * 2**30))
    assert "JVM servers on JDK 8 with -Xmx2g, memory limit 3 GiB" in said


def test_groups_that_differ_in_jdk_or_flags_are_named_and_the_comparison_is_marked() -> None:
    old, new = server("a-1", jdk=8, jvm_flags=()), server("b-1", jvm_flags=("-Xmx2g",))
    said = facts(old, new, server("native-1", kind="c"))
    assert "on JDK 8 with no flags: a-1\non JDK 25 with -Xmx2g: b-1\n" in said
    assert "between these groups it is not the servers alone that differ" in said
    assert "native-1" not in said


def test_an_open_load_of_a_study_is_told_as_the_study_says_it() -> None:
    made = sweep(server("a-1"))
    load = OpenLoad(
        axis="rate", is_exact=True, connections=16_000, opened_before=16_000, beside=SecondLoad("service-a", 10)
    )
    made = replace(made, request=replace(made.request, open=load))
    said = facts_of(analyse(Stored(made, ())))
    assert (
        "exponential arrivals, at most 16,000 connections, 16,000 opened before the first request, service-a at 10/s "
        "beside it; no lead-in, and every second counts"
    ) in said
    assert "arrivals" not in "".join(facts_of(analyse(Stored(sweep(server("a-1")), ()))))


def test_a_sweep_without_warm_up_or_with_failures_that_may_be_says_so() -> None:
    assert "without warm-up" not in facts(server("a-1"))
    said = facts(server("a-1"), warm_up=NO_WARM_UP, failures_at_most=0.001)
    assert "without warm-up: servers are measured as they start" in said
    assert "a trial counts if no more than 0.1 % of its requests failed" in said


def test_load_hosts_are_told_with_their_links() -> None:
    hosts = (load_host("lab2"), load_host("lab3", link=12.5e6))
    made = sweep(server("a-1"), load_hosts=hosts, links_together=120e6)
    said = facts_of(analyse(Stored(made, tuple(blocks("a-1", 1_000)))))
    assert "servers on 1 CPU (CPU 1), ab on 2 other hosts, links together measured at 960 Mbit/s" in said
    assert (
        "load host lab3: Xeon 3.0 GHz, 2 CPUs, not pinned; Debian GNU/Linux 12 (bookworm), kernel 6.1.0, "
        "Docker 26.1.5; link measured at 100 Mbit/s"
    ) in said
