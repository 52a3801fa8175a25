"""Preflight checks: conditions of this host that spoil a measurement at this moment. `host.facts` reads it;
`findings`, which is pure, judges it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from ab_runner.host import facts
from ab_runner.host.machine import local_ports
from ab_runner.model.sweep import Conditions

WANTED_BACKLOG = 10_000
_WANTED_PORTS = 28_000
"""Linux's own range has 28,232: with fewer, connections that were just closed leave none for new ones."""
_WANTED_CONNECTIONS = 20_000
"""New connections per second that a host's connection tracking must bear: one ab makes up to 19,000."""
_BUSY_CORES = 0.2
STOLEN_AT_MOST = 0.02
"""The share of CPU time that the hypervisor may give to others without a warning."""


class Finding(msgspec.Struct, frozen=True):
    """The result of a check. `text` says what is wrong and how to fix it, or that all is well."""

    good: bool
    text: str


def conditions_now() -> Conditions:
    """Return what can be known of this host. It takes a second, to see what else is running."""
    return msgspec.convert(facts.conditions(), Conditions)


def findings(conditions: Conditions) -> Iterator[Finding]:
    """Yield one finding for each condition that can be read here, good or bad."""
    if conditions.governors:
        slow = [name for name in conditions.governors if name != "performance"]
        yield _finding(
            not slow, "frequency governor: performance",
            f"the frequency governor is {', '.join(slow)}, so the clock follows the load: "
            "cpupower frequency-set --governor performance",
        )  # fmt: skip
    if conditions.turbo is not None:
        yield _finding(
            not conditions.turbo, "turbo: off",
            "turbo is on, so the clock depends on heat and on the other cores: "
            "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > …/cpufreq/boost",
        )  # fmt: skip
    yield _finding(
        conditions.swap_used_bytes == 0, "swap: none in use",
        f"{conditions.swap_used_bytes / 2**20:,.0f} MiB of swap are in use, so memory may come from a disk: "
        "swapoff --all",
    )  # fmt: skip
    yield _finding(
        conditions.busy_cores <= _BUSY_CORES, "the machine is idle",
        f"the machine is busy: {conditions.busy_cores:.1f} cores are in use before anything is measured; "
        "stop what runs there",
    )  # fmt: skip
    if conditions.stolen > STOLEN_AT_MOST:
        yield Finding(
            False, f"the hypervisor gave {conditions.stolen:.0%} of the CPU time to others: use a quieter host"
        )
    if conditions.cpu_quota is not None:
        yield Finding(
            False,
            f"a CPU quota of {conditions.cpu_quota:.1f} cores pauses a process that uses it up: "
            "raise or remove the quota of the control group",
        )


def network_findings(sysctls: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the findings on the network of this host, for servers as processes: containers have settings of their
    own."""
    stored = sysctls.get("net.core.somaxconn", "")
    backlog = int(stored) if re.fullmatch("[0-9]{1,18}", stored) else WANTED_BACKLOG
    yield _finding(
        backlog >= WANTED_BACKLOG, f"net.core.somaxconn: {backlog:,}",
        f"net.core.somaxconn is {backlog:,}, and the test of 2006 had a backlog of {WANTED_BACKLOG:,}: "
        f"sysctl net.core.somaxconn={WANTED_BACKLOG}",
    )  # fmt: skip
    ports = local_ports(sysctls)
    yield _finding(
        ports >= _WANTED_PORTS, f"local ports: {ports:,}",
        f"{ports:,} local ports are few for connections that close: sysctl net.ipv4.ip_local_port_range='10000 65535'",
    )  # fmt: skip


def conntrack_findings(sysctls: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the finding on connection tracking of a host that takes part in load from other hosts, if its settings are
    known."""
    entries, seconds = (sysctls.get(name, "") for name in (facts.CONNTRACK_MAX, facts.CONNTRACK_SECONDS))
    if not all(re.fullmatch("[0-9]{1,18}", text) for text in (entries, seconds)):
        return
    per_second = int(entries) / max(1, int(seconds))
    yield _finding(
        per_second >= _WANTED_CONNECTIONS, f"connection tracking: {per_second:,.0f} new connections per second",
        f"connection tracking has room for {per_second:,.0f} new connections per second, for it keeps each for "
        f"{int(seconds):,} s: sysctl {facts.CONNTRACK_SECONDS}=5",
    )  # fmt: skip


def _finding(good: bool, well: str, bad: str) -> Finding:
    return Finding(good, well if good else bad)
