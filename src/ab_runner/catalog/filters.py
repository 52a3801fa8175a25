"""Filters: which servers have the wanted properties. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from ab_runner.catalog.servers import CatalogError, suggestion
from ab_runner.model.server import Server

_VALUES: Mapping[str, Callable[[Server], Collection[str]]] = {
    "family": lambda server: (server.family,),
    "I/O model": lambda server: (server.io_model,),
    "workload": lambda server: server.workloads,
}


class Filter(Struct, frozen=True, kw_only=True):
    """The properties of wanted servers. Of each field that is not empty, a server must have one of the values."""

    families: Sequence[str] = ()
    years: Sequence[range] = ()
    """Spans of years."""
    io_models: Sequence[str] = ()
    workloads: Sequence[str] = ()

    def fits(self, server: Server) -> bool:
        """Return whether the server has one of the values of each property."""
        named = all(not asked or set(asked) & set(_VALUES[what](server)) for what, asked in self._named())
        return named and (not self.years or any(server.release_year in years for years in self.years))

    def check(self, servers: Iterable[Server]) -> None:
        """Raise CatalogError for a value that no server has: it must be a mistake."""
        servers = list(servers)
        for what, asked in self._named():
            known = sorted({value for server in servers for value in _VALUES[what](server)})
            for value in asked:
                if value not in known:
                    near = suggestion(value, known) or f"; there are {', '.join(known)}"
                    raise CatalogError(f"no server of the {what} {value!r}{near}")
        known_years = sorted({server.release_year for server in servers})
        for span in self.years:
            if not any(year in span for year in known_years):
                raise CatalogError(f"no server released in {_span(span)}; there are {', '.join(map(str, known_years))}")

    def _named(self) -> Iterable[tuple[str, Sequence[str]]]:
        return (("family", self.families), ("I/O model", self.io_models), ("workload", self.workloads))


def _span(years: range) -> str:
    return str(years[0]) if len(years) == 1 else f"{years[0]}-{years[-1]}"
