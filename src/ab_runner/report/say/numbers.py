"""Numbers as text: rates, latencies, shares, ratios and their intervals. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import floor

from ab_runner.analysis.bounds import Bound
from ab_runner.analysis.measure import Measure
from ab_runner.stats.estimate import Estimate, Interval

NONE = "-"
CPU_TIME_MARK = " CPU"


def rate_figure(rate: float) -> str:
    """Return a rate: whole requests per second from 100 on, three digits below."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def range_figure(figures: Iterable[float], measure: Measure = "rate") -> str:
    """Return the lowest and the highest of these figures, `12,300 to 12,400`, or the one that both are."""
    found = sorted(figures)
    return " to ".join(dict.fromkeys((figure_of(measure, found[0]), figure_of(measure, found[-1]))))


def figure_of(measure: Measure, value: float) -> str:
    """Return a figure of that measure: requests per second, or milliseconds."""
    return latency_figure(value) if measure == "latency" else rate_figure(value)


def estimate_figure(estimate: Estimate, measure: Measure = "rate") -> str:
    """Return `12,345 ±1.2 %`, or `12,345 −3.0/+11 %`; the figure alone where there is no interval."""  # noqa: RUF002
    return f"{value_figure(estimate, measure)} {width_figure(estimate)}".rstrip()


def value_figure(estimate: Estimate, measure: Measure) -> str:
    """Return `12,345`, or `12,300 to 14,100` of several sessions."""
    ends = (estimate.range.low, estimate.range.high) if estimate.range else (estimate.value,)
    return range_figure(ends, measure)


def width_figure(estimate: Estimate) -> str:
    """Return both ends of the interval, or half its width where they are equally far as shown."""
    interval = estimate.interval
    if interval is None or estimate.relative_half_width is None:
        return ""
    ends = (estimate.value - interval.low, interval.high - estimate.value)
    down, up = (_percent(end / estimate.value) for end in ends)
    return f"±{up} %" if down == up else f"−{down}/+{up} %"  # noqa: RUF001


def two_digits(value: float) -> str:
    """Return `0.000091`, `1.4` or `120`: whole from 10 on."""
    return f"{value:,.0f}" if value >= 9.95 else format(Decimal(f"{value:.2g}"), "f")


def _percent(share: float) -> str:
    """Return a share in per cent: whole from 10 on, with one decimal below."""
    return f"{100 * share:.1f}" if share < 0.0995 else f"{100 * share:.0f}"


def interval_figure(interval: Interval, measure: Measure = "rate") -> str:
    """Return `12,300 to 12,400`."""
    return f"{figure_of(measure, interval.low)} to {figure_of(measure, interval.high)}"


def ratio_figure(ratio: Estimate, by_cpu_time: bool, bound: Bound = "") -> str:
    """Return `1.23 (1.18 to 1.28)`, with the interval if it has one and the bound before it: `≥ 1.23 …`."""
    figure = f"{bound} {ratio.value:.3g}".lstrip()
    if ratio.interval is not None:
        figure += f" ({ratio.interval.low:.3g} to {ratio.interval.high:.3g})"
    return f"{figure}{CPU_TIME_MARK}" if by_cpu_time else figure


def differences_text(shares: Iterable[float]) -> str:
    """Return `a difference of 9.0 %`, or the smallest and the largest of several: `a difference of 9.0 to 21 %`, `a
    difference of 12 % to a factor of 2.5`."""
    found = sorted(shares)
    low, high = (_percent(share) if share < 1 else two_digits(1 + share) for share in (found[0], found[-1]))
    if found[0] < 1 <= found[-1]:
        return f"a difference of {low} % to a factor of {high}"
    both = low if low == high else f"{low} to {high}"
    return f"a factor of {both}" if found[0] >= 1 else f"a difference of {both} %"


def share_figure(share: float | None) -> str:
    """Return a share in per cent: whole from 10 on, two digits below."""
    return NONE if share is None else two_digits(100 * share)


def latency_figure(milliseconds: float | None) -> str:
    """Return a latency in milliseconds with three digits, from 100 on whole."""
    if milliseconds is None:
        return NONE
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:#.3g}".rstrip(".")


def latency_figures(latency: Sequence[float | None], exact: bool = False) -> tuple[str, ...]:
    """Return a figure for each of `PERCENTILES`. Unless they are `exact`, as of an open load, p99.9 is known to half a
    millisecond: it is rounded to that, but not beyond its neighbours, which are known better."""
    if exact:
        return tuple(map(latency_figure, latency))
    *body, _, longest = latency
    tail = tail_of(latency)
    return (*map(latency_figure, body), tail[1] if tail else NONE, latency_figure(longest))


def tail_of(latency: Sequence[float | None]) -> tuple[float, str] | None:
    """Return the p99.9 of a closed load as far as it is known, and its figure: 0 and `< 1` where only that is known.
    None where it is not known."""
    *_, p99, p99_9, longest = latency
    if p99 is None or p99_9 is None or longest is None:
        return None
    halves = floor(2 * p99_9 + 0.5) / 2
    if halves < 1:
        return 0.0, "< 1"
    if not p99 <= halves <= longest:
        bounded = min(max(halves, p99), longest)
        return bounded, latency_figure(bounded)
    return (halves, f"{halves:.1f}") if halves < 100 else (p99_9, f"{p99_9:,.0f}")


def time_left_text(seconds: float | None) -> str:
    """Return `about 5 min left`; nothing where that is not known."""
    if seconds is None:
        return ""
    return f"about {seconds / 60:.0f} min left" if seconds >= 90 else f"about {seconds:.0f} s left"


def numbers_text(numbers: Iterable[int]) -> str:
    """Return `1, 10, 100`."""
    return ", ".join(map(str, numbers))
