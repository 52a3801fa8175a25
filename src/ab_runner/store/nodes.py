"""The records of a sweep over the nodes of a swarm: which of them count, and which are of which node. Pure.

A `node` record begins a block on a node. In the log the records of several blocks alternate, each with its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ab_runner.model.records import NodeRecord, Record
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import MOVED, NotMeasured, RepeatedTrial, SupportingTrial, Trial


def block_of(record: Record) -> int | None:
    """Return the block that a record is of; None of those that are of the whole sweep."""
    of = record.trial if isinstance(record, RepeatedTrial | SupportingTrial) else record
    return getattr(of, "block", None)


def with_nodes(records: Iterable[Record]) -> Iterator[tuple[Record, str | None]]:
    """Yield each record with the node that it is of; None where its block is of no node."""
    nodes: dict[int, str] = {}
    for record in records:
        if isinstance(record, NodeRecord):
            nodes[record.block] = record.node
        block = block_of(record)
        yield record, nodes.get(block) if block is not None else None


def counted_once(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the records as they count: of a block that moved to another node, what the former one measured is a
    repeated trial, and what it did not measure is nothing."""
    records = tuple(records)
    if not any(isinstance(record, NodeRecord) for record in records):
        return records
    named = list(with_nodes(records))
    last = {record.block: record.node for record, _ in named if isinstance(record, NodeRecord)}
    return tuple(kept for record, node in named if (kept := _counted(record, node, last)) is not None)


def on_nodes(sweep: Sweep, records: Iterable[Record]) -> list[tuple[str, Sweep, tuple[Record, ...]]]:
    """Return, for each node in the order of their first blocks, its name, the sweep as it was there and the records
    that are of it; nothing of a sweep on one machine."""
    first: dict[str, NodeRecord] = {}
    own: dict[str, list[Record]] = {}
    for record, node in with_nodes(records):
        if isinstance(record, NodeRecord):
            first.setdefault(record.node, record)
        if node is not None:
            own.setdefault(node, []).append(record)
    return [(name, _on(sweep, facts), tuple(own[name])) for name, facts in first.items()]


def _on(sweep: Sweep, facts: NodeRecord) -> Sweep:
    return replace(
        sweep,
        id=f"{sweep.id} on {facts.node}",
        machine=facts.machine,
        conditions=facts.conditions,
        server_cpus=facts.server_cpus,
        generator_cpus=facts.generator_cpus,
        environment=sweep.environment | facts.environment,
    )


def _counted(record: Record, node: str | None, last: dict[int, str]) -> Record | None:
    if not isinstance(record, Trial | NotMeasured) or record.block not in last or node == last[record.block]:
        return record
    return RepeatedTrial(trial=record, reason=MOVED) if isinstance(record, Trial) else None
