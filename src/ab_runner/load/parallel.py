"""Several ab processes as one generator: how they share the connections, and the command that runs them all. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from ab_runner.load.generator import Completed

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
