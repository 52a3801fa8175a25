"""Catalog, compose.yaml and images agree: adding a server is adding a folder."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from support import compose_yaml

from ab_runner.catalog.artifacts import artifacts_of
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.compose import TOOLS, render
from ab_runner.catalog.server_file import GENERATORS as SERVICES_OF_GENERATORS
from ab_runner.catalog.servers import SHARED, load
from ab_runner.load.generator_registry import GENERATORS
from ab_runner.model.server import DEFAULT_JDK, JDKS

ROOT = Path(__file__).parents[2]
SERVERS = load(ROOT / "servers")
NAMESPACE = "{http://maven.apache.org/POM/4.0.0}"


def test_compose_yaml_is_what_the_catalog_says() -> None:
    assert (ROOT / "compose.yaml").read_text() == render(SERVERS.values()), "run `make compose`"


def test_every_generator_has_a_dockerfile() -> None:
    assert set(SERVICES_OF_GENERATORS) == set(GENERATORS)


def test_every_folder_is_a_server_but_the_one_that_they_share() -> None:
    folders = {path.parent.name for path in (ROOT / "servers").glob("*/*") if path.name != "target"}
    assert folders == {*SERVERS, SHARED, ".mvn"}


def test_every_module_says_where_its_parent_is() -> None:
    root = ROOT / "servers" / "pom.xml"
    modules = [root.parent / str(each.text) / "pom.xml" for each in ElementTree.parse(root).iter(f"{NAMESPACE}module")]
    assert {pom for pom in root.parent.glob("**/pom.xml") if pom != root} == set(modules)
    for pom in modules:
        parent = ElementTree.parse(pom).findtext(f"{NAMESPACE}parent/{NAMESPACE}relativePath", default="../pom.xml")
        assert (pom.parent / parent).resolve() == root


@pytest.mark.parametrize(
    "folder", [ROOT / "servers", *ROOT.glob("studies/*/servers")], ids=lambda folder: folder.parent.name
)
def test_what_maven_fetches_for_a_server_has_a_checksum(folder: Path) -> None:
    lines = (folder / ".mvn/checksums.sha256").read_text().splitlines()
    assert all(re.fullmatch(r"[0-9a-f]{64}  (?!abrunner)\S+", line) for line in lines)
    assert (folder / ".mvn/maven.config").read_text() == (ROOT / "servers/.mvn/maven.config").read_text()
    known = {line.split()[1] for line in lines}
    for pom in folder.glob("**/pom.xml"):
        for dependency in ElementTree.parse(pom).iter(f"{NAMESPACE}dependency"):
            group, name, version, scope = (
                dependency.findtext(f"{NAMESPACE}{tag}", "") for tag in ("groupId", "artifactId", "version", "scope")
            )
            if re.match(r"\d", version) and scope != "system":
                place = f"{group.replace('.', '/')}/{name}/{version}/{name}-{version}"
                assert any(each.startswith(place) for each in known), f"{pom} has a new dependency: run make checksums"


def test_every_server_has_a_service_of_its_own_name_with_its_own_image_and_settings() -> None:
    services = compose_yaml.parse(render(SERVERS.values()))["services"]
    assert set(services) == {*SERVERS, *TOOLS}
    for id, server in SERVERS.items():
        service = services[id]
        tag = ":jdk${JDK:-25}" if server.kind == "jvm" else ""
        assert service["image"] == f"ab-runner/{server.program}{tag}"
        assert service["build"]["args"]["PROGRAM"] == server.program
        assert service.get("environment", {}) == server.environment
        assert (ROOT / service["build"]["dockerfile"]).is_file()


def test_what_no_registry_has_is_mounted_and_never_copied_into_an_image() -> None:
    services = compose_yaml.parse(render(SERVERS.values()))["services"]
    for id, server in SERVERS.items():
        mounted = {each["target"]: each for each in services[id].get("volumes", []) if each["type"] == "bind"}
        assert set(mounted) == {f"/server/lib/{artifact.file}" for artifact in server.artifacts}
        module = services[id]["build"]["args"].get("MODULE")
        assert module == (server.program if server.artifacts else None), "those without share one build"
        for artifact in server.artifacts:
            mount = mounted[f"/server/lib/{artifact.file}"]
            assert mount["source"].endswith(f"/ab-runner/artifacts/{artifact.file}")
            assert mount["read_only"]
            assert not mount["bind"]["create_host_path"], "Docker would make an empty folder of that name"
            pom = (ROOT / "servers" / server.program / "pom.xml").read_text()
            assert f"${{artifacts}}/{artifact.file}</systemPath>" in pom
            assert f"${{artifacts}}/{artifact.file}</exists>" in (ROOT / "servers/pom.xml").read_text()


def test_a_sweep_mounts_no_file_of_this_machine() -> None:
    services = compose_yaml.parse(render(SERVERS.values(), of_sweep=True))["services"]
    assert not [each for service in services.values() for each in service.get("volumes", []) if "bind" in str(each)]


def test_the_sha256_of_a_file_that_no_registry_has_stands_in_one_place() -> None:
    generated = (ROOT / "compose.yaml").read_text()
    poms = "".join(pom.read_text() for pom in (ROOT / "servers").glob("**/pom.xml"))
    descriptions = "".join(path.read_text() for path in (ROOT / "servers").glob("*/server.toml"))
    for artifact in artifacts_of(SERVERS.values()):
        assert descriptions.count(artifact.sha256) == 1
        assert artifact.sha256 not in poms + generated


def test_every_program_can_be_built_and_started() -> None:
    modules = {each.text for each in ElementTree.parse(ROOT / "servers/pom.xml").iter(f"{NAMESPACE}module")}
    for program in {server.program for server in SERVERS.values()}:
        if SERVERS[program].kind == "jvm":
            assert program in modules, f"servers/pom.xml lacks <module>{program}</module>"
        else:
            assert (ROOT / "servers" / program / "start").stat().st_mode & 0o111


def test_jvm_servers_have_an_image_for_each_jdk_and_the_others_one_for_all() -> None:
    services = compose_yaml.parse(render(SERVERS.values()))["services"]
    for id, server in SERVERS.items():
        assert ("JDK" in services[id]["build"]["args"]) == (server.kind == "jvm")
    text = (ROOT / "docker/jvm.Dockerfile").read_text()
    assert {int(number) for number in re.findall(r"^FROM debian:\S+ AS suite-(\d+)$", text, re.MULTILINE)} == set(JDKS)
    assert re.findall(r"^ARG JDK=(\d+)$", text, re.MULTILINE) == [str(DEFAULT_JDK)]


def test_a_server_that_is_compiled_for_a_newer_java_says_that_it_needs_it() -> None:
    for id, server in SERVERS.items():
        if server.kind == "jvm":
            pom = ElementTree.parse(ROOT / "servers" / server.program / "pom.xml")
            release = pom.findtext(f".//{NAMESPACE}maven.compiler.release", default="8")
            assert server.jdk_at_least >= int(release), id


def test_a_study_runs_servers_of_its_own_with_its_settings_from_its_own_folder() -> None:
    servers = load_catalog(study="spring-boot-2018").servers.values()
    services = compose_yaml.parse(render(servers, of_sweep=True))["services"]
    old, new = services["spring-boot-1.5-jetty-9.4-logging"], services["spring-boot-4-jetty-12.1"]
    assert old["image"] == "ab-runner/spring-boot-2018/spring-boot-1.5-jetty-9.4:jdk8"
    assert new["image"] == "ab-runner/spring-boot-2018/spring-boot-4-jetty-12.1:jdk25"
    assert old["build"]["args"] == {
        "PROGRAM": "spring-boot-1.5-jetty-9.4", "JDK": "8", "SERVERS": "studies/spring-boot-2018/servers",
    }  # fmt: skip
    assert (old["mem_limit"], old["memswap_limit"]) == (3 * 2**30, 3 * 2**30)
    assert old["environment"]["LOGGING"] == "published"
    assert old["environment"]["JVM_FLAGS"].split()[:2] == ["-Xms2g", "-Xmx2g"]
    assert services["ceiling"]["environment"]["CONSTANTS"] == "/api/test This is a test result."
    assert "JVM_FLAGS" not in services["ceiling"]["environment"]
