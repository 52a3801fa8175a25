"""Where things lie in the repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVERS = ROOT / "servers"
DOCKER = ROOT / "docker"
GENERATORS = ROOT / "generators"
FIXTURES = ROOT / "fixtures"
WORKLOADS = FIXTURES / "workloads.toml"
RESULTS = ROOT / "results"
STUDIES = ROOT / "studies"


def servers_of_study(id: str) -> Path:
    """Return the folder of the servers that only this study has."""
    return STUDIES / id / "servers"
