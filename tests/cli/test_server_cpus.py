"""--server-cpus, on machines that these tests make up."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cli import Runner
from support.fakes import recorded
from support.made_up import MadeUp

from ab_runner.store.reader import read

GOOD = recorded("close")
"""400 requests at concurrency 10."""
ASKED = (
    "--servers", "jdk-httpserver", "--workloads", "small", "--concurrency", "10", "--protocol", "quick",
    "--requests", "400", "--warmup", "400",
)  # fmt: skip


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    return MadeUp(monkeypatch, lambda command: GOOD)


def test_on_eight_cpus_a_server_has_the_four_that_are_asked_for_in_reports_and_in_what_a_resume_adds(
    cli: Runner, made_up: MadeUp, tmp_path: Path
) -> None:
    made_up.has(8)
    made_up.loads_left = 3  # the reference's warm-up and trial, and the server's warm-up
    folder = tmp_path / "four"
    code, _, stderr = cli(*ASKED, "--server-cpus", "4", "--out", str(folder))
    assert (code, "the engine is gone" in stderr) == (1, True)
    made_up.loads_left = 1_000
    code, stdout, _ = cli("resume", str(folder))
    assert code == 0
    sweep = read(folder).sweep
    assert (sweep.request.server_cpus, sweep.server_cpus, sweep.generator_cpus) == (4, (1, 2, 3, 4), (0,))
    assert [each.server_cpus for each in made_up.runtimes] == [(1, 2, 3, 4)] * 2
    for each in made_up.runtimes:
        assert [line for line in each.log if "on CPU" in line] == [
            "jdk-httpserver on CPU 1, 2, 3, 4, 0", "jdk-httpserver on CPU 1, 2, 3, 4",
        ]  # fmt: skip
    assert "servers on 4 CPUs (CPU 1, 2, 3, 4), ab on 1 CPU (CPU 0)" in stdout
    page = (folder / "report.html").read_text()
    assert "servers on 4 CPUs (CPU 1, 2, 3, 4), ab on 1 CPU (CPU 0)" in page
    assert "--server-cpus 4" in page


def test_without_the_option_a_server_has_all_cpus_but_the_generators(
    cli: Runner, made_up: MadeUp, tmp_path: Path
) -> None:
    made_up.has(8)
    assert cli(*ASKED, "--out", str(tmp_path / "all"))[0] == 0
    sweep = read(tmp_path / "all").sweep
    assert (sweep.request.server_cpus, sweep.server_cpus) == (None, (1, 2, 3, 4, 5, 6, 7))


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
@pytest.mark.parametrize("runtime", ["auto", "process"])
def test_more_cpus_than_the_machine_has_are_refused_before_anything_is_built(
    cli: Runner, made_up: MadeUp, tmp_path: Path, runtime: str, dry: tuple[str, ...]
) -> None:
    made_up.has(2)
    folder = tmp_path / "out"
    assert cli.complaint(*ASKED, "--runtime", runtime, "--server-cpus", "2", "--out", str(folder), *dry) == (
        "ab-runner: --server-cpus 2: this machine has 1 CPU for the server beside the generator's 1; use "
        "--server-cpus 1, or a machine with 3 CPUs or more"
    )
    assert (made_up.runtimes, folder.exists()) == ([], False)


def test_a_sweep_is_not_resumed_where_its_servers_cannot_have_their_cpus(
    cli: Runner, made_up: MadeUp, tmp_path: Path
) -> None:
    made_up.has(8)
    made_up.loads_left = 3
    assert cli(*ASKED, "--server-cpus", "4", "--out", str(tmp_path / "four"))[0] == 1
    made_up.has(4)
    complaint = cli.complaint("resume", str(tmp_path / "four"), "--anyway")
    assert "--server-cpus 4: this machine has 3 CPUs for the server beside the generator's 1" in complaint


def test_as_many_cpus_as_there_are_are_told_by_a_dry_run(cli: Runner, made_up: MadeUp) -> None:
    made_up.has(2)
    code, stdout, _ = cli(*ASKED, "--server-cpus", "1", "--dry-run")
    assert (code, "each server on 1 CPU" in stdout.splitlines()) == (0, True)


def test_where_nothing_can_be_pinned_the_option_is_refused(
    cli: Runner, made_up: MadeUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up.has(1)
    assert "--server-cpus 1: nothing can be pinned here" in cli.complaint(*ASKED, "--server-cpus", "1")
    made_up.has(2)
    monkeypatch.setenv("PATH", "")
    assert cli.complaint(*ASKED, "--runtime", "process", "--server-cpus", "1") == (
        "ab-runner: --server-cpus 1: taskset is not installed (Debian: apt-get install util-linux)"
    )


def test_server_and_generator_share_all_cpus_where_that_is_asked_for(
    cli: Runner, made_up: MadeUp, tmp_path: Path
) -> None:
    made_up.has(8)
    folder = tmp_path / "sweep"
    code, stdout, _ = cli(*ASKED, "--share-cpus", "--out", str(folder))
    assert code == 0
    sweep = read(folder).sweep
    assert (sweep.request.share_cpus, sweep.server_cpus, sweep.generator_cpus) == (True, (), ())
    assert "share the CPUs: the figures are not those of a server alone" in " ".join(stdout.split())
    assert "--share-cpus" in (folder / "report.html").read_text()
    expected = "--share-cpus and --server-cpus exclude each other: with the first nothing is pinned"
    assert expected in cli.complaint(*ASKED, "--share-cpus", "--server-cpus", "2")
