"""Servers measured in several sessions: a two-way layout of servers and sessions, without replication.

    log figure = server + session + residual

A session is faster or slower as a whole, and some servers gain more by that than others. The residual has both this
interaction and the error within a session, so what it says of a server's place holds for other sessions like these
(H. Scheffé, The Analysis of Variance, 1959, sections 4.2 and 8.1: sessions as a random factor).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import fsum, sqrt
from statistics import fmean, geometric_mean

from msgspec import Struct
from scipy.special import stdtrit

from ab_runner.stats.estimate import CONFIDENCE, Estimate, Interval
from ab_runner.stats.ratio import LogMean, factor

Logs = Mapping[str, float]
"""The logarithms of the figures of one session, by server."""


class Layout(Struct, frozen=True):
    """`effects` are the servers' means over `sessions` sessions of log figure - the mean of all in that session, by
    server. `variance` is that of a single residual, pooled over the servers, with (servers - 1)(sessions - 1) degrees
    of freedom."""

    effects: Logs
    sessions: int
    variance: float

    @property
    def degrees_of_freedom(self) -> int:
        """Those of the variance; 0 where there is nothing to know it by."""
        return (len(self.effects) - 1) * (self.sessions - 1)

    def mean(self, server: str) -> LogMean:
        """Return a server's effect as it is compared with those of the others: of two the difference has the variance
        2 s²/J of J sessions."""
        if not self.degrees_of_freedom:
            return LogMean(self.effects[server])
        variance = self.variance / self.sessions
        return LogMean(self.effects[server], variance, self.degrees_of_freedom, is_pooled=True)

    def relative(self, server: str, base: Collection[str], *, in_another_session: bool = False) -> Estimate:
        """Return a server's figure over the geometric mean of those of `base`, with its interval; or with the interval
        for what another session would show. No interval where the variance is not known.

        With J sessions and B servers in the base, the variance is s² (1/J) (1 - 1/B) of one of them and s² (1/J)
        (1 + 1/B) of any other; for another session 1 + 1/J takes the place of 1/J."""
        value = self.effects[server] - fmean(self.effects[each] for each in base)
        if not self.degrees_of_freedom:
            return Estimate(factor(value))
        among = 1 - 1 / len(base) if server in base else 1 + 1 / len(base)
        variance = self.variance * (1 / self.sessions + in_another_session) * among
        reach = -float(stdtrit(self.degrees_of_freedom, (1 - CONFIDENCE) / 2)) * sqrt(variance)
        return Estimate(factor(value), Interval(factor(value - reach), factor(value + reach)))


def layout(sessions: Sequence[Logs]) -> Layout:
    """Return the layout of the servers that every session has. ValueError where there is none."""
    servers = in_every(sessions)
    if not servers:
        raise ValueError("no server is in every session")
    relative = [relative_to(logs, servers) for logs in sessions]
    effects = {server: fmean(logs[server] for logs in relative) for server in servers}
    squares = fsum((logs[server] - effects[server]) ** 2 for logs in relative for server in servers)
    freedom = (len(servers) - 1) * (len(sessions) - 1)
    return Layout(effects, len(sessions), squares / freedom if freedom else 0.0)


def in_every(sessions: Sequence[Logs]) -> list[str]:
    """Return the servers that every session has."""
    return sorted(set.intersection(*map(set, sessions))) if sessions else []


def relative_to(logs: Logs, base: Collection[str]) -> dict[str, float]:
    """Return the logarithms of a session, less the mean of those of `base`."""
    mean = fmean(logs[server] for server in base)
    return {server: each - mean for server, each in logs.items()}


def over_sessions(figures: Collection[float]) -> Estimate:
    """Return the geometric mean of the figures of several sessions, with their range."""
    return Estimate(geometric_mean(figures), range=Interval(min(figures), max(figures)))
