from __future__ import annotations

from pathlib import Path

import pytest
from support.builders import server

from ab_runner.catalog.servers import CatalogError, load, select
from ab_runner.catalog.sets import ServerSet, expand, load_sets
from ab_runner.catalog.studies import read_study
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.history.then_and_now import match_of
from ab_runner.model.protocol import DEFAULT_STUDY

SERVERS = Path(__file__).parents[2] / "servers"
STUDY = read_study(DEFAULT_STUDY, {})
KNOWN = {id: server(id) for id in ("jetty-5.1.10", "tomcat-11", "tomcat-5.5.15")}
SET = '[old]\nsummary = "of 2006"\nservers = ["tomcat-5.5.15", "jetty-5.1.10"]\n'
SETS = {"old": ServerSet("of 2006", ("tomcat-5.5.15", "jetty-5.1.10"))}


def write(folder: Path, text: str) -> Path:
    (folder / "sets.toml").write_text(text)
    return folder


def test_the_core_set_is_twelve_servers_of_2006_and_of_today_with_every_workload_among_them() -> None:
    catalog = load(SERVERS)
    core = [catalog[id] for id in load_sets(SERVERS, catalog)["core"].servers]
    assert len(core) == 12
    assert {each for server in core for each in server.workloads} == {"echo", "small", "small-keepalive", "large"}
    assert {"jvm", "debian"} == {server.kind for server in core}
    assert all(STUDY.stands_for(server) for server in core[:8])


def test_the_set_of_the_published_result_has_the_servers_of_2006_and_the_newest_of_their_families() -> None:
    catalog = load(SERVERS)
    members = [catalog[id] for id in load_sets(SERVERS, catalog)["2006-newest"].servers]
    assert len(members) == 24
    stand_ins = {id for ids in STUDY.stand_ins.values() for id in ids}
    assert stand_ins <= {server.id for server in members}
    for published in STUDY.stand_ins:
        newest = match_of(published, catalog.values(), STUDY).newest
        assert newest is None or newest in members


def test_a_folder_without_the_file_has_no_sets(tmp_path: Path) -> None:
    assert load_sets(tmp_path, KNOWN) == {}


def test_sets_are_read_by_name(tmp_path: Path) -> None:
    assert load_sets(write(tmp_path, f"format = 1\n{SET}"), KNOWN) == SETS


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (SET, "format: must be 1"),
        (f"format = 1\n{SET}{SET}", "not TOML: "),
        (f"format = 1\nold = 3\n{SET.replace('old', 'new')}", "old: expected `object`, got `int`"),
        (f"format = 1\n{SET.replace('old', 'Old')}", "Old: a set is named in lower-case letters"),
        (f"format = 1\n{SET}colour = 1\n", "old: object contains unknown field `colour`"),
        (f"format = 1\n{SET.replace('summary', '# ')}", "old: object missing required field `summary`"),
        (f"format = 1\n{SET.partition('servers')[0]}servers = []", "old: servers: empty"),
        (f"format = 1\n{SET.replace('jetty-5.1.10', 'jetty-5.1')}", "old: servers[1]: no server 'jetty-5.1' (did you"),
        (f"format = 1\n{SET.replace('jetty-5.1.10', 'tomcat-5.5.15')}", "old: servers[1]: 'tomcat-5.5.15' is listed"),
        ("format = 1\n" + SET.replace('"jetty-5.1.10"', "3"), "old: servers[1]: expected `str`, got `int`"),
    ],
)
def test_a_mistake_is_named_with_file_and_place_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(DocumentError) as caught:
        load_sets(write(tmp_path, text), KNOWN)
    assert str(caught.value).startswith(f"{tmp_path / 'sets.toml'}: {complaint}")
    assert "\n" not in str(caught.value)


def test_a_former_id_in_a_set_is_the_server_of_today(tmp_path: Path) -> None:
    known = KNOWN | {"jetty-5.1.10": server("jetty-5.1.10", former_ids=("jetty-5.1.9",))}
    text = f"format = 1\n{SET.replace('jetty-5.1.10', 'jetty-5.1.9')}"
    assert load_sets(write(tmp_path, text), known) == SETS
    (tmp_path / "sets.toml").write_text(text.replace("tomcat-5.5.15", "jetty-5.1.10"))
    with pytest.raises(DocumentError, match=r"servers\[1\]: 'jetty-5.1.10' is listed twice"):
        load_sets(tmp_path, known)


def test_a_set_stands_for_its_servers_beside_patterns() -> None:
    assert expand(["@old", "tomcat*"], SETS) == ["tomcat-5.5.15", "jetty-5.1.10", "tomcat*"]


def test_every_server_of_a_set_and_a_pattern_is_there_once() -> None:
    catalog = load(SERVERS)
    chosen = select(catalog, expand(["@core", "resin-4*", "tomcat-11"], load_sets(SERVERS, catalog)))
    assert len(chosen) == 13


@pytest.mark.parametrize(("sets", "known"), [(SETS, "@old"), ({}, "none")])
def test_an_unknown_set_is_a_mistake_that_names_the_sets_there_are(sets: dict[str, ServerSet], known: str) -> None:
    with pytest.raises(CatalogError, match=f"no set '@odl'; there are {known}"):
        expand(["@odl"], sets)
