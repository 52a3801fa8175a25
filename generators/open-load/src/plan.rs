//! When requests are due. In an open load that is decided before the first one is sent.

use std::iter::Peekable;

use serde::Serialize;

use crate::clock::{End, Nanos, nanos_of};

/// Intended times in ascending order. They are computed as they are needed, so a long plan takes no memory.
pub type Times = Box<dyn Iterator<Item = Nanos> + Send>;

/// How arrivals are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// A Poisson process, given its number of arrivals: independent users.
    Poisson,
    /// Equal intervals.
    Constant,
}

/// The arrivals of an open load.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub spacing: Spacing,
    pub count: u64,
    pub duration: Nanos,
    pub seed: u64,
}

impl Plan {
    /// Return a plan of that many arrivals per second.
    pub fn at_rate(rate: f64, seconds: f64, spacing: Spacing, seed: u64) -> Plan {
        Plan { spacing, count: (rate * seconds).round() as u64, duration: nanos_of(seconds), seed }
    }

    /// Return the intended times of all arrivals; all are within the duration.
    pub fn times(&self) -> Times {
        let Plan { count, seed, .. } = *self;
        let duration = self.duration as f64;
        match self.spacing {
            Spacing::Constant => {
                let interval = duration / count as f64;
                Box::new((0..count).map(move |number| (number as f64 * interval) as Nanos))
            }
            // The arrivals of a Poisson process in a time, if there are n, are n uniform points in order. These are
            // the partial sums of n + 1 exponential intervals, over their total (Devroye, Non-Uniform Random Variate
            // Generation, chapter V, theorem 2.2). So there is a first pass, for the total alone.
            Spacing::Poisson => {
                let total: f64 = exponential(seed).zip(0..=count).map(|(interval, _)| interval).sum();
                let scale = duration / total;
                let intervals = exponential(seed).zip(0..count).map(|(interval, _)| interval);
                Box::new(intervals.scan(0.0, move |sum, interval| {
                    *sum += interval;
                    Some((*sum * scale) as Nanos)
                }))
            }
        }
    }

    /// Return the arrivals of one thread of several: every n-th. Together they have exactly the plan's arrivals.
    pub fn share(&self, thread: usize, threads: usize) -> Times {
        Box::new(self.times().skip(thread).step_by(threads))
    }
}

/// Return independent exponential variates with mean 1.
fn exponential(seed: u64) -> impl Iterator<Item = f64> + Send {
    // 53 bits, and never 0, which has no logarithm.
    split_mix(seed).map(|bits| -(((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64).ln())
}

/// Return the SplitMix64 sequence of a seed (Steele, Lea, Flood, OOPSLA 2014). It is written out here because a plan must
/// be the same with every version of every library.
pub fn split_mix(seed: u64) -> impl Iterator<Item = u64> + Send {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    })
}

/// What makes one thread send its next request, until the end.
pub struct Arrivals {
    source: Source,
    end: End,
}

enum Source {
    /// The plan alone.
    Open(Peekable<Times>),
    /// A connection that has no request under way; there are so many.
    Closed(usize),
}

impl Arrivals {
    pub fn open(times: Times, end: End) -> Arrivals {
        Arrivals { source: Source::Open(times.peekable()), end }
    }

    pub fn closed(connections: usize, end: End) -> Arrivals {
        Arrivals { source: Source::Closed(connections), end }
    }

    /// Return whether intended times are those of a plan, so that requests may be sent later.
    pub fn are_planned(&self) -> bool {
        matches!(self.source, Source::Open(_))
    }

    /// Return the intended time of the next request; None if nothing is due before another request ends.
    /// `occupied` is the number of connections with a request under way.
    pub fn next(&mut self, now: Nanos, occupied: usize) -> Option<Nanos> {
        let due = match &mut self.source {
            Source::Open(times) => times.peek().copied(),
            Source::Closed(connections) => (occupied < *connections).then_some(now),
        };
        due.filter(|due| *due < self.end.get())
    }

    /// Take the next request if it is due, and return its intended time.
    pub fn take_due(&mut self, now: Nanos, occupied: usize) -> Option<Nanos> {
        let intended = self.next(now, occupied).filter(|intended| *intended <= now)?;
        if let Source::Open(times) = &mut self.source {
            times.next();
        }
        Some(intended)
    }

    /// Return whether no further request will be due.
    pub fn are_over(&mut self, now: Nanos) -> bool {
        match &mut self.source {
            Source::Open(times) => times.peek().is_none_or(|due| *due >= self.end.get()),
            Source::Closed(_) => now >= self.end.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SECOND;

    fn plan(spacing: Spacing, count: u64, seed: u64) -> Plan {
        Plan { spacing, count, duration: 10 * SECOND, seed }
    }

    #[test]
    fn constant_arrivals_have_equal_intervals() {
        let times: Vec<Nanos> = plan(Spacing::Constant, 5, 1).times().collect();
        assert_eq!(times, [0, 2 * SECOND, 4 * SECOND, 6 * SECOND, 8 * SECOND]);
    }

    #[test]
    fn poisson_arrivals_are_as_many_as_planned_in_order_and_within_the_duration() {
        for count in [1, 2, 100, 10_000] {
            let times: Vec<Nanos> = plan(Spacing::Poisson, count, 7).times().collect();
            assert_eq!(times.len() as u64, count);
            assert!(times.is_sorted());
            assert!(*times.last().unwrap() < 10 * SECOND);
        }
    }

    #[test]
    fn a_seed_gives_the_same_plan_each_time_and_another_seed_another_one() {
        let of_seed = |seed| plan(Spacing::Poisson, 100, seed).times().collect::<Vec<Nanos>>();
        assert_eq!(of_seed(1), of_seed(1));
        assert_ne!(of_seed(1), of_seed(2));
    }

    #[test]
    fn split_mix_is_the_published_sequence() {
        let first: Vec<u64> = split_mix(1_234_567).take(3).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn poisson_intervals_are_exponential() {
        let times: Vec<Nanos> = plan(Spacing::Poisson, 100_000, 3).times().collect();
        let intervals: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = intervals.iter().sum::<f64>() / intervals.len() as f64;
        let variance = intervals.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / intervals.len() as f64;
        let beyond_two_means = intervals.iter().filter(|x| **x > 2.0 * mean).count() as f64 / intervals.len() as f64;
        assert!((mean / 1e5 - 1.0).abs() < 0.001, "the mean is 1 / rate");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "the standard deviation is the mean");
        assert!((beyond_two_means - (-2.0f64).exp()).abs() < 0.005, "the tail is that of the exponential distribution");
    }

    #[test]
    fn counts_in_equal_slots_vary_as_poisson_counts_do() {
        let mut slots = [0.0f64; 1000];
        for time in plan(Spacing::Poisson, 100_000, 5).times() {
            slots[(time / (SECOND / 100)) as usize] += 1.0;
        }
        let variance = slots.iter().map(|count| (count - 100.0).powi(2)).sum::<f64>() / slots.len() as f64;
        assert!((variance / 100.0 - 1.0).abs() < 0.2, "the variance is the mean: {variance}");
    }

    #[test]
    fn threads_share_the_arrivals_of_the_one_plan() {
        let plan = plan(Spacing::Poisson, 1001, 9);
        let mut shared: Vec<Nanos> = (0..3).flat_map(|thread| plan.share(thread, 3)).collect();
        shared.sort_unstable();
        assert_eq!(shared, plan.times().collect::<Vec<Nanos>>());
    }

    #[test]
    fn an_open_load_takes_what_is_due_however_many_requests_are_under_way() {
        let mut arrivals = Arrivals::open(plan(Spacing::Constant, 2, 1).times(), End::at(10 * SECOND));
        assert!(arrivals.are_planned());
        assert_eq!(arrivals.take_due(0, 1000), Some(0));
        assert_eq!(arrivals.take_due(SECOND, 1000), None);
        assert_eq!(arrivals.next(SECOND, 1000), Some(5 * SECOND));
        assert!(!arrivals.are_over(20 * SECOND));
        assert_eq!(arrivals.take_due(20 * SECOND, 1000), Some(5 * SECOND), "late, but never dropped");
        assert!(arrivals.are_over(0));
    }

    #[test]
    fn what_is_due_when_the_end_has_been_brought_forward_is_not_sent() {
        let end = End::at(10 * SECOND);
        let mut arrivals = Arrivals::open(plan(Spacing::Constant, 5, 1).times(), end.clone());
        assert_eq!(arrivals.take_due(0, 0), Some(0));
        end.set(2 * SECOND);
        assert_eq!((arrivals.next(0, 0), arrivals.take_due(10 * SECOND, 0)), (None, None));
        assert!(arrivals.are_over(0));
    }

    #[test]
    fn a_closed_load_has_as_many_requests_under_way_as_connections_until_the_end() {
        let mut arrivals = Arrivals::closed(2, End::at(SECOND));
        assert!(!arrivals.are_planned());
        assert_eq!(arrivals.take_due(5, 1), Some(5));
        assert_eq!(arrivals.take_due(5, 2), None);
        assert_eq!(arrivals.take_due(SECOND, 0), None);
        assert!(arrivals.are_over(SECOND) && !arrivals.are_over(SECOND - 1));
    }
}
