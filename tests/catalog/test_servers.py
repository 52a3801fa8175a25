from __future__ import annotations

from pathlib import Path

import pytest

from ab_runner.catalog.servers import CatalogError, load, renamed_lines, select
from ab_runner.catalog.toml_files import DocumentError

JVM = """
format = 1
summary = "a server"
family = "tomcat"
version = "5.5.15"
released = 2006-01-05
io_model = "blocking thread pool"
workloads = ["small"]
kind = "jvm"
"""
NEEDS = '[needs]\ncommand = "thttpd"\npackages = ["thttpd"]\n'
ARTIFACT = f"""[[artifacts]]
file = "cindy.jar"
sha256 = "{"0" * 64}"
bytes = 5
licence = "Apache-2.0"
url = "https://example.org/cindy.jar"
"""
C = JVM.replace('"jvm"', '"c"')
GO = JVM.replace('"jvm"', '"go"')
DEBIAN = JVM.replace('"jvm"', '"debian"') + NEEDS


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        folder = root / name
        folder.mkdir()
        (folder / "server.toml").write_text(text)
    return root


def test_a_variant_runs_its_programs_build_and_needs_what_that_needs(tmp_path: Path) -> None:
    variant = DEBIAN.partition("[needs]")[0] + 'program = "b"\nenvironment = { MPM = "event" }\n'
    servers = load(write(tmp_path, a=variant, b=DEBIAN))
    assert servers["a"].program == "b"
    assert servers["a"].environment == {"MPM": "event"}
    assert servers["a"].needs == servers["b"].needs
    assert servers["b"].program == "b"


def test_a_variant_needs_the_artifacts_that_its_program_needs(tmp_path: Path) -> None:
    servers = load(write(tmp_path, a=JVM + 'program = "b"\n', b=JVM + ARTIFACT))
    assert [artifact.file for artifact in servers["a"].artifacts] == ["cindy.jar"]


def test_one_file_may_be_needed_by_two_servers_but_a_name_is_of_one_file(tmp_path: Path) -> None:
    servers = load(write(tmp_path, a=JVM + ARTIFACT, b=JVM + ARTIFACT))
    assert servers["a"].artifacts == servers["b"].artifacts
    write(tmp_path, c=JVM + ARTIFACT.replace("0" * 64, "1" * 64))
    with pytest.raises(DocumentError, match=r"c/server\.toml: artifacts: another server has a cindy\.jar with another"):
        load(tmp_path)


@pytest.mark.parametrize(("text", "kind"), [(C, "c"), (GO, "go")])
def test_a_server_that_is_compiled_here_needs_no_package_and_may_have_variants(
    tmp_path: Path, text: str, kind: str
) -> None:
    servers = load(write(tmp_path, a=text + 'program = "b"\n', b=text))
    assert [(server.program, server.kind, server.needs) for server in servers.values()] == [("b", kind, None)] * 2


def test_a_runtime_that_it_cannot_run_in_is_of_the_server_that_names_it(tmp_path: Path) -> None:
    variant = JVM + 'program = "b"\n[unavailable]\ndocker = "it is forbidden there"\n'
    servers = load(write(tmp_path, a=variant, b=JVM))
    assert servers["a"].unavailable == {"docker": "it is forbidden there"}
    assert servers["b"].unavailable == {}


def test_each_server_says_itself_which_java_it_needs(tmp_path: Path) -> None:
    variant = JVM + 'program = "b"\njdk_at_least = 21\n'
    servers = load(write(tmp_path, a=variant, b=JVM + "jdk_at_least = 17\n", c=JVM))
    assert {server.id: server.jdk_at_least for server in servers.values()} == {"a": 21, "b": 17, "c": 8}


def test_servers_come_by_family_and_then_by_date(tmp_path: Path) -> None:
    newer = JVM.replace("2006-01-05", "2024-01-05")
    other = JVM.replace('"tomcat"', '"jetty"')
    assert list(load(write(tmp_path, a=newer, b=JVM, c=other))) == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (JVM.replace("format = 1", "format = 2"), r"format: must be 1"),
        (JVM.replace("format = 1", ""), r"format: must be 1"),
        (JVM + 'id = "b"\n', r"id: remove this key; the folder's name is the id"),
        (JVM + ARTIFACT.replace("00", "0"), r"artifacts\[0\]\.sha256: expected `str` matching"),
        (JVM + ARTIFACT.replace("cindy.jar", "../cindy.jar"), r"artifacts\[0\]\.file: expected `str` matching"),
        (JVM + ARTIFACT.replace("https:", "file:"), r"artifacts\[0\]\.url: expected `str` matching"),
        (JVM + ARTIFACT.replace("bytes = 5", ""), r"artifacts\[0\]: .*missing required field `bytes`"),
        (JVM + '[untestable]\nsmall = "no"\n', r"untestable: 'small' is among the workloads too"),
        (JVM + '[untestable]\nsmal = "no"\n', r"untestable: no workload 'smal'; there are 'echo', 'small'"),
        (JVM + '[unavailable]\nswarm = "no"\n', r"unavailable: no runtime 'swarm'; there are 'docker', 'process'"),
        (JVM + "[unavailable]\ndocker = true\n", r"unavailable\[...\]: expected `str`, got `bool`"),
        (C + ARTIFACT, r"artifacts: only jvm servers may have this key"),
        (JVM + 'colour = "red"\n', r"contains unknown field `colour`"),
        (JVM.replace('family = "tomcat"\n', ""), r"missing required field `family`"),
        (JVM.replace("2006-01-05", '"soon"'), r"released: "),
        (
            JVM.replace('["small"]', '["small", "tiny"]'),
            r"workloads\[1\]: no workload 'tiny'; there are 'echo', 'small', 'small-keepalive', 'large'",
        ),
        (JVM.replace('["small"]', "[]"), r"workloads: empty"),
        (
            JVM.replace('"blocking thread pool"', '"magic"'),
            r"io_model: invalid enum value 'magic'; there are 'blocking thread pool', 'NIO reactor'",
        ),
        (JVM + "environment = { BACKLOG = 3 }\n", r"environment\[...\]: expected `str`, got `int`"),
        (JVM + 'lacks = ["speed"]\n', r"lacks\[0\]: invalid enum value 'speed'"),
        (JVM + "revision = 0\n", r"revision: expected `int` >= 1"),
        (JVM + "revision = true\n", r"revision: expected `int`, got `bool`"),
        (
            JVM + 'exceptions = { speed = "it is slow" }\n',
            r"exceptions: no rule 'speed'; there are 'echo', 'caching', ",
        ),
        (JVM + "exceptions = { echo = 1 }\n", r"exceptions\[...\]: expected `str`, got `int`"),
        (JVM + 'former_ids = ["b", "B"]\n', r"former_ids: an id is written in lower-case letters and .*, not 'B'"),
        (JVM + 'former_ids = ["a"]\n', r"former_ids: 'a' is the id of a server"),
        (JVM + 'former_ids = ["b", "b"]\n', r"former_ids: 'b' is a former id of 'a'"),
        (JVM.replace('"jvm"', '"debian"'), r"needs: "),
        (JVM + NEEDS, r"needs: "),
        (C + NEEDS, r"needs: "),
        (C + "jdk_at_least = 17\n", r"jdk_at_least: only jvm servers"),
        (JVM + 'jdk_at_least = "17"\n', r"jdk_at_least: expected `int`, got `str`"),
        (JVM + 'program = "b"\n', r"program: there is no server 'b'"),
        ("format = ", r"not TOML"),
    ],
)
def test_a_mistake_in_server_toml_is_named_with_its_file_and_key(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(DocumentError, match=complaint) as caught:
        load(write(tmp_path, a=text))
    assert str(tmp_path / "a" / "server.toml") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_pattern_that_matches_nothing_names_what_was_probably_meant(tmp_path: Path) -> None:
    servers = load(write(tmp_path, **{"jetty-5.1.10": JVM, "mina-0.9.2": JVM}))
    with pytest.raises(CatalogError, match=r"no server 'jety-5.1.10' \(did you mean jetty-5.1.10\?\)"):
        select(servers, ["mina*", "jety-5.1.10"])


def test_patterns_select_each_server_once_in_the_catalogs_order(tmp_path: Path) -> None:
    servers = load(write(tmp_path, **{"b": JVM, "a": JVM, "c": JVM}))
    assert [server.id for server in select(servers, ["c", "[ab]", "b"])] == ["a", "b", "c"]


FORMER = 'former_ids = ["old-1"]\n'


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        ({"b": JVM + FORMER}, r"b/server\.toml: former_ids: 'old-1' is a former id of 'a'"),
        ({"old-1": JVM}, r"a/server\.toml: former_ids: 'old-1' is the id of a server"),
    ],
)
def test_a_former_id_leads_to_one_server(tmp_path: Path, other: dict[str, str], complaint: str) -> None:
    with pytest.raises(DocumentError, match=complaint):
        load(write(tmp_path, a=JVM + FORMER, **other))


def test_a_former_id_selects_the_server_of_today_and_whoever_wrote_it_is_told(tmp_path: Path) -> None:
    servers = load(write(tmp_path, **{"new-2": JVM + FORMER, "other-1": JVM}))
    assert [server.id for server in select(servers, ["old-1", "new-2"])] == ["new-2"]
    assert list(renamed_lines(servers, ["old-1", "new-2", "other*"])) == ["old-1 is now new-2"]
    with pytest.raises(CatalogError, match=r"no server 'old-\*'"):
        select(servers, ["old-*"])
