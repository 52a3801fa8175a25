"""A published sweep has all that reports need, and nothing is overwritten."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.cli import Runner
from support.serving import serving

from ab_runner import paths
from ab_runner.store.reader import read

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "recordings" / "sweeps" / "standard"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished sweep, in a folder whose path is nobody's business."""
    made = tmp_path / "secret" / "standard"
    shutil.copytree(RECORDED, made)
    (made / "raw").mkdir(exist_ok=True)
    (made / "raw" / "x.txt").write_text("This is ApacheBench")
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the published sweep is kept for the next test, from the first one on."""
    return tmp_path_factory.mktemp("published") / "one"


@pytest.fixture
def published(cli: Runner, folder: Path, made: Path) -> Path:
    target = paths.RESULTS / "sweeps" / "one"
    if made.exists():
        shutil.copytree(made, target)
        return target
    code, stdout, stderr = cli("publish", str(folder), "one")
    assert (code, stderr) == (0, "")
    names = sorted(path.name for path in target.iterdir())
    assert names == ["report.html", "sweep.json", "tables.md", "trials.jsonl.xz"]
    sizes = {name: (target / name).stat().st_size for name in names}
    for name, size in sizes.items():
        assert re.search(rf"^ *{size:,} bytes +{re.escape(str(target / name))}$", stdout, re.MULTILINE)
    assert f"{sum(sizes.values()):,} bytes in all" in stdout
    shutil.copytree(target, made)
    return target


def test_all_records_are_there_and_no_file_names_the_host(published: Path, folder: Path) -> None:
    before, after = read(folder), read(published)
    assert len(after.records) == len(before.records)
    assert after.damage == ()
    assert before.sweep.machine.hostname == "bench"
    assert after.sweep.machine.hostname == ""
    assert len((published / "trials.jsonl.xz").read_bytes()) < (folder / "trials.jsonl").stat().st_size / 3
    for name in ("sweep.json", "tables.md", "report.html"):
        assert not re.search(r"\bbench\b", (published / name).read_text()), name
        assert "secret" not in (published / name).read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "SWEEP"],
        ["report", "SWEEP", "--all", "--format", "markdown"],
        ["report", "SWEEP", "--format", "csv"],
        ["report", "SWEEP", "--then-and-now"],
        ["conclusions", "SWEEP"],
    ],
)
def test_every_report_is_that_of_the_sweep(cli: Runner, published: Path, folder: Path, arguments: list[str]) -> None:
    def said(sweep: Path) -> tuple[int, str, str]:
        return cli(*(str(sweep) if each == "SWEEP" else each for each in arguments))

    assert said(published) == said(folder)


def test_its_tables_and_its_export_are_those_of_the_sweep(cli: Runner, published: Path, folder: Path) -> None:
    assert (published / "tables.md").read_text() == cli("report", str(folder), "--all", "--format", "markdown")[1]
    exported = [folder / "1.csv", folder / "2.csv"]
    for sweep, out in zip((folder, published), exported, strict=True):
        assert cli("export", str(sweep), "--out", str(out)) == (0, "", "")
    assert exported[0].read_text() == exported[1].read_text()


def test_it_can_be_compared_with_the_sweep_and_its_host_is_no_difference(
    cli: Runner, published: Path, folder: Path
) -> None:
    code, stdout, _ = cli("compare", str(folder), str(published))
    assert code == 0
    assert "lighttpd-1.4" in stdout
    assert "hostname" not in stdout


def test_there_is_nothing_to_resume(cli: Runner, published: Path) -> None:
    code, _, stderr = cli("resume", str(published))
    assert (code, "is complete" in stderr) == (0, True)
    assert not (published / "trials.jsonl").exists()


def test_it_is_served_with_the_other_sweeps(published: Path, folder: Path) -> None:
    import http.client

    shutil.copytree(folder, paths.RESULTS / "mine")
    with serving(paths.RESULTS) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for path, expected in (("/", 'href="one/"'), ("/", 'href="mine/"'), ("/one/", "lighttpd-1.4")):
            connection.request("GET", path)
            assert expected in connection.getresponse().read().decode()
        connection.close()


def test_a_published_sweep_can_be_published_again(cli: Runner, published: Path) -> None:
    assert cli("publish", str(published), "two")[0] == 0
    again = published.with_name("two")
    for name in ("sweep.json", "tables.md", "trials.jsonl.xz"):
        assert (again / name).read_bytes() == (published / name).read_bytes()


@pytest.mark.parametrize("taken", ["sweeps/one", "one"])
def test_nothing_is_overwritten(cli: Runner, folder: Path, taken: str) -> None:
    (paths.RESULTS / taken).mkdir(parents=True)
    complaint = cli.complaint("publish", str(folder), "one")
    assert f"{paths.RESULTS / taken} exists, and is not overwritten" in complaint
    assert list((paths.RESULTS / taken).iterdir()) == []


@pytest.mark.parametrize("ending", ["interrupted", None])
def test_a_sweep_that_is_not_finished_is_refused(cli: Runner, folder: Path, ending: str | None) -> None:
    log = folder / "trials.jsonl"
    lines = log.read_text().splitlines()
    last = [json.dumps(json.loads(lines[-1]) | {"reason": ending})] if ending else []
    log.write_text("\n".join([*lines[:-1], *last]) + "\n")
    complaint = cli.complaint("publish", str(folder), "one")
    assert f"{folder} is not finished ({ending or 'it is still running, or was killed'})" in complaint
    assert f"./ab-runner resume {folder}" in complaint
    assert not paths.RESULTS.exists()


def test_a_damaged_sweep_is_refused(cli: Runner, folder: Path) -> None:
    log = folder / "trials.jsonl"
    log.write_text("{not json\n" + log.read_text())
    assert "is damaged, and only a whole sweep is published: " in cli.complaint("publish", str(folder), "one")
    assert not paths.RESULTS.exists()


@pytest.mark.parametrize(("origin", "options"), [("https://example.org/x", []), (None, ["--anyway"])])
def test_a_server_that_nobody_else_can_get_is_not_published_unless_told(
    cli: Runner, folder: Path, origin: str | None, options: list[str]
) -> None:
    file = folder / "sweep.json"
    sweep = json.loads(file.read_text())
    sweep["servers"][0] |= {"kind": "image", "image": "mine:1"}
    id = sweep["servers"][0]["id"]
    sweep["outside"] = {id: {"folder": "/data/secret/mine", "program": "sha256:0123"}}
    file.write_text(json.dumps(sweep))
    complaint = cli.complaint("publish", str(folder), "one")
    assert f"nobody else can measure {id}, from outside the repository and without an origin" in complaint
    assert not paths.RESULTS.exists()
    sweep["servers"][0]["origin"] = origin
    file.write_text(json.dumps(sweep))
    assert cli("publish", str(folder), "one", *options)[0] == 0
    tables = (paths.RESULTS / "sweeps" / "one" / "tables.md").read_text()
    where = f"others get it at {origin}" if origin else "it does not say where others get it"
    assert f"{id} is from outside the repository: image mine:1, sha256:0123; {where}" in tables
    for name in ("sweep.json", "tables.md", "report.html"):
        assert "secret" not in (paths.RESULTS / "sweeps" / "one" / name).read_text()


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "A", "x" * 64, "a b"])
def test_a_bad_name_is_refused(cli: Runner, folder: Path, name: str) -> None:
    assert "a name " in cli.complaint("publish", str(folder), name)
    assert not paths.RESULTS.exists()


def test_what_is_no_sweep_is_refused(cli: Runner, tmp_path: Path) -> None:
    assert "not the folder of a sweep" in cli.complaint("publish", str(tmp_path), "one")


def test_a_place_that_cannot_be_written_is_one_line_and_leaves_nothing(cli: Runner, folder: Path) -> None:
    paths.RESULTS.mkdir(parents=True)
    (paths.RESULTS / "sweeps").write_text("")
    assert "cannot write to" in cli.complaint("publish", str(folder), "one")
    assert sorted(paths.RESULTS.iterdir()) == [paths.RESULTS / "sweeps"]


def test_git_takes_published_sweeps_and_no_others() -> None:
    def is_ignored(path: str) -> bool:
        return subprocess.run(["git", "-C", str(ROOT), "check-ignore", "-q", path], check=False).returncode == 0

    if subprocess.run(["git", "-C", str(ROOT), "rev-parse"], capture_output=True, check=False).returncode:
        pytest.skip("not a clone")
    assert not is_ignored("results/sweeps/one/trials.jsonl.xz")
    assert is_ignored("results/20261120-101500-standard/trials.jsonl")
