"""Bad input: one clear line, exit code 2, and nothing started or written."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.builders import answer, failed_trial, outcome, server, sweep, trial
from support.cli import Runner
from support.evil_sweep import EVIL, HOSTILE_HEAD

from ab_runner import paths
from ab_runner.catalog.servers import load
from ab_runner.cli.measuring import has_result
from ab_runner.host import preflight, sweep_lock
from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.protocol import DEFAULT_STUDY
from ab_runner.model.server import Server
from ab_runner.model.sweep import Conditions
from ab_runner.model.trial import BEFORE, Trial
from ab_runner.store.reader import Stored
from ab_runner.store.writer import Store
from ab_runner.sweep.ready.availability import Availability

A_REASON = Skip(SkipKind.OTHER, "a reason")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--servers", "tomcat-5.5.16"], "no server 'tomcat-5.5.16' (did you mean tomcat-5.5.15"),
        (["--servers", "tomcat"], "no server 'tomcat' (did you mean 'tomcat*'?)"),
        (["--servers", "zzz"], "no server 'zzz'; ./ab-runner list shows all"),
        (["--servers", ","], "names no server"),
        (["--servers", "tomcat*,@cor"], "no set '@cor'; there are @core"),
        (["list", "@cor"], "no set '@cor'; there are @core"),
        (["--workloads", "smal"], "no workload 'smal' (did you mean small"),
        (["--workloads", "zzz"], "there are echo, small, small-keepalive, large"),
        (["--concurrency", "0"], "0 is too small"),
        (["--concurrency", "1,-5"], "-5 is too small"),
        (["--concurrency", "ten"], "'ten' is not a whole number"),
        (["--concurrency", ","], "names no concurrency"),
        (["--concurrency", "9" * 5000], "is not a whole number"),
        (["--concurrency", "1.5"], "'1.5' is not a whole number"),
        (["--concurrency", "20001"], "20001 is too large; the most is 20,000"),
        (["--requests", "50", "--concurrency", "100"], "50 requests are fewer than the concurrency 100"),
        (["--requests", "0"], "0 is not in the range"),
        (["--requests", "many"], "'many' is not a valid whole number"),
        (["--duration", "9" * 5000], "is not a number of whole seconds from 1 to 86,400"),
        (["--duration", "99999999"], "is not a number of whole seconds from 1 to 86,400"),
        (["--duration", "0.5"], "'0.5' is not a number of whole seconds"),
        (["--duration", "0"], "'0' is not a number of whole seconds"),
        (["--requests", "5000", "--duration", "5"], "exclude each other"),
        (["--warmup", "soon"], "'soon' is neither a number of requests"),
        (["--warmup", "5"], "it needs at least 10 requests"),
        (["--protocol", "2007"], "'2007' is not one of"),
        (["--runtime", "podman"], "'podman' is not one of"),
        (["--generator", "h2load"], "'h2load' is not one of 'ab', 'open-load', 'wrk'"),
        (
            ["--generator", "wrk", "--rate", "1000"],
            "--generator wrk is for closed loads: open-load makes those of --rate and --slo",
        ),
        (["--rate", "1000", "--slo", "p99=10ms"], "--rate and --slo exclude each other"),
        (
            ["--rate", "1000", "--concurrency", "10"],
            "--concurrency excludes --rate: an open load opens the connections",
        ),
        (["--slo", "p99=10ms", "--concurrency", "10"], "--concurrency excludes --slo: an open load opens the"),
        (["--idle", "10"], "--idle needs --rate: --rate 2000 --idle 15000"),
        (["--slo", "p99=10ms", "--idle", "10"], "--idle needs --rate"),
        (["--rate", "50%", "--idle", "10"], "--idle needs one --rate in requests per second"),
        (["--rate", "100,200", "--idle", "10"], "--idle needs one --rate in requests per second"),
        (["--rate", "100", "--idle", "0"], "names no idle connections"),
        (["--rate", "100", "--idle", "many"], "'many' is not a whole number; write it like 15000"),
        (["--rate", "100", "--idle", "50001"], "50001 is too large; the most is 50,000"),
        (["--rate", "100,50%"], "names rates and percentages; write it like 1000,2000 or 50%,90%"),
        (["--rate", ","], "names no rate; write it like"),
        (["--rate", "0"], "must be from 1 to 200,000 requests/s"),
        (["--rate", "50%,201%"], "must be from 1 to 200 %"),
        (["--rate", "fast"], "'fast' is neither a rate nor a percentage"),
        (["--slo", "p98=10ms"], "names no percentile of p50, p90, p99, p99.9"),
        (["--slo", "p99=10"], "'10' is not a whole number of milliseconds"),
        (["--slo", "p99="], "names no time; write it like p99=10ms"),
        (["--rate", "100", "--requests", "500"], "an open load takes a time, not a number of requests"),
        (["--rate", "100", "--protocol", "2006"], "an open load takes a time, not a number of requests"),
        (["--load", "open"], "No such option"),
        (["--generator", "wrk", "--requests", "5000"], "a load by wrk takes a time, not a number of requests"),
        (["--generator-processes", "0"], "0 is not in the range"),
        (["--server-cpus", "0"], "0 is not in the range"),
        (["--server-cpus", "-1"], "-1 is not in the range"),
        (["--server-cpus", "all"], "'all' is not a valid whole number"),
        (["--jdk", "21"], "'21' is not one of '8', '17', '25'"),
        (["--port", "70000"], "70000 is not in the range"),
        (["--runtime", "process", "--network", "bridge"], "--network bridge needs Docker"),
        (["--servers", "mina*", "--workloads", "small"], "none of these servers has a workload of small"),
        (["--concurency", "1"], "No such option"),
        (["sweep"], "No such command 'sweep'"),
        (["list", "jety*"], "no server 'jety*' (did you mean jetty-9.4"),
        (["list", "--format", "markdown", "--available"], "--available is not"),
        (["report", "a", "b", "--html"], "--html and --svg of several sweeps need --out"),
        (["report", "--workloads", ","], "names no workload"),
        (["report", "--concurrency", "ten"], "'ten' is not a whole number; write it like 10,100"),
        (["report", "--concurrency", ","], "names no level; write it like 10,100"),
        (["report", "--only", "ranks"], "'ranks' is not one of"),
        (["report", "--html", "--servers", "a"], "--html writes a page of the whole sweep"),
        (["report", "--svg", "--only", "tables"], "--only is for tables"),
        (["report", "--only", "fastest", "--servers", "a"], "--only fastest compares all servers at all levels"),
        (["report", "--then-and-now", "--servers", "a"], "--then-and-now ranks all servers"),
        (["report", "--then-and-now", "--only", "summary"], "it takes --only tables and --only ranking"),
        (["report", "--format", "csv", "--workloads", "small"], "--format csv has every trial"),
        (["conclusions", "--format", "csv", "--only", "verdicts"], "--only selects tables"),
        (["publish", "results/one", "A"], "a name is written in lower-case letters"),
        (["publish", "results/one"], "Missing argument 'NAME'"),
    ],
)
def test_bad_options_are_refused_in_one_line(cli: Runner, arguments: list[str], expected: str, tmp_path: Path) -> None:
    assert expected in cli.complaint(*arguments)
    assert not (tmp_path / "results").exists()


def test_a_concurrency_above_the_open_file_limit_is_refused(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ab_runner.runtime.process.ProcessRuntime.prepare_generator", lambda self: 100)
    complaint = cli.complaint("--runtime", "process", "--port", str(free_port()), "--concurrency", "1,90")
    assert "concurrency 90 needs 106 open files and ab may open 100" in complaint


def test_docker_is_not_replaced_by_processes_when_it_was_asked_for(
    cli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    complaint = cli.complaint("--runtime", "docker")
    assert "--runtime docker: no Docker engine answers" in complaint
    assert "docker/install-engine" in complaint


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def test_a_port_in_use_is_refused(cli: Runner, busy_port: int) -> None:
    complaint = cli.complaint("--runtime", "process", "--port", str(busy_port))
    assert f"port {busy_port}: address already in use; free it or choose another with --port" in complaint


def test_an_output_folder_that_cannot_be_made_is_refused(cli: Runner, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in cli.complaint("--out", str(tmp_path / "file" / "sweep"))
    assert "is not a folder" in cli.complaint("--out", str(tmp_path / "file"))
    assert "cannot be written" in cli.complaint("--out", "/proc/sweep")


def test_an_output_folder_with_something_in_it_is_refused_and_left_alone(cli: Runner, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "note").write_text("mine")
    assert "is not empty" in cli.complaint("--out", str(tmp_path / "taken"))
    assert (tmp_path / "taken" / "note").read_text() == "mine"


def test_a_malformed_server_toml_is_named_with_file_key_and_reason(
    cli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(paths.SERVERS / "tomcat-5.5.15", tmp_path / "servers" / "tomcat-5.5.15")
    path = tmp_path / "servers" / "tomcat-5.5.15" / "server.toml"
    path.write_text(path.read_text().replace("released = 2006", "released = 'in 2006'  # "))
    monkeypatch.setattr(paths, "SERVERS", tmp_path / "servers")
    for command in ([], ["list"]):
        assert f"{path}: released: invalid RFC3339 encoded date" in cli.complaint(*command)


def test_a_malformed_file_of_sets_is_named_with_its_place(
    cli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(paths.SERVERS / "tomcat-11", tmp_path / "servers" / "tomcat-11")
    path = tmp_path / "servers" / "sets.toml"
    path.write_text('format = 1\n[core]\nsummary = ""\nservers = ["tomcat-12"]\n')
    monkeypatch.setattr(paths, "SERVERS", tmp_path / "servers")
    for command in (["--servers", "@core"], ["list"]):
        assert f"{path}: core: servers[0]: no server 'tomcat-12'" in cli.complaint(*command)


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_a_folder_that_holds_no_sweep_is_refused(cli: Runner, folder: str, tmp_path: Path) -> None:
    assert "not the folder of a sweep" in cli.complaint("report", str(tmp_path / folder))


def test_without_any_sweep_the_report_says_how_to_make_one(cli: Runner, tmp_path: Path) -> None:
    assert "there is no sweep yet" in cli.complaint("report", str(tmp_path / "results" / "latest"))


@pytest.fixture
def kept_sweep(tmp_path: Path) -> Path:
    """A folder with a sweep of one server, tomcat-5.5.15, at concurrency 1."""
    folder = tmp_path / "sweep"
    tomcat = server("tomcat-5.5.15", published="tomcat-5.5.15")
    store = Store.make(folder, sweep(tomcat))
    store.append(trial("tomcat-5.5.15", "small", 1, outcome=outcome(requests_per_second=6588.0)))
    store.close()
    return folder


@pytest.mark.parametrize("form", ["terminal", "markdown", "csv"])
def test_then_and_now_is_shown_in_every_form(cli: Runner, kept_sweep: Path, form: str) -> None:
    code, stdout, stderr = cli("report", str(kept_sweep), "--then-and-now", "--format", form)
    assert (code, stderr) == (0, "")
    for figure in ("6588.0", "2.0") if form == "csv" else ("3,294", "6,588", "2.0"):
        assert figure in stdout


def test_a_sweep_with_nothing_of_2006_in_it_cannot_be_set_beside_it(cli: Runner, tmp_path: Path) -> None:
    Store.make(tmp_path / "sweep", sweep(server("nginx-1.26"))).close()
    complaint = cli.complaint("report", str(tmp_path / "sweep"), "--then-and-now")
    assert "nothing to compare with 2006: it needs a server of one of its families" in complaint


def test_a_damaged_table_of_2006_is_named_with_its_line(
    cli: Runner, kept_sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = copied_study(tmp_path, monkeypatch) / "published.csv"
    file.write_text(file.read_text().replace("echo,cindy-2.4.4,1,3376", "echo,cindy-2.4.4,1,fast"))
    complaint = cli.complaint("report", str(kept_sweep), "--then-and-now")
    assert f"{file}: line 2: requests_per_second: expected `float | null`" in complaint


def copied_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the default study, in place of all."""
    monkeypatch.setattr(paths, "STUDIES", shutil.copytree(paths.STUDIES, tmp_path / "studies"))
    return paths.STUDIES / DEFAULT_STUDY


@pytest.mark.parametrize("form", ["terminal", "markdown", "csv"])
def test_conclusions_are_judged_by_2006_alone_and_with_a_sweep(cli: Runner, kept_sweep: Path, form: str) -> None:
    code, alone, _ = cli("conclusions", "--format", form)
    assert code == 0
    assert "QuickServer" in alone
    code, both, _ = cli("conclusions", str(kept_sweep), "--format", form)
    assert code == 0
    assert "20261120-120000-quick" in both
    assert "20261120-120000-quick" not in alone


def test_conclusions_of_several_sweeps_stand_beside_each_other(cli: Runner, kept_sweep: Path) -> None:
    other = kept(kept_sweep.parent / "jdk8", {"tomcat-5.5.15": 9_000.0, "jetty-5.1.10": 8_000.0})
    code, stdout, _ = cli("conclusions", str(kept_sweep), str(other), "--format", "markdown")
    assert code == 0
    assert f"|  | 2006 | {kept_sweep.name} | jdk8 | conclusion |" in stdout
    assert f"- {kept_sweep.name}: 20261120-120000-quick\n- jdk8: jdk8\n" in stdout


def kept(folder: Path, rates: dict[str, float], blocks: int = 6, **changes: object) -> Path:
    """A sweep with these servers at small, concurrency 1; a rate of 0 is a timeout."""
    store = Store.make(folder, sweep(*map(server, rates), id=folder.name, **changes))
    for name, rate in rates.items():
        for block in range(1, blocks + 1):
            made = outcome(requests_per_second=rate * (1 + block / 1000))
            failed = failed_trial(name, "small", 1, "timeout", block=block)
            store.append(trial(name, "small", 1, block=block, outcome=made) if rate else failed)
    store.close()
    return folder


def test_what_can_be_told_to_be_slower_fails_a_build(cli: Runner, tmp_path: Path) -> None:
    before = kept(tmp_path / "before", {"tomcat-5.5.15": 10_000, "jetty-5.1.10": 10_000, "resin-3.0.9": 10_000})
    after = kept(tmp_path / "after", {"tomcat-5.5.15": 9_000, "jetty-5.1.10": 9_700, "resin-3.0.9": 0})
    code, stdout, stderr = cli("compare", str(before), str(after))
    assert (code, stderr) == (0, "")
    assert "slower" in stdout
    code, _, stderr = cli("compare", str(before), str(after), "--fail-if-slower", "5%")
    assert code == 1
    assert stderr.splitlines() == [
        "! after: slower by more than 5 %: tomcat-5.5.15 small c=1: 0.9 (0.898 to 0.902)",
        "! after: figure lost: resin-3.0.9 small c=1: timeout",
        "! after: slower by more than 5 %: all of tomcat: 0.9 (0.898 to 0.902)",
    ]
    assert cli("compare", str(before), str(before), "--fail-if-slower", "5%")[0] == 0


def test_sweeps_that_cannot_be_compared_are_refused_with_the_reason_and_compared_anyway(
    cli: Runner, tmp_path: Path
) -> None:
    before = kept(tmp_path / "before", {"tomcat-5.5.15": 10_000})
    after = kept(tmp_path / "after", {"tomcat-5.5.15": 10_000}, fixtures={"small.html": "11"}, server_cpus=(1, 2))
    reason = "server CPUs is 1, 2 and was 1; small.html is 11 and was 00"
    complaint = cli.complaint("compare", str(before), str(after))
    assert f"{after} cannot be compared with {before}: {reason} (--anyway compares them" in complaint
    code, stdout, _ = cli("compare", str(before), str(after), "--anyway")
    assert code == 0
    assert "! B is not comparable with A: small.html is 11 and was 00" in stdout


def test_a_comparison_is_a_page_too(cli: Runner, tmp_path: Path) -> None:
    before = kept(tmp_path / "before", {"tomcat-5.5.15": 10_000, "jetty-5.1.10": 10_000})
    after = kept(tmp_path / "after", {"tomcat-5.5.15": 9_000, "jetty-5.1.10": 10_000})
    page = tmp_path / "page.html"
    code, stdout, stderr = cli("compare", str(before), str(after), "--html", str(page), "--fail-if-slower", "5%")
    assert (code, stdout) == (1, f"{page}\n")
    assert "slower by more than 5 %: tomcat-5.5.15" in stderr
    text = page.read_text()
    assert text.startswith("<!doctype html>")
    assert (text.count("<svg"), "cannot be told" in text) == (1, True)
    nowhere = str(tmp_path / "none" / "page.html")
    assert "--html" in cli.complaint("compare", str(before), str(after), "--html", nowhere)
    assert "--html writes a page" in cli.complaint(
        "compare", str(before), str(after), "--html", str(page), "--format", "csv"
    )


def test_a_comparison_that_can_tell_nothing_is_refused(cli: Runner, tmp_path: Path) -> None:
    one = kept(tmp_path / "one", {"tomcat-5.5.15": 10_000}, blocks=1)
    other = kept(tmp_path / "other", {"jetty-5.1.10": 10_000})
    assert "have no cell with six starts in both" in cli.complaint(
        "compare", str(one), str(one), "--fail-if-slower", "5"
    )
    assert f"{other} has no cell that {one} has" in cli.complaint("compare", str(one), str(other))
    assert "compare needs 2 to 26 sweeps, and was given 1" in cli.complaint("compare", str(one))
    assert "'-5%' is not a percentage" in cli.complaint("compare", str(one), str(one), "--fail-if-slower=-5%")


@pytest.mark.parametrize("form", ["csv", "json"])
def test_sweeps_are_exported_into_one_file(cli: Runner, tmp_path: Path, form: str) -> None:
    sweeps = [str(kept(tmp_path / name, {"tomcat-5.5.15": 10_000}, blocks=1)) for name in ("one", "other")]
    out = tmp_path / "trials"
    assert cli("export", *sweeps, "--format", form, "--out", str(out)) == (0, "", "")
    content = out.read_bytes()
    assert b"tomcat-5.5.15" in content
    assert b"other" in content


def test_an_export_that_cannot_be_is_refused(cli: Runner, tmp_path: Path) -> None:
    one = str(kept(tmp_path / "one", {"tomcat-5.5.15": 10_000}))
    assert f"{one} and {one} are the same sweep, one" in cli.complaint("export", one, one, "--out", str(tmp_path / "x"))
    nowhere = tmp_path / "nowhere" / "x.csv"
    assert f"--out {nowhere}: cannot be written: no such file" in cli.complaint("export", one, "--out", str(nowhere))
    assert "is a directory" in cli.complaint("export", one, "--out", str(tmp_path))
    assert "Missing option '--out'" in cli.complaint("export", one)
    assert "there is no sweep yet" in cli.complaint("export", "--out", str(tmp_path / "x"))


def test_a_damaged_file_of_conclusions_is_named(cli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = copied_study(tmp_path, monkeypatch) / "conclusions.toml"
    file.write_text("format = 2\n")
    assert f"{file}: format: must be 1" in cli.complaint("conclusions")


def test_a_second_sweep_at_the_same_time_is_refused(cli: Runner) -> None:
    with sweep_lock.sweep_lock():
        assert "another sweep of yours is running (process " in cli.complaint("--runtime", "process")


def test_a_dry_run_says_what_a_sweep_would_be_and_writes_nothing(
    cli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ab_runner.runtime.process.ProcessRuntime.unavailable", lambda self, server: None)
    arguments = ("--dry-run", "--runtime", "process", "--servers", "@core", "--workloads", "echo", "--concurrency", "7")
    code, stdout, _ = cli(*arguments)
    assert code == 0
    assert "concurrency: 7" in stdout
    assert not (tmp_path / "results").exists()
    assert "is not empty" in cli.complaint(*arguments, "--out", str(paths.ROOT))


def test_a_folder_that_compose_could_not_name_and_a_sweep_beyond_all_limits_are_refused_first(
    cli: Runner, tmp_path: Path
) -> None:
    bad = f"{tmp_path}/{os.fsdecode(bytes([0xFF]))}"
    assert r"\udcff: its path is not UTF-8; give it another name" in cli.complaint("--dry-run", "--out", bad)
    levels = ",".join(map(str, range(1, 1001)))
    assert "a sweep has at most 500,000" in cli.complaint("--dry-run", "--blocks", "1000", "--concurrency", levels)


def test_a_dry_run_on_a_machine_that_can_run_nothing_is_refused_as_a_sweep_is(
    cli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ab_runner.runtime.process.ProcessRuntime.unavailable", lambda self, server: A_REASON)
    arguments = ("--dry-run", "--runtime", "process", "--servers", "lighttpd*")
    assert "none of these servers can run here" in cli.complaint(*arguments)


def test_help_teaches_the_options_and_the_commands(cli: Runner) -> None:
    code, stdout, _ = cli("--help")
    assert code == 0
    for word in ("--concurrency", "--protocol", "report", "doctor", "list", "results/latest"):
        assert word in stdout


def listed(stdout: str) -> list[str]:
    """The ids in a list of servers."""
    return [line.split()[0] for line in stdout.splitlines()[3:] if line.endswith((" yes", " no"))]


@pytest.mark.parametrize("columns", ["80", "160"])
def test_list_shows_every_server_in_a_line_of_its_own(
    cli: Runner, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("PATH", "")  # neither Docker nor ab: the same everywhere
    code, stdout, _ = cli("list")
    assert code == 0
    assert listed(stdout) == list(load(paths.SERVERS))
    assert max(map(len, stdout.partition("\n\n")[0].splitlines())) <= int(columns)
    assert ("echo, small, small-keepalive, large" in stdout) == (columns == "160")
    assert "not here: ceiling, " in stdout
    assert "@core  12 servers: " in stdout


def test_list_shows_those_servers_that_can_run_here_or_cannot(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Availability("processes", {"ceiling": A_REASON, "merecat-2.31": A_REASON})
    monkeypatch.setattr("ab_runner.sweep.ready.availability.what_can_run", lambda catalog, servers: here)
    code, stdout, _ = cli("list", "--unavailable")
    assert (code, listed(stdout)) == (0, ["ceiling", "merecat-2.31"])
    code, stdout, _ = cli("list", "--available")
    assert (code, set(listed(stdout))) == (0, set(load(paths.SERVERS)) - set(here.missing))
    assert cli("list", "ceiling", "--available") == (0, "", "none of these servers can run here\n")
    assert cli("list", "tomcat*", "--unavailable") == (0, "", "all of these servers can run here\n")


def test_list_shows_all_facts_about_the_servers_of_a_pattern(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    code, stdout, _ = cli("list", "tomcat-5*")
    assert (code, stdout.count("what it is")) == (0, 2)
    assert "released 2006-01-03" in stdout
    assert "no: ab is not installed" in stdout


def test_list_shows_each_server_of_a_set(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    code, stdout, _ = cli("list", "@core", "resin-4*")
    assert code == 0
    assert stdout.count("what it is") == 13


def test_a_list_is_a_markdown_table_of_what_is_the_same_everywhere(
    cli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ab_runner.sweep.ready.availability.what_can_run", None)
    code, stdout, stderr = cli("list", "--format", "markdown", "tomcat-5*")
    assert (code, stderr) == (0, "")
    assert stdout.splitlines()[:4] == [
        "**servers**", "", "| server | family | year | I/O model | workloads |", "| :-- | :-- | :-- | :-- | :-- |",
    ]  # fmt: skip
    rows = stdout.splitlines()[4:]
    assert [row.split(" | ")[1:3] for row in rows] == [["tomcat", "2006"]] * len(rows)
    assert rows[0].startswith("| tomcat-5.5.15 ")


@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_a_report_shows_the_servers_of_a_set(cli: Runner, kept_sweep: Path, form: str) -> None:
    code, stdout, stderr = cli("report", str(kept_sweep), "--servers", "@core", "--only", "tables", "--format", form)
    assert (code, stderr) == (0, "")
    assert "tomcat-5.5.15" in stdout
    assert "20261120-120000-quick" not in stdout
    assert "no server of the set" in cli.complaint(
        "report", str(kept(kept_sweep.parent / "x", {"a-1": 1.0})), "--servers", "@core"
    )


def test_the_verdicts_alone_are_a_row_for_each_conclusion(cli: Runner) -> None:
    code, stdout, _ = cli("conclusions", "--only", "verdicts", "--format", "markdown")
    assert code == 0
    assert stdout.startswith("**Cindy 3.0a4 efficiency test, 2006**\n")
    of_first, _, _ = stdout.partition("\n**")
    assert len([line for line in of_first.splitlines() if line.startswith("| ")]) == 10


def test_one_server_is_shown_with_its_caveats(cli: Runner) -> None:
    code, stdout, _ = cli("list", "cindy-2.4.4")
    assert code == 0
    assert "  caveats " in stdout


RENAMED = """
format = 1
summary = "Tomcat 12"
family = "tomcat"
version = "12.0.0"
released = 2026-11-22
io_model = "NIO reactor"
workloads = ["small"]
kind = "jvm"
former_ids = ["tomcat-11"]
caveats = ["It is new."]

[exceptions]
caching = "It reads the disk each time."
"""


@pytest.fixture
def one_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The catalog has one server beside the ceiling, which was renamed and has an exception."""
    folder = tmp_path / "servers"
    shutil.copytree(paths.SERVERS / "ceiling", folder / "ceiling")
    (folder / "tomcat-12").mkdir()
    (folder / "tomcat-12" / "server.toml").write_text(RENAMED)
    monkeypatch.setattr(paths, "SERVERS", folder)
    monkeypatch.setattr("ab_runner.runtime.process.ProcessRuntime.unavailable", lambda self, server: None)
    return load(folder)["tomcat-12"]


def test_a_former_id_is_understood_and_told_wherever_it_is_typed(cli: Runner, one_server: Server) -> None:
    note = "tomcat-11 is now tomcat-12"
    code, stdout, stderr = cli("list", "tomcat-11")
    assert (code, stderr) == (0, f"{note}\n")
    assert stdout.splitlines()[0] == "tomcat-12"
    assert "  formerly     tomcat-11" in stdout
    code, stdout, stderr = cli("--dry-run", "--runtime", "process", "--servers", "tomcat-11")
    assert code == 0
    assert note in stderr.splitlines()
    assert "tomcat-12" in stdout
    assert "the id tomcat-11 is taken: tomcat-12 had it before" in cli.complaint("new-server", "tomcat-11")
    assert not (paths.SERVERS / "tomcat-11").exists()


def test_a_server_of_ones_own_is_made_listed_and_planned(
    cli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    code, stdout, _ = cli("new-server", "my-server-1.0", "--in", str(mine))
    assert code == 0
    assert f"./ab-runner check my-server-1.0 --servers-from {mine}" in stdout
    file = mine / "my-server-1.0" / "server.toml"
    text = file.read_text().replace('kind = "image"', 'kind = "command"').replace("\nimage = ", "\n# ")
    file.write_text(text.replace("# command = [", "command = ["))
    monkeypatch.setenv("COLUMNS", "400")
    stdout = cli("list", "my*", "--servers-from", str(mine))[1]
    assert f"  from         {mine}/my-server-1.0, without an origin" in stdout
    assert "  command      ./server" in stdout
    (mine / "my-server-1.0" / "server").touch(mode=0o755)
    monkeypatch.setattr("ab_runner.runtime.process.why_unusable", lambda *rest: None)
    options = ("--servers-from", str(mine), "--runtime", "process", "--dry-run")
    assert "my-server-1.0" in cli("--servers", "my*", *options)[1]
    assert "no server 'my-server-1.0'" in cli.complaint("list", "my-server-1.0")
    assert "nowhere" in cli.complaint("list", "--servers-from", str(tmp_path / "nowhere"))


def test_a_sweep_of_a_server_that_was_renamed_is_not_resumed_as_the_same(
    cli: Runner, one_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    former = server("tomcat-11")
    Store.make(tmp_path / "old", sweep(former)).close()
    monkeypatch.setattr("ab_runner.sweep.reopen.prepare", lambda *rest: None)
    monkeypatch.setattr("ab_runner.sweep.reopen.sweep_here", lambda *rest: sweep())
    assert "tomcat-11 cannot run: it is tomcat-12 now" in cli.complaint("resume", str(tmp_path / "old"))


def test_exceptions_are_shown_before_caveats(cli: Runner, one_server: Server) -> None:
    stdout = cli("list", "tomcat-12")[1]
    assert "  exceptions   caching: It reads the disk each time." in stdout
    assert stdout.index("  exceptions ") < stdout.index("  caveats ")


def test_list_shows_the_head_of_the_newest_answer(cli: Runner, one_server: Server) -> None:
    assert "nswer head" not in cli("list", "tomcat-12")[1]
    store = Store.make(paths.RESULTS / "newest", sweep(one_server, id="newest"))
    store.append(answer(one_server.id, "HTTP/1.1 200 \r\n\r\n", "large"))
    store.append(answer(one_server.id, "HTTP/1.1 200 \r\nDate: today\r\n\r\n"))
    store.close()
    assert cli("list", "tomcat-12")[1].splitlines()[-4:] == [
        "  Answer head (small, 30 bytes; sweep newest):",
        "    HTTP/1.1 200",
        "    Date: today",
        "  Other heads: large 17 bytes",
    ]


def test_a_hostile_head_does_nothing_to_the_terminal(cli: Runner, one_server: Server) -> None:
    name = f"new\x1b]0;owned\x07{EVIL}"
    store = Store.make(paths.RESULTS / "newest", sweep(one_server, id=name))
    store.append(answer(one_server.id, HOSTILE_HEAD))
    store.close()
    code, stdout, stderr = cli("list", "tomcat-12")
    assert (code, stderr) == (0, "")
    assert all(letter == "\n" or letter.isprintable() for letter in stdout)
    assert r"\x1b" in stdout
    assert len(stdout) < 10_000


def test_all_durations_are_written_alike(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ab_runner.runtime.process.ProcessRuntime.unavailable", lambda self, server: None)
    arguments = ("--dry-run", "--runtime", "process", "--warmup", "10s")
    for duration, seconds in (("90", "90"), ("90s", "90"), ("2m", "120"), ("1h", "3600")):
        code, stdout, _ = cli(*arguments, "--duration", duration)
        assert code == 0
        assert f"each trial: {seconds} s" in stdout


def test_servers_that_a_sweep_would_skip_are_a_line_for_each_reason(
    cli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(self: object, server: Server) -> Skip | None:
        return None if server.family == "tomcat" else A_REASON

    monkeypatch.setattr("ab_runner.runtime.process.ProcessRuntime.unavailable", unavailable)
    code, stdout, _ = cli("--dry-run", "--runtime", "process", "--servers", "@core")
    assert code == 0
    assert len([line for line in stdout.splitlines() if "skipped" in line]) == 1
    assert "10 servers skipped: a reason (" in stdout


@pytest.mark.parametrize("arguments", [(), ("--all",)])
def test_a_report_has_the_rates_with_and_without_all(cli: Runner, kept_sweep: Path, arguments: tuple[str, ...]) -> None:
    code, stdout, stderr = cli("report", *arguments, str(kept_sweep))
    assert (code, stderr) == (0, "")
    assert "small: requests per second" in stdout
    assert "6,588" in stdout


def test_the_doctor_says_of_each_finding_whether_it_is_well(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = Conditions(governors=(), turbo=None, swap_used_bytes=0, busy_cores=0.0, stolen=0.0, cpu_quota=None)
    monkeypatch.setattr(preflight, "conditions_now", lambda: quiet)
    monkeypatch.setenv("PATH", "")
    code, stdout, stderr = cli("doctor")
    assert (code, stderr) == (0, "")
    assert {line[:5] for line in stdout.splitlines()} == {"ok   ", "fix  "}
    assert "fix  no Docker engine answers" in stdout
    assert "ok   the machine is idle" in stdout


def test_the_reference_alone_is_no_result_unless_nothing_else_was_asked_for() -> None:
    def has(*records: Trial, servers: Sequence[Server] = (server("a-1"),)) -> bool:
        return has_result(Stored(sweep(*servers), records))

    reference = trial("ceiling", "small", 1)
    assert has(reference, trial("a-1", "small", 1))
    assert not has(reference, trial("ceiling", "small", 1, block=BEFORE))
    assert not has(reference, servers=(server("a-1"), server("ceiling")))
    assert not has(failed_trial("a-1", "small", 1, "cold"))
    assert has(reference, servers=[server("ceiling")])
