"""ab's argv, and what the parser makes of every recorded output; the numbers here were read off those outputs."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from recordings.ab.outputs import CASES, golden
from support.builders import said

from ab_runner.load import ab_command, ab_output
from ab_runner.load.ab_outcome import outcome_of
from ab_runner.load.ab_output import AbFigures, Failures
from ab_runner.load.shares import merged
from ab_runner.model.message import Code, Message

TODAY = "2.3 <$Revision$>"
OLD = "2.0.40-dev <$Revision: 1.121.2.10 $> apache-2.0"


def parsed(name: str) -> AbFigures | Message:
    return ab_output.parse(*golden(name))


def report_of(name: str) -> AbFigures:
    report = parsed(name)
    assert isinstance(report, AbFigures), report
    return report


# --- the command -----------------------------------------------------------------------------------------------

URL = "http://127.0.0.1:8080/small.html"


def test_command_for_a_number_of_requests() -> None:
    argv = ab_command.command(url=URL, concurrency=10, requests=200_000)
    assert argv == ["ab", "-n", "200000", "-c", "10", "-r", "-s", "30", URL]


def test_command_with_everything() -> None:
    argv = ab_command.command(
        url=URL, concurrency=5, requests=50, keep_alive=True, idle_timeout=7, percentiles="/out/p.csv"
    )
    assert argv == ["ab", "-n", "50", "-c", "5", "-r", "-s", "7", "-k", "-e", "/out/p.csv", URL]


def test_a_timed_run_gives_n_after_t_because_t_resets_it() -> None:
    argv = ab_command.command(url=URL, concurrency=10, seconds=5)
    assert argv == ["ab", "-t", "5", "-n", "2500000", "-c", "10", "-r", "-s", "30", URL]


def test_a_long_timed_run_does_not_ask_for_gigabytes() -> None:
    argv = ab_command.command(url=URL, concurrency=10, seconds=3600)
    assert argv[argv.index("-n") + 1] == "50000000"


def test_a_run_until_the_first_of_both_gives_its_own_n_after_t() -> None:
    argv = ab_command.command(url=URL, concurrency=10, requests=5000, seconds=1)
    assert argv == ["ab", "-t", "1", "-n", "5000", "-c", "10", "-r", "-s", "30", URL]


def test_a_run_needs_requests_or_seconds() -> None:
    with pytest.raises(ValueError, match="a number of requests or"):
        ab_command.command(url=URL, concurrency=1)


def test_latencies_are_counted_when_the_run_ends_however_slowly_and_its_exit_code_is_abs(tmp_path: Path) -> None:
    rows = "\\n".join(f"now\\t0\\t0\\t0\\t{milliseconds}\\t0" for milliseconds in (3, 3, 3, 12))
    (tmp_path / "ab").write_text(f'#!/bin/sh\nprintf "names\\n{rows}\\n" > "$2"\nexit 7\n')
    (tmp_path / "uniq").write_text(f'#!/bin/sh\nsleep 0.3\nexec {shutil.which("uniq")} "$@"\n')
    for program in tmp_path.iterdir():
        program.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    run = subprocess.run(
        ab_command.recording_latencies(["ab", URL], str(tmp_path / "counts")), env=environment, check=False
    )
    assert run.returncode == 7
    assert ab_output.parse_milliseconds((tmp_path / "counts").read_text()) == {3: 3, 12: 1}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("    100 0\n      7 1\n      1 12000\n", {0: 100, 1: 7, 12_000: 1}),
        ("", {}),
        ("ab: cannot open\n  3 x\n 1 2 3\n", {}),
        (f"² 1\n1 ²\n{'9' * 5000} 1\n1 {'9' * 5000}\n-1 1\n 2 3\n", {3: 2}),
    ],
)
def test_the_count_of_requests_per_millisecond_is_read(text: str, found: dict[int, int]) -> None:
    assert ab_output.parse_milliseconds(text) == found


def test_the_head_of_a_request_is_as_long_as_the_one_that_ab_sends() -> None:
    """The echo server's answer is as long as the request, so the probe must ask exactly as ab does."""
    report = report_of("echo")
    assert report.document_length == len(ab_command.request_head("127.0.0.1:18200", "/small.html"))


@pytest.mark.skipif(shutil.which("ab") is None, reason="no ab on this host")
def test_the_head_of_a_request_has_further_lines_where_ab_sends_them() -> None:
    lines = ("Accept-Encoding: gzip", "X-A: b")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        command = ab_command.command(url=f"http://{host}/a", concurrency=1, requests=1, keep_alive=True, headers=lines)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as ab:
            connection, _ = listener.accept()
            with connection:
                head = connection.recv(4096)
            ab.kill()
    assert head == ab_command.request_head(host, "/a", keep_alive=True, headers=lines)


# --- goldens: figures ------------------------------------------------------------------------------------------


def figures(
    length: int,
    concurrency: int,
    seconds: float,
    complete: int,
    total: int,
    html: int,
    rate: float,
    *,
    tool: str = TODAY,
    failures: Failures = Failures(),  # noqa: B008 (frozen)
    non_2xx: int = 0,
    keep_alive: int | None = None,
) -> AbFigures:
    """A report without percentiles, in the order in which ab prints."""
    return AbFigures(
        tool=tool,
        document_length=length,
        concurrency=concurrency,
        seconds=seconds,
        complete=complete,
        failures=failures,
        write_errors=0,
        non_2xx=non_2xx,
        keep_alive=keep_alive,
        total_bytes=total,
        html_bytes=html,
        requests_per_second=rate,
    )


def failed(receive: int, length: int, exceptions: int) -> Failures:
    return Failures(receive=receive, length=length, exceptions=exceptions)


FIGURES: dict[str, tuple[AbFigures, dict[int, float]]] = {
    # name: (report, some of its percentiles)
    "close": (figures(100, 10, 0.050, 400, 81600, 40000, 8035.84), {50: 1.119, 99: 2.595, 100: 2.675}),
    "keep-alive": (
        figures(100, 10, 0.008, 400, 83600, 40000, 47103.16, keep_alive=400),
        {50: 0.165, 99: 0.622, 100: 1.163},
    ),
    "timed": (figures(100, 10, 1.0, 10706, 2184024, 1070600, 10705.10), {50: 0.874, 99: 1.521, 100: 2.690}),
    "timed-keep-alive": (
        figures(100, 10, 1.0, 58999, 12330791, 5899900, 58997.35, keep_alive=58999),
        {50: 0.153, 99: 0.287, 100: 2.273},
    ),
    "timed-in-flight": (figures(100, 10, 1.040, 191, 40350, 19550, 183.73), {50: 52, 100: 55}),
    "quiet": (figures(100, 10, 0.019, 200, 40800, 20000, 10526.87), {50: 1, 99: 1, 100: 1}),
    "few": (figures(100, 2, 0.002, 10, 2040, 1000, 4050.22), {50: 0.335, 94: 0.798, 100: 0.798}),
    "one": (figures(100, 1, 0.001, 1, 204, 100, 1428.57), {0: 0.679, 49: 0.679, 100: 0.679}),
    "echo": (figures(93, 10, 0.012, 100, 19600, 9300, 8494.73), {50: 1.055, 99: 1.676, 100: 1.676}),
    "every-100": (
        figures(100, 5, 0.022, 1000, 208950, 100000, 45199.78, keep_alive=990),
        {50: 0.085, 99: 0.388, 100: 0.888},
    ),
    "not-found": (figures(10, 10, 0.026, 200, 24000, 2000, 7746.53, non_2xx=200), {50: 1, 100: 8}),
    "short-body": (figures(60, 10, 0.032, 200, 32800, 12000, 6226.84), {50: 2, 100: 2}),
    "varying": (figures(100, 10, 0.037, 200, 40850, 20050, 5453.01, failures=failed(0, 50, 0)), {50: 2, 100: 5}),
    "chunked": (figures(111, 10, 0.005, 200, 45400, 22200, 43497.17, keep_alive=200), {50: 0, 100: 1}),
    "no-data": (figures(0, 10, 0.056, 200, 0, 0, 3571.11), {50: 0, 100: 2}),
    "no-data-keep-alive": (figures(0, 10, 0.060, 200, 0, 0, 3334.67, keep_alive=0), {50: 0, 100: 1}),
    "not-kept-alive": (figures(117, 10, 0.022, 200, 44200, 23400, 9148.71, keep_alive=0), {50: 1, 100: 3}),
    "resets": (figures(100, 10, 0.027, 200, 36720, 18000, 7276.17, failures=failed(20, 20, 20)), {50: 1, 100: 2}),
    "resets-mid-body": (
        figures(100, 10, 0.049, 200, 40000, 19200, 4116.92, failures=failed(20, 20, 20)),
        {50: 1, 100: 12},
    ),
    "resets-all": (figures(0, 10, 0.054, 200, 0, 0, 3706.38, failures=failed(200, 0, 200)), {50: 0, 100: 1}),
    "liar-r": (
        figures(100, 10, 0.011, 200, 21318, 10200, 18325.09, failures=failed(89, 98, 96), keep_alive=102),
        {50: 1, 100: 1},
    ),
    "refused-r": (figures(0, 10, 1.551, 200, 0, 0, 128.98, failures=failed(200, 0, 146)), {50: 12, 100: 16}),
    "old-close": (figures(100, 10, 0.046196, 400, 81804, 40100, 8658.76, tool=OLD), {50: 1, 100: 2}),
    "old-keep-alive": (
        figures(100, 10, 0.007277, 400, 83600, 40000, 54967.70, tool=OLD, keep_alive=400),
        {50: 3, 99: 6, 100: 6},
    ),
    "old-timed": (figures(100, 10, 1.000026, 10196, 2079984, 1019600, 10195.74, tool=OLD), {75: 1, 100: 3}),
    "old-varying": (
        figures(100, 10, 0.017942, 200, 41258, 20250, 11147.03, tool=OLD, failures=failed(0, 50, 0)),
        {90: 1, 100: 1},
    ),
    "old-not-found": (figures(10, 10, 0.017956, 200, 24000, 2000, 11138.34, tool=OLD, non_2xx=200), {95: 1, 100: 1}),
    "old-one": (figures(100, 1, 0.000970, 1, 204, 100, 1030.93, tool=OLD), {}),
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures(name: str) -> None:
    expected, some_percentiles = FIGURES[name]
    report = report_of(name)
    assert {percent: report.percentiles[percent] for percent in some_percentiles} == some_percentiles
    plain = {field: getattr(report, field) for field in report.__struct_fields__ if field != "percentiles"}
    assert plain == {field: getattr(expected, field) for field in plain}


# --- goldens: errors -------------------------------------------------------------------------------------------

TIMED_OUT = "apr_pollset_poll: The timeout specified has expired (70007)"
RESET = "apr_socket_recv: Connection reset by peer (104)"

ERRORS: dict[str, Message] = {
    "resets-fatal": said("reset", RESET, completed=1),
    "liar": said("reset", RESET, completed=6),
    "refused": said("refused", "apr_socket_recv: Connection refused (111)"),
    "never-closes": said("timeout", TIMED_OUT),
    "no-header": said("timeout", TIMED_OUT),
    "chunked-close": said("timeout", TIMED_OUT),
    "never-answers": said("timeout", TIMED_OUT),
    "stall": said("timeout", TIMED_OUT, completed=20),
    "timed-stall": said("timeout", TIMED_OUT, completed=20),
    "huge-head": said("bad answers", "Test aborted after 10 failures"),
    "too-few-requests": said("bad arguments", "ab: Cannot use concurrency level greater than total number of requests"),
    "too-concurrent": said("bad arguments", "ab: Invalid Concurrency [Range 0..200000]"),
    "too-few-files": said("too few files", "socket: Too many open files (24)"),
    "bounded": said("over time", "exit code 124, and ab did not say why"),
    "killed": said("killed", "exit code 137, and ab did not say why"),
    "terminated": said("killed", "exit code 143, and ab did not say why"),
    "interrupted": said("interrupted", "exit code 1, and ab did not say why", completed=11716),
    "bad-csv": said("no percentiles", "Cannot open CSV output file: No such file or directory", completed=200),
    "unknown-host": said(
        "unknown host", "apr_sockaddr_info_get() for no-such-host.invalid: Name or service not known (670002)"
    ),
    "old-reset": said("reset", "apr_recv: Connection reset by peer (104)", completed=9),
    "old-refused": said("refused", "apr_recv: Connection refused (111)"),
    "old-never-closes": said("timeout", "apr_poll: The timeout specified has expired (70007)"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    assert parsed(name) == ERRORS[name]


def test_every_golden_is_tested() -> None:
    assert set(CASES) == FIGURES.keys() | ERRORS.keys()


# --- details ---------------------------------------------------------------------------------------------------


def test_a_killed_run_tells_how_far_it_came_by_its_progress() -> None:
    error = ab_output.parse("", "Completed 20000 requests\nCompleted 40000 requests\n", -9)
    assert error == said("killed", "exit code -9, and ab did not say why", completed=40000)


def test_the_reason_is_known_from_the_exit_code_alone() -> None:
    outcomes = [ab_output.parse("", "", code) for code in (104, 111, 119, 24, 124, 127, -11, 77)]
    reasons = [outcome.code for outcome in outcomes if isinstance(outcome, Message)]
    assert reasons == ["reset", "refused", "timeout", "too few files", "over time", "not started", "crashed", "failed"]


def test_old_timeouts_without_a_number() -> None:
    error = ab_output.parse("Total of 7 requests completed\n", "\nServer timed out\n\n\n", 1)
    assert error == said("timeout", "Server timed out", completed=7)


@pytest.mark.parametrize(
    ("printed", "seconds"), [("9.43867", 9.043867), ("9.007", 9.000007), ("9.000", 9.0), ("0.970", 0.00097)]
)
def test_old_ab_does_not_pad_microseconds(printed: str, seconds: float) -> None:
    output = golden("old-timed")
    report = ab_output.parse(output.stdout.replace("1.026 seconds", f"{printed} seconds"), output.stderr, 0)
    assert isinstance(report, AbFigures)
    assert report.seconds == pytest.approx(seconds, abs=1e-9)


@pytest.mark.parametrize("name", FIGURES)
def test_seconds_agree_with_the_rate(name: str) -> None:
    report = report_of(name)
    assert report.seconds == pytest.approx(report.complete / report.requests_per_second, abs=0.0006)


def test_old_byte_counter_overflows() -> None:
    output = golden("old-close")
    report = ab_output.parse(re.sub(r"(HTML transferred: +)\d+", r"\g<1>-2147483648", output.stdout), "", 0)
    assert isinstance(report, AbFigures)
    assert report.html_bytes == -(2**31)


def test_few_requests_do_not_take_percentiles_from_beyond_the_end() -> None:
    output = golden("few")
    assert "\n95,0.257\n" in (output.percentiles_csv or "")  # less than the fastest request: not one of the ten
    percentiles = report_of("few").percentiles
    assert [percentiles[percent] for percent in (0, 94, 95, 99, 100)] == [0.280, 0.798, 0.798, 0.798, 0.798]


@pytest.mark.parametrize("name", FIGURES)
def test_percentiles_never_fall(name: str) -> None:
    percentiles = report_of(name).percentiles
    assert list(percentiles) == sorted(percentiles)
    assert list(percentiles.values()) == sorted(percentiles.values())


def test_damaged_percentiles_fall_back_to_the_table() -> None:
    output = golden("close")
    whole = report_of("close").percentiles
    assert len(whole) == 101
    for damaged in (None, "", "Percentage served,Time in ms\n0,0.5\n", (output.percentiles_csv or "")[:-400]):
        report = ab_output.parse(output.stdout, output.stderr, 0, damaged)
        assert isinstance(report, AbFigures)
        assert report.percentiles == {50: 1, 66: 1, 75: 1, 80: 1, 90: 1, 95: 1, 98: 3, 99: 3, 100: 3}


# --- any text --------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(sorted(CASES))
PRINTED = st.sampled_from(sorted(name for name in CASES if golden(name).stdout))


@given(st.text(), st.text(), st.integers(-64, 255), st.none() | st.text())
def test_any_text_is_an_error_and_never_an_exception(out: str, err: str, code: int, csv: str | None) -> None:
    assert isinstance(ab_output.parse(out, err, code, csv), Message)


@given(PRINTED, st.data())
def test_a_truncated_output_is_an_error(name: str, data: st.DataObject) -> None:
    output = golden(name)
    whole = output.stdout.rstrip()
    cut = whole[: data.draw(st.integers(0, len(whole) - 1), label="length")]
    assert isinstance(ab_output.parse(cut, output.stderr, output.exit_code, output.percentiles_csv), Message)


@given(NAMES, st.data())
def test_a_changed_output_never_raises(name: str, data: st.DataObject) -> None:
    output = golden(name)
    start = data.draw(st.integers(0, len(output.stdout)), label="start")
    end = data.draw(st.integers(start, min(len(output.stdout), start + 20)), label="end")
    middle = data.draw(st.text(alphabet="0123456789.-:% \nkK٣", max_size=40), label="middle")
    changed = output.stdout[:start] + middle + output.stdout[end:]
    assert isinstance(ab_output.parse(changed, output.stderr, output.exit_code, middle), AbFigures | Message)


@given(st.integers(0, 10**30), st.integers(0, 10**30))
def test_numbers_of_any_size_never_raise(complete: int, seconds: int) -> None:
    output = golden("close")
    changed = output.stdout.replace("requests:      400", f"requests: {complete}").replace("0.050", f"{seconds}.0")
    assert isinstance(ab_output.parse(changed, "", 0), AbFigures | Message)


@pytest.mark.parametrize("number", ["²", "9" * 5000, "-²", "1e999", "0x1", "nan", "inf"])
@pytest.mark.parametrize("label", ["Complete requests", "Failed requests", "Document Length", "Requests per second"])
def test_a_figure_that_is_no_number_is_no_figure(label: str, number: str) -> None:
    changed = re.sub(rf"(?m)^({label}: +)[0-9.]+", rf"\g<1>{number}", golden("close").stdout)
    assert number in changed
    outcome = ab_output.parse(changed, "", 0)
    assert isinstance(outcome, Message)
    assert outcome.code == Code.NO_FIGURES


@pytest.mark.parametrize("name", ["\x1b]0;owned\x07", "²" * 1000, "x" * 5_000_000, "Complete requests: 7"])
def test_the_name_that_a_server_gives_itself_changes_nothing(name: str) -> None:
    as_it_is = golden("close").stdout
    changed = re.sub(r"(?m)^(Server Software: +).*", lambda found: found[1] + name, as_it_is)
    assert ab_output.parse(changed, "", 0) == ab_output.parse(as_it_is, "", 0)


@pytest.mark.parametrize(
    "output",
    ["x" * 5_000_000, "Complete requests: " * 300_000, "\x1b[2J\n" * 500_000, f"Failed requests: {' ' * 5_000_000}x",
     f"This is ApacheBench, Version 2{' ' * 500_000}3"],
    ids=["line", "labels", "escapes", "blanks", "version"],
)  # fmt: skip
def test_output_of_any_length_is_an_error_of_a_short_line(output: str) -> None:
    for outcome in (
        ab_output.parse(output, "", 0, output),
        ab_output.parse("", output, 1),
        ab_output.parse(output, output, 124),
    ):
        assert isinstance(outcome, Message)
        assert len(outcome.detail) < 400
        assert outcome.detail.isprintable()


LABELS = st.sampled_from(
    ["Complete requests", "Document Length", "Requests per second", "Time taken for tests", "HTML transferred"]
)
NUMBERS = st.sampled_from(["0", "-1", "0.00", "1e9", "٣", "9" * 15, "9" * 16, "9" * 15 + "." + "9" * 9]) | st.integers(
    0, 10**16
).map(str)
ROWS = st.lists(
    st.tuples(
        st.integers(0, 101), st.sampled_from(["0.0", "-1.5", "9" * 22 + ".9", "1.0e+99", "1e5"]) | st.floats().map(str)
    ),
    max_size=5,
)


@given(NAMES, st.lists(st.tuples(LABELS, NUMBERS), max_size=3), ROWS)
@example("close", [("Requests per second", "0.00")], [])
@example("close", [], [(99, "9" * 22 + ".9"), (100, "1.0e+99")])
def test_whatever_is_read_of_ab_is_within_the_limits_of_what_is_stored(
    name: str, figures: list[tuple[str, str]], rows: list[tuple[int, str]]
) -> None:
    """Else a trial would be stored and not be read again."""
    output = golden(name)
    text = output.stdout
    for label, figure in figures:
        text = re.sub(rf"(?m)^({label}: +)[0-9.]+", rf"\g<1>{figure}", text)
    times = (output.percentiles_csv or "") + "".join(f"\n{percent},{time}" for percent, time in rows)
    outcome = ab_output.parse(text, output.stderr, output.exit_code, times)
    assert msgspec.json.decode(msgspec.json.encode(outcome), type=type(outcome)) == outcome
    if isinstance(outcome, AbFigures):
        together = merged([outcome_of(outcome, {1: 1}, is_timed=True)] * 64)
        assert msgspec.json.decode(msgspec.json.encode(together), type=type(together)) == together


@given(st.text(alphabet="0123456789 \t\n٣²-", max_size=200))
@example(f"  {'9' * 12} {'9' * 12}\n")
@example("1 " + "9" * 13)
def test_any_counts_are_within_the_limits_of_what_is_stored(text: str) -> None:
    found = ab_output.parse_milliseconds(text)
    assert all(0 <= number <= 10**12 for pair in found.items() for number in pair)
