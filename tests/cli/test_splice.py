"""./ab-runner splice: documents that say what the stored sweeps say."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support.cli import Runner

from ab_runner import paths
from ab_runner.report.charts import vega

RECORDED = Path(__file__).parents[1] / "recordings" / "sweeps" / "standard"
SWEEP = "results/sweeps/one"
TABLES = f"report {SWEEP} --workloads small-keepalive --concurrency 1000 --only tables"
CHART = f"report {SWEEP} --workloads small-keepalive --svg --out docs"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a published sweep; commands are typed somewhere else."""
    root = tmp_path / "repository"
    shutil.copytree(RECORDED, root / SWEEP)
    (root / "docs").mkdir()
    monkeypatch.setattr(paths, "ROOT", root)
    return root


def document(repository: Path, *blocks: str, name: str = "docs/page.md") -> Path:
    """A page with these commands, each in a block of its own."""
    path = repository / name
    text = "".join(f"<!-- ./ab-runner {block} -->\n<!-- end -->\n\ntext\n\n" for block in blocks)
    path.write_text(f"# Page\n\n## Part\n\n{text}")
    return path


def block_of(path: Path, number: int = 0) -> str:
    return path.read_text().split("-->\n")[1 + 2 * number].removesuffix("<!-- end ").strip("\n")


@pytest.mark.parametrize(
    "command",
    [
        f"report {SWEEP}",
        f"report {SWEEP} --all",
        TABLES,
        f"report {SWEEP} --only summary",
        f"report {SWEEP} --only ranking --workloads small-keepalive --concurrency 1000",
        f"report {SWEEP} --servers 'lighttpd*' --only tables",
        f"report {SWEEP} --then-and-now --workloads small-keepalive --only tables",
        f"report {SWEEP} --then-and-now --workloads small-keepalive --only ranking",
        f"compare {SWEEP} {SWEEP}",
        f"conclusions {SWEEP}",
        f"conclusions {SWEEP} --only verdicts",
        f"conclusions {SWEEP} {SWEEP}",
        "conclusions --only tables",
        "list 'tomcat*'",
    ],
)
def test_a_block_has_what_the_command_shows_as_markdown(
    cli: Runner, repository: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = document(repository, command)
    assert cli("splice", str(path)) == (0, f"{path}: 1 changed\n", "")
    monkeypatch.chdir(repository)
    words = [word.strip("'") for word in command.split()]
    code, shown, _ = cli(*words, "--format", "markdown")
    assert code == 0
    assert block_of(path) == shown.replace("\n#", "\n###").strip("\n") if shown[0] != "#" else f"##{shown}"
    for line in shown.splitlines():
        assert line.lstrip("#") in block_of(path).replace("#", "")


def test_headings_go_below_the_heading_above(cli: Runner, repository: Path) -> None:
    path = document(repository, f"report {SWEEP} --all", TABLES)
    assert cli("splice", str(path))[0] == 0
    text = path.read_text()
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings[:3] == ["# Page", "## Part", headings[2]]
    assert headings[2].startswith("### ")
    assert headings[3] == "#### Fastest servers"
    assert "**small-keepalive: requests per second (a file of 100 bytes; connections kept open)**" in block_of(path, 1)


def test_a_second_time_changes_nothing_and_a_check_agrees(cli: Runner, repository: Path) -> None:
    path = document(repository, TABLES, f"conclusions {SWEEP} --only verdicts")
    assert cli("splice", str(path)) == (0, f"{path}: 2 changed\n", "")
    before = path.read_bytes()
    stamp = path.stat().st_mtime_ns
    assert cli("splice", str(path)) == (0, "", "")
    assert cli("splice", "--check", str(path)) == (0, "", "")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, stamp)


def test_a_check_names_what_differs_and_writes_nothing(cli: Runner, repository: Path) -> None:
    path, other = document(repository, TABLES, "list"), document(repository, TABLES, name="README.md")
    assert cli("splice", str(path), str(other))[0] == 0
    right = path.read_text()
    figure = next(word for word in block_of(path).split() if "," in word and word[0].isdigit())
    path.write_text(right.replace(figure, "99,999", 1))
    wrong = path.read_text()
    code, stdout, stderr = cli("splice", "--check", str(other), str(path))
    assert (code, stdout) == (1, "")
    assert stderr == f"{path}:5: differs from ./ab-runner {TABLES}\n"
    assert path.read_text() == wrong
    assert cli("splice", str(path))[0] == 0
    assert path.read_text() == right


def test_line_ends_stay_as_they_are(cli: Runner, repository: Path) -> None:
    path = document(repository, TABLES)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert cli("splice", str(path))[0] == 0
    content = path.read_bytes()
    assert content.count(b"\r\n") == content.count(b"\n") > 15


def picture(repository: Path, shown: str, command: str = CHART) -> Path:
    path = repository / "docs" / "page.md"
    path.write_text(f"# Page\n\n<!-- ./ab-runner {command} -->\n{shown}\n<!-- end -->\n")
    return path


@pytest.mark.parametrize(
    "shown", ["![rates](charts/small-keepalive-rates.svg)", '<img alt="" src="charts/small-keepalive-rates.svg">']
)
def test_the_pictures_that_a_block_shows_are_drawn_and_no_others(cli: Runner, repository: Path, shown: str) -> None:
    path = picture(repository, shown)
    before = path.read_bytes()
    assert cli("splice", "--check", str(path))[0] == 1
    assert not (repository / "docs" / "charts").exists()
    assert cli("splice", str(path)) == (0, f"{path}: 1 changed\n", "")
    assert path.read_bytes() == before
    (drawn,) = (repository / "docs" / "charts").iterdir()
    assert drawn.name == "small-keepalive-rates.svg"
    assert drawn.read_text().startswith("<svg")
    assert cli("splice", "--check", str(path)) == (0, "", "")


def test_a_picture_of_other_figures_is_drawn_anew(
    cli: Runner, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = picture(repository, "![rates](charts/small-keepalive-rates.svg)")
    assert cli("splice", str(path))[0] == 0
    drawn = repository / "docs" / "charts" / "small-keepalive-rates.svg"
    monkeypatch.setattr(vega, "svg", lambda spec: "<svg/>")
    assert cli("splice", str(path)) == (0, "", ""), "it is not drawn again for nothing"
    drawn.write_text("<svg>other figures</svg>")
    assert cli("splice", "--check", str(path))[0] == 1
    assert cli("splice", str(path))[0] == 0
    assert drawn.read_text() == "<svg/>"


def test_two_charts_of_one_name_are_refused(cli: Runner, repository: Path) -> None:
    shown = "![x](charts/small-keepalive-rates.svg)"
    path = picture(repository, shown)
    path.write_text(f"{path.read_text()}\n<!-- ./ab-runner {CHART} --concurrency 1000 -->\n{shown}\n<!-- end -->\n")
    complaint = cli.complaint("splice", str(path))
    assert f"{path}:7: " in complaint
    assert "small-keepalive-rates.svg is another chart in an earlier block; give one of them another --out" in complaint
    assert not (repository / "docs" / "charts").exists()


@pytest.mark.parametrize(
    ("shown", "command", "complaint"),
    [
        ("text", CHART, "the block shows no picture; put ![what it shows](its path) between the comments"),
        (
            "![x](charts/x.svg)",
            CHART,
            "charts/x.svg is none of the charts that the command writes: docs/charts/small-keepalive-",
        ),
        ("![x](../README.md)", CHART, "../README.md is none of the charts"),
        ("![x](http://x/y.svg)", CHART, "http://x/y.svg is none of the charts"),
        ("![x](a.svg)", f"report {SWEEP} --svg --out ..", "--out ..: charts of a document are within the repository"),
        ("![x](a.svg)", f"report {SWEEP} --svg --out /tmp", "--out /tmp: charts of a document are within"),
        ("![x](a.svg)", f"report {SWEEP} --svg --only tables", "--only is for tables"),
    ],
)
def test_a_picture_that_cannot_be_is_named(
    cli: Runner, repository: Path, shown: str, command: str, complaint: str
) -> None:
    path = picture(repository, shown, command)
    before = path.read_bytes()
    assert f"{path}:3: {complaint}" in cli.complaint("splice", str(path))
    assert path.read_bytes() == before
    assert sorted(each.name for each in (repository / "docs").iterdir()) == ["page.md"]


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("", "no command ''"),
        ("run --protocol quick", "no command 'run' for documents; there are report, compare, conclusions, list"),
        ("resume results/sweeps/one", "no command 'resume'"),
        ("serve", "no command 'serve'"),
        ("export results/sweeps/one --out x", "no command 'export'"),
        ("--concurrency 1", "no command '--concurrency'"),
        (f"report {SWEEP} --out docs", "--out is for --html"),
        (f"report {SWEEP} --html", "--html is not for documents"),
        (f"report {SWEEP} --format csv", "--format csv is not for documents"),
        (f"splice {SWEEP}", "no command 'splice'"),
        (f"report {SWEEP} --chekc", "No such option"),
        (f"report {SWEEP} --help", "the command makes no table"),
        (f"report {SWEEP} {SWEEP}", "results/sweeps/one and results/sweeps/one are the same sweep"),
        (f"report {SWEEP} --workloads smal", "--workloads: the sweep has no smal; it has echo, small"),
        (f"report {SWEEP} --workloads large", "--workloads: the sweep has no large"),
        (f"report {SWEEP} --servers nginx*", "--servers: the sweep has no server 'nginx*'"),
        (f"report {SWEEP} --servers @cor", "no set '@cor'"),
        (f"report {SWEEP} 'x", "the command cannot be read"),
        ("report", "name the sweep: results/latest is another one after the next measurement"),
        ("report results/latest", "name the sweep: results/latest"),
        ("report results/sweeps/two", "results/sweeps/two: not the folder of a sweep"),
        ("compare results/sweeps/one", "compare needs 2 to"),
        (f"compare {SWEEP} {SWEEP} --html x.html", "--html is not for documents"),
        (f"compare {SWEEP} {SWEEP} --fail-if-slower 5%", "--fail-if-slower is not for documents"),
        ("conclusions results/latest", "name the sweep"),
        ("list --available", "--available is not for documents"),
        ("list --unavailable", "--available is not for documents"),
        ("list 'jety*'", "no server 'jety*'"),
    ],
)
def test_a_command_that_cannot_be_is_named_with_file_and_line_and_nothing_is_written(
    cli: Runner, repository: Path, command: str, complaint: str
) -> None:
    good, bad = document(repository, TABLES, name="README.md"), document(repository, TABLES, command)
    before = good.read_bytes(), bad.read_bytes()
    files = {*repository.rglob("*")}
    assert cli.complaint("splice", str(good), str(bad)).startswith(f"ab-runner: {bad}:10: {complaint}")
    assert (good.read_bytes(), bad.read_bytes()) == before
    assert {*repository.rglob("*")} == files


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"<!-- ./ab-runner list -->\n", "x.md:1: the command has no <!-- end --> below it"),
        (b"<!-- end -->\n", "x.md:1: <!-- end --> ends no command"),
        (b"\xff\n", "x.md: cannot be read: it is not UTF-8"),
        (None, "x.md: cannot be read: No such file or directory"),
    ],
)
def test_a_bad_file_is_named(cli: Runner, repository: Path, content: bytes | None, complaint: str) -> None:
    path = repository / "x.md"
    if content is not None:
        path.write_bytes(content)
    assert complaint in cli.complaint("splice", str(path))
    assert content is None or path.read_bytes() == content


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "Missing argument 'FILE…'"),
        (["x.md", "--all"], "No such option '--all'"),
    ],
)
def test_options_that_do_not_go_with_splice_are_refused(cli: Runner, arguments: list[str], complaint: str) -> None:
    assert complaint in cli.complaint("splice", *arguments)


def test_a_file_is_named_as_it_was_typed_and_found_where_it_was_typed(
    cli: Runner, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document(repository, TABLES)
    monkeypatch.chdir(repository / "docs")
    assert cli("splice", "page.md") == (0, "page.md: 1 changed\n", "")
    assert os.getcwd() == str(repository / "docs")
