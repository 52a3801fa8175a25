"""Links of the documents lead to files and headings that exist, and what they fill in or count is in the records."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import limit
import pytest
import waiting
from rows import rows_in
from support import claims

from ab_runner.cli.splice import splice
from ab_runner.report.charts import vega

ROOT = Path(__file__).parents[1]
PLACES = ("*.md", "docs/*.md", "studies/*/*.md")
DOCUMENTS = [path for place in PLACES for path in sorted(ROOT.glob(place))]


def prose_of(path: Path) -> str:
    """Return the text without fenced and indented code."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    return re.sub(r"^(?: {4,}(?![-*\d]).*\n)+", "", text, flags=re.MULTILINE)


def anchors_of(path: Path) -> set[str]:
    """Return the fragments by which GitHub addresses the headings."""
    headings = re.findall(r"^#+ (.+)$", prose_of(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower().strip()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(path)):
        if not target.startswith("http"):
            name, _, anchor = target.partition("#")
            there = path.parent / name if name else path
            assert there.exists(), target
            assert not anchor or anchor in anchors_of(there), target


def test_what_commands_have_filled_in_is_what_they_would_fill_in_now(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`./ab-runner splice README.md docs/*.md` brings it up to date."""
    monkeypatch.setattr("ab_runner.cli.splice.analysed", lambda folder: claims.published(folder.name))
    code = splice(DOCUMENTS, check=True)
    assert (code, capsys.readouterr().err) == (0, "")


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= 900


RESULTS = (ROOT / "docs/results.md").read_text()


@pytest.mark.parametrize(
    ("page", "claim"),
    [(page, each) for page, those in claims.CLAIMS.items() for each in those],
    ids=lambda each: each.__name__ if callable(each) else "",
)
def test_what_a_page_counts_is_what_the_records_show(page: str, claim: Callable[[], str | tuple[str, ...]]) -> None:
    found, text = claim(), " ".join((ROOT / "docs" / page).read_text().split())
    for words in (found,) if isinstance(found, str) else found:
        assert words in text


def test_the_results_are_short() -> None:
    blocks = re.findall(r"<!-- \./ab-runner.*?<!-- end -->", RESULTS, re.DOTALL)
    without_table = RESULTS.replace("\n".join(waiting.table(claims.that_wait())), "")
    prose = re.sub(r"<!-- \./ab-runner.*?<!-- end -->", "", without_table, flags=re.DOTALL)
    assert (len(blocks) <= 8, len(prose.split()) <= 1_200) == (True, True)


def test_the_table_and_the_picture_of_requests_that_wait_are_those_of_their_sweeps() -> None:
    """`benchmarks/waiting.py` makes both."""
    assert "\n".join(waiting.table(claims.that_wait())) in RESULTS
    assert waiting.PICTURE.read_text().endswith(f"<!-- {vega.digest(waiting.picture(claims.that_wait()))} -->\n")


def test_the_tables_of_what_would_free_servers_from_ab_are_those_of_their_records() -> None:
    page = (ROOT / "docs/benchmarks.md").read_text().splitlines()
    lines = list(limit.tables(rows_in(ROOT / "benchmarks/records/limit.jsonl", limit.Measured)))
    assert len(lines) > 30
    assert {*lines} <= {*page}
