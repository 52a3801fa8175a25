"""trials.csv, read back."""

from __future__ import annotations

import csv
import io

from support.builders import outcome, rejected, server, sweep, trial, usage

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.resources import JvmActivity
from ab_runner.report.formats import csv as trials_csv
from ab_runner.store.reader import Stored

JVM = JvmActivity(gc_count=3, gc_seconds=0.01, jit_seconds=0.02, heap_after_gc_bytes=5_000_000)


def test_csv_has_what_a_trial_took() -> None:
    good = trial("a-1", "small", 10, outcome=outcome(complete=10_000), usage=usage(), limit="generator", jvm=JVM)
    failed = trial("a-1", "small", 20, outcome=None, verdict=rejected("timeout"), usage=usage())
    text = trials_csv.render(analyse(Stored(sweep(server("a-1")), (good, failed))))
    first, second = csv.DictReader(io.StringIO(text))
    assert first["requests_per_server_cpu_second"] == "4000.0"
    assert (first["limit"], first["gc_count"], first["heap_after_gc_bytes"]) == ("generator", "3", "5000000")
    assert (first["generator_cores_busy"], second["generator_cores_busy"]) == ("0.8", "0.8")
    assert (second["requests_per_server_cpu_second"], second["gc_count"]) == ("", "")
