"""The nodes of a swarm are sessions of one result."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace
from support.builders import NOON, outcome, server, sweep, trial
from support.swarm import node_record

from ab_runner.analysis.sessions import analysis_of, as_one, together
from ab_runner.analysis.warnings import HostConditions, NodesApart, NodesDiffer
from ab_runner.errors import UserError
from ab_runner.model.protocol import PROTOCOLS
from ab_runner.model.records import EndRecord, NodeRecord, Record
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell
from ab_runner.report.formats import markdown
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.store.reader import Stored

CEILING = server(REFERENCE, workloads=("small",), kind="c")
SERVERS = (server("a-1", workloads=("small",)), server("b-1", workloads=("small",)))
RATES = {"a-1": 10_000.0, "b-1": 5_000.0, REFERENCE: 20_000.0}
NOISE = (0.99, 1.01, 1.0, 0.98, 1.02, 1.0)


def stored(nodes: dict[int, str], speeds: dict[str, float], facts: dict[str, NodeRecord] | None = None) -> Stored:
    """Blocks on these nodes, each with its own speed."""
    records: list[Record] = []
    for block, node in nodes.items():
        told = (facts or {}).get(node, node_record(node, block))
        records.append(replace(told, block=block, job=block))
        for name, rate in RATES.items():
            found = rate * speeds[node] * NOISE[(block + len(name)) % 6]
            made = outcome(requests_per_second=found, complete=round(found))
            records.append(trial(name, "small", 1, block=block, batch=block, start=block, outcome=made))
    made_sweep = sweep(*SERVERS, reference=CEILING)
    protocol = replace(PROTOCOLS["quick"], blocks=len(nodes))
    request = replace(made_sweep.request, swarm=True, protocol=protocol, workloads=("small",), levels=(1,))
    return Stored(replace(made_sweep, request=request), (*records, EndRecord(at=NOON, reason="finished")))


SIX = {block: "n1" if block % 2 else "n2" for block in range(1, 7)}


def test_figures_are_ranges_over_nodes_and_servers_are_ranked_within_them() -> None:
    analysis = analysis_of(stored(SIX, {"n1": 1.0, "n2": 2.0}))
    assert [each.id.rpartition(" ")[2] for each in analysis.sessions] == ["n1", "n2"]
    estimate = analysis.cells[Cell("a-1", "small", 1)].estimate
    assert estimate is not None
    assert estimate.range is not None
    assert estimate.range.high == pytest.approx(2 * estimate.range.low, rel=0.05)
    ranks = {cell.server: rank for cell, rank in analysis.ranks.items()}
    assert ranks["a-1"].best == 1
    relative = analysis.compared[0].relative[Cell("a-1", "small", 1)]
    assert relative.value == pytest.approx(2**0.5, rel=0.02), "how fast a node is does not count"
    assert relative.interval is not None
    assert analysis.sweep.id == "20261120-120000-quick"
    assert len(analysis.trials) == 18
    assert sorted({each.record.block for each in analysis.trials}) == [1, 2, 3, 4, 5, 6]


def test_intervals_need_six_blocks_over_all_nodes() -> None:
    five = {block: node for block, node in SIX.items() if block < 6}
    relative = analysis_of(stored(five, {"n1": 1.0, "n2": 1.0})).compared[0].relative[Cell("a-1", "small", 1)]
    assert relative.interval is None


def test_nodes_that_are_not_equally_fast_are_named() -> None:
    (apart,) = [
        each for each in analysis_of(stored(SIX, {"n1": 1.0, "n2": 1.1})).warnings if isinstance(each, NodesApart)
    ]
    assert apart.changes["n2"] > 0.03 > -0.03 > apart.changes["n1"]
    alike = analysis_of(stored(SIX, {"n1": 1.0, "n2": 1.0}))
    assert not [each for each in alike.warnings if isinstance(each, NodesApart | NodesDiffer)]


def test_nodes_of_another_kind_are_named_and_so_is_what_disturbs_one() -> None:
    other = node_record("n2", 1)
    busy = replace(other.conditions, swap_used_bytes=2**30)
    facts = {"n2": replace(other, machine=replace(other.machine, cpu_model="Opteron"), conditions=busy)}
    analysis = analysis_of(stored(SIX, {"n1": 1.0, "n2": 1.0}, facts))
    (differ,) = [each for each in analysis.warnings if isinstance(each, NodesDiffer)]
    assert differ.machines["n2"] == "Opteron, 2 CPUs, 1 CPU of a server"
    (conditions,) = [each for each in analysis.warnings if isinstance(each, HostConditions)]
    assert conditions.texts[0].startswith("node n2: 1,024 MiB of swap are in use")
    text = markdown.render(report_of(analysis, everything=True))
    assert "the nodes are not of one kind" in text
    assert "session 2: 20261120-120000-quick on n2" in text


def test_a_single_node_is_the_machine_of_the_sweep() -> None:
    other = node_record("n1", 1)
    facts = {"n1": replace(other, machine=replace(other.machine, cpu_model="Opteron"))}
    analysis = analysis_of(stored(dict.fromkeys(range(1, 7), "n1"), {"n1": 1.0}, facts))
    assert analysis.sessions == ()
    assert analysis.sweep.machine.cpu_model == "Opteron"
    assert analysis.has_noise


def test_such_a_result_is_no_session_of_another_one() -> None:
    first = stored(SIX, {"n1": 1.0, "n2": 2.0})
    second = msgspec.structs.replace(first, sweep=replace(first.sweep, id="another"))
    with pytest.raises(UserError, match="first is on several nodes"):
        together([("first", analysis_of(first)), ("second", analysis_of(second))])
    assert as_one(first).sessions == ()
