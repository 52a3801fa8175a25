"""The servers that a chart of many servers shows in colour: the set `@core`."""

from __future__ import annotations

from ab_runner.catalog.catalog import load_catalog

_CORE = "core"


def core_ids() -> frozenset[str]:
    """Return the ids of these servers, the former ones too, because older sweeps have those. UserError where the
    catalog or its sets are damaged."""
    catalog = load_catalog()
    core = catalog.sets.get(_CORE)
    return frozenset(name for id in (core.servers if core else ()) for name in (id, *catalog.servers[id].former_ids))
