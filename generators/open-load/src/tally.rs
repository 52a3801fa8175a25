//! The accounts of a run.
//!
//! Two equations hold for them, in every thread and in their sum, as soon as no request is under way:
//! planned = sent + refused, and sent = answered + failed.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::clock::Nanos;
use crate::outcome::{Failure, Refusal};

const SECOND: Nanos = 1_000_000_000;
/// Longest time that a histogram can tell from longer ones. Timeouts are shorter.
pub const LONGEST: Nanos = 3600 * SECOND;

/// The accounts of the lead-in, and those of the run, which alone are reported.
pub struct Accounts {
    lead_in: Tally,
    pub run: Tally,
}

impl Accounts {
    pub fn new(lead_in: Nanos, duration: Nanos) -> Accounts {
        Accounts { lead_in: Tally::new(0, lead_in), run: Tally::new(lead_in, duration) }
    }

    /// Return the accounts of the requests that are due then.
    pub fn of(&mut self, intended: Nanos) -> &mut Tally {
        if intended < self.run.start { &mut self.lead_in } else { &mut self.run }
    }

    pub fn under_way(&self) -> u64 {
        self.lead_in.under_way() + self.run.under_way()
    }
}

/// What was counted, and the times.
pub struct Tally {
    /// Requests are due from then on, for the duration.
    start: Nanos,
    duration: Nanos,
    pub planned: u64,
    pub sent: u64,
    pub answered: u64,
    /// Answers that were complete within the duration.
    pub answered_within_duration: u64,
    /// Requests that were sent once more, on another connection.
    pub retried: u64,
    pub refused: BTreeMap<Refusal, u64>,
    pub failed: BTreeMap<Failure, u64>,
    /// Of right answers, from the intended time to the last byte, in nanoseconds.
    pub latency: Histogram<u64>,
    /// Of all planned requests, from the intended time to the attempt to send them, in nanoseconds.
    pub lag: Histogram<u64>,
    /// What became of the requests that were due in each second since the start.
    pub seconds: Vec<Second>,
    pub connections: Connections,
    pub bytes_received: u64,
}

/// How often which time occurred, in microseconds: exact below 2,048, and to three digits from there on.
pub type Counts = BTreeMap<u64, u64>;

/// What became of the requests that were due within one second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Second {
    pub sent: u64,
    pub refused: u64,
    pub answered: u64,
    pub failed: u64,
    pub latency: Counts,
    pub lag: Counts,
}

/// Counts of connections, but for idle ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Connections {
    /// Connections whose opening was begun.
    pub opened: u64,
    /// The most that were open when a request was sent; with several threads, the sum of what each had.
    pub most_at_once: u64,
    /// Kept connections that the server closed while they had no request.
    pub closed_while_free: u64,
    /// Connections that the server had to close after an answer, but did not within `worker::CLOSING`.
    pub left_open: u64,
    /// Connections on which bytes came that no request had asked for.
    pub unrequested_bytes: u64,
    /// Silent connections beside the load that the server closed.
    pub idle_closed: u64,
}

impl Tally {
    pub fn new(start: Nanos, duration: Nanos) -> Tally {
        let times = || Histogram::new_with_max(LONGEST, 3).expect("these bounds are allowed");
        Tally {
            start,
            duration,
            planned: 0,
            sent: 0,
            answered: 0,
            answered_within_duration: 0,
            retried: 0,
            refused: BTreeMap::new(),
            failed: BTreeMap::new(),
            latency: times(),
            lag: times(),
            seconds: Vec::new(),
            connections: Connections::default(),
            bytes_received: 0,
        }
    }

    /// A request was due then, and now is the attempt to send it.
    pub fn plan(&mut self, intended: Nanos, now: Nanos) {
        let lag = now.saturating_sub(intended);
        self.planned += 1;
        self.lag.saturating_record(lag);
        *self.second(intended).lag.entry(microseconds(lag)).or_default() += 1;
    }

    /// The request that was due then is sent.
    pub fn send(&mut self, intended: Nanos) {
        self.sent += 1;
        self.second(intended).sent += 1;
    }

    /// The request that was due then cannot be sent.
    pub fn refuse(&mut self, reason: Refusal, intended: Nanos) {
        *self.refused.entry(reason).or_default() += 1;
        self.second(intended).refused += 1;
    }

    /// The request that was due then has its answer now.
    pub fn answer(&mut self, intended: Nanos, now: Nanos) {
        let latency = now.saturating_sub(intended);
        self.answered += 1;
        self.answered_within_duration += u64::from(now <= self.start + self.duration);
        self.latency.saturating_record(latency);
        let second = self.second(intended);
        second.answered += 1;
        *second.latency.entry(microseconds(latency)).or_default() += 1;
    }

    /// The request that was due then has failed.
    pub fn fail(&mut self, reason: Failure, intended: Nanos) {
        *self.failed.entry(reason).or_default() += 1;
        self.second(intended).failed += 1;
    }

    /// So many connections were open when a request was sent.
    pub fn connected(&mut self, connections: usize) {
        self.connections.most_at_once = self.connections.most_at_once.max(connections as u64);
    }

    pub fn all_failed(&self) -> u64 {
        self.failed.values().sum()
    }

    pub fn all_refused(&self) -> u64 {
        self.refused.values().sum()
    }

    /// Return the number of requests that were sent and have no outcome yet.
    pub fn under_way(&self) -> u64 {
        self.sent - self.answered - self.all_failed()
    }

    /// Return whether every planned request was sent, and every answer was right.
    pub fn is_clean(&self) -> bool {
        self.all_failed() == 0 && self.all_refused() == 0 && self.connections.unrequested_bytes == 0
    }

    fn second(&mut self, intended: Nanos) -> &mut Second {
        let number = usize::try_from((intended - self.start) / SECOND).expect("a run does not last for ages");
        if number >= self.seconds.len() {
            self.seconds.resize(number + 1, Second::default());
        }
        &mut self.seconds[number]
    }

    /// Add what another thread of the same run has counted.
    pub fn add(&mut self, other: &Tally) {
        self.planned += other.planned;
        self.sent += other.sent;
        self.answered += other.answered;
        self.answered_within_duration += other.answered_within_duration;
        self.retried += other.retried;
        for (reason, count) in &other.refused {
            *self.refused.entry(*reason).or_default() += count;
        }
        for (reason, count) in &other.failed {
            *self.failed.entry(*reason).or_default() += count;
        }
        self.latency.add(&other.latency).expect("all histograms have the same bounds");
        self.lag.add(&other.lag).expect("all histograms have the same bounds");
        self.seconds.resize(self.seconds.len().max(other.seconds.len()), Second::default());
        for (ours, theirs) in self.seconds.iter_mut().zip(&other.seconds) {
            ours.sent += theirs.sent;
            ours.refused += theirs.refused;
            ours.answered += theirs.answered;
            ours.failed += theirs.failed;
            add(&mut ours.latency, &theirs.latency);
            add(&mut ours.lag, &theirs.lag);
        }
        self.connections.opened += other.connections.opened;
        self.connections.most_at_once += other.connections.most_at_once;
        self.connections.closed_while_free += other.connections.closed_while_free;
        self.connections.left_open += other.connections.left_open;
        self.connections.unrequested_bytes += other.connections.unrequested_bytes;
        self.connections.idle_closed += other.connections.idle_closed;
        self.bytes_received += other.bytes_received;
    }
}

fn add(sum: &mut Counts, other: &Counts) {
    for (time, count) in other {
        *sum.entry(*time).or_default() += count;
    }
}

/// Return a time in microseconds, with the eleven binary digits that are kept of it.
fn microseconds(time: Nanos) -> u64 {
    let exact = time / 1000;
    let dropped = (u64::BITS - exact.leading_zeros()).saturating_sub(11);
    exact >> dropped << dropped
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Nanos = 1_000_000;

    /// Return the accounts of three requests: one answered late, one failed, one refused.
    fn three() -> Tally {
        let mut tally = Tally::new(0, SECOND);
        add_three(&mut tally, 0);
        tally
    }

    /// Add them, due from then on.
    fn add_three(tally: &mut Tally, start: Nanos) {
        tally.plan(start, start + MILLI);
        tally.send(start);
        tally.plan(start + 2 * MILLI, start + 2 * MILLI);
        tally.send(start + 2 * MILLI);
        tally.plan(start + SECOND, start + SECOND);
        tally.refuse(Refusal::ConnectionLimit, start + SECOND);
        assert_eq!(tally.under_way(), 2);
        tally.answer(start, start + SECOND + MILLI);
        tally.fail(Failure::Timeout, start + 2 * MILLI);
    }

    fn check(tally: &Tally, times: u64) {
        assert_eq!(tally.planned, 3 * times);
        assert_eq!(tally.planned, tally.sent + tally.all_refused());
        assert_eq!(tally.sent, tally.answered + tally.all_failed());
        assert_eq!((tally.under_way(), tally.answered_within_duration), (0, 0));
        assert_eq!(tally.failed, BTreeMap::from([(Failure::Timeout, times)]));
        assert_eq!(tally.refused, BTreeMap::from([(Refusal::ConnectionLimit, times)]));
        let first = Second {
            sent: 2 * times,
            refused: 0,
            answered: times,
            failed: times,
            latency: Counts::from([(1_001_000 >> 9 << 9, times)]),
            lag: Counts::from([(0, times), (1000, times)]),
        };
        let second = Second { refused: times, lag: Counts::from([(0, times)]), ..Second::default() };
        assert_eq!(tally.seconds, [first, second]);
        assert_eq!((tally.latency.len(), tally.lag.len()), (times, 3 * times));
        assert!(!tally.is_clean());
    }

    #[test]
    fn sent_and_refused_are_planned_and_answered_and_failed_are_sent() {
        check(&three(), 1);
    }

    #[test]
    fn the_accounts_of_threads_add_up() {
        let mut sum = Tally::new(0, SECOND);
        sum.add(&three());
        sum.add(&three());
        check(&sum, 2);
    }

    #[test]
    fn what_was_due_in_the_lead_in_is_not_counted_and_is_waited_for() {
        let start = 5 * SECOND;
        let mut accounts = Accounts::new(start, SECOND);
        for due in [0, start - 1] {
            let tally = accounts.of(due);
            tally.plan(due, start + MILLI);
            tally.send(due);
            tally.connected(7);
            tally.bytes_received += 100;
            assert_eq!(accounts.under_way(), 1);
            accounts.of(due).answer(due, start + 2 * MILLI);
            assert_eq!(accounts.under_way(), 0);
        }
        assert_eq!((accounts.run.connections, accounts.run.bytes_received), (Connections::default(), 0));
        add_three(accounts.of(start), start);
        check(&accounts.run, 1);
    }

    #[test]
    fn latency_is_from_the_intended_time_and_lag_is_the_generators_own() {
        let tally = three();
        let near = |value: u64, expected: Nanos| (value as f64 / expected as f64 - 1.0).abs() < 0.001;
        assert!(near(tally.latency.max(), SECOND + MILLI), "{}", tally.latency.max());
        assert!(near(tally.lag.max(), MILLI), "{}", tally.lag.max());
        assert_eq!(tally.lag.min(), 0);
    }

    #[test]
    fn a_run_is_clean_if_nothing_failed_and_nothing_came_unasked() {
        let mut tally = Tally::new(0, SECOND);
        tally.plan(0, 0);
        tally.send(0);
        tally.answer(0, SECOND);
        assert!(tally.is_clean());
        assert_eq!(tally.answered_within_duration, 1);
        tally.connections.unrequested_bytes = 1;
        assert!(!tally.is_clean());
    }
}
