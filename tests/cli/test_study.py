"""./ab-runner study, and sweeps that know their study."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.builders import NOON, arrivals, blocks, open_outcome, rejected, server, sweep, trial
from support.cli import Runner
from support.fakes import FakeRuntime, recorded
from support.serving import kept

from ab_runner import paths
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.studies import read_study
from ab_runner.cli.measuring import _show_end
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Beside, Load, Second, SecondLoad
from ab_runner.model.message import Skip, SkipKind, Verdict
from ab_runner.model.protocol import DEFAULT_STUDY, PROTOCOLS, SweepRequest, WarmUp
from ab_runner.model.records import EndRecord
from ab_runner.report.say.reproduce import command as said_again
from ab_runner.store.layout import SWEEP_FILE
from ab_runner.store.reader import Stored, read
from ab_runner.store.writer import Store
from ab_runner.sweep.measure import ReadySweep
from ab_runner.sweep.request import Place

OTHER = "other-2018"
OWN_STUDIES = paths.STUDIES


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All servers can run here, as processes, and there is a second study, which is the first one of 2018."""
    monkeypatch.setattr("ab_runner.sweep.ready.runtime_choice.docker_commands.why_unusable", lambda *on: "none here")
    monkeypatch.setattr("ab_runner.runtime.process.ProcessRuntime.unavailable", lambda self, server: None)
    studies = tmp_path / "studies"
    for id in (DEFAULT_STUDY, OTHER):
        shutil.copytree(paths.STUDIES / DEFAULT_STUDY, studies / id)
    file = studies / OTHER / "study.toml"
    text = file.read_text().replace('"2006"', '"2018-11"').replace("Cindy 3.0a4", "Another")
    text = (
        text.replace('protocol = "standard"', 'protocol = "2006"')
        .replace("[sweeps", "[settings]\njdk = 8\n\n[sweeps")
        .replace("@2006-newest", "tomcat*")
    )
    file.write_text(
        text.replace('author = "the author of Cindy"', 'author = "unverified"\nsource = "https://example.org/x"')
    )
    monkeypatch.setattr(paths, "STUDIES", studies)


def of_study(study: str, id: str = "made", jdk: int = 25) -> Stored:
    """A sweep of two servers, as today's are stored."""
    made = sweep(server("tomcat-5.5.15"), server("jetty-5.1.10"), id=id)
    request = replace(made.request, study=study, study_sweep="all", workloads=("small",), levels=(1,), jdk=jdk)
    records = [*blocks("tomcat-5.5.15", 8_000), *blocks("jetty-5.1.10", 6_000)]
    return Stored(replace(made, request=request), (*records, EndRecord(at=NOON, reason="finished")))


def test_studies_are_a_table_with_the_time_that_each_takes_here(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    code, stdout, stderr = cli("study")
    assert (code, stderr) == (0, "")
    headings, _, cindy, other = (re.split(" {2,}", line.strip()) for line in stdout.splitlines()[3:7])
    assert headings == ["study", "title", "author", "date", "sweep", "servers", "time here"]
    assert cindy[:6] == [DEFAULT_STUDY, "Cindy 3.0a4 efficiency test", "the author of Cindy", "2006", "all", "24"]
    assert re.fullmatch(r"about \d+ h( \d+ min)?", cindy[6])
    tomcats = str(len(load_catalog().named(["tomcat*"])))
    assert other == [OTHER, "Another efficiency test", "unverified", "2018-11", "all", tomcats, "not known"]
    assert f"{DEFAULT_STUDY}: echo and file servers on Java NIO frameworks" in stdout
    assert "(https://example.org/x)" in stdout


def test_the_table_says_what_cannot_run_here(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    nothing = Skip(SkipKind.OTHER, "a reason")
    monkeypatch.setattr("ab_runner.runtime.process.ProcessRuntime.unavailable", lambda self, server: nothing)
    code, stdout, _ = cli("study")
    assert (code, stdout.count("cannot run here")) == (0, 2)


def test_a_dry_run_says_what_the_study_asks_for(cli: Runner) -> None:
    code, stdout, _ = cli("study", DEFAULT_STUDY, "--dry-run")
    assert code == 0
    assert "servers (24): " in stdout
    assert "workloads: echo, small, small-keepalive, large\nconcurrency: 1, 10, 100, 500, 1,000\n" in stdout
    assert "protocol: standard, blocks: 6" in stdout
    assert "protocol: 2006, blocks: 1" in cli("study", OTHER, "--dry-run")[1]


def test_options_that_are_typed_have_precedence(cli: Runner) -> None:
    typed = ("--protocol", "quick", "--servers", "tomcat-5*", "--workloads", "small", "--blocks", "2", "--dry-run")
    code, stdout, _ = cli("study", DEFAULT_STUDY, *typed)
    assert code == 0
    assert "servers (2): tomcat-5.5.15, tomcat-5.5.15-defaults" in stdout
    assert "protocol: quick, blocks: 2" in stdout
    assert "workloads: small\n" in stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["cindy-2007"], "no study 'cindy-2007' (did you mean cindy-2006"),
        (["../studies"], "no study '../studies'"),
        ([DEFAULT_STUDY, "--protocol", "fast"], "'fast' is not one of"),
        ([DEFAULT_STUDY, "--study", OTHER], "No such option"),
        ([DEFAULT_STUDY, "al"], "study cindy-2006 has no sweep 'al' (did you mean all?)"),
        ([DEFAULT_STUDY, "all", OTHER], "Got unexpected extra argument"),
        (["--dry-run", DEFAULT_STUDY], "No such option"),
    ],
)
def test_what_is_wrong_is_one_line(cli: Runner, arguments: list[str], expected: str) -> None:
    assert expected in cli.complaint("study", *arguments)


def test_a_mistake_in_a_study_is_named_with_its_file(cli: Runner) -> None:
    file = paths.STUDIES / OTHER / "study.toml"
    file.write_text(file.read_text().replace("jdk = 8", "jdk = 9"))
    for arguments in (["study"], ["study", OTHER], ["conclusions"]):
        assert f"{file}: settings.jdk: 9 is none of 8, 17, 25" in cli.complaint(*arguments)


def test_a_study_is_measured_and_shown_beside_what_it_published(
    cli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[SweepRequest] = []
    made = of_study(OTHER)

    @contextmanager
    def begun(request: SweepRequest, place: Place, tell: object) -> Iterator[ReadySweep]:
        asked.append(request)
        store = Store(Path(kept(tmp_path / "made", made)))
        runtime = FakeRuntime(tmp_path, lambda *_: recorded("close"))
        yield ReadySweep(sweep=made.sweep, runs=(), runtime=runtime, fixtures=tmp_path, store=store)

    monkeypatch.setattr("ab_runner.sweep.begin.begin_sweep", begun)
    monkeypatch.setattr("ab_runner.cli.measuring.measure", lambda ready, show: ready.store.close())
    code, stdout, _ = cli("study", OTHER, "--runtime", "process")
    assert code == 0
    assert (asked[0].study, asked[0].study_sweep, asked[0].runtime) == (OTHER, "all", "process")
    assert "small: requests per second" in stdout
    assert "2018 and now: made" in stdout
    assert "2018: Another efficiency test, on one Xeon" in stdout
    assert "server of 2018" in stdout
    assert "Another efficiency test, 2018" in stdout
    assert stdout.index("2018 and now") < stdout.index("Another efficiency test, 2018\n")


# --- sweeps ------------------------------------------------------------------------------------------------------


def test_a_sweep_stores_its_study_and_an_older_one_is_of_the_default_one(tmp_path: Path) -> None:
    folder = Path(kept(tmp_path / "one", of_study(OTHER)))
    assert read(folder).sweep.request.study == OTHER
    stored = json.loads((folder / SWEEP_FILE).read_text())
    assert stored["asked"].pop("study") == OTHER
    (folder / SWEEP_FILE).write_text(json.dumps(stored))
    assert read(folder).sweep.request.study == DEFAULT_STUDY


def test_reports_of_a_sweep_are_beside_its_study(cli: Runner, tmp_path: Path) -> None:
    folder = kept(tmp_path / "one", of_study(OTHER))
    code, stdout, _ = cli("report", folder, "--then-and-now", "--format", "markdown")
    assert code == 0
    assert "| server of 2018 | c | 2018 |" in stdout
    assert "(studies/other-2018/README.md)" in stdout
    code, stdout, _ = cli("conclusions", folder, "--only", "verdicts", "--format", "markdown")
    assert (code, stdout.startswith("**Another efficiency test, 2018**\n")) == (0, True)
    assert "|  | 2018 | now | conclusion |" in stdout
    assert cli("report", folder, "--html")[0] == 0
    page = Path(folder, "report.html").read_text()
    for words in ("<h2>2018 and now</h2>", "Up to 2018", 'data-year="2018"', "tomcat-5.5.15 of 2018",
                  "./ab-runner study other-2018 all --protocol"):  # fmt: skip
        assert words in page
    assert cli("export", folder, "--out", str(tmp_path / "x.csv"))[0] == 0
    assert {row["study"] for row in csv.DictReader((tmp_path / "x.csv").open())} == {OTHER}


def test_without_sweeps_the_conclusions_of_every_study_are_shown(cli: Runner) -> None:
    code, stdout, _ = cli("conclusions", "--only", "verdicts", "--format", "markdown")
    assert code == 0
    titles = [line for line in stdout.splitlines() if line.startswith("**")]
    assert titles == ["**Cindy 3.0a4 efficiency test, 2006**", "**Another efficiency test, 2018**"]


def test_sweeps_of_different_studies_are_neither_judged_nor_sessions_of_one_result(cli: Runner, tmp_path: Path) -> None:
    one = kept(tmp_path / "one", of_study(DEFAULT_STUDY, "one"))
    other = kept(tmp_path / "other", of_study(OTHER, "other"))
    assert f"one is of {DEFAULT_STUDY}, other is of {OTHER}" in cli.complaint("conclusions", one, other)
    for command in (("report",), ("conclusions", "--sessions")):
        expected = f"{other} is no other session of {one}: study is {OTHER} and was {DEFAULT_STUDY}"
        assert expected in cli.complaint(*command, one, other)
    assert cli("compare", one, other)[0] == 0, "what was measured can be compared all the same"


def test_a_sweep_of_a_study_that_is_not_here_has_its_own_reports(cli: Runner, tmp_path: Path) -> None:
    folder = kept(tmp_path / "one", of_study("someones-2030"))
    for command in (("report", folder), ("report", folder, "--html"), ("report", folder, "--svg")):
        assert cli(*command)[0] == 0
    page = Path(folder, "report.html").read_text()
    assert "and now</h2>" not in page
    assert "Up to" not in page
    for arguments in (("report", folder, "--then-and-now"), ("conclusions", folder)):
        assert "no study 'someones-2030'; ./ab-runner study lists all" in cli.complaint(*arguments)


@pytest.mark.parametrize("study", ["", "../x", "A", "x" * 64, None, 3])
def test_a_study_that_is_no_id_makes_a_sweep_unreadable(cli: Runner, tmp_path: Path, study: object) -> None:
    folder = Path(kept(tmp_path / "one", of_study(OTHER)))
    stored = json.loads((folder / SWEEP_FILE).read_text())
    stored["asked"]["study"] = study
    (folder / SWEEP_FILE).write_text(json.dumps(stored))
    assert "asked.study" in cli.complaint("report", str(folder))


def test_a_sweep_with_nothing_of_its_study_is_measured_all_the_same(
    cli: Runner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = sweep(server("nginx-1.26"))
    made = replace(made, request=replace(made.request, study_sweep="all"))
    folder = kept(tmp_path / "one", Stored(made, tuple(blocks("nginx-1.26", 5_000))))
    _show_end(Path(folder))
    shown = capsys.readouterr()
    assert "nothing to compare with 2006: it needs a server of one of its families" in shown.err
    assert "nginx-1.26" in shown.out


def test_list_says_what_a_server_stands_for(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert "  stands for   resin-3.0.18 of 2006" in cli("list", "resin-3.0.9")[1]
    assert "stands for" not in cli("list", "nginx-1.26")[1]


# --- several sweeps ----------------------------------------------------------------------------------------------

SPRING = "spring-boot-2018"


def finished(folder: Path, id: str, name: str, reason: str = "finished", blocks: int = 6) -> None:
    """A sweep of the study as it was asked for, but for the number of blocks."""
    study, catalog = read_study(SPRING, {}), load_catalog(study=SPRING)
    asked, stored = study.about.sweeps[name], of_study(SPRING, id)
    protocol = replace(
        PROTOCOLS["standard"], trial=Load(seconds=int((asked.duration or "").removesuffix("s"))), blocks=blocks
    )
    request = replace(
        stored.sweep.request, study_sweep=name, servers=tuple(each.id for each in catalog.named(asked.servers)),
        workloads=asked.workloads, levels=asked.concurrency, protocol=protocol,
    )  # fmt: skip
    end = EndRecord(at=NOON, reason=reason)
    kept(folder / id, Stored(replace(stored.sweep, request=request, workloads=()), (end,)))


def test_the_sweep_that_is_due_is_the_one_of_which_there_are_fewest(
    cli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(OWN_STUDIES / SPRING, paths.STUDIES / SPRING, ignore=shutil.ignore_patterns("src", "target"))
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    (tmp_path / "results" / "sweeps").mkdir(parents=True)

    def due() -> str:
        code, stdout, _ = cli("study", SPRING, "--dry-run", "--runtime", "process")
        assert code == 0
        return next(line for line in stdout.splitlines() if line.startswith("study: "))

    assert due() == f"study: {SPRING}, its sweep published"
    finished(tmp_path / "results", "one", "published", reason="interrupted")
    assert due().endswith("published"), "it is not complete"
    finished(tmp_path / "results", "short", "published", blocks=1)
    assert due().endswith("published"), "it is shorter"
    finished(tmp_path / "results", "two", "published")
    assert due().endswith("today")
    finished(tmp_path / "results", "three", "today")
    finished(tmp_path / "results" / "sweeps", "two", "published")
    assert due().endswith("published"), "the published copy is the same sweep"
    assert cli("study", SPRING, "today", "--dry-run", "--runtime", "process")[1].count("its sweep today") == 1


def test_the_servers_of_a_study_are_in_the_list_with_it_alone(cli: Runner) -> None:
    shutil.copytree(OWN_STUDIES / SPRING, paths.STUDIES / SPRING, ignore=shutil.ignore_patterns("src", "target"))
    id = "spring-boot-1.5-jetty-9.4-logging"
    assert id in cli("list", "--study", SPRING)[1]
    assert "jetty-9.4.8 of 2018" in cli("list", "--study", SPRING, id)[1]
    assert id not in cli("list")[1]
    assert f"no server '{id}'" in cli.complaint("list", id)


# --- open loads --------------------------------------------------------------------------------------------------

FIBERS = "fibers-2014"


@pytest.fixture
def fibers() -> None:
    shutil.copytree(OWN_STUDIES / FIBERS, paths.STUDIES / FIBERS, ignore=shutil.ignore_patterns("src", "target"))


@pytest.mark.usefixtures("fibers")
def test_a_study_asks_for_an_open_load_exactly(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[SweepRequest] = []

    def measured(request: SweepRequest, place: Place) -> int:
        asked.append(request)
        return 0

    monkeypatch.setattr("ab_runner.cli.run.measured", measured)
    assert cli("study", FIBERS, "threads", "--runtime", "process")[0] == 0
    assert cli("study", FIBERS, "threads", "--runtime", "process", "--slo", "p99=10ms", "--rate", "5")[0] == 2
    (request,) = asked
    assert request.open == OpenLoad(axis="rate", is_exact=True, arrivals="constant", beside=SecondLoad("service-a", 10))
    assert (request.levels, request.workloads) == ((30, 40, 50, 70, 110), ("service-5s",))
    assert request.workloads_needed == ("service-5s", "service-50ms", "service-a")
    protocol = request.protocol
    assert (protocol.trial, protocol.blocks, protocol.idle_timeout) == (Load(seconds=50), 3, 10)
    assert protocol.warm_up == WarmUp(Load(seconds=20), connections=20, workload="service-50ms")
    assert said_again(request).startswith(f"./ab-runner study {FIBERS} threads --protocol standard --duration 50s ")
    assert "--warmup 20s" in said_again(request)


@pytest.mark.usefixtures("fibers")
def test_a_dry_run_of_an_open_load_says_how_long_it_takes(cli: Runner) -> None:
    code, stdout, _ = cli("study", FIBERS, "threads", "--dry-run", "--runtime", "process")
    assert code == 0
    assert "open load, rates: 30, 40, 50, 70, 110 requests/s\n" in stdout
    assert re.search(r"time: about 1 h \d+ min, without builds", stdout)


CONCURRENCY, TUNING = "jvm-concurrency-2016", "tomcat-tuning-2017"


def asks(cli: Runner, monkeypatch: pytest.MonkeyPatch, id: str, *words: str) -> SweepRequest:
    """What one of the repository's studies asks for with these words."""
    here = paths.STUDIES / id
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(OWN_STUDIES / id, here, ignore=shutil.ignore_patterns("src", "target"))
    asked: list[SweepRequest] = []

    def measured(request: SweepRequest, place: Place) -> int:
        asked.append(request)
        return 0

    monkeypatch.setattr("ab_runner.cli.run.measured", measured)
    code, _, stderr = cli("study", id, *words)
    assert (code, stderr) == (0, "")
    return asked[0]


@pytest.mark.parametrize(
    ("words", "levels", "seconds"),
    [
        ((), (1_000,), 20),
        (("--rate", "500"), (500,), 40),
        (("--rate=400",), (400,), 50),
        (("--requests", "3000"), (1_000,), 3),
        (("--rate", "2000", "--requests", "100"), (2_000,), 0.05),
        (("--duration", "5"), (1_000,), 5),
        (("--rate", "500,2000", "--duration", "5s"), (500, 2_000), 5),
        (("--protocol", "2006"), (1_000,), 20),
        (("--blocks", "6"), (1_000,), 20),
    ],
)
def test_a_number_of_requests_takes_its_time_at_the_rate_that_is_typed(
    cli: Runner, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], levels: tuple[int, ...], seconds: float
) -> None:
    request = asks(cli, monkeypatch, CONCURRENCY, "slow", *words)
    assert (request.levels, {*request.protocol.trials}) == (levels, {Load(seconds=seconds)})
    assert request.open == OpenLoad(axis="rate", is_exact=True, connections=4_000)
    _, id, *again = shlex.split(said_again(request))[1:]
    assert asks(cli, monkeypatch, id, *again) == request


@pytest.mark.parametrize(
    ("id", "words", "expected"),
    [
        (
            CONCURRENCY, ("slow", "--rate", "500,1000"),
            "sweep slow of jvm-concurrency-2016: 20,000 requests in each trial need one rate; give one --rate, or "
            "--duration in their place",
        ),
        (FIBERS, ("threads", "--requests", "100"), "100 requests in each trial need one rate; give one --rate"),
        (FIBERS, ("threads", "--requests", "100", "--duration", "5"), "--requests and --duration exclude each other"),
        *(
            (
                FIBERS, ("threads", *words),
                f"sweep threads of fibers-2014 has an open load at fixed rates, so {words[0]}{more} cannot follow; "
                "--rate in requests/s, --requests or --duration, --warmup, --blocks, --servers and --workloads can",
            )
            for words, more in (
                (("--slo", "p99=10ms"), ""),
                (("--concurrency", "5"), ""),
                (("--idle", "5"), ""),
                (("--rate", "50%"), " in per cent"),
            )
        ),
        (SPRING, ("published", "--rate", "100", "--slo", "p99=10ms"), "--rate and --slo exclude each other"),
        (SPRING, ("published", "--rate", "100", "--generator", "wrk"), "--generator wrk is for closed loads"),
        (SPRING, ("published", "--rate", "100", "--concurrency", "5"), "--concurrency excludes --rate"),
    ],
)  # fmt: skip
def test_what_an_open_load_cannot_have_is_one_line(cli: Runner, id: str, words: tuple[str, ...], expected: str) -> None:
    shutil.copytree(OWN_STUDIES / id, paths.STUDIES / id, ignore=shutil.ignore_patterns("src", "target"))
    assert expected in cli.complaint("study", id, *words)


def test_a_typed_option_takes_the_place_of_those_of_the_study_that_it_excludes(
    cli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = asks(cli, monkeypatch, SPRING, "published", "--concurrency", "10,20")
    assert (published.levels, published.generator, published.open) == ((10, 20), "wrk", None)
    rates = asks(cli, monkeypatch, SPRING, "published", "--rate", "100")
    assert (rates.levels, rates.open) == ((100,), OpenLoad(axis="rate", reference_at_all_levels=True))
    slo = asks(cli, monkeypatch, SPRING, "published", "--slo", "p99=10ms")
    assert (slo.levels, slo.axis, slo.protocol.trial) == ((10,), "slo", Load(seconds=40))
    assert asks(cli, monkeypatch, SPRING, "published", "--requests", "9000").protocol.trial == Load(requests=9_000)
    shared, pinned = (asks(cli, monkeypatch, TUNING, "shared", *words) for words in ((), ("--server-cpus", "1")))
    assert (shared.share_cpus, shared.server_cpus) == (True, None)
    assert (pinned.share_cpus, pinned.server_cpus) == (False, 1)


def of_fibers() -> Stored:
    """A sweep of one server, one of whose rates was too much."""
    made = sweep(server("jetty-9.2-threads-200", workloads=("service-5s",)), id="made")
    load = OpenLoad(axis="rate", is_exact=True, arrivals="constant", beside=SecondLoad("service-a", 10))
    request = replace(
        made.request, study=FIBERS, study_sweep="threads", workloads=("service-5s",), levels=(30, 40), open=load
    )
    trials = []
    for level, answers, verdict in ((30, 10, Verdict(True)), (40, 0, rejected("overloaded"))):
        seconds = tuple(Second(answers, 10 - answers, latency={20_000: answers} if answers else {}) for _ in range(12))
        times = {20_000: 12 * answers} if answers else {}
        beside = Beside(planned=120, answered=12 * answers, latency=times, per_second=seconds)
        outcome = open_outcome(
            level, beside=beside, latency={5_020_000: 5 * level}, arrivals=arrivals(level, mean_from_sending=5_018.0),
            per_second=tuple(Second(level, 0, latency={5_020_000: level}) for _ in range(12)),
        )  # fmt: skip
        trials.append(trial("jetty-9.2-threads-200", "service-5s", level, outcome=outcome, verdict=verdict))
    return Stored(replace(made, request=request), (*trials, EndRecord(at=NOON, reason="finished")))


@pytest.mark.usefixtures("fibers")
def test_an_open_load_is_shown_beside_its_study_with_its_conclusions_and_seconds(cli: Runner, tmp_path: Path) -> None:
    folder = kept(tmp_path / "one", of_fibers())
    code, stdout, _ = cli("report", folder, "--then-and-now", "--format", "markdown")
    assert code == 0
    assert "| jetty-threads-2000, 2014 | failed |" in stdout
    assert "service-5s at 30/s: all that was published, and the same of each run" in stdout
    code, stdout, _ = cli("conclusions", folder, "--format", "markdown")
    assert code == 0
    assert "jetty-threads-2000 keeps answering, as published" in stdout, "a chart has no share"
    assert "jetty-9.2-threads-200 answers 0 % of the requests beside the load" in stdout
    assert cli("report", folder, "--html")[0] == 0
    page = Path(folder, "report.html").read_text()
    for words in ("<h2>2014 and now</h2>", "course-beside", "beside it: longest latency in ms"):
        assert words in page
    for options in (("--only", "ranking"), ("--format", "csv")):
        expected = f"made: {FIBERS} has open loads, of which rates are not compared"
        assert expected in cli.complaint("report", folder, "--then-and-now", *options)


@pytest.mark.usefixtures("fibers")
def test_a_closed_load_is_not_compared_with_a_study_of_open_loads(cli: Runner, tmp_path: Path) -> None:
    folder = kept(tmp_path / "one", of_study(FIBERS))
    expected = "made has a closed load; the figures and conclusions of 2014 are of open loads at given rates"
    for arguments in (("report", folder, "--then-and-now"), ("conclusions", folder)):
        assert expected in cli.complaint(*arguments)
    assert cli("report", folder, "--html")[0] == 0
