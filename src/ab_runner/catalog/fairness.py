"""The exceptions in docs/fairness.md, from the catalog.

PYTHONPATH=src .venv/bin/python -m ab_runner.catalog.fairness        (make compose)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ab_runner import paths
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.server_file import RULES
from ab_runner.host.safe_files import write_whole
from ab_runner.model.server import Server

DOCUMENT = paths.ROOT / "docs" / "fairness.md"
BEGIN = "<!-- generated from servers/*/server.toml by `make compose` -->\n"
END = "<!-- end of the generated part -->\n"


def with_exceptions(document: str, servers: Iterable[Server]) -> str:
    """Return the document with the exceptions of these servers between its marks."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "".join([before, BEGIN, *(f"{line}\n" for line in _lines(servers)), END, after])


def _lines(servers: Iterable[Server]) -> Iterator[str]:
    """Yield a table with a row for each exception; servers with the same one share a row."""
    rows: dict[tuple[str, str], list[str]] = {}
    ordered = sorted(servers, key=lambda server: server.id)
    for rule in RULES:
        for server in ordered:
            if rule in server.exceptions:
                rows.setdefault((rule, server.exceptions[rule]), []).append(server.id)
    if not rows:
        yield "No server has an exception."
        return
    yield "| rule | servers | exception |"
    yield "|---|---|---|"
    for (rule, why), ids in rows.items():
        yield f"| [{rule}](#{rule}) | {', '.join(f'`{id}`' for id in ids)} | {_plain(why)} |"


def _plain(text: str) -> str:
    """Return a text that cannot end its cell or its line."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    text = with_exceptions(DOCUMENT.read_text(encoding="utf-8"), load_catalog().servers.values())
    write_whole(DOCUMENT, text.encode())
