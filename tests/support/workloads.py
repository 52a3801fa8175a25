"""The workloads of fixtures/workloads.toml."""

from __future__ import annotations

from ab_runner import paths
from ab_runner.catalog.workloads import load_workloads
from ab_runner.model.workload import Workload, WorkloadName

_BY_NAME = load_workloads(paths.WORKLOADS)
WORKLOADS = tuple(_BY_NAME.values())


def workload_named(name: WorkloadName) -> Workload:
    return _BY_NAME[name]
