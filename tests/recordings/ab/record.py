"""Runs ab once per case of cases.toml against misbehave.py, and keeps what it printed beside this file.

    PYTHONPATH=tests python tests/recordings/ab/record.py [--ab23 PATH] [--ab20 PATH] [NAME ...]

NAME is one case or several, or nothing for all. Cases whose ab is not given are left out. Ends with 1 when an exit
code is not the one that cases.toml says; the outputs are written all the same, to be looked at.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from recordings.ab import misbehave

HERE = Path(__file__).parent
PORT = 18200


def argv(case: dict[str, Any], program: str) -> list[str]:
    """The command of one case, with the program where cases.toml says `ab`."""
    return [program if word == "ab" else word for word in case["argv"]]


def run(name: str, case: dict[str, Any], program: str) -> int:
    """Runs one case and writes NAME.out, NAME.err and, if ab wrote one, NAME.csv; gives the exit code."""

    def few_files() -> None:
        if "open_files" in case:
            resource.setrlimit(resource.RLIMIT_NOFILE, (case["open_files"], case["open_files"]))

    server = misbehave.serving(case["server"], PORT) if case["server"] != "none" else contextlib.nullcontext()
    with server:
        done = subprocess.run(argv(case, program), cwd=HERE, capture_output=True, preexec_fn=few_files, timeout=60)
    (HERE / f"{name}.out").write_bytes(done.stdout)
    (HERE / f"{name}.err").write_bytes(done.stderr)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ab23", metavar="PATH", help="an ab 2.3")
    parser.add_argument("--ab20", metavar="PATH", help="an ab 2.0.40-dev")
    parser.add_argument("names", nargs="*", metavar="NAME")
    asked = parser.parse_args()
    programs = {"2.3": asked.ab23, "2.0.40-dev": asked.ab20}
    surprises = 0
    for name, case in tomllib.loads((HERE / "cases.toml").read_text()).items():
        program = programs[case["version"]]
        if program is None or (asked.names and name not in asked.names):
            continue
        code = run(name, case, program)
        surprises += code != case["exit"]
        print(f"{name}: exit {code}" + (f", not {case['exit']}" if code != case["exit"] else ""))
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
