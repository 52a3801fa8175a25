"""The mean figures of servers, made comparable: without what their batches had in common, and with variances that the
figures of other servers support."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from ab_runner.stats.batches import Fitted, fit
from ab_runner.stats.moderation import Prior, prior_of
from ab_runner.stats.ratio import LogMean, log_mean

Row = TypeVar("Row", bound=Hashable)
Figures = Mapping[str, Mapping[int, float]]
"""By server and batch."""
_LEAST_VARIANCE = 1e-8
"""Of a logarithm: 0.01 %. No weight is larger, however equal a server's few figures are."""


def comparable(rows: Mapping[Row, Figures]) -> dict[Row, dict[str, LogMean]]:
    """Return the mean of each server in each row. A row holds figures that are compared with each other; the rows
    together have so much in common that one prior fits their variances.

    Each row is fitted twice: the weights of the second fit are the variances that the first one found. A server that
    the fit leaves out has the plain mean of its logarithms.
    """
    first = {row: fit(figures, {}) for row, figures in rows.items()}
    prior = _prior(first)
    variances = {
        row: {server: max(_LEAST_VARIANCE, _moderated(each, prior)[0]) for server, each in fitted.items()}
        for row, fitted in first.items()
    }
    second = {
        row: fit({server: rows[row][server] for server in weighted}, weighted) for row, weighted in variances.items()
    }
    prior = _prior(second)
    return {
        row: {
            server: _log_mean(second[row][server], prior)
            if server in second[row]
            else log_mean(list(by_batch.values()))
            for server, by_batch in figures.items()
        }
        for row, figures in rows.items()
    }


def _prior(rows: Mapping[Row, Mapping[str, Fitted]]) -> Prior | None:
    return prior_of([(each.variance, each.degrees_of_freedom) for fitted in rows.values() for each in fitted.values()])


def _moderated(fitted: Fitted, prior: Prior | None) -> tuple[float, float]:
    if prior is None:
        return fitted.variance, fitted.degrees_of_freedom
    return prior.moderated(fitted.variance, fitted.degrees_of_freedom)


def _log_mean(fitted: Fitted, prior: Prior | None) -> LogMean:
    variance, freedom = _moderated(fitted, prior)
    return LogMean(fitted.mean, variance / fitted.starts + fitted.batches, freedom)
