"""What a trial took of the machine, and what it found there."""

from __future__ import annotations

from msgspec import Struct

from ab_runner.model.limits import Amount, Count, Real, Whole
from ab_runner.model.load import Limit


class StolenSeconds(Struct, frozen=True):
    """What the hypervisor gave to others while a trial ran. `at` are looks, in seconds since the first one, and `cpus`
    has what each CPU had lost by then, in seconds: those CPUs of server and generator that lost any. Looks between two
    others at which all had the same are left out."""

    at: tuple[Amount, ...]
    cpus: dict[Count, tuple[Amount, ...]]


class Usage(Struct, frozen=True, kw_only=True):
    """What a trial took of the machine. Cores and CPUs are seconds per second while the load was on, without what ab
    does before and after it; None where that was too short to tell. Other None: this system does not show it."""

    server_cpu_seconds: Real
    """In the whole trial, with the kernel's work for it. What is said of the generator is of all load hosts together,
    where load comes from these."""
    generator_cpu_seconds: Real
    server_cores_busy: Real | None
    generator_cores_busy: Real | None
    server_cpus_idle: Real | None
    """How many of the CPUs that it may use were idle."""
    generator_cpus_idle: Real | None
    server_cpus_interrupts: Real | None
    """How many of them served interrupts."""
    generator_cpus_interrupts: Real | None
    busiest_thread: Real | None
    """The cores busy of the server's busiest thread."""
    peak_memory_bytes: Count | None
    """The highest memory of its own that the server had; sampled about ten times a second."""
    context_switches: Whole | None
    """Of the server's threads that lived at the end, and of compiler threads that had ended."""
    jit_cpu_seconds: Real | None = None
    """Of a JVM's compiler threads, those that ended included; None where there are none to be seen."""
    server_stolen_share: Real | None = None
    """Of the time of the CPUs that it may use, the share that the hypervisor gave to others, from 0 to 1. None in older
    files too."""
    generator_stolen_share: Real | None = None
    stolen: StolenSeconds | None = None
    """In the whole trial; None where nothing was stolen, where that is not known, and in older files."""

    @property
    def stolen_share(self) -> float | None:
        """The larger of both shares of stolen time; None where neither is known."""
        known = (self.server_stolen_share, self.generator_stolen_share)
        return max((share for share in known if share is not None), default=None)

    @property
    def jit_share(self) -> float | None:
        """The JIT compiler's part of the server's CPU time, from 0 to 1; None where it is not known."""
        if self.jit_cpu_seconds is None or self.server_cpu_seconds <= 0:
            return None
        return self.jit_cpu_seconds / self.server_cpu_seconds


class HostLoad(Struct, frozen=True, kw_only=True):
    """What one load host did in a trial, by its own clock. Cores and CPUs are as in `Usage`, of all CPUs of the host;
    None where it does not show them. What the generator found is None where its run failed."""

    name: str
    connections: Count | None
    rate: Amount | None
    """Answers per second, with the parts of those that the end of the trial cut off."""
    received_bytes: Whole | None
    seconds: Amount | None
    wall_seconds: Amount
    """What the whole run took, by the runner's clock."""
    cpu_seconds: Real | None
    """Of its generator."""
    cores_busy: Real | None
    cpus_idle: Real | None
    cpus_interrupts: Real | None
    stolen_share: Real | None
    limit: Limit | None
    """`generator` or `network`; None where neither was full."""


class JvmActivity(Struct, frozen=True, kw_only=True):
    """What a JVM did besides its work while a trial ran, by its own counters."""

    gc_count: Count
    gc_seconds: Amount
    """How long collections stopped it, without what they do concurrently with the application."""
    jit_seconds: Amount
    """How long its compiler threads took, each by the clock, for what they finished in the trial: where the CPU was
    full, that is mostly how long they waited for it."""
    heap_after_gc_bytes: Count | None
    """What the last collection before the trial's end left on the heap; None if there was none since the start."""


class Course(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a trial took in each of its seconds, by looks at about a second from each other. `at` are the looks in
    seconds since the first one, which is not among them. Every other tuple has a figure for each of these looks: what
    was used since the one before, or for memory what there was then. It is empty where that is not known. All are of
    the server's host: of load from other hosts nothing is in it."""

    at: tuple[Amount, ...]
    server_cpu_seconds: tuple[Amount, ...]
    generator_cpu_seconds: tuple[Amount, ...]
    memory_bytes: tuple[Count, ...] = ()
    """The server's own."""
    jit_cpu_seconds: tuple[Amount, ...] = ()
    """Of a JVM's compiler threads."""
    gc_count: tuple[Count, ...] = ()
    gc_seconds: tuple[Amount, ...] = ()
    """As in `JvmActivity`, as the count."""
    allocated_bytes: tuple[Count, ...] = ()
    """What a JVM allocated, by its collections."""
    allocated_error_bytes: Count = 0
    """How far the sum of these may be off; 0 where they are not known."""


class Cooldown(Struct, frozen=True, kw_only=True):
    """What earlier trials had left when this one began; None where that is not known."""

    time_wait: Count | None
    """Closed connections in the server's network namespace whose ports are not free yet."""
    runnable: Count | None
    """Threads of the machine that wanted a CPU; one of them is the runner's."""
    waited: Real
    """Seconds that the runner gave them to go."""
