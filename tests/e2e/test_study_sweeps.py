"""A short sweep of each server that a study has, in containers: `make test-studies`."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e.conftest import MINUTES, Sweeper, answered, check_exit_code, containers_left, verdicts

from ab_runner import paths
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.studies import Study, load_studies
from ab_runner.model.records import AnswerRecord, StartRecord
from ab_runner.store.reader import read

pytestmark = [pytest.mark.docker, pytest.mark.studies, pytest.mark.usefixtures("docker", "fixture_files")]

SWEEPS = [
    (study, name)
    for study, _ in load_studies()
    for name in study.about.sweeps
    if paths.servers_of_study(study.id).is_dir()
]


@pytest.mark.parametrize(("study", "name"), SWEEPS, ids=[f"{study.id}-{name}" for study, name in SWEEPS])
def test_every_server_of_a_study_answers_and_runs_with_its_settings(
    study: Study, name: str, sweeping: Sweeper, tmp_path: Path
) -> None:
    folder = tmp_path / "sweep"
    # With fewer connections the lines by which Tomcat says that it closes, one in 100 answers, are too many bytes.
    level = ("--rate", "20") if study.is_open else ("--concurrency", "50")
    process = sweeping(
        "study", study.id, name, "--blocks", "1", "--duration", "1", *level, "--warmup", "2s", "--out", str(folder),
    )  # fmt: skip
    output, _ = process.communicate(timeout=30 * MINUTES)
    stored = read(folder)
    check_exit_code(process, stored, output)
    assert (stored.sweep.request.study, stored.sweep.request.study_sweep) == (study.id, name)
    wrong = {key: verdict.reason for key, verdict in verdicts(stored).items() if not answered(verdict)}
    assert wrong == {}
    servers = load_catalog(study=study.id, sweep=name).servers
    for start in (record for record in stored.records if isinstance(record, StartRecord)):
        server, found = servers[start.server], start.environment
        assert start.error is None
        if server.is_jvm:
            assert f'version "{"1.8" if server.jdk == 8 else server.jdk}.' in found["version"]
            # The launcher takes -server for itself.
            assert {*(server.jvm_flags or ())} - {"-server"} <= set(found["jvm flags"].split())
        assert {key: found[f"variable {key}"] for key in server.variables} == server.variables
        assert server.memory is None or found["memory limit"] == str(server.memory)
    assert containers_left(stored.sweep.id) == ""


SPRING_BYTES = {
    "tomcat-8.0": 165,
    "tomcat-8.5": 136,
    "jetty-9.4": 138,
    "undertow": 162,
    "tomcat-11": 136,
    "jetty-12": 138,
}
"""Of an answer on the wire, by what the server's id has in it."""


def test_spring_boot_answers_have_the_bytes_that_were_published(sweeping: Sweeper, tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        "study", "spring-boot-2018", "today", "--blocks", "1", "--duration", "1", "--concurrency", "1",
        "--warmup", "1s", "--out", str(folder),
    )  # fmt: skip
    output, _ = process.communicate(timeout=3 * MINUTES)
    stored = read(folder)
    check_exit_code(process, stored, output)
    answers = [record for record in stored.records if isinstance(record, AnswerRecord) and record.server != "ceiling"]
    assert len(answers) == 13, output
    for answer in answers:
        expected = next(length for part, length in SPRING_BYTES.items() if part in answer.server)
        assert answer.head_bytes + answer.body_bytes == expected, answer.server
