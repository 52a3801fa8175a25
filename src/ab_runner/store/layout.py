"""A sweep's folder: the names of its files, and what is wrong with one."""

from ab_runner.errors import UserError

SWEEP_FILE = "sweep.json"
TRIALS_FILE = "trials.jsonl"
PACKED_TRIALS_FILE = "trials.jsonl.xz"
"""The log of a published sweep, in place of `TRIALS_FILE`."""
RAW_FOLDER = "raw"
LATEST = "latest"
PUBLISHED_SWEEPS = "sweeps"
"""The folder in a folder of sweeps that has the published ones."""


class StoreError(UserError):
    """Raised for a folder that holds no sweep, or that cannot be written."""
