"""Servers from outside the repository, as images and as commands, from server.toml to the tables."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from e2e.conftest import MINUTES, ROOT, Sweeper, answered, verdicts

from ab_runner.store.reader import read

NAME = "ab-runner-test/mine:1"
DESCRIPTION = """format = 1
summary = "the reference under another name"
family = "mine"
version = "1"
released = 2026-01-05
io_model = "event loop"
workloads = ["small", "echo"]

[exceptions]
headers = "It sends no Date."
"""
IMAGE = """FROM ab-runner/ceiling
USER 0
VOLUME /data
HEALTHCHECK CMD ["/server/start"]
STOPSIGNAL SIGKILL
LABEL com.docker.compose.project=other ab-runner.sweep-under=other
"""
"""An image that asks for more than a server gets."""


def described(tmp_path: Path, **keys: object) -> Path:
    folder = tmp_path / "mine" / "mine-1"
    folder.mkdir(parents=True)
    head = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
    (folder / "server.toml").write_text(head + DESCRIPTION)
    return folder


def finished(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    return " ".join(output.split())


@pytest.mark.docker
@pytest.mark.usefixtures("docker")
def test_an_image_has_the_limits_of_all_servers_and_a_row_beside_them(sweeping: Sweeper, tmp_path: Path) -> None:
    described(tmp_path, kind="image", image=NAME)
    options = ("--servers-from", str(tmp_path / "mine"))
    assert (
        "its image ab-runner-test/mine:1 is not on this machine"
        in sweeping("check", "mine-1", *options).communicate()[0]
    )
    subprocess.run(["docker", "compose", "build", "--quiet", "ceiling"], cwd=ROOT, check=True)
    build = ["docker", "build", "--quiet", "--tag", NAME, "-"]
    subprocess.run(build, input=IMAGE, text=True, check=True, stdout=subprocess.DEVNULL)
    try:
        assert "WRONG" not in finished(sweeping("check", "mine-1", *options))
        out = tmp_path / "sweep"
        process = sweeping(
            "--servers", "mine-1", *options, "--protocol", "quick", "--workloads", "small,echo", "--concurrency", "10",
            "--out", str(out),
        )  # fmt: skip
        facts = _facts_of_the_running(process)
        assert f"mine-1 is from outside the repository: image {NAME}, sha256:" in finished(process)
    finally:
        subprocess.run(["docker", "image", "rm", "--force", NAME], check=True, stdout=subprocess.DEVNULL)
    host, config = facts["HostConfig"], facts["Config"]
    assert (config["User"], host["ReadonlyRootfs"], host["CapDrop"]) == ("65534:65534", True, ["ALL"])
    assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (4 << 30, 4 << 30, 16_384)
    assert host["Tmpfs"] == {"/tmp": "size=256m", "/data": "size=256m"}
    mounts = {(mount["Type"], mount["Destination"], mount["RW"]) for mount in facts["Mounts"]}
    assert mounts == {("volume", "/srv/www", False)}, "no volume that could fill the disk"
    assert host["NetworkMode"] == "none"
    stored = read(out)
    assert set(map(answered, verdicts(stored).values())) == {True}
    assert stored.sweep.outside["mine-1"].program == facts["Image"]


def _facts_of_the_running(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What `docker inspect` says of its container while the sweep runs."""
    while process.poll() is None:
        ids = subprocess.check_output(["docker", "ps", "--quiet", "--filter", "name=-mine-1-1$"], text=True).split()
        found = (
            subprocess.run(["docker", "inspect", *ids], capture_output=True, text=True, check=False) if ids else None
        )
        if found and found.returncode == 0:
            return json.loads(found.stdout)[0]  # type: ignore[no-any-return]
    raise AssertionError(process.communicate()[0])


@pytest.mark.usefixtures("host_tools")
def test_a_command_is_measured_beside_the_servers_of_the_repository_and_a_changed_one_is_not_resumed(
    sweeping: Sweeper, tmp_path: Path, free_port: int
) -> None:
    subprocess.run([ROOT / "servers/shared/build-c", ROOT / "servers/ceiling"], check=True)
    folder = described(tmp_path, kind="command", command=["./server"])
    shutil.copy(ROOT / "servers/ceiling/target/server", folder)
    options = ("--servers-from", str(tmp_path / "mine"))
    process = ("--runtime", "process", "--port", str(free_port))
    assert "WRONG" not in finished(sweeping("check", "mine-1", *options, *process))
    out = tmp_path / "sweep"
    output = finished(
        sweeping(
            "--servers", "mine-1", *options, *process, "--protocol", "quick", "--workloads", "small,echo",
            "--concurrency", "10", "--out", str(out),
        )
    )  # fmt: skip
    assert "mine-1 is from outside the repository: command in " in output
    stored = read(out)
    assert set(map(answered, verdicts(stored).values())) == {True}
    assert stored.sweep.outside["mine-1"].folder == str(folder)
    log = out / "trials.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:2]))  # as if it had been killed early
    (folder / "more").write_text("")
    refused = sweeping("resume", str(out), *options, "--port", str(free_port)).communicate(timeout=MINUTES)[0]
    assert "the image or the files of mine-1 have changed" in refused
    without = sweeping("resume", str(out), "--port", str(free_port)).communicate(timeout=MINUTES)[0]
    assert f"mine-1 came from outside the repository: add --servers-from {tmp_path / 'mine'}" in without
