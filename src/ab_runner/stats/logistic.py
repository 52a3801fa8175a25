"""The rates that half and that 90 % of a server's trials meet: a logistic curve over all steps of all its starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, pi, sqrt

import numpy as np
from msgspec import Struct
from scipy.optimize import brentq
from scipy.special import expit, log_expit

from ab_runner.stats.estimate import CONFIDENCE, FEWEST_STARTS, Estimate, Interval

Step = tuple[float, bool]
"""A rate, and whether a trial at it met the SLO."""

_SLOPES = np.geomspace(0.03, 0.8, 13)
_SLOPE_PRIOR = (log(0.15), 0.7)
_SPREADS = np.geomspace(0.02, 0.6, 9)
_SPREAD_PRIOR = (log(0.12), 0.8)
"""Mean and standard deviation of the logarithms, of normal distributions. The ten cells of the first search for
capacities had slopes of 0.06 to 0.23 and spreads of 0.04 to 0.16 without a prior."""
_SPACING = 0.02
_PLACES_AT_MOST = 400
_BEYOND = 1.0
"""The grid reaches so far beyond the rates that were tried, in logarithms."""
_ATTENUATION = (16 * sqrt(3) / (15 * pi)) ** 2
_ODDS = log(9)
"""The logarithm of the odds of 90 %."""


class Curve(Struct, frozen=True):
    """`half` and `ninety` are the rates that half and that 90 % of the trials of all starts meet, with intervals from
    six starts on. `starts` has for each start the rate that half of its trials meet."""

    half: Estimate
    ninety: Estimate
    starts: tuple[float, ...]


def curve(starts: Sequence[Sequence[Step]]) -> Curve:
    """Return the curve of a server, of rates from 1. ValueError without a start, for one without a step, or if no step
    met the SLO.

    With y the logarithm of a rate, a trial of start b meets it with the probability 1 / (1 + exp((y - a_b) / s)), and
    the a_b are normal with mean a and standard deviation sigma. `half` is exp(a), and `ninety` is
    exp(a - log(9) sqrt(s² + (16 sqrt(3) / 15 pi)² sigma²)): Zeger, Liang & Albert, Models for Longitudinal Data,
    Biometrics 44, 1988. Figures are posterior medians and intervals quantiles over a grid of a, s and sigma (Kuss,
    Jäkel & Wichmann, Bayesian inference for psychometric functions, Journal of Vision 5, 2005), with weak priors on s
    and sigma, because few steps often separate completely what was met from what was missed.

    An interval is widened to hold each rate at which most of several trials met the SLO and that is above it, and each
    below it at which most missed it. No figure is above the highest rate that was tried; if no step missed, both are
    that rate, without an interval.
    """
    if not starts or not all(starts) or not any(met for steps in starts for _, met in steps):
        raise ValueError("a curve needs one or more steps in each start, one of which met the SLO")
    if all(met for steps in starts for _, met in steps):
        tops = tuple(max(1.0, *(rate for rate, _ in steps)) for steps in starts)
        return Curve(Estimate(max(tops)), Estimate(max(tops)), tops)
    logarithms = [[(log(max(1.0, rate)), met) for rate, met in steps] for steps in starts]
    tried = [step for steps in logarithms for step in steps]
    lowest, highest = min(tried)[0], max(tried)[0]
    count = min(_PLACES_AT_MOST, int((highest - lowest + 2 * _BEYOND) / _SPACING) + 1)
    places = np.linspace(lowest - _BEYOND, highest + _BEYOND, count)
    weights = _posterior(places, logarithms)
    slope = float(np.exp(weights.sum((1, 2)) @ np.log(_SLOPES)))
    scale = np.sqrt(_SLOPES[:, None] ** 2 + _ATTENUATION * _SPREADS**2)
    bounds = _majorities(tried)
    low, value, high = _quantiles(places, weights.sum((0, 1)), highest)
    half = (min([low, *bounds[False]]), value, max([high, *bounds[True]]))
    ninety = _quantiles((places - _ODDS * scale[..., None]).ravel(), weights.ravel(), value)
    has_interval = len(starts) >= FEWEST_STARTS
    return Curve(
        _estimate(half, has_interval),
        _estimate(ninety, has_interval),
        tuple(_half_of(steps, slope) for steps in logarithms),
    )


def _posterior(places: np.ndarray, starts: Sequence[Sequence[Step]]) -> np.ndarray:
    """Return the probability of each slope, spread and mean. The place of each start is integrated out."""
    likelihoods = np.stack([
        sum(log_expit((places - y if met else y - places) / _SLOPES[:, None]) for y, met in steps) for steps in starts
    ])  # fmt: skip
    tops = likelihoods.max(-1, keepdims=True)
    relative = np.exp(likelihoods - tops)
    found = np.empty((len(_SLOPES), len(_SPREADS), len(places)))
    for number, spread in enumerate(_SPREADS):
        kernel = np.exp(-(((places[:, None] - places) / spread) ** 2) / 2)
        kernel /= kernel.sum(0)
        found[:, number] = (np.log(np.maximum(relative @ kernel, 1e-300)) + tops).sum(0)
    found += _log_prior(_SLOPES, _SLOPE_PRIOR)[:, None, None] + _log_prior(_SPREADS, _SPREAD_PRIOR)[:, None]
    weights = np.exp(found - found.max())
    return np.asarray(weights / weights.sum())


def _log_prior(values: np.ndarray, prior: tuple[float, float]) -> np.ndarray:
    mean, deviation = prior
    return np.asarray(-(((np.log(values) - mean) / deviation) ** 2) / 2)


def _quantiles(values: np.ndarray, weights: np.ndarray, most: float) -> tuple[float, float, float]:
    """Return the two ends of the interval with the median between them, which is at most that."""
    order = np.argsort(values)
    below = np.cumsum(weights[order]) - weights[order] / 2
    tail = (1 - CONFIDENCE) / 2
    low, middle, high = map(float, np.interp([tail, 0.5, 1 - tail], below, values[order]))
    return min(low, most), min(middle, most), high


def _majorities(tried: Sequence[Step]) -> Mapping[bool, Sequence[float]]:
    """Return the places at which most of several trials met the SLO, and those at which most missed it."""
    at: dict[float, list[bool]] = {}
    for place, met in tried:
        at.setdefault(place, []).append(met)
    several = {place: 2 * sum(met) - len(met) for place, met in at.items() if len(met) > 1}
    return {True: [y for y, more in several.items() if more > 0], False: [y for y, more in several.items() if more < 0]}


def _estimate(logarithms: tuple[float, float, float], has_interval: bool) -> Estimate:
    low, value, high = map(float, np.exp(logarithms))
    return Estimate(value, Interval(low, high) if has_interval else None)


def _half_of(steps: Sequence[Step], slope: float) -> float:
    """Return the rate that half of the trials of one start meet, whose steps are at these logarithms of rates. It is by
    maximum likelihood with that slope: as many are expected to meet as did. If all or none did, it is the highest or
    the lowest rate that was tried."""
    places = np.array([place for place, _ in steps])
    met = sum(met for _, met in steps)
    if met in (0, len(steps)):
        return float(np.exp(places.max() if met else places.min()))
    reach = slope * (log(len(steps)) + 1)
    found = brentq(lambda a: expit((a - places) / slope).sum() - met, places.min() - reach, places.max() + reach)
    return float(np.exp(found))
