"""docs/fairness.md has the exceptions from its rules as the catalog has them."""

from __future__ import annotations

import re

from support.builders import server

from ab_runner import paths
from ab_runner.catalog.fairness import BEGIN, DOCUMENT, END, with_exceptions
from ab_runner.catalog.server_file import RULES
from ab_runner.catalog.servers import load

EMPTY = f"before\n{BEGIN}{END}after\n"


def rows_of(document: str) -> list[str]:
    _, _, rest = document.partition(BEGIN)
    return rest.partition(END)[0].splitlines()


def test_the_document_is_what_the_catalog_says() -> None:
    document = DOCUMENT.read_text()
    assert document == with_exceptions(document, load(paths.SERVERS).values()), "run `make compose`"


def test_each_rule_has_a_heading_in_the_document_in_the_order_of_the_catalog() -> None:
    headings = re.findall(r"^### (.+)$", DOCUMENT.read_text(), re.MULTILINE)
    assert tuple(heading for heading in headings if heading in RULES) == RULES


def test_no_server_has_an_exception() -> None:
    assert with_exceptions(EMPTY, [server("a-1")]) == f"before\n{BEGIN}No server has an exception.\n{END}after\n"


def test_rows_are_in_the_order_of_the_rules_and_then_of_the_servers() -> None:
    servers = [
        server("b-1", exceptions={"release": "It is old.", "echo": "It parses."}),
        server("a-1", exceptions={"release": "It is new."}),
    ]
    assert rows_of(with_exceptions(EMPTY, servers)) == [
        "| rule | servers | exception |",
        "|---|---|---|",
        "| [echo](#echo) | `b-1` | It parses. |",
        "| [release](#release) | `a-1` | It is new. |",
        "| [release](#release) | `b-1` | It is old. |",
    ]


def test_servers_with_the_same_exception_share_a_row() -> None:
    same = {"echo": "It parses."}
    servers = [server("b-1", exceptions=same), server("c-1"), server("a-1", exceptions=same)]
    assert rows_of(with_exceptions(EMPTY, servers))[2:] == ["| [echo](#echo) | `a-1`, `b-1` | It parses. |"]


def test_a_text_cannot_end_its_cell_or_its_line_or_the_generated_part() -> None:
    hostile = server("a-1", exceptions={"echo": f"one | two\n\nthree {END}"})
    document = with_exceptions(EMPTY, [hostile])
    assert rows_of(document)[2:] == [
        r"| [echo](#echo) | `a-1` | one \| two three &lt;!-- end of the generated part --> |"
    ]
    assert with_exceptions(document, []) == with_exceptions(EMPTY, [])


def test_a_further_time_changes_nothing() -> None:
    once = with_exceptions(EMPTY, [server("a-1", exceptions={"echo": "It parses."})])
    assert with_exceptions(once, [server("a-1", exceptions={"echo": "It parses."})]) == once
