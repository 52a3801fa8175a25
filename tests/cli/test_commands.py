"""The commands that the toolkit is known by stay as they are, in a form that starts nothing; tests/e2e starts them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ab_runner.catalog.servers import load

ROOT = Path(__file__).parents[2]
SERVERS = load(ROOT / "servers")


def run(command: str) -> subprocess.CompletedProcess[str]:
    """As it is typed at the top of the repository, by somebody who has set no variable of ours."""
    environment = {name: value for name, value in os.environ.items() if name not in ("SERVER", "PORT", "JDK")}
    return subprocess.run(command.split(), cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_the_top_level_is_where_everybody_looks_for_it() -> None:
    for name in ("docker", "servers", "fixtures", "results"):
        assert (ROOT / name).is_dir()
    for name in ("ab-runner", "README.md", "LICENSE"):
        assert (ROOT / name).is_file()
    assert os.access(ROOT / "ab-runner", os.X_OK)


def test_docker_compose_up_server() -> None:
    if shutil.which("docker") is None or run("docker compose version").returncode:
        pytest.skip("no docker command with Compose")
    done = run("docker compose config --format json")  # without a profile: what `up` sees
    assert done.returncode == 0, done.stderr
    server = json.loads(done.stdout)["services"]["server"]
    image = re.fullmatch(r"ab-runner/(.+):jdk25", server["image"])
    assert image is not None
    assert image[1] in SERVERS
    (port,) = server["ports"]
    assert (port["host_ip"], port["published"], port["target"]) == ("127.0.0.1", "8080", 8080)


def test_ab_runner_with_the_concurrency_of_2006() -> None:
    done = run("./ab-runner --concurrency 1,10,100,500,1000 --dry-run")
    assert done.returncode == 0, done.stderr
    assert "concurrency: 1, 10, 100, 500, 1,000" in done.stdout
    assert "protocol: standard" in done.stdout


def test_make_bench_is_a_quick_sweep_of_the_core() -> None:
    recipe = (ROOT / "Makefile").read_text().partition("\nbench:")[2].partition("\n\n")[0]
    (command,) = re.findall(r"^\t@(\./ab-runner .*)$", recipe, re.MULTILINE)
    assert command == "./ab-runner --protocol quick --servers @core --concurrency 10,100"
    done = run(f"{command} --dry-run")
    assert done.returncode == 0, done.stderr
    assert "concurrency: 10, 100" in done.stdout


def test_bad_input_is_one_line_and_exit_code_2() -> None:
    done = run("./ab-runner --rate 0 --dry-run")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("ab-runner: ")
