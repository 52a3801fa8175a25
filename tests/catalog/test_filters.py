from __future__ import annotations

import datetime

import pytest
from support.builders import server

from ab_runner.catalog.filters import Filter
from ab_runner.catalog.servers import CatalogError

OLD = server("jetty-5", released=datetime.date(2006, 1, 1))
NIO = server("jetty-12", released=datetime.date(2026, 1, 1), io_model="NIO reactor")
ECHO = server("mina-1", released=datetime.date(2008, 12, 31), io_model="NIO reactor", workloads=("echo",))
ALL = [OLD, NIO, ECHO]


def fitting(wanted: Filter) -> list[str]:
    return [server.id for server in ALL if wanted.fits(server)]


def test_one_value_is_enough_and_every_filter_counts() -> None:
    assert fitting(Filter()) == ["jetty-5", "jetty-12", "mina-1"]
    assert fitting(Filter(families=["jetty"])) == ["jetty-5", "jetty-12"]
    assert fitting(Filter(families=["jetty", "mina"], io_models=["NIO reactor"])) == ["jetty-12", "mina-1"]
    assert fitting(Filter(workloads=["large", "echo"])) == ["jetty-5", "jetty-12", "mina-1"]
    assert fitting(Filter(workloads=["echo"], families=["jetty"])) == []


def test_an_era_begins_and_ends_with_its_years() -> None:
    assert fitting(Filter(years=[range(2006, 2009)])) == ["jetty-5", "mina-1"]
    assert fitting(Filter(years=[range(0, 2007), range(2009, 10_000)])) == ["jetty-5", "jetty-12"]


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        (Filter(families=["jety"]), r"no server of the family 'jety' \(did you mean jetty\?\)"),
        (Filter(families=["zzz"]), r"no server of the family 'zzz'; there are jetty, mina"),
        (Filter(io_models=["magic"]), r"I/O model 'magic'; there are NIO reactor, blocking thread pool"),
        (Filter(workloads=["echo", "small-keepalive"]), r"workload 'small-keepalive' \(did you mean small\?\)"),
        (Filter(years=[range(2006, 2007), range(2010, 2013)]), r"in 2010-2012; there are 2006, 2008, 2026"),
        (Filter(years=[range(1999, 2000)]), r"in 1999; there are"),
    ],
)
def test_a_value_that_no_server_has_is_a_mistake(wanted: Filter, complaint: str) -> None:
    with pytest.raises(CatalogError, match=complaint):
        wanted.check(ALL)


def test_values_that_exclude_each_other_are_none() -> None:
    Filter(families=["mina"], workloads=["large"]).check(ALL)
