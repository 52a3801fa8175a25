"""The agent as a process of this host, with the files that its image has and no other."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "docker" / "agent.Dockerfile"
_COPY = re.compile(r"^COPY (.*) /agent/(\S+)$", re.MULTILINE)


def files_of_the_image(folder: Path) -> Path:
    """Copies into a folder what the Dockerfile copies into the image, and returns it."""
    text = DOCKERFILE.read_text().replace("\\\n", " ")
    for sources, target in _COPY.findall(text):
        for source in sources.split():
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, folder / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                (folder / target).mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, folder / target)
    return folder


def agent_command(files: Path, *arguments: str) -> list[str]:
    """What starts it, without the packages that the runner has."""
    python = [sys.executable, "-S", "-B"]
    return ["env", f"PYTHONPATH={files}", *python, *(arguments or ("-m", "ab_runner.agent"))]
