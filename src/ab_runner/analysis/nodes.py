"""In what the nodes of one sweep are unlike each other: their machines, and how fast the reference is on them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import exp, log
from statistics import fmean, median

from ab_runner.analysis.drift import WORTH_A_WARNING
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.analysis.warnings import NodesApart, NodesDiffer
from ab_runner.model.protocol import cpus_text
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell


def differences_of_nodes(nodes: Mapping[str, SweepAnalysis]) -> Iterator[NodesDiffer | NodesApart]:
    """Yield what a reader needs to know of these nodes, by their names; nothing of nodes that are alike. How far apart
    they are is not tested under an open load."""
    machines = {name: _machine_text(each) for name, each in nodes.items()}
    if len(set(machines.values())) > 1:
        yield NodesDiffer(machines)
    speeds = _speeds(nodes)
    if speeds and exp(max(speeds.values()) - min(speeds.values())) - 1 > WORTH_A_WARNING:
        middle = median(speeds.values())
        yield NodesApart({name: exp(speed - middle) - 1 for name, speed in speeds.items()})


def _machine_text(analysis: SweepAnalysis) -> str:
    machine = analysis.sweep.machine
    return f"{machine.cpu_model}, {cpus_text(machine.cpus)}, {cpus_text(analysis.sweep.cpus_of_a_server)} of a server"


def _speeds(nodes: Mapping[str, SweepAnalysis]) -> dict[str, float]:
    """Return the mean logarithm of the reference's rates on each node, over the cells that all of them have; nothing
    where there are none."""
    rates = {name: _log_rates(analysis) for name, analysis in nodes.items() if analysis.is_closed}
    common = set.intersection(*map(set, rates.values())) if rates else set()
    return {name: fmean(own[cell] for cell in common) for name, own in rates.items()} if common else {}


def _log_rates(analysis: SweepAnalysis) -> dict[Cell, float]:
    reference = ((cell, each.figure) for cell, each in analysis.cells.items() if cell.server == REFERENCE)
    return {cell: log(figure) for cell, figure in reference if figure}
