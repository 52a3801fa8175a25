"""What Apache Benchmark printed and wrote, as figures or as a reason why there are none. Pure: text in, data out.

Two versions are understood: 2.3 (httpd 2.4, what the toolkit runs) and 2.0.40-dev (httpd 2.0 and 2.2, what the tables
of 2006 were made with). What is said here about ab comes from its source, support/ab.c of httpd 2.0.50 and 2.4.62,
and from the outputs in tests/recordings/ab.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from ab_runner.load.exit_codes import EXIT_CODES
from ab_runner.model.limits import Amount, Count, Percentage, Real, Whole
from ab_runner.model.message import Code, Message
from ab_runner.model.text import shown


class Failures(Struct, frozen=True):
    """ab's four counts of failed requests. With -r a reset counts up to three times (receive, length, exceptions)."""

    connect: Count = 0
    receive: Count = 0
    length: Count = 0
    exceptions: Count = 0

    @property
    def at_least(self) -> int:
        """The smallest number of requests that can have failed, given that one may be counted in several places."""
        return self.connect + max(self.receive, self.length, self.exceptions)


class AbFigures(Struct, frozen=True, kw_only=True):
    """The figures that one run of ab printed. With -r, `complete` counts failed requests too.

    `seconds` is the time that it took; `percentiles` maps a percentage (0 to 100) to the time in milliseconds within
    which that share of the requests was served. `keep_alive` is None when ab was not asked to keep connections open.
    """

    tool: str
    """ab's version line, such as `2.3 <$Revision: 1923142 $>`."""
    document_length: Count
    concurrency: Count
    seconds: Amount
    complete: Count
    failures: Failures
    write_errors: Count
    non_2xx: Count
    keep_alive: Count | None
    total_bytes: Whole
    html_bytes: Whole
    requests_per_second: Amount
    """ab's own figure, of whole answers."""
    percentiles: Mapping[Percentage, Real] = {}

    @property
    def answered(self) -> float:
        """The answers that were received, with the parts of those that the end of a timed run cut off."""
        if not self.document_length:
            return self.complete
        return max(float(self.complete), self.html_bytes / self.document_length)


def parse(stdout: str, stderr: str, exit_code: int, percentiles_csv: str | None = None) -> AbFigures | Message:
    """Return the result of one run of ab, from its output, its exit code and, if it wrote one, the text of its -e file.

    `exit_code` is that of a shell (124, 137) or of subprocess (-9). Never raises, whatever the text. Output that ends
    before its last line gives no figures: a half-written report is no report.

    Nor does any exit code but 0, whatever was printed. ab prints figures and then fails in two cases only: interrupted
    (SIGINT prints the results so far and exits with 1), where what was asked for did not happen, and unable to write
    the -e file, where what it was asked to record is lost. Neither is a trial that ran to its end.
    """
    if exit_code != 0:
        return _error(stdout, stderr, exit_code)
    report = _report(stdout, percentiles_csv)
    return report or _failure(Code.NO_FIGURES, _last_line(stdout) or "nothing printed", stdout, stderr)


def parse_milliseconds(text: str) -> dict[int, int]:
    """Return the number of requests by their whole milliseconds, from lines such as `  12 3`: what `uniq -c` makes of
    the column of ab's -g file."""
    return {int(value): int(count) for count, value in _COUNTED.findall(text)}


# --- figures ---------------------------------------------------------------------------------------------------

# Digits are bounded so that int() and float() take all that matches, and so that the figures of several processes
# together are within the limits of what is stored.
_VERSION = re.compile(r"^This is ApacheBench, Version (\S.{0,99})$", re.MULTILINE)
_FIGURE = re.compile(r"^([A-Z][A-Za-z0-9 -]*):[ ]+(-?[0-9]{1,15}(?:\.[0-9]{1,9})?)(?=\s)", re.MULTILINE)
_COUNTS_BYTES = "transferred"
"""How the names of figures end that may be negative: in 2.0 they overflow."""
_FAILURES = re.compile(
    r"^ +\(Connect: ([0-9]{1,15}), (?:Receive: ([0-9]{1,15}), )?Length: ([0-9]{1,15}), Exceptions: ([0-9]{1,15})\)",
    re.MULTILINE,
)
_COUNTED = re.compile(r"^[ \t]*([0-9]{1,12})[ \t]+([0-9]{1,12})[ \t]*$", re.MULTILINE)
_PERCENTILE = re.compile(r"^ +([0-9]{1,3})% +([0-9]{1,15})(?=\s)", re.MULTILINE)
_LAST_OF_MANY = re.compile(r"^ *100% +[0-9]+ \(longest request\)", re.MULTILINE)
_LAST_OF_ONE = re.compile(r"^Total:(?: +[0-9.]+){5}\s*\n", re.MULTILINE)
_LAST_OF_NONE = re.compile(r"^HTML transferred: +0 bytes", re.MULTILINE)


def _report(stdout: str, percentiles_csv: str | None) -> AbFigures | None:
    """Return the figures; None when one is missing or the end is."""
    version = _VERSION.search(stdout)
    found = _FIGURE.findall(stdout)
    figures = {name: value for name, value in found if value[0] != "-" or name.endswith(_COUNTS_BYTES)}
    try:
        complete = int(figures["Complete requests"])
        failures = _failures(stdout, int(figures["Failed requests"]))
        # 2.3 prints no rate for a run in which no request was completed.
        rate = float(figures["Requests per second"]) if complete else 0.0
        if version is None or failures is None or not _is_whole(stdout, complete) or (complete and not rate):
            return None
        keep_alive = figures.get("Keep-Alive requests")
        return AbFigures(
            tool=version[1].rstrip(),
            document_length=int(figures["Document Length"]),
            concurrency=int(figures["Concurrency Level"]),
            seconds=_seconds(figures["Time taken for tests"], version[1]),
            complete=complete,
            failures=failures,
            # 2.3 leaves these two lines out when there is nothing to say; 2.0 only the second.
            write_errors=int(figures.get("Write errors", "0")),
            non_2xx=int(figures.get("Non-2xx responses", "0")),
            keep_alive=None if keep_alive is None else int(keep_alive),
            total_bytes=int(figures["Total transferred"]),
            html_bytes=int(figures["HTML transferred"]),
            requests_per_second=rate,
            percentiles=_percentiles(stdout, percentiles_csv, complete),
        )
    except (KeyError, ValueError):
        # A line is missing, or has a fraction where ab prints none, or none where it prints one.
        return None


def _is_whole(stdout: str, complete: int) -> bool:
    """Return whether the last line is there that ab prints. It leaves out the percentages for one request, and the
    times for none."""
    last = _LAST_OF_MANY if complete > 1 else _LAST_OF_ONE if complete == 1 else _LAST_OF_NONE
    return last.search(stdout) is not None


def _failures(stdout: str, failed: int) -> Failures | None:
    """Return the counts by kind, which ab prints if there are any; None when they should be there and are not."""
    found = _FAILURES.search(stdout)
    if found is None:
        return Failures() if failed == 0 else None
    connect, receive, length, exceptions = (int(count or 0) for count in found.groups())
    return Failures(connect=connect, receive=receive, length=length, exceptions=exceptions)


def _seconds(printed: str, tool: str) -> float:
    """Return the time taken. 2.0 prints the microseconds with %03ld: 9.043867 s is `9.43867`, and 1.000026 is `1.026`.

    So the fraction's digits, read as a whole number, are the microseconds: exact, where complete / rate has the
    rate's two decimals only.
    """
    if not tool.startswith("2.0"):
        return float(printed)
    seconds, _, microseconds = printed.partition(".")
    return int(seconds) + int(microseconds) / 1e6


def _percentiles(stdout: str, percentiles_csv: str | None, complete: int) -> dict[int, float]:
    """Return milliseconds by percentage: all of 0 to 100 from a whole -e file, else those of the table, in whole ms.

    For few requests ab reads the upper rows of the -e file from beyond the end of its records (the row of p % is
    record ⌊0.5 + complete * p / 100⌋, counted from 0, so with 50 requests or fewer some of the last rows): such a row
    is whatever was in memory, and the longest request stands in its place.
    """
    table = {int(percent): float(time) for percent, time in _PERCENTILE.findall(stdout) if int(percent) <= 100}
    rows = _csv_rows(percentiles_csv or "")
    longest = rows.get(100, table.get(100))
    if longest is None or any(percent not in rows for percent in range(100)):
        return table
    known = {percent: time for percent, time in rows.items() if int(0.5 + complete * percent / 100) < complete}
    times = {percent: known.get(percent, longest) for percent in range(101)}
    return times if max(map(abs, times.values())) <= _LONGEST_MS else table


_LONGEST_MS = 1e15
_CSV_ROW = re.compile(r"^([0-9]{1,3}),(-?[0-9]{1,22}\.[0-9]{1,9}(?:e[+-][0-9]{2})?)$", re.MULTILINE)


def _csv_rows(text: str) -> dict[int, float]:
    """Return the rows of a -e file: `50,1.234`, or `50,1.000000e+00` from 2.0, which has no row for 100."""
    return {int(percent): float(time) for percent, time in _CSV_ROW.findall(text) if int(percent) <= 100}


# --- errors ----------------------------------------------------------------------------------------------------

_CODES: dict[int, Code] = {
    # errno and APR's own codes, as ab prints them: `apr_socket_recv: Connection reset by peer (104)`
    12: Code.OUT_OF_MEMORY,
    22: Code.BAD_ARGUMENTS,
    23: Code.TOO_FEW_FILES,
    24: Code.TOO_FEW_FILES,
    32: Code.RESET,
    99: Code.NO_FREE_PORT,
    101: Code.UNREACHABLE,
    103: Code.RESET,
    104: Code.RESET,
    110: Code.CONNECT_TIMEOUT,
    111: Code.REFUSED,
    113: Code.UNREACHABLE,
    70007: Code.TIMEOUT,
    670002: Code.UNKNOWN_HOST,
    670003: Code.UNKNOWN_HOST,
    670005: Code.UNKNOWN_HOST,
    # exit codes; those of ab are the code above modulo 256
    119: Code.TIMEOUT,
    **EXIT_CODES,
}
"""Every code that has a number."""

_PHRASES: dict[str, Code] = {
    "Server timed out": Code.TIMEOUT,
    "Test aborted after 10 failures": Code.BAD_ANSWERS,
    "Could not allocate memory": Code.OUT_OF_MEMORY,
    "Cannot open CSV output file": Code.NO_PERCENTILES,
    "Invalid number of requests": Code.BAD_ARGUMENTS,
}
"""What ab says when it ends with 1 and no number."""

_DETAIL_AT_MOST = 300
"""Characters."""
_NUMBERED = re.compile(r"^\S.* \(([0-9]{1,9})\)$")
_PROGRESS = re.compile(r"^(?:Completed|Finished) ([0-9]{1,15}) requests$", re.MULTILINE)
_TOTAL = re.compile(r"^Total of ([0-9]{1,15}) requests completed$", re.MULTILINE)
_COMPLETE = re.compile(r"^Complete requests: +([0-9]{1,15})$", re.MULTILINE)


def _error(stdout: str, stderr: str, exit_code: int) -> Message:
    code = exit_code if exit_code >= 0 else 128 - exit_code
    complaints = [line.strip() for line in stderr.splitlines() if line.strip() and not _PROGRESS.match(line.strip())]
    for line in complaints:
        numbered = _NUMBERED.match(line)
        if numbered and int(numbered[1]) in _CODES:
            return _failure(_CODES[int(numbered[1])], line, stdout, stderr)
    for line in complaints:
        for phrase, phrase_code in _PHRASES.items():
            if phrase in line:
                return _failure(phrase_code, line, stdout, stderr)
    detail = complaints[0] if complaints else f"exit code {exit_code}, and ab did not say why"
    if code == 1 and not complaints and _COMPLETE.search(stdout):
        return _failure(Code.INTERRUPTED, detail, stdout, stderr)
    return _failure(_CODES.get(code, Code.UNSAID), detail, stdout, stderr)


def _failure(code: Code, detail: str, stdout: str, stderr: str) -> Message:
    """Return why there are no figures, with the requests that were done by then, where ab said so."""
    completed = _completed(stdout, stderr)
    return Message(code, {} if completed is None else {"completed": completed}, detail=shown(detail, _DETAIL_AT_MOST))


def _completed(stdout: str, stderr: str) -> int | None:
    """Return how many requests were done: exactly where ab says so, else at least, by its last line of progress."""
    exact = _TOTAL.search(stdout) or _COMPLETE.search(stdout)
    if exact:
        return int(exact[1])
    progress = _PROGRESS.findall(stderr)
    return int(progress[-1]) if progress else None


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""
