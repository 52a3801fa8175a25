"""Where things lie in the repository."""

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SERVERS = ROOT / "servers"
FIXTURES = ROOT / "fixtures"
RESULTS = ROOT / "results"
PUBLISHED = RESULTS / "published"
LOCK = Path(tempfile.gettempdir()) / f"ab-runner-{os.getuid()}.lock"
"""Held by the one sweep that this user may run at a time."""
