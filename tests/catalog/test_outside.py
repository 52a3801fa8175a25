"""Servers from outside the repository: whose ids are free, and what their server.toml may say."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import compose_yaml

from ab_runner import paths
from ab_runner.catalog import compose
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.new_server import make_outside
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.errors import UserError

IMAGE = """format = 1
summary = "a server of my own"
family = "my"
version = "1"
released = 2026-01-05
io_model = "event loop"
workloads = ["small"]
kind = "image"
image = "my:1"
"""
COMMAND = IMAGE.replace('"image"\nimage = "my:1"', '"command"\ncommand = ["./server", "--fast"]')


def write(root: Path, text: str = IMAGE, id: str = "my-1") -> Path:
    (root / id).mkdir(parents=True)
    (root / id / "server.toml").write_text(text)
    return root


def test_they_come_after_those_of_the_repository_and_compose_yaml_does_not_have_them(tmp_path: Path) -> None:
    catalog = load_catalog([write(tmp_path / "a"), write(tmp_path / "b", COMMAND, "my-2")])
    assert list(catalog.servers)[-2:] == ["my-1", "my-2"]
    assert catalog.outside == {"my-1": tmp_path / "a" / "my-1", "my-2": tmp_path / "b" / "my-2"}
    assert [server.id for server in catalog.named(["my*", "ceiling"])] == ["ceiling", "my-1", "my-2"]
    assert catalog.servers["my-2"].command == ("./server", "--fast")
    assert list(load_catalog().servers) == list(catalog.servers)[:-2]


def test_a_folder_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    assert set(load_catalog([write(tmp_path), tmp_path / "my-1" / ".."]).outside) == {"my-1"}


@pytest.mark.parametrize(
    ("id", "text", "complaint"),
    [
        ("ceiling", IMAGE, "the id ceiling is taken by {servers}/ceiling"),
        ("nginx-1.22", IMAGE, "the id nginx-1.22 is taken by {servers}/nginx-1.26"),
        ("my-2", IMAGE + 'former_ids = ["tomcat-11"]\n', "the id tomcat-11 is taken by {servers}/tomcat-11"),
        ("my-2", IMAGE + 'former_ids = ["my-1"]\n', "the id my-1 is taken by {outside}/first/my-1"),
        ("my-1", IMAGE, "the id my-1 is taken by {outside}/first/my-1"),
    ],
)
def test_an_id_that_another_server_has_or_had_is_refused(
    tmp_path: Path, id: str, text: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DocumentError) as caught:
        load_catalog([write(tmp_path / "first"), write(tmp_path / "second", text, id)])
    expected = complaint.format(servers=paths.SERVERS, outside=tmp_path)
    assert str(caught.value) == f"{tmp_path / 'second' / id / 'server.toml'}: {expected}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            IMAGE.replace('kind = "image"', 'kind = "c"'),
            "kind: a server from outside the repository has one of the kinds image, command",
        ),
        (IMAGE.replace('image = "my:1"', ""), "image: missing or empty; a server of this kind must have it"),
        (COMMAND.replace('"./server", "--fast"', ""), "command: missing or empty"),
        (COMMAND + 'image = "my:1"\n', "image: only image servers may have this key"),
        (IMAGE + 'program = "ceiling"\n', "program: only jvm, debian, c, go servers may have this key"),
        (IMAGE + '[unavailable]\ndocker = "no"\n', "unavailable: only jvm, debian, c, go servers may have this key"),
        (IMAGE + 'published = "tomcat-5.5.15"\n', "published: remove this key; [stand_ins] in the study.toml"),
        (IMAGE + 'origin = "file:///etc/passwd"\n', "origin: expected `str` matching"),
        (IMAGE.replace("my:1", "-v/:/host"), "image: expected `str` matching"),
        (IMAGE.replace("my:1", "a\\n    privileged: true"), "image: expected `str` matching"),
        (IMAGE.replace("my:1", "${HOME}"), "image: expected `str` matching"),
        (IMAGE + '[environment]\nPORT = "9999"\n', "environment: PORT is set by the runner; remove it"),
        (COMMAND.replace("--fast", "\\u0000"), "command[1]: expected `str` matching"),
    ],
)
def test_what_it_must_not_say_is_named_with_its_file_and_key(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(DocumentError) as caught:
        load_catalog([write(tmp_path, text)])
    assert str(caught.value).startswith(f"{tmp_path / 'my-1' / 'server.toml'}: {complaint}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [IMAGE, COMMAND])
def test_in_the_repository_a_server_is_built_here(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "SERVERS", write(tmp_path, text))
    with pytest.raises(DocumentError, match="kind: a server of the repository has one of the kinds jvm, debian, c"):
        load_catalog()


def test_the_folder_of_one_server_is_no_folder_of_servers(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=f"my-1 is the folder of one server; .* {tmp_path}$"):
        load_catalog([write(tmp_path) / "my-1"])
    (tmp_path / "none").mkdir()
    with pytest.raises(DocumentError, match=r"none: no \*/server\.toml in it"):
        load_catalog([tmp_path / "none"])


def test_a_new_one_can_be_read_as_it_is_made(tmp_path: Path) -> None:
    folder = make_outside("my-server-1.0", tmp_path / "mine")
    made = load_catalog([tmp_path / "mine"]).servers["my-server-1.0"]
    assert (folder, made.kind, made.image) == (tmp_path / "mine" / "my-server-1.0", "image", "my-server:1.0")


@pytest.mark.parametrize("id", ["tomcat-11", "nginx-1.22", "ab", "my-1"])
def test_a_new_one_has_no_id_that_is_taken(tmp_path: Path, id: str) -> None:
    write(tmp_path)
    with pytest.raises(UserError, match=f"the id {id} is taken: "):
        make_outside(id, tmp_path)
    assert (tmp_path / "my-1" / "server.toml").read_text() == IMAGE


def test_a_new_one_is_not_made_among_those_of_the_repository() -> None:
    with pytest.raises(UserError, match="has the servers of the repository"):
        make_outside("my-2", paths.SERVERS)
    assert not (paths.SERVERS / "my-2").exists()


def test_an_image_may_have_settings_in_place_of_the_usual_ones(tmp_path: Path) -> None:
    made = load_catalog([write(tmp_path, IMAGE + '[environment]\nTHREADS = "8"\n')]).servers["my-1"]
    service = compose_yaml.parse(compose.render([made], of_sweep=True))["services"]["my-1"]
    assert (service["environment"]["THREADS"], service["environment"]["PORT"]) == ("8", "8080")


def test_a_sweeps_own_compose_file_has_no_service_for_people(tmp_path: Path) -> None:
    servers = load_catalog([write(tmp_path)]).servers
    text = compose.render([servers["my-1"]], of_sweep=True)
    assert "\n  my-1:\n" in text
    assert "\n  server:" not in text
    assert "pull_policy: never" in text
