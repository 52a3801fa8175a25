"""What is asked of a swarm's manager, by a docker command that answers as it was told to."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from ab_runner.errors import UserError
from ab_runner.runtime import swarm as room
from ab_runner.runtime.base import RuntimeUnusable
from ab_runner.runtime.docker_builds import copy_images, lacks
from ab_runner.runtime.docker_commands import LABEL, OURS, DockerFailed
from ab_runner.runtime.docker_images import architecture
from ab_runner.runtime.engine import Engine
from ab_runner.runtime.swarm import Node, Service, Swarm, others_at_work, why_no_swarm

MANAGER = Engine("", "unix:///var/run/docker.sock")
OTHER = Engine("lab2", "unix:///lab2/socket")
ID = "sha256:" + "0123456789abcdef" * 4
IMAGES = f"ab-runner/runner:latest {ID}\nab-runner/ab:latest sha256:1\nab-runner/jdk-httpserver:jdk25 sha256:2\n"


class Docker:
    """A docker command. `answers` are by the first words of what is asked."""

    def __init__(self, folder: Path) -> None:
        self._answers = folder / "answers"
        self._log = folder / "log"
        self._log.touch()
        script = folder / "docker"
        script.write_text(
            f"#!/usr/bin/env python3\nimport json, sys\nasked = ' '.join(sys.argv[1:])\n"
            f"print(asked, file=open({str(self._log)!r}, 'a'))\n"
            f"answers = json.load(open({str(self._answers)!r}))\n"
            "found = max((each for each in answers if asked.startswith(each)), key=len, default=None)\n"
            "sys.stdout.write(answers.get(found) or '')\n"
            "sys.exit(answers.get(found, '') is None)\n"
        )
        script.chmod(0o755)
        self.answer({})

    def answer(self, answers: Mapping[str, str | None]) -> None:
        """None: it fails."""
        self._answers.write_text(json.dumps(answers))

    def asked(self, what: str) -> list[str]:
        return [line for line in self._log.read_text().splitlines() if line.startswith(what)]


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Docker:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(room, "engine_of", lambda name: OTHER)
    return Docker(tmp_path)


@pytest.mark.parametrize(
    ("info", "nodes", "says"),
    [
        ("inactive|false|", "", "this engine is in no swarm"),
        ("active|false|n2", "", "this engine is no manager of its swarm"),
        ("active|true|n1", "", "no node has the label ab-runner=bench"),
        ("active|true|n1", "n1|lab|ready|active|1\nn2|lab|ready|active|1", "two nodes have the same host name"),
        ("active|true|n1", "n1|lab1|ready|active|1\nn2|lab2|down|active|1", None),
    ],
)
def test_why_no_job_can_be_placed(docker: Docker, info: str, nodes: str, says: str | None) -> None:
    docker.answer({"info": info, "node ls": "n1\nn2" if nodes else "", "node inspect": nodes})
    why = why_no_swarm(MANAGER)
    assert why is None if says is None else why is not None and why.startswith(says)


def test_a_node_that_is_drained_or_down_gets_nothing(docker: Docker) -> None:
    docker.answer({"node ls": "1 2 3", "node inspect": "1|c|ready|active|5\n2|b|ready|drain|5\n3|a|down|active|5\n"})
    assert [(node.name, node.is_ready) for node in room.nodes(MANAGER)] == [("a", False), ("b", False), ("c", True)]


@pytest.fixture
def swarm(docker: Docker) -> Swarm:
    docker.answer({"info": "active|true|n1", "--context lab2 info": "active|false|n2", "image ls": IMAGES})
    return Swarm(MANAGER, "20261120-120000-quick", ["ab-runner/ab"])


def test_a_node_gets_the_images_that_it_lacks(docker: Docker, swarm: Swarm) -> None:
    docker.answer(
        {
            "info": "active|true|n1", "--context lab2 info": "active|false|n2", "image ls": IMAGES,
            "--context lab2 image ls": "ab-runner/ab:latest sha256:1\nab-runner/runner:latest sha256:old\n",
        }
    )  # fmt: skip
    swarm.prepare(Node("n2", "lab2", True, 1))
    assert docker.asked("save") == ["save ab-runner/runner"]
    assert docker.asked("--context lab2 load")
    swarm.prepare(Node("n1", "lab1", True, 1))
    assert len(docker.asked("save")) == 1, "the manager has them"


def test_a_context_of_another_machine_is_refused(swarm: Swarm) -> None:
    with pytest.raises(UserError, match="the context lab3 is of another machine than the node of that name"):
        swarm.prepare(Node("n3", "lab3", True, 1))


def test_a_job_is_an_image_by_its_id_with_the_socket_of_its_node(docker: Docker, swarm: Swarm) -> None:
    docker.answer(
        {
            "info": "active|true|n1", "--context lab2 info": "active|false|n2", "image ls": IMAGES,
            "--context lab2 image ls": IMAGES, "image inspect": ID,
        }
    )  # fmt: skip
    node = Node("n2", "lab2", True, 1)
    swarm.prepare(node)
    assert swarm.start(node, 3, 2, b"{}") == Service("ab-runner-20261120-120000-quick-3", 3, 2, "lab2")
    (asked,) = docker.asked("service create")
    words = shlex.split(asked)
    assert words[-1] == ID, "a name could be asked of a registry"
    assert "node.id==n2" in words
    assert OURS in words
    assert "type=bind,source=/lab2/socket,target=/var/run/docker.sock" in words
    assert words[words.index("--cap-drop") + 1] == "ALL"
    assert words[words.index("--mode") + 1 :][:3] == ["replicated-job", "--restart-condition", "none"]


def test_of_jobs_that_do_not_run_the_swarm_says_why(docker: Docker, swarm: Swarm) -> None:
    names = ("running", "begins", "failed", "gone")
    docker.answer(
        {
            "service ls": "running 1/1 (0/1 completed)\nbegins 0/1 (0/1 completed)\nfailed 0/1 (0/1 completed)\n",
            "service ps --no-trunc --format {{.CurrentState}}|{{.Error}} begins": "Preparing 2 seconds ago|\n",
            "service ps --no-trunc --format {{.CurrentState}}|{{.Error}} failed": "Failed 2 seconds ago|exit (1)\n",
        }
    )
    ended = swarm.ended([Service(name, 1, 1, "lab2") for name in names])
    assert ended == {"failed": "exit (1)", "gone": "its service was removed"}


def test_a_sweep_of_somebody_else_is_told(docker: Docker) -> None:
    docker.answer({"service ls": "a b", "service inspect": f"{OURS.partition('=')[2]}\nlab9:/tmp/ab-runner-0.lock\n"})
    assert others_at_work(MANAGER) == "lab9"
    docker.answer({"service ls": "a", "service inspect": OURS.partition("=")[2]})
    assert others_at_work(MANAGER) is None
    assert OURS.partition("=")[0] == LABEL


def test_jobs_of_killed_runners_are_removed_but_those_of_the_sweep_that_goes_on(docker: Docker) -> None:
    docker.answer(
        {
            f"service ls --filter label={OURS}": "old-1 mine-2",
            "service ls --filter label=ab-runner.sweep=mine": "mine-2",
            "service inspect": "mine-2|2|1|lab2",
            "config ls": "old-1 mine-2 old-file-0 ab-runner-mine-file-0",
        }
    )
    assert room.remove_jobs(MANAGER, but_of="mine") == ["old-1"]
    assert docker.asked("service rm") == ["service rm old-1"]
    assert docker.asked("config rm") == ["config rm old-1 old-file-0"]
    docker.answer({"service ls": None})
    with pytest.raises(Exception, match="service"):
        room.remove_jobs(MANAGER)


def test_images_have_their_tags(docker: Docker) -> None:
    docker.answer({"image ls": IMAGES})
    assert lacks(MANAGER, ["ab-runner/ab", "ab-runner/jdk-httpserver:jdk25", "ab-runner/jdk-httpserver"]) == [
        "ab-runner/jdk-httpserver"
    ]
    with pytest.raises(RuntimeUnusable, match="there is no image other to be copied"):
        copy_images(["other"], MANAGER, OTHER)


def test_images_are_not_copied_to_a_machine_of_another_kind(docker: Docker) -> None:
    docker.answer({"image ls": IMAGES, "version": "amd64", "--context lab2 version": "arm64"})
    architecture.cache_clear()
    with pytest.raises(RuntimeUnusable, match="lab2: it is arm64, and they are for amd64"):
        copy_images(["ab-runner/ab"], MANAGER, OTHER)
    architecture.cache_clear()
    assert not docker.asked("save")


def test_a_command_that_failed_says_what_docker_said_last() -> None:
    failed = DockerFailed(1, ("image", "inspect", "a"), "", "one\nError: no such image: a\n")
    assert str(failed) == "docker image inspect failed: Error: no such image: a"
