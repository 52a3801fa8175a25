//! The accounts of a run.
//!
//! Two equations hold for them, in every thread and in their sum, as soon as no request is under way:
//! planned = sent + refused, and sent = answered + failed.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::clock::{End, Nanos, SECOND};
use crate::outcome::{Failure, Refusal};

/// Longest time that a histogram can tell from longer ones. Timeouts are shorter.
pub const LONGEST: Nanos = 3600 * SECOND;
/// Binary digits that are kept of a time: those of an HdrHistogram with three decimal digits.
const DIGITS: u32 = 11;

/// The accounts of the lead-in, and those of the run, which alone are reported.
pub struct Accounts {
    lead_in: Tally,
    pub run: Tally,
}

impl Accounts {
    pub fn new(lead_in: Nanos, end: End) -> Accounts {
        Accounts { lead_in: Tally::new(0, End::at(lead_in)), run: Tally::new(lead_in, end) }
    }

    /// Return the accounts of the requests that are due then.
    pub fn of(&mut self, intended: Nanos) -> &mut Tally {
        if intended < self.run.start { &mut self.lead_in } else { &mut self.run }
    }

    pub fn under_way(&self) -> u64 {
        self.lead_in.under_way + self.run.under_way
    }
}

/// What was counted, and the times.
pub struct Tally {
    /// Requests are due from then on, until the end.
    start: Nanos,
    end: End,
    /// What became of the requests that were due in each second since the start.
    pub seconds: Vec<Second>,
    /// Requests that were sent and have no outcome yet.
    under_way: u64,
    /// Requests that were sent once more, on another connection.
    pub retried: u64,
    pub connections: Connections,
    pub bytes_received: u64,
}

/// How often which time occurred, in nanoseconds to three digits.
pub type Counts = BTreeMap<Nanos, u64>;

/// What became of the requests that were due within one second, or within several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Second {
    pub sent: u64,
    pub answered: u64,
    /// Answers that were complete before the end of the run.
    pub answered_in_time: u64,
    pub refused: BTreeMap<Refusal, u64>,
    pub failed: BTreeMap<Failure, u64>,
    /// Of right answers, from the intended time to the last byte.
    pub latency: Counts,
    /// Of the same answers, from the attempt to send the request. Of a closed load it is empty: there both times are one.
    pub from_sending: Counts,
    /// Of all planned requests, from the intended time to the attempt to send them.
    pub lag: Counts,
}

impl Second {
    pub fn planned(&self) -> u64 {
        self.lag.values().sum()
    }

    pub fn all_failed(&self) -> u64 {
        self.failed.values().sum()
    }

    pub fn all_refused(&self) -> u64 {
        self.refused.values().sum()
    }

    pub fn add(&mut self, other: &Second) {
        self.sent += other.sent;
        self.answered += other.answered;
        self.answered_in_time += other.answered_in_time;
        add(&mut self.refused, &other.refused);
        add(&mut self.failed, &other.failed);
        add(&mut self.latency, &other.latency);
        add(&mut self.from_sending, &other.from_sending);
        add(&mut self.lag, &other.lag);
    }
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
    pub fn new(start: Nanos, end: End) -> Tally {
        Tally {
            start,
            end,
            seconds: Vec::new(),
            under_way: 0,
            retried: 0,
            connections: Connections::default(),
            bytes_received: 0,
        }
    }

    /// A request was due then, and now is the attempt to send it.
    pub fn plan(&mut self, intended: Nanos, now: Nanos) {
        count(&mut self.second(intended).lag, three_digits(now.saturating_sub(intended)));
    }

    /// The request that was due then is sent.
    pub fn send(&mut self, intended: Nanos) {
        self.under_way += 1;
        self.second(intended).sent += 1;
    }

    /// The request that was due then cannot be sent.
    pub fn refuse(&mut self, reason: Refusal, intended: Nanos) {
        count(&mut self.second(intended).refused, reason);
    }

    /// The request that was due then has its answer now. `sent` is when it was sent, if that may be later.
    pub fn answer(&mut self, intended: Nanos, sent: Option<Nanos>, now: Nanos) {
        self.under_way -= 1;
        let in_time = now <= self.end.get();
        let second = self.second(intended);
        second.answered += 1;
        second.answered_in_time += u64::from(in_time);
        count(&mut second.latency, three_digits(now.saturating_sub(intended)));
        if let Some(sent) = sent {
            count(&mut second.from_sending, three_digits(now.saturating_sub(sent)));
        }
    }

    /// The request that was due then has failed.
    pub fn fail(&mut self, reason: Failure, intended: Nanos) {
        self.under_way -= 1;
        count(&mut self.second(intended).failed, reason);
    }

    /// So many connections were open when a request was sent.
    pub fn connected(&mut self, connections: usize) {
        self.connections.most_at_once = self.connections.most_at_once.max(connections as u64);
    }

    /// Have all seconds until the end, and leave out the requests that were due after it: they were sent before it was
    /// known.
    pub fn cut_off(&mut self) {
        let duration = self.end.get().saturating_sub(self.start);
        self.seconds.resize(duration.div_ceil(SECOND) as usize, Second::default());
    }

    /// Return whether every planned request was sent, and every answer was right.
    pub fn is_clean(&self) -> bool {
        let all = self.sum(|_| true);
        all.all_failed() == 0 && all.all_refused() == 0 && self.connections.unrequested_bytes == 0
    }

    /// Return the sum of these seconds.
    pub fn sum(&self, which: impl Fn(usize) -> bool) -> Second {
        let mut sum = Second::default();
        for (_, second) in self.seconds.iter().enumerate().filter(|(number, _)| which(*number)) {
            sum.add(second);
        }
        sum
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
        self.seconds.resize(self.seconds.len().max(other.seconds.len()), Second::default());
        for (ours, theirs) in self.seconds.iter_mut().zip(&other.seconds) {
            ours.add(theirs);
        }
        self.under_way += other.under_way;
        self.retried += other.retried;
        self.connections.opened += other.connections.opened;
        self.connections.most_at_once += other.connections.most_at_once;
        self.connections.closed_while_free += other.connections.closed_while_free;
        self.connections.left_open += other.connections.left_open;
        self.connections.unrequested_bytes += other.connections.unrequested_bytes;
        self.connections.idle_closed += other.connections.idle_closed;
        self.bytes_received += other.bytes_received;
    }
}

fn count<K: Ord>(counts: &mut BTreeMap<K, u64>, what: K) {
    *counts.entry(what).or_default() += 1;
}

fn add<K: Ord + Copy>(sum: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>) {
    for (what, count) in other {
        *sum.entry(*what).or_default() += count;
    }
}

/// Return a time with the binary digits that are kept of it.
pub fn three_digits(time: u64) -> u64 {
    let dropped = (u64::BITS - time.leading_zeros()).saturating_sub(DIGITS);
    time >> dropped << dropped
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Nanos = 1_000_000;

    /// Return the accounts of three requests: one answered late, one failed, one refused.
    fn three() -> Tally {
        let mut tally = Tally::new(0, End::at(SECOND));
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
        assert_eq!(tally.under_way, 2);
        tally.answer(start, Some(start + MILLI), start + SECOND + MILLI);
        tally.fail(Failure::Timeout, start + 2 * MILLI);
    }

    fn check(tally: &Tally, times: u64) {
        let all = tally.sum(|_| true);
        assert_eq!(all.planned(), 3 * times);
        assert_eq!(all.planned(), all.sent + all.all_refused());
        assert_eq!(all.sent, all.answered + all.all_failed());
        assert_eq!(tally.under_way, 0);
        let first = Second {
            sent: 2 * times,
            answered: times,
            answered_in_time: 0,
            refused: BTreeMap::new(),
            failed: BTreeMap::from([(Failure::Timeout, times)]),
            latency: Counts::from([((SECOND + MILLI) >> 19 << 19, times)]),
            from_sending: Counts::from([(SECOND >> 19 << 19, times)]),
            lag: Counts::from([(0, times), (MILLI >> 9 << 9, times)]),
        };
        let second = Second {
            refused: BTreeMap::from([(Refusal::ConnectionLimit, times)]),
            lag: Counts::from([(0, times)]),
            ..Second::default()
        };
        assert_eq!(tally.seconds, [first, second]);
        assert!(!tally.is_clean());
    }

    #[test]
    fn sent_and_refused_are_planned_and_answered_and_failed_are_sent() {
        check(&three(), 1);
    }

    #[test]
    fn the_accounts_of_threads_add_up() {
        let mut sum = Tally::new(0, End::at(SECOND));
        sum.add(&three());
        sum.add(&three());
        check(&sum, 2);
    }

    #[test]
    fn what_was_due_in_the_lead_in_is_not_counted_and_is_waited_for() {
        let start = 5 * SECOND;
        let mut accounts = Accounts::new(start, End::at(start + SECOND));
        for due in [0, start - 1] {
            let tally = accounts.of(due);
            tally.plan(due, start + MILLI);
            tally.send(due);
            tally.connected(7);
            tally.bytes_received += 100;
            assert_eq!(accounts.under_way(), 1);
            accounts.of(due).answer(due, None, start + 2 * MILLI);
            assert_eq!(accounts.under_way(), 0);
        }
        assert_eq!((accounts.run.connections, accounts.run.bytes_received), (Connections::default(), 0));
        add_three(accounts.of(start), start);
        check(&accounts.run, 1);
    }

    #[test]
    fn latency_is_from_the_intended_time_and_also_from_sending_which_is_later_by_the_lag() {
        let tally = three();
        let near = |found: Option<&Nanos>, expected: Nanos| {
            assert!((*found.unwrap() as f64 / expected as f64 - 1.0).abs() < 0.001, "{found:?}");
        };
        near(tally.seconds[0].latency.keys().next(), SECOND + MILLI);
        near(tally.seconds[0].lag.keys().last(), MILLI);
        near(tally.seconds[0].from_sending.keys().next(), SECOND);
    }

    #[test]
    fn what_was_due_after_the_end_is_left_out() {
        let end = End::at(9 * SECOND);
        let mut tally = Tally::new(SECOND, end.clone());
        for due in 1..=4 {
            tally.plan(due * SECOND, due * SECOND);
            tally.send(due * SECOND);
        }
        end.set(3 * SECOND);
        for due in 1..=4 {
            tally.answer(due * SECOND, None, due * SECOND + MILLI);
        }
        tally.cut_off();
        let all = tally.sum(|_| true);
        assert_eq!((all.planned(), all.answered, all.answered_in_time), (2, 2, 2));
        assert_eq!(tally.under_way, 0);
    }

    #[test]
    fn a_run_is_clean_if_nothing_failed_and_nothing_came_unasked() {
        let mut tally = Tally::new(0, End::at(SECOND));
        tally.plan(0, 0);
        tally.send(0);
        tally.answer(0, None, SECOND);
        assert!(tally.is_clean());
        assert_eq!(tally.seconds[0].answered_in_time, 1);
        tally.connections.unrequested_bytes = 1;
        assert!(!tally.is_clean());
    }
}
