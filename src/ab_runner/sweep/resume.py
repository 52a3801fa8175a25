"""Until cli and the modules that prepare a sweep have these from the store."""

from __future__ import annotations

from ab_runner.store.differences import differences as differences
from ab_runner.store.plan import remaining as remaining
from ab_runner.store.plan import starts_so_far as starts_so_far
