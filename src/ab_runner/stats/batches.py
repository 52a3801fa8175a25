"""Figures without what the servers of a batch had in common: an additive fit of servers and batches.

Servers of a batch are measured within seconds of each other, so a machine that is slower for a while slows all of them.
That part of the noise says nothing about their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import numpy as np
from msgspec import Struct

FEWEST_SERVERS = 3
"""Of two servers it cannot be told which of them disagrees with what the batch did to both (F. E. Grubbs, "On
Estimating Precision of Measuring Instruments and Product Variability", JASA 43, 1948)."""
_LEAST_FREEDOM = 1.0
"""A server with less was mostly alone in its batches: its noise cannot be separated from theirs."""

_NOTHING = 1e-11
"""An eigenvalue that is a smaller share of the largest is 0. One always is: only differences of batches are known."""


class Fitted(Struct, frozen=True):
    """A server's mean logarithm at the batches' average speed. `variance` is that of a single logarithm around it and
    `degrees_of_freedom` those of that variance, `starts` their number. `loadings` are the mean's coefficients of
    independent errors of variance 1 that it has because the batches' effects are estimated: the servers of a fit share
    these errors."""

    mean: float
    variance: float
    degrees_of_freedom: float
    starts: int
    loadings: tuple[float, ...]


def fit(figures: Mapping[str, Mapping[int, float]], variances: Mapping[str, float]) -> dict[str, Fitted]:
    """Return the servers' part of log(figure) = server + batch + noise.

    `figures` are positive, by server and batch. A server's figures have the weight 1 / its value in `variances`, 1 if
    it has none; `Fitted.loadings` are right only if these are the true variances. A server's variance is the sum of its
    squared residuals over the sum of 1 - leverage: unbiased where the weights are right, and almost where they are not
    (S. D. Horn, R. A. Horn & D. B. Duncan, "Estimating Heteroscedastic Variances in Linear Models", JASA 70, 1975).

    The result is empty where the batches cannot be compared: fewer than three servers with two figures or more, or
    groups of batches that have no server in common. A server is left out that was mostly alone in its batches.
    """
    servers = [server for server, by_batch in figures.items() if len(by_batch) > 1]
    batches = sorted({batch for server in servers for batch in figures[server]})
    if len(servers) < FEWEST_SERVERS:
        return {}
    there = np.array([[float(batch in figures[server]) for batch in batches] for server in servers])
    logs = np.array([[log(figures[server].get(batch, 1.0)) for batch in batches] for server in servers])
    weights = 1 / np.array([variances.get(server, 1.0) for server in servers])
    starts = there.sum(axis=1)
    shares = there / starts[:, None]
    means = logs.sum(axis=1) / starts  # a logarithm that is not there is 0
    # The normal equations of the batches' effects, from which the servers' means are eliminated.
    equations = np.diag(weights @ there) - (shares * weights[:, None]).T @ there
    values, vectors = np.linalg.eigh(equations)
    known = values > _NOTHING * values[-1]
    if known.sum() < len(batches) - 1:
        return {}
    # The errors of the effects have the covariance root @ root.T, those of servers and effects are `loadings` of root.
    root = vectors[:, known] / np.sqrt(values[known])
    loadings = shares @ root
    effects = root @ (root.T @ (weights @ ((logs - means[:, None]) * there)))
    own_effects = shares @ effects
    residuals = (logs - means[:, None] - effects + own_effects[:, None]) * there
    spread = (root**2).sum(axis=1) - 2 * loadings @ root.T + (loadings**2).sum(axis=1)[:, None]
    freedom = starts - 1 - weights * (there * spread).sum(axis=1)
    squares = (residuals**2).sum(axis=1)
    return {
        server: Fitted(
            mean=float(means[at] - own_effects[at]),
            variance=float(squares[at] / freedom[at]),
            degrees_of_freedom=float(freedom[at]),
            starts=int(starts[at]),
            loadings=tuple(loadings[at].tolist()),
        )
        for at, server in enumerate(servers)
        if freedom[at] >= _LEAST_FREEDOM
    }
