"""The mean figures of servers, made comparable: without what their batches had in common, and with variances that the
figures of other servers support."""

from __future__ import annotations

from collections.abc import Mapping

from ab_runner.stats.batches import Fitted, fit
from ab_runner.stats.moderation import Prior, prior_of
from ab_runner.stats.ratio import LogMean, log_mean

Figures = Mapping[str, Mapping[int, float]]
"""By server and batch."""
_LEAST_VARIANCE = 1e-8
"""Of a logarithm: 0.01 %. No weight is larger, however equal a server's few figures are."""


def comparable(figures: Figures) -> dict[str, LogMean]:
    """Return the mean of each server, of figures that are compared with each other. One prior fits their variances.

    They are fitted twice: the weights of the second fit are the variances that the first one found. A server that the
    fit leaves out has the plain mean of its logarithms.
    """
    first = fit(figures, {})
    prior = _prior(first)
    variances = {server: max(_LEAST_VARIANCE, _moderated(each, prior)[0]) for server, each in first.items()}
    second = fit({server: figures[server] for server in variances}, variances)
    prior = _prior(second)
    return {
        server: _log_mean(second[server], prior) if server in second else log_mean(list(by_batch.values()))
        for server, by_batch in figures.items()
    }


def _prior(fitted: Mapping[str, Fitted]) -> Prior | None:
    return prior_of([(each.variance, each.degrees_of_freedom) for each in fitted.values()])


def _moderated(fitted: Fitted, prior: Prior | None) -> tuple[float, float]:
    if prior is None:
        return fitted.variance, fitted.degrees_of_freedom
    return prior.moderated(fitted.variance, fitted.degrees_of_freedom)


def _log_mean(fitted: Fitted, prior: Prior | None) -> LogMean:
    variance, freedom = _moderated(fitted, prior)
    return LogMean(fitted.mean, variance / fitted.starts, freedom, fitted.loadings)
