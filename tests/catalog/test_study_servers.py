"""The servers, workloads and settings that only a study has."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ab_runner import paths
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.catalog.workloads import workloads_with
from ab_runner.model.protocol import DEFAULT_STUDY
from ab_runner.model.server import REFERENCE

STUDY = "spring-boot-2018"
PLAIN, FULL = load_catalog(), load_catalog(study=STUDY)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a copy of the study, in place of all."""
    ignored = shutil.ignore_patterns("target", "src")
    made = shutil.copytree(paths.STUDIES / STUDY, tmp_path / "studies" / STUDY, ignore=ignored)
    monkeypatch.setattr(paths, "STUDIES", made.parent)
    return made


def test_servers_and_workloads_of_a_study_are_there_with_it_alone() -> None:
    own = {id: server for id, server in FULL.servers.items() if id not in PLAIN.servers}
    assert len(own) == 20
    assert {server.study for server in own.values()} == {STUDY}
    assert all(server.study is None for server in PLAIN.servers.values())
    assert set(workloads_with(STUDY)) - set(workloads_with(None)) == {"test"}
    assert set(load_catalog(study=DEFAULT_STUDY).servers) == set(PLAIN.servers)
    assert not any("test" in server.workloads for server in PLAIN.servers.values())


def test_a_study_sets_what_servers_run_with_and_one_servers_settings_have_precedence() -> None:
    old, new = FULL.servers["spring-boot-1.5-tomcat-8.0-apr-logging"], FULL.servers["spring-boot-4-tomcat-11"]
    assert (old.jdk, new.jdk) == (8, 25)
    assert old.jvm_flags == new.jvm_flags
    assert old.environment == {"PROTOCOL": "apr", "LOGGING": "published"}
    assert old.memory == 3 * 2**30
    assert PLAIN.servers["tomcat-11"].jvm_flags is None
    assert FULL.servers["tomcat-11"].jvm_flags == old.jvm_flags, "servers of the toolkit run as the study says too"


def test_the_last_pattern_that_matches_has_precedence_and_that_of_the_sweep_at_hand_most(folder: Path) -> None:
    path = folder / "study.toml"
    path.write_text(
        path.read_text().replace(
            "[stand_ins]",
            '"spring-boot-4-*" = { memory = "1g", environment = { A = "study", B = "study" } }\n'
            '"*-virtual" = { environment = { B = "pattern" } }\n'
            '[sweeps.today.settings_of]\n"spring-boot-4-jetty*" = { environment = { A = "sweep" } }\n[stand_ins]',
        )
    )
    id = "spring-boot-4-jetty-12.1-virtual"
    plain, today = load_catalog(study=STUDY), load_catalog(study=STUDY, sweep="today")
    assert plain.servers[id].environment.items() >= {"A": "study", "B": "pattern"}.items()
    assert today.servers[id].environment.items() >= {"A": "sweep", "B": "pattern"}.items()
    assert (today.servers[id].jdk, today.servers[id].memory) == (25, 2**30)
    assert load_catalog(study=STUDY, sweep="published").servers == plain.servers


def test_settings_of_jvms_are_for_jvms_alone() -> None:
    native = FULL.servers["lighttpd-1.4"]
    assert (native.jdk, native.jvm_flags, native.variables) == (None, None, native.environment)


def test_the_reference_serves_the_texts_of_a_study() -> None:
    reference = FULL.servers[REFERENCE]
    assert reference.workloads == (*PLAIN.servers[REFERENCE].workloads, "test")
    assert reference.environment["CONSTANTS"] == "/api/test This is a test result."
    assert "CONSTANTS" not in PLAIN.servers[REFERENCE].environment


def test_the_reference_has_such_a_text_at_its_path_without_the_query() -> None:
    reference = load_catalog(study="jvm-concurrency-2016").servers[REFERENCE]
    assert reference.workloads == (*PLAIN.servers[REFERENCE].workloads, "wait-none")
    assert reference.environment["CONSTANTS"] == "/wait Hello, World!"


@pytest.mark.parametrize(
    ("file", "right", "wrong", "complaint"),
    [
        ("study.toml", '"spring-boot-[34]*" =', '"spring-boot-5*" =', "settings_of: no server 'spring-boot-5*'"),
        ("study.toml", "{ jdk = 25 }", "{ jdk = 21 }", "settings_of.spring-boot-[34]*.jdk: 21 is none of 8, 17, 25"),
        (
            "study.toml", "[settings]", "[sweeps.today.settings_of]\nspring = { jdk = 8 }\n[settings]",
            "sweeps.today.settings_of: no server 'spring'",
        ),
        (
            "study.toml", "[settings]",
            '[sweeps.today.settings_of]\n"*" = { environment = { PORT = "1" } }\n[settings]',
            "sweeps.today.settings_of.*.environment: PORT is set by the runner; remove it",
        ),
        ("workloads.toml", "[workloads.test]", "[workloads.small]", "workloads.small: the toolkit has a workload of "),
        ("workloads.toml", "keep_alive = true", "", "workloads.test: host_only: only where connections are kept"),
        (
            "servers/spring-boot-4-tomcat-11/server.toml", 'kind = "jvm"', 'kind = "c"\nprogram = "x"',
            "kind: a server of a study has the kind jvm",
        ),
        (
            "servers/spring-boot-4-tomcat-11/server.toml", "format = 1", "format = 1\njdk = 8",
            "jdk: remove this key; [settings] in the study.toml of a study has such keys",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_key_and_reason(
    folder: Path, file: str, right: str, wrong: str, complaint: str
) -> None:
    path = folder / file
    assert right in path.read_text()
    path.write_text(path.read_text().replace(right, wrong, 1))
    with pytest.raises(DocumentError) as caught:
        load_catalog(study=STUDY)
    assert str(caught.value).startswith(f"{path}: {complaint}")


def test_an_id_that_the_toolkit_has_is_refused(folder: Path) -> None:
    (folder / "servers" / "spring-boot-4-tomcat-11").rename(folder / "servers" / "tomcat-11")
    shutil.rmtree(folder / "servers" / "spring-boot-4-tomcat-11-virtual")
    with pytest.raises(
        DocumentError, match=r"tomcat-11/server\.toml: the id tomcat-11 is taken by .*servers/tomcat-11"
    ):
        load_catalog(study=STUDY)
