from __future__ import annotations

from pathlib import Path

import pytest

from ab_runner import paths
from ab_runner.catalog.study_figures import FIGURES_FILE, read
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.model.protocol import DEFAULT_STUDY

HEAD = "workload,server,concurrency,requests_per_second,failed_requests,outcome\n"
ROW = "small,tomcat-5.5.15,10,4275,0,ok\n"


def test_the_published_table_is_whole() -> None:
    """Six echo servers and eight file servers with three workloads, five concurrencies each."""
    figures = read(paths.STUDIES / DEFAULT_STUDY / FIGURES_FILE)
    assert len(figures) == (6 + 3 * 8) * 5
    assert {figure.concurrency for figure in figures} == {1, 10, 100, 500, 1000}


def test_a_figure_with_failed_requests_does_not_count_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{HEAD}large,tomcat-5.5.15,100,190,9991,ok\nlarge,a,1,,,timeout\n{ROW}")
    assert [(figure.rate, figure.reason) for figure in read(path)] == [
        (None, "9991 failed"),
        (None, "timeout"),
        (4275, None),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1: the columns must be workload,server,concurrency"),
        (HEAD.replace("outcome", "result"), "line 1: the columns must be"),
        (HEAD + "small,tomcat-5.5.15,10,4275,0\n", "line 2: must have 6 fields"),
        (HEAD + "small,tomcat-5.5.15,10,4275,0,ok,yes\n", "line 2: must have 6 fields"),
        (HEAD + ROW + ROW.replace("small", "tiny"), "line 3: workload: no workload 'tiny'; there are 'echo', 'small'"),
        (HEAD + ROW.replace("10", "ten"), "line 2: concurrency: expected `int`, got `str`"),
        (HEAD + ROW.replace(",10,", ",0,"), "line 2: concurrency: expected `int` >= 1"),
        (HEAD + ROW.replace(",10,", ",,"), "line 2: concurrency: expected `int`, got `null`"),
        (HEAD + ROW.replace("4275", "0"), "line 2: requests_per_second: expected `float` > 0"),
        (HEAD + ROW.replace("4275", "nan"), "line 2: requests_per_second: "),
        (HEAD + ROW.replace("4275", "inf"), "line 2: requests_per_second: "),
        (
            HEAD + ROW.replace("4275", ""),
            "line 2: requests_per_second: rows with outcome ok must have a figure, others must not",
        ),
        (
            HEAD + ROW.replace("ok", "failed"),
            "line 2: requests_per_second: rows with outcome ok must have a figure, others must not",
        ),
        (HEAD + ROW.replace("ok", "slow"), "line 2: outcome: invalid enum value 'slow'"),
        (HEAD + ROW + ROW, "line 3: a second row for tomcat-5.5.15, small at 10"),
        (HEAD + 'small,"tomcat', "not CSV"),
    ],
)
def test_a_mistake_in_published_results_is_named_with_file_and_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(DocumentError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: {complaint}")


def test_published_results_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"x\.csv: cannot be read: No such file"):
        read(tmp_path / "x.csv")
