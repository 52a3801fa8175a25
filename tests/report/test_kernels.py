"""A report is the same on every CPU. OpenBLAS has a kernel for each kind of CPU, and each rounds in its own way: what
should be 0 is 1e-26 with one and -1e-26 with another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.reports_without_noise import texts

TESTS = Path(__file__).parents[1]
KERNELS = {
    "Prescott": {"pni"},
    "Nehalem": {"sse4_2"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
"""And what a CPU needs for them, as /proc/cpuinfo calls it."""


def flags() -> set[str]:
    """What this CPU has; nothing where Linux does not say it, or it is none of x86."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return {flag for line in lines if line.startswith("flags") for flag in line.partition(":")[2].split()}


@pytest.fixture(scope="module")
def here() -> str:
    """The reports with the kernel that OpenBLAS takes by itself."""
    return "\n".join(texts()) + "\n"


@pytest.mark.parametrize("kernel", KERNELS)
def test_with_each_kernel_of_the_linear_algebra_reports_are_the_same(kernel: str, here: str) -> None:
    if missing := KERNELS[kernel] - flags():
        pytest.skip(f"this CPU has no {', '.join(sorted(missing))}")
    path = os.pathsep.join(map(str, (TESTS.parent / "src", TESTS)))
    environment = os.environ | {"OPENBLAS_CORETYPE": kernel, "PYTHONPATH": path}
    command = [sys.executable, "-m", "support.reports_without_noise"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout == here
