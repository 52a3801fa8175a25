"""Several ab processes as one generator: how they share the connections, the one command that runs them all, and their
merged results. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from ab_runner.load.ab_output import AbFigures, Failures
from ab_runner.load.generator import Completed
from ab_runner.load.latency import distribution
from ab_runner.model.message import Code, Message
from ab_runner.stats.histogram import merge

_RECORD, _STDERR = "\x1e", "\x1f"
"""Before each process's output, and between its two parts: characters that ab never prints."""
_EXIT_CODE = re.compile(r"[0-9]{1,3}")


def split_connections(concurrency: int, processes: int) -> list[int]:
    """Return how many connections each process has: as evenly as possible. No process has none, so there may be fewer
    processes."""
    processes = min(processes, concurrency)
    share, more = divmod(concurrency, processes)
    return [share + (number < more) for number in range(processes)]


def parallel_command(commands: Sequence[Sequence[str]], cpus: Sequence[int]) -> list[str]:
    """Return a command that starts all of them at once, each on a CPU of its own as far as there are any, and prints
    what each printed, for `outputs` to read."""
    lines = ["folder=$(mktemp -d)"]
    for number, command in enumerate(commands):
        pinned = ["taskset", "--cpu-list", str(cpus[number % len(cpus)]), *command] if cpus else command
        files = f'> "$folder/{number}.out" 2> "$folder/{number}.err"'
        lines.append(f'({shlex.join(pinned)} {files}; echo $? > "$folder/{number}.code") &')
    lines.append("wait")
    for number in range(len(commands)):
        lines += [
            f'printf \'\\x1e\'; cat "$folder/{number}.code" "$folder/{number}.out"',
            f"printf '\\x1f'; cat \"$folder/{number}.err\"",
        ]
    lines.append('rm -r "$folder"')
    return ["bash", "-c", "\n".join(lines)]


def outputs(stdout: str, processes: int) -> list[Completed]:
    """Return what each process of a parallel command printed; empty if it was ended before it came to that."""
    found = []
    for part in stdout.split(_RECORD, processes)[1:]:
        code, _, rest = part.partition("\n")
        out, _, err = rest.partition(_STDERR)
        found.append(Completed(int(code) if _EXIT_CODE.fullmatch(code) else 1, out, err))
    return found


def merged(outcomes: Sequence[AbFigures | Message], milliseconds: Sequence[Mapping[int, int]]) -> AbFigures | Message:
    """Return the results of runs of the same length that began together as one. Their rates add up, because each is a
    mean over the same seconds; their latencies are those of all requests. If one failed, all failed: without its load
    the others measured something else."""
    for outcome in outcomes:
        if isinstance(outcome, Message):
            return outcome
    reports = [outcome for outcome in outcomes if isinstance(outcome, AbFigures)]
    first = reports[0]
    lengths = {report.document_length for report in reports}
    if len(lengths) > 1:
        return Message(Code.LENGTHS_DIFFER, detail=f"document lengths {', '.join(map(str, sorted(lengths)))}")
    latencies = merge(map(distribution, reports, milliseconds))
    percents: Sequence[int] = range(101) if latencies.total else ()
    return AbFigures(
        tool=first.tool,
        document_length=first.document_length,
        concurrency=sum(report.concurrency for report in reports),
        seconds=max(report.seconds for report in reports),
        complete=sum(report.complete for report in reports),
        failures=Failures(*(sum(counts) for counts in zip(*map(_counts, reports), strict=True))),
        write_errors=sum(report.write_errors for report in reports),
        non_2xx=sum(report.non_2xx for report in reports),
        keep_alive=None if first.keep_alive is None else sum(report.keep_alive or 0 for report in reports),
        total_bytes=sum(report.total_bytes for report in reports),
        html_bytes=sum(report.html_bytes for report in reports),
        requests_per_second=round(sum(report.requests_per_second for report in reports), 2),
        percentiles={percent: latencies.percentile(percent) / 1000 for percent in percents},
    )


def _counts(report: AbFigures) -> tuple[int, ...]:
    failures = report.failures
    return failures.connect, failures.receive, failures.length, failures.exceptions


def sum_counts(milliseconds: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """Return the number of requests per whole millisecond, of all processes together."""
    total: dict[int, int] = {}
    for counts in milliseconds:
        for value, count in counts.items():
            total[value] = total.get(value, 0) + count
    return dict(sorted(total.items()))
