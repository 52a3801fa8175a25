"""Sweeps with a workload and a protocol that this version does not know have all reports, with what they say of both
themselves."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from support.builders import blocks, server, sweep
from support.cli import Runner, cli, elsewhere
from support.serving import keep

from ab_runner.model.load import Load
from ab_runner.model.protocol import Lengths, WarmUp
from ab_runner.model.records import EndRecord
from ab_runner.model.trial import Trial
from ab_runner.model.workload import Workload
from ab_runner.store.layout import SWEEP_FILE
from ab_runner.store.reader import Stored, read

__all__ = ["cli", "elsewhere"]

NAME = "query-20ms"
QUERY = Workload(
    name=NAME, path="/query", headers=("X-Rows: 1",), constant="one row", not_before_ms=20, summary="a row, after 20 ms"
)

LENGTHS = Lengths(WarmUp(Load(seconds=2)), Load(seconds=3))


def stored(name: str, *known: Workload) -> Stored:
    servers = [server(each, workloads=(NAME,)) for each in ("tomcat-11", "jetty-12.1")]
    made = sweep(*servers, id=name, workloads=known)
    protocol = msgspec.structs.replace(made.request.protocol, name="weekly", by_workload={NAME: LENGTHS})
    request = msgspec.structs.replace(made.request, workloads=(NAME,), levels=(1,), protocol=protocol)
    trials = [*blocks("tomcat-11", 40), *blocks("jetty-12.1", 49)]
    records = [msgspec.structs.replace(trial, workload=NAME) for trial in trials]
    end = EndRecord(at=made.started, reason="finished")
    return Stored(msgspec.structs.replace(made, request=request), (*records, end))


def kept(folder: Path, *known: Workload) -> Path:
    keep(folder, stored(folder.name, *known)).close()
    return folder


def test_a_sweep_stores_its_workloads_and_is_read_back_with_them(tmp_path: Path) -> None:
    sweep_read = read(kept(tmp_path / "one", QUERY)).sweep
    assert sweep_read.workload(NAME) == QUERY
    assert sweep_read.request.protocol.trial_of(NAME) == LENGTHS.trial
    assert json.loads((tmp_path / "one" / SWEEP_FILE).read_text())["workloads"] == [
        {
            "name": NAME, "path": "/query", "headers": ["X-Rows: 1"], "constant": "one row", "not_before_ms": 20,
            "summary": "a row, after 20 ms",
        }
    ]  # fmt: skip


@pytest.mark.parametrize(("known", "title"), [((QUERY,), " (a row, after 20 ms)"), ((), "")])
def test_it_has_tables_a_page_charts_and_an_export(
    cli: Runner, tmp_path: Path, known: tuple[Workload, ...], title: str
) -> None:
    folder = kept(tmp_path / "one", *known)
    for form in ("terminal", "markdown"):
        code, stdout, stderr = cli("report", str(folder), "--all", "--format", form)
        assert (code, stderr) == (0, "")
        assert f"{NAME}: requests per second{title}" in stdout
        assert "()" not in stdout
    assert f"{NAME}: requests per second" in cli("report", str(folder), "--only", "ranking", "--workloads", NAME)[1]
    assert cli("report", str(folder), "--html", "--svg", "--out", str(tmp_path / "out"))[0] == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert f'id="{NAME}"' in page
    assert f"{NAME}-rates.svg" in {path.name for path in (tmp_path / "out" / "charts").iterdir()}
    assert cli("export", str(folder), "--out", str(tmp_path / "trials.csv"))[0] == 0
    assert f",{NAME}," in (tmp_path / "trials.csv").read_text()
    assert cli("conclusions", str(folder))[0] == 0


def test_it_is_compared_with_another_one_unless_that_asked_for_something_else(cli: Runner, tmp_path: Path) -> None:
    first, second = kept(tmp_path / "one", QUERY), kept(tmp_path / "two", QUERY)
    code, stdout, _ = cli("compare", str(first), str(second))
    assert code == 0
    assert NAME in stdout
    other = kept(tmp_path / "other", msgspec.structs.replace(QUERY, not_before_ms=10))
    assert f"workload {NAME} has changed" in cli.complaint("compare", str(first), str(other))


def test_its_words_may_change_without_making_it_another_workload(cli: Runner, tmp_path: Path) -> None:
    first = kept(tmp_path / "one", QUERY)
    reworded = kept(tmp_path / "two", msgspec.structs.replace(QUERY, summary="one row"))
    assert cli("compare", str(first), str(reworded))[0] == 0


@pytest.mark.parametrize("name", ["../../etc", "a b", "<b>", "", "a" * 64, "Small", "a--b"])
def test_a_name_that_could_be_no_files_name_is_not_read(cli: Runner, tmp_path: Path, name: str) -> None:
    folder = kept(tmp_path / "one", QUERY)
    log = folder / "trials.jsonl"
    log.write_text(log.read_text().replace(NAME, name, 1))
    damaged = read(folder)
    assert "line 1 is damaged and ignored" in damaged.damage[0]
    assert sum(isinstance(record, Trial) for record in damaged.records) == 11
    file = folder / SWEEP_FILE
    file.write_text(file.read_text().replace(NAME, name))
    assert str(file) in cli.complaint("report", str(folder))
