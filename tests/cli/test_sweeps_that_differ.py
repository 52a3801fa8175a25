"""Sweeps of two generators, or of two numbers of CPUs, are shown beside each other and not tested."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.builders import server, sweep, trial
from support.cli import Runner

from ab_runner.store.writer import Store


def kept(folder: Path, generator: str = "ab", **changes: Any) -> str:
    made = sweep(server("tomcat-5.5.15", published="tomcat-5.5.15"), id=folder.name, **changes)
    made = msgspec.structs.replace(made, request=msgspec.structs.replace(made.request, generator=generator))
    store = Store.make(folder, made)
    for block in range(1, 7):
        store.append(trial("tomcat-5.5.15", "small", 1, block=block))
    store.close()
    return str(folder)


@pytest.mark.parametrize(
    ("first", "second", "difference", "verdict", "needs", "names"),
    [
        (
            {"generator": "ab"}, {"generator": "wrk"}, "generator is wrk and was ab", "other generator",
            "by one generator", ("load by ab", "load by wrk"),
        ),
        (
            {"server_cpus": (1,)}, {"server_cpus": (1, 2, 3, 4)}, "server CPUs is 1, 2, 3, 4 and was 1", "other CPUs",
            "and as many CPUs for it", ("servers on 1 CPU", "servers on 4 CPUs"),
        ),
    ],
)  # fmt: skip
def test_they_are_shown_beside_each_other_and_not_tested(
    cli: Runner, tmp_path: Path, first: dict[str, Any], second: dict[str, Any], difference: str, verdict: str,
    needs: str, names: tuple[str, str],
) -> None:  # fmt: skip
    one, other = kept(tmp_path / "one", **first), kept(tmp_path / "other", **second)
    assert f"{difference} (--anyway" in cli.complaint("compare", one, other)
    code, stdout, _ = cli("compare", one, other, "--anyway", "--format", "csv")
    assert (code, f",{verdict}," in stdout) == (0, True)
    assert needs in cli.complaint("compare", one, other, "--anyway", "--fail-if-slower", "5%")
    code, stdout, _ = cli("conclusions", one, other, "--format", "markdown")
    assert code == 0
    assert f"one: one, {names[0]}" in stdout
    assert f"other: other, {names[1]}" in stdout
    assert " ".join(names[0].split()[:2]) not in cli("conclusions", one, one, "--format", "markdown")[1]
