"""`serve` beside folders that somebody prepared, and beside pages from elsewhere in the same browser."""

from __future__ import annotations

import http.client
import json
import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from html import unescape
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from support.serving import keep, serving
from support.small_sweep import STORED

from ab_runner.web.serve import ADDRESS


@pytest.fixture
def results(tmp_path: Path) -> Path:
    keep(tmp_path / "one", STORED).close()
    return tmp_path


@pytest.fixture
def port(results: Path) -> Iterator[int]:
    with serving(results) as port:
        yield port


def get(port: int, path: str, **headers: str) -> tuple[HTTPResponse, str]:
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=60)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


def with_sweep(change: Callable[[Any], None]) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        sweep = json.loads((folder / "sweep.json").read_text())
        change(sweep)
        (folder / "sweep.json").write_text(json.dumps(sweep))

    return plant


def without_levels(sweep: Any) -> None:
    sweep["asked"]["concurrency"] = []


def of_ten_thousand_blocks(sweep: Any) -> None:
    sweep["asked"]["protocol"]["blocks"] = 10_000


def of_a_million_trials(sweep: Any) -> None:
    sweep["asked"]["protocol"]["blocks"] = 1000
    sweep["asked"]["concurrency"] = list(range(1, 500))


def with_a_huge_seed(sweep: Any) -> None:
    sweep["asked"]["seed"] = 10**4000


def nested(folder: Path) -> None:
    (folder / "sweep.json").write_text("[" * 1_000_000)


def sparse(folder: Path) -> None:
    with (folder / "sweep.json").open("r+b") as file:
        file.truncate(1 << 40)


def with_a_sparse_log(folder: Path) -> None:
    with (folder / "trials.jsonl").open("r+b") as file:
        file.truncate(1 << 40)


def called_by_escape_sequences(folder: Path) -> None:
    (folder / "sweep.json").write_text("{")
    folder.rename(folder.with_name("bad\x1b[2J"))


@pytest.mark.parametrize(
    "plant",
    [
        with_sweep(without_levels), with_sweep(of_ten_thousand_blocks), with_sweep(of_a_million_trials),
        with_sweep(with_a_huge_seed), nested, sparse, with_a_sparse_log, called_by_escape_sequences,
    ],
)  # fmt: skip
def test_a_folder_that_cannot_be_is_a_line_and_the_others_are_listed(
    port: int, results: Path, plant: Callable[[Path], None]
) -> None:
    keep(results / "bad", STORED).close()
    plant(results / "bad")
    answer, text = get(port, "/")
    assert answer.status == 200
    assert 'href="one/"' in text
    assert 'href="bad/"' not in text
    assert "/bad" in text
    assert get(port, "/bad/")[0].status in (404, 409)


def test_a_number_beyond_all_figures_is_a_damaged_line(port: int, results: Path) -> None:
    keep(results / "bad", STORED).close()
    log = results / "bad" / "trials.jsonl"
    log.write_text(re.sub(r'"seconds":[0-9.]+,"is_timed"', '"seconds":1e308,"is_timed"', log.read_text(), count=1))
    assert 'href="bad/"' in get(port, "/")[1]
    answer, text = get(port, "/bad/")
    assert answer.status == 200
    assert "line 1 is damaged and ignored" in text


def test_a_fifo_in_raw_is_neither_waited_for_nor_listed_away(port: int, results: Path) -> None:
    os.mkfifo(results / "one" / "raw" / "x.txt")
    assert 'href="one/"' in get(port, "/")[1]
    assert get(port, "/one/raw/x.txt")[0].status == 500


@pytest.mark.parametrize("site", ["cross-site", "same-site", "x"])
@pytest.mark.parametrize("path", ["/", "/one/", "/compare?sweep=one", "/one/raw/x.txt"])
def test_a_page_from_elsewhere_has_nothing_made_for_it(port: int, path: str, site: str) -> None:
    """A service on another port of this host is of the same site."""
    answer, text = get(port, path, Sec_Fetch_Site=site)
    assert (answer.status, text.count("\n")) == (403, 1)


def test_a_reader_and_our_own_pages_are_answered(port: int) -> None:
    assert get(port, "/", Sec_Fetch_Site="none")[0].status == 200
    assert get(port, "/one/", Sec_Fetch_Site="same-origin")[0].status == 200
    assert get(port, "/one/")[0].status == 200, "a browser that does not say"


@pytest.mark.parametrize("path", ["/", "/one/", "/compare?sweep=one&sweep=two", "/nothing/"])
def test_no_answer_is_for_other_pages_or_runs_text(port: int, results: Path, path: str) -> None:
    keep(results / "two", STORED).close()
    answer, _ = get(port, path)
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe-eval" not in policy
    assert {"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"} <= set(policy.split("; "))


@pytest.mark.parametrize(("path", "scripts"), [("/", 1), ("/one/", 2), ("/compare?sweep=one&sweep=two", 0)])
def test_a_page_allows_its_own_scripts_and_style_and_no_others(
    port: int, results: Path, path: str, scripts: int
) -> None:
    keep(results / "two", STORED).close()
    text = get(port, path)[1]
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    rules = dict(rule.split(" ", 1) for rule in unescape(policy).split("; "))
    found = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(found) == scripts
    assert rules["script-src"].split() == (list(map(digest, found)) or ["'none'"])
    assert [rules["style-src-elem"]] == list(map(digest, re.findall(r"<style>(.*?)</style>", text, re.DOTALL)))
    assert (rules["default-src"], rules["base-uri"]) == ("'none'", "'none'")
    assert text.index("<meta http-equiv") < text.index("<style>")


def digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
