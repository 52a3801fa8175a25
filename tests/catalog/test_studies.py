"""studies/*: what the repository has, and that a mistake in a study is named with its place in one line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.builders import server

from ab_runner import paths
from ab_runner.catalog.catalog import Catalog, load_catalog
from ab_runner.catalog.studies import Study, load_studies, load_study, read_study
from ab_runner.catalog.study_file import FILES, study_ids
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.errors import UserError
from ab_runner.model.protocol import DEFAULT_STUDY
from ab_runner.store.layout import PUBLISHED_SWEEPS, SWEEP_FILE
from ab_runner.store.reader import read_sweep

CATALOG = load_catalog(study=DEFAULT_STUDY)
STUDIES = load_studies()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a copy of the default study, in place of all."""
    made = shutil.copytree(paths.STUDIES / DEFAULT_STUDY, tmp_path / "studies" / DEFAULT_STUDY)
    monkeypatch.setattr(paths, "STUDIES", made.parent)
    return made


def test_the_default_study_is_there() -> None:
    (study,) = [each for each, _ in STUDIES if each.id == DEFAULT_STUDY]
    assert (study.year, study.name) == (2006, "Cindy 3.0a4 efficiency test, 2006")
    assert (paths.ROOT / study.readme).is_file()


@pytest.mark.parametrize(("study", "catalog"), STUDIES, ids=[study.id for study, _ in STUDIES])
def test_every_stand_in_serves_a_workload_that_was_published_of_its_server_and_is_run(
    study: Study, catalog: Catalog
) -> None:
    run = {each.id for sweep in study.about.sweeps.values() for each in catalog.named(sweep.servers)}
    published = {(figure.server, figure.workload) for figure in study.figures}
    for name, ids in study.about.stand_ins.items():
        for id in ids:
            assert any((name, workload) in published for workload in catalog.servers[id].workloads), id
            assert id in run


def test_every_published_sweep_that_says_what_its_servers_stand_for_agrees_with_the_study() -> None:
    study = read_study(DEFAULT_STUDY, {})
    found = list((paths.RESULTS / PUBLISHED_SWEEPS).glob(f"*/{SWEEP_FILE}"))
    assert len(found) >= 10
    for path in found:
        sweep = read_sweep(path.parent)
        assert sweep.request.study in study_ids()
        for each in sweep.servers if any(each.published for each in sweep.servers) else ():
            assert sweep.request.study == DEFAULT_STUDY
            assert study.stands_for(replace(each, published=None)) == each.published, (path, each.id)


def test_an_older_sweep_knows_itself_what_a_server_stands_for_whose_id_has_changed() -> None:
    study = read_study(DEFAULT_STUDY, {})
    assert study.stands_for(server("tomcat-5.5", published="tomcat-5.5.15")) == "tomcat-5.5.15"
    assert study.stands_for(server("tomcat-5.5")) is None
    assert study.stands_for(server("tomcat-5.5.15", published="jetty-5.1.10")) == "tomcat-5.5.15"


def test_a_stand_in_is_found_by_its_former_ids_too(folder: Path) -> None:
    servers = dict(CATALOG.servers)
    servers["tomcat-5.5.15"] = replace(servers["tomcat-5.5.15"], former_ids=("tomcat-5.5",))
    catalog = Catalog(CATALOG.root, servers, CATALOG.sets)
    expected = ("tomcat-5.5.15", "tomcat-5.5", "tomcat-5.5.15-defaults")
    assert load_study(DEFAULT_STUDY, catalog).stand_ins["tomcat-5.5.15"] == expected
    assert read_study(DEFAULT_STUDY, {}).stand_ins["tomcat-5.5.15"] == (expected[0], expected[2])
    path = folder / "study.toml"
    path.write_text(path.read_text().replace('["tomcat-5.5.15", ', '["tomcat-5.5", '))
    assert load_study(DEFAULT_STUDY, catalog).stand_ins["tomcat-5.5.15"] == expected


SWEEP = "[sweeps.all]\n"
LEVELS = "concurrency = [1, 10, 100, 500, 1000]\n"
STAND_IN = '"tomcat-5.5.15" = ["tomcat-5.5.15", '


@pytest.mark.parametrize(
    ("file", "right", "wrong", "complaint"),
    [
        ("study.toml", "format = 1", "format = 2", "format: must be 1, the one that this toolkit reads"),
        ("study.toml", "title =", "titel =", "object contains unknown field `titel`"),
        ("study.toml", "author =", "# ", "object missing required field `author`"),
        ("study.toml", 'date = "2006"', 'date = "in 2006"', "date: expected `str` matching regex"),
        ("study.toml", 'date = "2006"', 'source = "a paper"\ndate = "2006"', "source: expected `str` matching"),
        ("study.toml", 'generator = "ab', 'generator = "\\tab', "generator: expected `str` matching regex"),
        ("study.toml", '"standard"', '"fast"', "sweeps.all.protocol: 'fast' is none of '2006', 'standard', 'quick'"),
        ("study.toml", "[sweeps.all]", "[sweeps.All]", "sweeps: expected `str` matching regex"),
        ("study.toml", SWEEP, f'{SWEEP}runtime = "podman"\n', "sweeps.all.runtime: 'podman' is none of 'auto', 'd"),
        ("study.toml", SWEEP, f'{SWEEP}generator = "jmeter"\n', "sweeps.all.generator: 'jmeter' is none of 'ab', "),
        ("study.toml", SWEEP, f'{SWEEP}warmup = "0"\n', "sweeps.all.warmup: expected `str` matching regex"),
        ("study.toml", SWEEP, f"{SWEEP}speed = 100\n", "sweeps.all: object contains unknown field `speed`"),
        ("study.toml", SWEEP, f"{SWEEP}rate = [100]\n", "sweeps.all: must have either concurrency, of a closed load"),
        ("study.toml", LEVELS, "", "sweeps.all: must have either concurrency, of a closed load, or rate"),
        ("study.toml", SWEEP, f'{SWEEP}arrivals = "constant"\n', "sweeps.all.arrivals: only with rate, of an open"),
        ("study.toml", LEVELS, 'rate = [10]\ngenerator = "wrk"\n', "sweeps.all.generator: only with concurrency, of a"),
        ("study.toml", LEVELS, "rate = [10, 20]\nrequests = 9\n", "sweeps.all.requests: only with one rate, and"),
        ("study.toml", LEVELS, "rate = [200001]\n", "sweeps.all.rate[0]: expected `int` <= 200000"),
        (
            "study.toml", LEVELS, "rate = [10]\nconnections = 5\nopened_before = 6\n",
            "sweeps.all.opened_before: more than connections, 5",
        ),
        (
            "study.toml", LEVELS, "rate = [10]\nopened_before = 6\n",
            "sweeps.all.opened_before: only with connections, the most that the load may have",
        ),
        (
            "study.toml", LEVELS, "rate = [10]\nconnections = 6\nopened_before = 6\n",
            "sweeps.all.opened_before: only with keep_alive; echo has a new connection for each request",
        ),
        (
            "study.toml", LEVELS, 'rate = [10]\nbeside = { workload = "small", rate = 10 }\n',
            "sweeps.all.beside: the right answer of small must be a constant",
        ),
        (
            "study.toml", LEVELS, 'rate = [10]\nbeside = { workload = "tiny", rate = 10 }\n',
            "sweeps.all.beside: no workload 'tiny'",
        ),
        ("study.toml", SWEEP, f'{SWEEP}warmup_workload = "tiny"\n', "sweeps.all.warmup_workload: no workload 'tiny'"),
        ("study.toml", SWEEP, f"[settings]\njdk = 21\n{SWEEP}", "settings.jdk: 21 is none of 8, 17, 25"),
        ("study.toml", SWEEP, f'[settings]\nmemory = "6 GB"\n{SWEEP}', "settings.memory: expected `str` matching"),
        ("study.toml", SWEEP, f'[settings]\njvm_flags = ["-Xmx2g -Xms2g"]\n{SWEEP}', "settings.jvm_flags[0]: expected"),
        (
            "study.toml", SWEEP, f'[settings]\nenvironment = {{ PORT = "80" }}\n{SWEEP}',
            "settings.environment: PORT is set by the runner; remove it",
        ),
        (
            "study.toml", "summary =", "failures_at_most = 0.001\nsummary =",
            "failures_at_most: only trials by wrk may have failures, and sweeps.all.generator is another",
        ),
        ("study.toml", '"large"]', '"huge"]', "sweeps.all.workloads: no workload 'huge'; there are 'echo', 'small'"),
        ("study.toml", "1000]", "20001]", "sweeps.all.concurrency[4]: expected `int` <= 20000"),
        ("study.toml", "@2006-newest", "@2006", "sweeps.all.servers: no set '@2006'; there are @core, @2006-newest"),
        ("study.toml", "@2006-newest", "tomcat-5.5.16", "sweeps.all.servers: no server 'tomcat-5.5.16' (did you mean"),
        ("study.toml", STAND_IN, '"tomcat-5.5" = [', "stand_ins: no server 'tomcat-5.5' in published.csv (did"),
        (
            "study.toml", STAND_IN, STAND_IN.replace('["tomcat-5.5.15"', '["tomcat-5.5.16"'),
            "stand_ins.tomcat-5.5.15: no server 'tomcat-5.5.16' (did you mean tomcat-5.5.15",
        ),
        (
            "study.toml", STAND_IN, f'{STAND_IN}"tomcat-5.5.15", ',
            "stand_ins.tomcat-5.5.15: 'tomcat-5.5.15' is listed twice",
        ),
        (
            "study.toml", STAND_IN, f'{STAND_IN}"jetty-5.1.10", ',
            "stand_ins.jetty-5.1.10: 'jetty-5.1.10' is listed twice; a server stands for one published server",
        ),
        ("study.toml", '["lighttpd-1.4"]', "[]", "expected `array` of length >= 1"),
        ("published.csv", "workload,server", "server,workload", "line 1: the columns must be workload,server"),
        ("published.csv", "echo,cindy-2.4.4,1,3376", "echo,cindy-2.4.4,1,fast", "line 2: requests_per_second: "),
        ("published.csv", ",concurrency,", ",rate,", "rate: no sweep in study.toml has rate"),
        ("conclusions.toml", "format = 1", "format = 1\nyear = 2006", "object contains unknown field `year`"),
        (
            "conclusions.toml", 'second = ["jetty-5.1.10"]', 'second = ["jetty"]',
            "conclusions[4].claims[0].second: no server 'jetty' in published.csv",
        ),
        ("conclusions.toml", "at = [500]", "at = [501]", "conclusions[7].claims[2].at: no echo at 501 in published"),
        (
            "conclusions.toml", 'form = "faster"', 'form = "faster"\nof = "mean"',
            "of: 'mean' is told by open loads alone, and the figures in published.csv are of closed ones",
        ),
        (
            "conclusions.toml", 'form = "most-failed"', 'form = "keeps-answering"',
            "form: 'keeps-answering' is told by open loads alone, and the figures in published.csv are of closed ones",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_key_and_reason_in_one_line(
    folder: Path, file: str, right: str, wrong: str, complaint: str
) -> None:
    path = folder / file
    assert right in path.read_text()
    path.write_text(path.read_text().replace(right, wrong, 1))
    with pytest.raises(DocumentError) as caught:
        load_study(DEFAULT_STUDY, CATALOG)
    said = str(caught.value)
    assert said.startswith(f"{path}: ")
    assert complaint in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("id", "file", "right", "wrong", "complaint"),
    [
        (
            "cindy-2006", "study.toml", LEVELS, "rate = [10]\n",
            "published.csv: concurrency: no sweep in study.toml has concurrency",
        ),
        (
            "jvm-concurrency-2016", "conclusions.toml", 'of = "answered"\n', "",
            "conclusions.toml: conclusions[0].claims[0].of: 'rate' is told by closed loads alone, and the figures in "
            "published.csv are of open ones",
        ),
        (
            "fibers-2014", "study.toml", 'beside = { workload = "service-a", rate = 10 }\n', "",
            "conclusions.toml: conclusions[0].claims[0].form: 'keeps-answering' is told by a load beside the main one, "
            "and no sweep in study.toml has beside",
        ),
        (
            "fibers-2014", "workloads.toml", 'sleep=0"\nkeep_alive = true\n', 'sleep=0"\n',
            "study.toml: sweeps.threads.beside: service-a must have the keep_alive of service-5s, because open-load "
            "asks for both alike",
        ),
        (
            "fibers-2014", "workloads.toml", 'sleep=5000"\n', 'sleep=5000"\nheaders = ["X-Class: slow"]\n',
            "study.toml: sweeps.threads.beside: service-a must have the headers of service-5s, because open-load asks "
            "for both alike",
        ),
    ],
)  # fmt: skip
def test_what_the_loads_of_a_study_cannot_make_or_tell_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, id: str, file: str, right: str, wrong: str, complaint: str
) -> None:
    copied = tmp_path / "studies" / id
    copied.mkdir(parents=True)
    for each in (paths.STUDIES / id).glob("*.*"):
        shutil.copy(each, copied)
    path = copied / file
    assert right in path.read_text()
    path.write_text(path.read_text().replace(right, wrong))
    monkeypatch.setattr(paths, "STUDIES", copied.parent)
    with pytest.raises(DocumentError) as caught:
        read_study(id, {})
    assert str(caught.value) == f"{copied}/{complaint}"


@pytest.mark.parametrize("file", FILES)
def test_a_file_that_is_missing_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(DocumentError, match=f"{file}: there is no such file; a study has study.toml, published.csv, "):
        load_study(DEFAULT_STUDY, CATALOG)


def test_a_folder_whose_name_is_no_id_is_named(folder: Path) -> None:
    folder.rename(folder.with_name("Cindy 2006"))
    with pytest.raises(DocumentError, match=r"a study's folder is named in lower-case letters.* not 'Cindy 2006'"):
        load_studies()


def test_an_unknown_study_is_named_with_a_suggestion() -> None:
    with pytest.raises(UserError, match=r"no study 'cindy-2007' \(did you mean cindy-2006.*\?\); ./ab-runner study"):
        read_study("cindy-2007", {})
    with pytest.raises(UserError, match=r"no study '\.\./studies'"):
        read_study("../studies", {})


def test_without_any_study_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "STUDIES", tmp_path / "nowhere")
    with pytest.raises(DocumentError, match="no study in it; restore it with git"):
        load_studies()
