"""server.toml and sets.toml from someone else: what is in one stays a value of its own service in compose.yaml, or the
file is refused."""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import compose_yaml
from support.hostile import COMPOSE_ATTACKS, changed, refusing, toml

from ab_runner.catalog import docker_templates
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.compose import TOOLS, render
from ab_runner.catalog.servers import load
from ab_runner.catalog.sets import load_sets
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.model.server import Server

ROOT = Path(__file__).parents[2]
SERVER = """format = 1
summary = "a server"
family = "thttpd"
version = "2.29"
released = 2006-01-05
io_model = "event loop"
workloads = ["small"]
kind = "debian"
needs = { command = "thttpd", packages = ["thttpd"] }
"""
ID = "thttpd-2.29"


def loaded(folder: Path, text: str, id: str = ID) -> dict[str, Server]:
    (folder / id).mkdir()
    (folder / id / "server.toml").write_text(text)
    return load(folder)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (SERVER + '[environment]\n"A: x}\\n    privileged: true\\n    labels: {B" = "1"\n', "environment"),
        (SERVER + '[environment]\n"A: x}\\n    network_mode: host\\n    labels: {B" = "1"\n', "environment"),
        (SERVER + '[environment]\n"A\\n" = "1"\n', "environment"),
        (SERVER + '[environment]\n"" = "1"\n', "environment"),
        (SERVER.replace('["thttpd"]', '["-oAPT::Update::Pre-Invoke::=id"]'), "needs.packages"),
        (SERVER.replace('["thttpd"]', '["thttpd $(id)"]'), "needs.packages"),
        (SERVER.replace('["thttpd"]', '["thttpd\\n"]'), "needs.packages"),
        (SERVER.replace('["thttpd"]', '["apt-"]'), "needs.packages"),
        (SERVER.replace('["thttpd"]', "[]"), "needs.packages"),
        (SERVER.replace('command = "thttpd"', 'command = "../../bin/sh"'), "needs.command"),
        (SERVER.replace('command = "thttpd"', 'command = "-c"'), "needs.command"),
    ],
)
def test_what_would_be_more_than_a_value_is_refused(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(DocumentError, match=rf"server\.toml: .*{re.escape(key)}") as caught:
        loaded(tmp_path, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("id", sorted({*TOOLS, "shared", "null", "yes", "1.5", "x" * 64}))
def test_no_server_has_the_name_of_something_else(tmp_path: Path, id: str) -> None:
    with pytest.raises(DocumentError, match=r"server\.toml: "):
        loaded(tmp_path, SERVER, id)


VALUES = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(st.lists(VALUES, min_size=1, max_size=5))
@example(list(COMPOSE_ATTACKS))
def test_a_value_of_the_environment_reaches_the_server_and_nothing_else(values: list[str]) -> None:
    environment = {f"V{number}": value for number, value in enumerate(values)}
    with tempfile.TemporaryDirectory() as folder:
        servers = loaded(Path(folder), SERVER + toml({"environment": environment}).replace("\x7f", "\\u007f"))
    found = compose_yaml.parse(render(servers.values()))
    written = found["services"][ID].pop("environment")
    assert {name: as_compose_reads(value) for name, value in written.items()} == environment
    with tempfile.TemporaryDirectory() as folder:
        assert found == compose_yaml.parse(render(loaded(Path(folder), SERVER).values()))


def as_compose_reads(value: str) -> str:
    """Without interpolation, of which only `$$` may be there."""
    assert "$" not in value.replace("$$", "")
    return value.replace("$$", "$")


@given(st.tuples(VALUES, VALUES, VALUES, VALUES))
@example(("/tmp/😀", "/tmp/$HOME\u0085", '/tmp/a"b\n  x: y', "'"))
def test_a_value_of_any_text_in_a_sweeps_override_is_read_by_compose_as_it_is(texts: tuple[str, str, str, str]) -> None:
    label, address, libraries, fixtures = texts
    values: dict[str, Any] = {
        "server": "a-1", "image": None, "generator": "ab", "label": label, "network": "loopback", "sysctls": {},
        "published_at": address or "127.0.0.1", "port": 8080, "server_cpus": "0", "generator_cpus": "1",
        "environment": {}, "libraries": libraries or "l", "libraries_in_container": "/usr/local/lib",
        "fixtures": fixtures, "fixtures_in_container": "/srv/www",
    }  # fmt: skip
    text = docker_templates.fill("override.yaml", **values)
    assert text.isascii()
    found = compose_yaml.parse(text)
    server, ab, agent = (found["services"][each] for each in ("a-1", "ab", "agent"))
    labels = [label for each in (server, ab, agent) for label in each["labels"]]
    volumes = [found["volumes"][each]["name"] for each in ("libraries", "fixtures")]
    texts_read = [as_compose_reads(each) for each in (*labels, server["ports"][0]["host_ip"], *volumes)]
    assert texts_read == [label, label, label, address or "127.0.0.1", libraries or "l", fixtures]


# --- what is no server.toml, or a strange one --------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"\xff", b"\0", b"a = 1" + b"0" * 5000, b"a = " + b"[" * 100_000, b"a = " + b"{a=" * 50_000,
     b"a = 0001-01-01T00:00:00+99:99", b"format = 1\n" * 2, b"x" * (2 << 20), b'"\x1b[2J" = 1', b"format = 1\n"],
)  # fmt: skip
def test_what_is_no_description_is_a_short_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a-1").mkdir()
    (tmp_path / "a-1" / "server.toml").write_bytes(content)
    with pytest.raises(DocumentError) as caught:
        load(tmp_path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_fifo_or_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a-1").mkdir()
    file = tmp_path / "a-1" / "server.toml"
    os.mkfifo(file)
    with pytest.raises(DocumentError, match="not a regular file"):
        load(tmp_path)
    file.unlink()
    file.symlink_to("/dev/zero")
    with pytest.raises(DocumentError, match="symbolic link"):
        load(tmp_path)


CATALOG = load(ROOT / "servers")
DESCRIPTIONS = [
    tomllib.loads((ROOT / "servers" / id / "server.toml").read_text())
    for id in ("cindy-2.4.4", "nginx-1.26", "tomcat-5.5.15", "merecat-2.31")
]
SETS = tomllib.loads((ROOT / "servers" / "sets.toml").read_text())


@given(st.sampled_from(DESCRIPTIONS).flatmap(changed))
def test_a_changed_server_toml_is_refused_or_makes_a_service_of_its_own(tree: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, refusing(DocumentError):
        servers = loaded(Path(folder), toml(tree), "a-1")
        services = compose_yaml.parse(render(servers.values()))["services"]
        assert services.keys() == {"a-1", *TOOLS}
        expected = {"extends", "image", "build", "environment", "volumes", "profiles"}
        assert services["a-1"].keys() <= expected


OUTSIDE = [
    tomllib.loads(SERVER.partition("kind")[0])
    | {"kind": "image", "image": "my:1", "command": ["--fast"], "origin": "https://a.b"},
    tomllib.loads(SERVER.partition("kind")[0]) | {"kind": "command", "command": ["./server", "$PORT"]},
]


@given(st.sampled_from(OUTSIDE).flatmap(changed))
def test_a_changed_server_toml_from_outside_is_refused_or_makes_a_service_with_the_rights_of_all(
    tree: dict[str, Any],
) -> None:
    with tempfile.TemporaryDirectory() as folder, refusing(DocumentError):
        root = Path(folder).resolve()
        (root / "a-1").mkdir()
        (root / "a-1" / "server.toml").write_text(toml(tree))
        made = load_catalog([root]).servers["a-1"]
        assert all("\0" not in word for word in made.command)
        if made.kind == "image":
            service = compose_yaml.parse(render([made], of_sweep=True))["services"]["a-1"]
            expected = {"extends", "image", "build", "pull_policy", "user", "environment", "command", "profiles"}
            assert service.keys() <= expected
            assert (service["image"], service["user"]) == (made.image, "65534:65534")
            assert tuple(map(as_compose_reads, service.get("command", ()))) == made.command


@given(changed(SETS))
def test_a_changed_sets_toml_is_refused_or_has_servers_that_exist(tree: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, refusing(DocumentError):
        (Path(folder) / "sets.toml").write_text(toml(tree))
        for each in load_sets(Path(folder), CATALOG).values():
            assert set(each.servers) <= set(CATALOG)


@given(st.binary(max_size=200) | st.text(alphabet="[]{}=\"'\n.#\\u1eE-:TZ_ ", max_size=60).map(str.encode))
def test_any_bytes_are_a_description_or_a_complaint(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, refusing(DocumentError):
        (Path(folder) / "a-1").mkdir()
        (Path(folder) / "a-1" / "server.toml").write_bytes(content)
        load(Path(folder))
