"""Whether a server served all connections of a closed load, by Little's law."""

from __future__ import annotations


def served_share(rate: float, latency: float, concurrency: int, seconds: float) -> float:
    """Return the share of the connections that the server served at a time, from 0 to 1.

    By Little's law (J. D. C. Little, "A proof for the queuing formula: L = λW", Operations Research 9, 1961) the mean
    number of requests under way is their rate times their mean latency. In a closed load each connection always has one
    under way, so that number over `concurrency` is 1 where all of them are served. It is less where requests are not
    answered before the trial ends, for the generator drops those: a server that serves 256 of 1,000 connections and
    leaves the others waiting has 0.256. `rate` is in requests per second, `latency` the mean over all answered requests
    and `seconds` the length of the trial. The generator's own "time per request (mean)" will not do, as it is
    concurrency / rate by construction.

    A fair server loses requests at the end of a trial too, one per connection: with k requests per connection its share
    would be about 1 - 1 / (2 k) if all latencies are equal, and 1 - 1 / k if they are exponential. So one mean latency
    per connection is added, and what is above 1 is cut off. That is too much by latency / seconds at the most: little
    where few connections are served fast while the others wait, and everything where no connection has more than one
    request. So a short trial rather hides unfairness than feigns it: a fair server whose latencies are all equal has 1,
    one whose latencies are exponential 0.85 at two requests per connection and above 0.9 from five on.
    """
    return min(1.0, rate * latency / concurrency + latency / seconds)


def under_way(rate: float, milliseconds: float) -> float:
    """Return how many requests are under way on average, by the same law: `rate` per second, each for so long."""
    return rate * milliseconds / 1000
