from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ab_runner import paths
from ab_runner.catalog.study_figures import COLUMNS, FIGURES_FILE, Figure
from ab_runner.catalog.study_figures import read as read_figures
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.catalog.workloads import workloads_with
from ab_runner.model.protocol import DEFAULT_STUDY

SPRING = paths.STUDIES / "spring-boot-2018"
HEAD = "workload,server,concurrency,requests_per_second,failed_requests,outcome\n"
ROW = "small,tomcat-5.5.15,10,4275,0,ok\n"


def read(path: Path, failures_at_most: float = 0.0) -> tuple[Figure, ...]:
    return read_figures(path, workloads_with("spring-boot-2018"), failures_at_most)


def test_the_published_table_is_whole() -> None:
    """Six echo servers and eight file servers with three workloads, five concurrencies each."""
    figures = read(paths.STUDIES / DEFAULT_STUDY / FIGURES_FILE)
    assert len(figures) == (6 + 3 * 8) * 5
    assert {figure.level for figure in figures} == {1, 10, 100, 500, 1000}


def test_a_figure_with_failed_requests_does_not_count_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{HEAD}large,tomcat-5.5.15,100,190,9991,ok\nlarge,a,1,,,timeout\n{ROW}")
    assert [(figure.rate, figure.reason) for figure in read(path)] == [
        (None, "9991 failed"),
        (None, "timeout"),
        (4275, None),
    ]


OPEN_HEAD = "workload,server,rate,requests_per_second,failed_requests,outcome,requests,answered,latency_mean_ms\n"


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
        (OPEN_HEAD + "small,a,ten,,,ok,,,\n", "line 2: rate: expected `int`, got `str`"),
        (OPEN_HEAD + "small,a,10,5,,failed,,,\n", "line 2: requests_per_second: rows with outcome ok must have"),
        (OPEN_HEAD.replace("rate", "level"), "line 1: the columns must be workload,server,concurrency"),
        (OPEN_HEAD.replace("requests,", "concurrency,"), "line 1: the columns must be workload,server,concurrency"),
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


def test_further_columns_may_follow_and_a_share_of_the_requests_may_fail(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{HEAD[:-1]},requests,cpu_us\nsmall,a,10,100,10,ok,10000,115.3\nsmall,b,10,100,11,ok,10000,\n")
    one, other = read(path, failures_at_most=0.001)
    assert (one.rate, one.cpu_us, one.requests) == (100, 115.3, 10_000)
    assert (other.rate, other.reason, other.cpu_us) == (None, "11 failed", None)
    assert read(path)[0].reason == "10 failed"
    for wrong in ("speed", "requests,requests", "failures_at_most"):
        path.write_text(f"{HEAD[:-1]},{wrong}\n")
        with pytest.raises(DocumentError) as caught:
            read(path)
        assert str(caught.value).endswith(
            f"{HEAD[:-1]} (rate in place of concurrency for open loads), and any of {', '.join(COLUMNS[6:])}"
        )


def test_figures_of_open_loads_have_a_rate_and_need_no_other(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{OPEN_HEAD}small,a,10,,,ok,54000,54001,\nsmall,b,10,,,failed,,,\nsmall,c,10,,0,ok,,,5.5\n")
    found = read(path)
    assert [(each.is_open, each.level, each.reason) for each in found] == [
        (True, 10, None), (True, 10, "failed"), (True, 10, None),
    ]  # fmt: skip
    assert (found[0].answered, found[0].rate, found[2].latency_mean_ms) == (54_001, None, 5.5)


def test_the_figures_of_2018_follow_from_what_was_published() -> None:
    """The arithmetic of the study's README."""
    idle = [16.8, 19.1, 3.7, 0.5, 1.5, 2.3, 4.1]
    with (SPRING / "source.csv").open() as file:
        source = list(csv.DictReader(file))
    for row, share, figure in zip(source, idle, read(SPRING / FIGURES_FILE, 0.001), strict=True):
        rate, requests = float(row["requests_per_second"]), int(row["requests"])
        errors = sum(int(row[f"socket_{kind}"]) for kind in ("read_errors", "write_errors", "timeouts"))
        assert (figure.server, figure.requests_per_second, figure.requests) == (row["server"], rate, requests)
        assert figure.failed_requests == errors
        assert figure.latency_mean_ms == float(row["latency_mean_ms"])
        assert figure.latency_longest_ms == float(row["latency_max_ms"])
        assert figure.cpu_us == pytest.approx(1e6 * 8 * (1 - share / 100) / rate, rel=1e-3)
        assert figure.allocated_bytes == pytest.approx(int(row["young_gc_count"]) * 819.2 * 2**20 / requests, rel=1e-3)
        assert (figure.reason is None) == (figure.server != "jetty-9.4.8")
    served = {figure.server: round(figure.connections_served or 0) for figure in read(SPRING / FIGURES_FILE)}
    assert served.pop("jetty-9.4.8") == 205
    assert (min(served.values()), max(served.values())) == (4_980, 5_473)
