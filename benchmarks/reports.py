#!/usr/bin/env python3
"""What it takes to make all reports of a sweep of all servers: CPU seconds, in all and for each of them.

    PYTHONPATH=src .venv/bin/python benchmarks/reports.py [RUNS]

The sweep is the made-up one of tests/support/full_sweep.py: 40 servers, four workloads, five levels, six blocks. The
reports are the tables on a terminal with everything, tables.md, trials.csv, the page, the comparison with 2006, the
conclusions, and the descriptions of all charts. What vl-convert draws of them does not count: it is no part of ours,
and takes as long for any sweep. The median of several processes is printed.
"""

from __future__ import annotations

import importlib
import io
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import msgspec
from rich.console import Console

from ab_runner import paths
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.catalog.studies import read_study
from ab_runner.history.conclusions import judgements
from ab_runner.history.then_and_now import then_and_now
from ab_runner.model.protocol import DEFAULT_STUDY
from ab_runner.report import html
from ab_runner.report.charts import vega
from ab_runner.report.charts.gallery import gallery
from ab_runner.report.charts.of_sweep import chart_data
from ab_runner.report.document import Report
from ab_runner.report.formats import conclusions_csv, csv, markdown, terminal, then_and_now_csv
from ab_runner.report.say.facts import subtitle_of
from ab_runner.report.tables.conclusions import report_conclusions
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.report.tables.then_and_now import report_then_and_now
from ab_runner.store.reader import Stored

RUNS = 5
WIDTH = 160
STAND_INS = {
    "cindy": "cindy-3.0a4-acceptor", "httpd": "httpd-2.0.54", "jetty": "jetty-5.1.10", "lighttpd": "lighttpd-1.4.11",
    "mina": "mina-0.9.2", "tomcat": "tomcat-5.5.15",
}  # fmt: skip
"""By family, the server of 2006 that its first server stands for: the made-up sweep has none."""


def main(arguments: list[str]) -> None:
    """Print the figures of one process, or the median of several."""
    if arguments == ["--once"]:
        print(msgspec.json.encode(costs(sweep_of_all_servers())).decode())
        return
    runs = int(arguments[0]) if arguments else RUNS
    command = [sys.executable, __file__, "--once"]
    found = [
        msgspec.json.decode(subprocess.run(command, check=True, capture_output=True).stdout, type=dict[str, float])
        for _ in range(runs)
    ]
    for name in found[0]:
        print(f"{name:24}{median(each[name] for each in found):8.3f} s")
    print(f"{'all reports':24}{median(sum(each.values()) for each in found):8.3f} s of CPU, median of {runs} processes")


def sweep_of_all_servers() -> Stored:
    """Return the made-up sweep, with servers that stand for some of 2006."""
    sys.path.insert(0, str(paths.ROOT / "tests"))
    stored: Stored = importlib.import_module("support.full_sweep").full_sweep()
    left = dict(STAND_INS)
    servers = tuple(
        msgspec.structs.replace(server, published=left.pop(server.family, None)) for server in stored.sweep.servers
    )
    return msgspec.structs.replace(stored, sweep=msgspec.structs.replace(stored.sweep, servers=servers))


def costs(stored: Stored) -> Mapping[str, float]:
    """Return the CPU seconds that each report takes, and the analysis that all of them are made of."""
    without_drawing: Any = vega
    without_drawing.vega, without_drawing.vega_script = dict, str
    study = read_study(DEFAULT_STUDY, {})
    seconds: dict[str, float] = {}

    def timed(name: str, make: Callable[[], Any]) -> Any:
        began = time.process_time()
        made = make()
        seconds[name] = time.process_time() - began
        return made

    analysis = timed("analysis", lambda: analyse(stored))
    report = timed("tables", lambda: report_of(analysis, everything=True))
    timed("terminal", lambda: shown(report))
    timed("markdown", lambda: markdown.render(report))
    timed("trials.csv", lambda: csv.render(analysis))
    judged = timed("conclusions", lambda: [(study, judgements(study, [("now", analysis)]))])
    concluded = timed("conclusions' tables", lambda: report_conclusions(judged))
    timed("conclusions, shown", lambda: (shown(concluded), conclusions_csv.render(judged)))
    timed("page", lambda: html.render(analysis, study, concluded))
    compared = timed("then and now", lambda: then_and_now(analysis, study))
    timed(
        "then and now, shown",
        lambda: (shown(report_then_and_now(analysis, compared)), then_and_now_csv.render(compared)),
    )
    timed("charts", lambda: gallery(chart_data(analysis, compared), subtitle_of(analysis.sweep)))
    return seconds


def shown(report: Report) -> str:
    """Return what a terminal shows."""
    text = io.StringIO()
    Console(file=text, width=WIDTH, highlight=False).print(*terminal.render(report, WIDTH), sep="\n")
    return text.getvalue()


if __name__ == "__main__":
    main(sys.argv[1:])
