"""Servers measured in several sessions: a two-way layout of servers and sessions, without replication.

    log figure = server + session + residual

A session is faster or slower as a whole, and does more of that to some servers than to others. The residual has both
this interaction and the error within a session, so what it says of a server's place holds for other sessions like
these (H. Scheffé, The Analysis of Variance, 1959, sections 4.2 and 8.1, with sessions as a random factor).
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
    """`common` are the servers that all of `sessions` sessions have. `effects` are means over sessions of a server's
    logarithm, less the mean of the common servers in that session; of a server that is not common over those that it
    is in. `level` is the mean of all logarithms of the common servers. `variance` is that of a single residual of
    theirs, pooled over them."""

    common: tuple[str, ...]
    effects: Logs
    level: float
    sessions: int
    variance: float

    @property
    def degrees_of_freedom(self) -> int:
        """Those of the variance; 0 where there is nothing to know it by."""
        return max(0, len(self.common) - 1) * (self.sessions - 1)

    def mean(self, server: str) -> LogMean:
        """Return a server's mean at the sessions' average speed, as it is compared with others: the difference of two
        has the variance 2 s²/J, with J sessions. The noise of a server that is not in every session is taken as not
        known."""
        value = self.level + self.effects[server]
        if not self.degrees_of_freedom or server not in self.common:
            return LogMean(value)
        return LogMean(value, self.variance / self.sessions, self.degrees_of_freedom, is_pooled=True)

    def relative(self, server: str, in_another_session: bool = False) -> Estimate:
        """Return the figure of a common server over the geometric mean of all of them, with its interval, or the one
        for what another session would show. No interval where the variance is not known.

        With I servers and J sessions the variance is s² (1 - 1/I) / J, and in another session s² (1 - 1/I) (1 + 1/J).
        """
        value = self.effects[server]
        if not self.degrees_of_freedom:
            return Estimate(factor(value))
        variance = self.variance * (1 - 1 / len(self.common)) * (1 / self.sessions + in_another_session)
        reach = -float(stdtrit(self.degrees_of_freedom, (1 - CONFIDENCE) / 2)) * sqrt(variance)
        return Estimate(factor(value), Interval(factor(value - reach), factor(value + reach)))


def layout(sessions: Sequence[Logs]) -> Layout:
    """Return the layout of these sessions. Where no server is common to all of them, the effects are relative to
    nothing."""
    common = tuple(sorted(set.intersection(*map(set, sessions))))
    means = [fmean(logs[server] for server in common) if common else 0.0 for logs in sessions]
    centred = [
        {server: each - mean for server, each in logs.items()} for logs, mean in zip(sessions, means, strict=True)
    ]
    servers = dict.fromkeys(server for logs in sessions for server in logs)
    effects = {server: fmean(logs[server] for logs in centred if server in logs) for server in servers}
    squares = fsum((logs[server] - effects[server]) ** 2 for logs in centred for server in common)
    freedom = (len(common) - 1) * (len(sessions) - 1)
    return Layout(common, effects, fmean(means), len(sessions), squares / freedom if freedom > 0 else 0.0)


def over_sessions(figures: Collection[float]) -> Estimate:
    """Return the geometric mean of the figures of several sessions, with their range."""
    return Estimate(geometric_mean(figures), range=Interval(min(figures), max(figures)))
