from __future__ import annotations

from support.builders import answer
from support.evil_sweep import HOSTILE_HEAD

from ab_runner.report.tables.answers import answer_heads, head_lines

HEAD = "HTTP/1.1 200 \r\nDate: Sun, 22 Nov 2026 04:00:00 GMT\r\nContent-Length: 100\r\n\r\n"


def test_a_head_is_shown_line_by_line_without_its_end() -> None:
    assert head_lines(answer("a-1", HEAD)) == [
        "HTTP/1.1 200 ",
        "Date: Sun, 22 Nov 2026 04:00:00 GMT",
        "Content-Length: 100",
    ]


def test_no_control_character_of_a_head_is_shown_and_no_line_is_long() -> None:
    lines = head_lines(answer("a-1", HOSTILE_HEAD))
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines)) < 1000
    assert r"\x1b" in lines[1]
    assert r"\x9b" in lines[1]
    assert r"\u202e\n\r" in lines[1]
    assert lines[2] == f"X: {'x' * 197}…"
    assert lines[3] == "Y: y"


def test_a_head_of_many_lines_is_cut() -> None:
    lines = head_lines(answer("a-1", "HTTP/1.0 200 OK\r\n" + "X: x\r\n" * 5000 + "\r\n"))
    assert len(lines) == 41
    assert lines[-1] == "…"


def test_the_first_answer_of_each_workload_counts_and_its_length_is_that_of_its_bytes() -> None:
    first, second, other = answer("a-1", HEAD), answer("a-1", HEAD * 2), answer("b-1", HEAD, "large")
    found = answer_heads([first, second, other])
    assert list(found) == ["a-1", "b-1"]
    assert found["b-1"].heads == (("large", "\n".join(head_lines(first))),)
    (row,) = found["a-1"].lengths.rows
    assert [cell.text for cell in row] == ["small", str(len(HEAD)), "100"]
