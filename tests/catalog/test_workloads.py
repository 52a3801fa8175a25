from __future__ import annotations

import re
from pathlib import Path

import pytest

from ab_runner import paths
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.catalog.workloads import load_workloads
from ab_runner.model.workload import Requests, Workload

HEAD = "format = 1\n"
SMALL = '[workloads.small]\npath = "/small.html"\nfixture = "small.html"\nsummary = "a small file"\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "workloads.toml"
    path.write_text(text)
    return path


def test_the_workloads_of_the_repository() -> None:
    found = load_workloads(paths.WORKLOADS).values()
    assert [(each.name, each.path, each.fixture, each.echo, each.keep_alive) for each in found] == [
        ("echo", "/echo", None, True, False),
        ("small", "/small.html", "small.html", False, False),
        ("small-keepalive", "/small.html", "small.html", False, True),
        ("large", "/large.bin", "large.bin", False, False),
    ]


def test_a_workload_has_what_its_table_says(tmp_path: Path) -> None:
    text = """
[workloads.packed-5ms]
path = "/small.html?packed"
headers = ["Accept-Encoding: gzip", "X-Test: a, b"]
keep_alive = true
gzip_of = "small.html"
by_requests = { warm_up = 10, trial = 20 }
not_before_ms = 5
summary = "a small file in gzip, after 5 ms"

[workloads.hello]
path = "/hello"
constant = "Hello, World!"
summary = "a short text"
"""
    assert load_workloads(write(tmp_path, HEAD + text)) == {
        "packed-5ms": Workload(
            name="packed-5ms", path="/small.html?packed", headers=("Accept-Encoding: gzip", "X-Test: a, b"),
            keep_alive=True, gzip_of="small.html", not_before_ms=5, summary="a small file in gzip, after 5 ms",
            by_requests=Requests(warm_up=10, trial=20),
        ),
        "hello": Workload(name="hello", path="/hello", constant="Hello, World!", summary="a short text"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("format = 2\n" + SMALL, "format: must be 1"),
        (HEAD, "workloads: must be 1 to 100 tables"),
        (HEAD + "workloads = 3\n", "workloads: must be 1 to 100 tables"),
        (HEAD + "colour = 3\n" + SMALL, "unknown key 'colour'"),
        (HEAD + SMALL.replace("[workloads.small]", "[workloads.Small]"), "workloads.Small: a workload is named in l"),
        (HEAD + SMALL.replace("[workloads.small]", f"[workloads.{'a' * 64}]"), "with at most 63 characters"),
        (HEAD + SMALL + 'name = "other"\n', "workloads.small: must be a table without the key name"),
        (HEAD + "[workloads]\nsmall = 3\n", "workloads.small: must be a table"),
        (HEAD + SMALL + "length = 100\n", "workloads.small: object contains unknown field `length`"),
        (HEAD + SMALL.replace('path = "/small.html"\n', ""), "object missing required field `path`"),
        (HEAD + SMALL.replace('"/small.html"', '"small.html"'), "workloads.small: path: expected `str` matching"),
        (HEAD + SMALL.replace('"/small.html"', '"/a b"'), "path: expected `str` matching"),
        (HEAD + SMALL.replace('"a small file"', '""'), "summary: expected `str` of length >= 1"),
        (HEAD + SMALL.replace('fixture = "small.html"\n', ""), "must have one answer of fixture, constant, echo, gzip"),
        (HEAD + SMALL + "echo = true\n", "echo, gzip_of, probed_bytes; it has fixture and echo"),
        (HEAD + SMALL.replace('= "small.html"', '= "../small"'), "no fixture '../small'; there are 'small.html', "),
        (HEAD + SMALL + 'headers = ["Range"]\n', "headers[0]: expected `str` matching"),
        (HEAD + SMALL + 'headers = ["A: b\\r\\nC: d"]\n', "headers[0]: expected `str` matching"),
        (HEAD + SMALL + 'headers = ["HOST: me"]\n', "headers: the generators send HOST themselves"),
        (HEAD + SMALL.replace("fixture", "gzip_of"), "headers: gzip_of needs a line such as 'Accept-Encoding: gzip'"),
        (HEAD + SMALL.replace('fixture = "small.html"', 'constant = ""'), "constant: expected `str` matching"),
        (HEAD + SMALL.replace('fixture = "small.html"', 'constant = "\\u0000"'), "constant: expected `str` matching"),
        (HEAD + SMALL + "not_before_ms = 60001\n", "not_before_ms: expected `int` <= 60000"),
        (HEAD + SMALL + "by_requests = { warm_up = 9, trial = 1 }\n", "by_requests.warm_up: expected `int` >= 10"),
        (HEAD + SMALL + "by_requests = { trial = 1 }\n", "by_requests: object missing required field `warm_up`"),
        (HEAD + SMALL + "not_before_ms = 0.5\n", "not_before_ms: expected `int`, got `float`"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_and_key(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(DocumentError, match=re.escape(complaint)) as caught:
        load_workloads(write(tmp_path, text))
    assert str(caught.value).startswith(str(tmp_path / "workloads.toml"))
    assert "\n" not in str(caught.value)
