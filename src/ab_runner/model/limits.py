"""Types with limits, for what is stored. A file may come from someone else, so they are checked where one is read. All
are far beyond what a sweep reaches."""

from __future__ import annotations

import datetime
from typing import Annotated

from msgspec import Meta

_MOST = 10**18
"""Fits into 64 bits, and sums and products of such figures are finite floating-point numbers."""

Count = Annotated[int, Meta(ge=0, le=_MOST)]
Whole = Annotated[int, Meta(ge=-_MOST, le=_MOST)]
Amount = Annotated[float, Meta(ge=0, le=_MOST)]
Real = Annotated[float, Meta(ge=-_MOST, le=_MOST)]
Percentage = Annotated[int, Meta(ge=0, le=100)]
Connections = Annotated[int, Meta(ge=1, le=1_000_000)]
Cpus = Annotated[int, Meta(ge=1, le=1_000_000)]
Level = Annotated[int, Meta(ge=0, le=1_000_000)]
"""What a column of a table stands for: connections, requests per second …; `model.axis` has the kinds."""
Name = Annotated[str, Meta(min_length=1, max_length=40)]
"""Of a generator."""
Moment = Annotated[datetime.datetime, Meta(tz=True)]
"""A time with its zone, so that all can be compared."""

SERVERS_AT_MOST = 1_000
"""Servers of a sweep. Its analysis compares each with each other one."""
WORKLOADS_AT_MOST = 100
CONNECTIONS_AT_MOST = 20_000
"""Of a closed load that is asked for: the highest -c that every ab takes. Debian's 2.4.71 allows up to 200,000, and
other generators have no limit of their own, but 28,000 local ports are the next one."""
BLOCKS_AT_MOST = 1_000
PLANNED_AT_MOST = 500_000
"""Cells of a sweep, in all its blocks together. Those of all servers in six blocks are a few thousand."""
VALID_RATES = (1e-3, 1e12)
"""Requests per second of a valid trial. ab prints two digits behind the point."""
