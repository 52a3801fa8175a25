"""The servers that a chart of many servers shows in colour: the set `@core`."""

from __future__ import annotations

from ab_runner import paths
from ab_runner.catalog.servers import load
from ab_runner.catalog.sets import load_sets

_CORE = "core"


def core_ids() -> frozenset[str]:
    """Return the ids of these servers, the former ones too, because older sweeps have those. UserError where the
    catalog or its sets are damaged."""
    catalog = load(paths.SERVERS)
    core = load_sets(paths.SERVERS, catalog).get(_CORE)
    return frozenset(name for id in (core.servers if core else ()) for name in (id, *catalog[id].former_ids))
