"""A sweep's folder: the names of its files, and what is wrong with one."""

from ab_runner.errors import UserError

SWEEP_FILE = "sweep.json"
TRIALS_FILE = "trials.jsonl"
RAW_FOLDER = "raw"
LATEST = "latest"


class StoreError(UserError):
    """Raised for a folder that holds no sweep, or that cannot be written."""
