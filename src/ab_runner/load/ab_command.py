"""Apache Benchmark's command line, and the head of its requests. Pure.

What is said here about ab comes from its source, support/ab.c of httpd 2.4.62.
"""

from __future__ import annotations

from collections.abc import Sequence

_REQUESTS_PER_SECOND_AT_MOST = 500_000
"""More than one ab process can make: with the fastest server that we measured it made 182,000 (keep-alive,
loopback)."""
_TIMED_REQUESTS_AT_MOST = 50_000_000
"""ab allocates some 40 bytes per request before it starts; untouched pages cost nothing, but 2 GB is a sensible
limit."""


def command(
    *,
    url: str,
    concurrency: int,
    requests: int | None = None,
    seconds: int | None = None,
    keep_alive: bool = False,
    headers: Sequence[str] = (),
    idle_timeout: int = 30,
    percentiles: str | None = None,
) -> list[str]:
    """Return the argv of ab 2.3 for one run over a number of requests, over a number of seconds, or until the first of
    both.

    `idle_timeout` is for how many seconds all connections may be silent before ab gives up; ab's clock for -t stands
    still as long as no request ends, so that it also bounds a timed run against a server that has stopped answering.
    `percentiles` is the path of a CSV file for ab to write. Raises ValueError if neither requests nor
    seconds are given.

    Without -q, because the progress lines on stderr are the only trace of a run that is killed from outside.
    """
    if requests is None and seconds is None:
        raise ValueError("ab runs for a number of requests or for a number of seconds")
    argv = ["ab"]
    if seconds is not None:
        argv += ["-t", str(seconds)]
        requests = requests or _more_than_can_be_done(seconds, concurrency)
    argv += ["-n", str(requests)]  # after -t, which sets it to 50,000
    # -r: otherwise the first reset ends the run without figures.
    argv += ["-c", str(concurrency), "-r", "-s", str(idle_timeout)]
    if keep_alive:
        argv.append("-k")
    for line in headers:
        argv += ["-H", line]
    if percentiles is not None:
        argv += ["-e", percentiles]
    return [*argv, url]


def recording_latencies(argv: Sequence[str], path: str) -> list[str]:
    """Return a command for the same run of ab by way of bash, which leaves the number of requests per whole millisecond
    in the file `path`; `parse_milliseconds` reads it.

    ab's own file (-g) has a line of 45 bytes per request, sorted by time: it is counted on its way and never kept. The
    run ends when it has been counted. (A redirection of ab alone is made in ab's process: bash does not know what it
    started there, and `wait` waits for nothing.)
    """
    script = 'exec 3> >(tail -n +2 | cut -f 5 | uniq -c > "$0"); "$@"; code=$?; exec 3>&-; wait $!; exit $code'
    return ["bash", "-c", script, path, *argv[:-1], "-g", "/dev/fd/3", argv[-1]]


def request_head(host: str, path: str, keep_alive: bool = False, headers: Sequence[str] = ()) -> bytes:
    """Return the head of a request as ab 2.3 sends it; `host` is what its URL names."""
    connection = "Connection: Keep-Alive\r\n" if keep_alive else ""
    further = "".join(f"{line}\r\n" for line in headers)
    rest = f"Host: {host}\r\nUser-Agent: ApacheBench/2.3\r\nAccept: */*\r\n\r\n"
    return f"GET {path} HTTP/1.0\r\n{connection}{further}{rest}".encode()


def _more_than_can_be_done(seconds: int, concurrency: int) -> int:
    return max(concurrency, min(seconds * _REQUESTS_PER_SECOND_AT_MOST, _TIMED_REQUESTS_AT_MOST))
