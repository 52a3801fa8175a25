//! What became of one load: the main one, or the one beside it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::options::Load;
use crate::outcome::{Failure, Refusal};
use crate::report::times::{Times, in_microseconds};
use crate::request::Request;
use crate::steal::Steal;
use crate::tally::{Connections, Counts, Second, Tally};

#[derive(Serialize)]
pub struct LoadReport {
    request_head: String,
    pub expected_bytes: Option<usize>,
    pub requests: Requests,
    pub failed: BTreeMap<Failure, u64>,
    pub refused: BTreeMap<Refusal, u64>,
    /// Right answers within the time in which requests were due, over that time.
    pub answered_per_second: f64,
    pub latency: Option<Times>,
    pub latency_from_sending: Option<Times>,
    pub lag: Option<Times>,
    pub per_second: PerSecond,
    pub connections: Connections,
    bytes_received: u64,
}

/// planned = sent + refused, and sent = answered + failed. `retried` of those that were sent were sent twice.
#[derive(Serialize)]
pub struct Requests {
    pub planned: u64,
    pub sent: u64,
    pub refused: u64,
    pub answered: u64,
    pub failed: u64,
    pub retried: u64,
}

/// What became of the requests that were due in each second since the end of the lead-in. `latency` and `lag` have how
/// many took so many microseconds.
#[derive(Serialize)]
pub struct PerSecond {
    /// Whether the latencies and lag of the run have those of this second.
    pub counted: Vec<bool>,
    sent: Vec<u64>,
    refused: Vec<u64>,
    answered: Vec<u64>,
    failed: Vec<u64>,
    latency: Vec<Vec<(u64, u64)>>,
    lag: Vec<Vec<(u64, u64)>>,
    /// Seconds that the hypervisor took from each CPU.
    stolen: BTreeMap<usize, Vec<f64>>,
}

impl LoadReport {
    /// Return what became of a load. Its requests were due in so many seconds, of which these count.
    pub fn new(
        load: &Load,
        request: &Request,
        tally: &Tally,
        due_seconds: f64,
        is_counted: impl Fn(usize) -> bool,
        steal: &Steal,
    ) -> LoadReport {
        let all = tally.sum(|_| true);
        let times_of = tally.sum(&is_counted);
        let is_open = matches!(load, Load::Open { .. });
        let per_second = |count: fn(&Second) -> u64| tally.seconds.iter().map(count).collect();
        let pairs =
            |counts: fn(&Second) -> &Counts| tally.seconds.iter().map(move |each| in_microseconds(counts(each)));
        LoadReport {
            request_head: String::from_utf8_lossy(&request.head).into_owned(),
            expected_bytes: request.expectation.body.as_ref().map(Vec::len),
            requests: Requests {
                planned: all.planned(),
                sent: all.sent,
                refused: all.all_refused(),
                answered: all.answered,
                failed: all.all_failed(),
                retried: tally.retried,
            },
            answered_per_second: all.answered_in_time as f64 / due_seconds,
            failed: all.failed,
            refused: all.refused,
            latency: Times::of(&times_of.latency),
            latency_from_sending: Times::of(&times_of.from_sending),
            lag: if is_open { Times::of(&times_of.lag) } else { None },
            per_second: PerSecond {
                counted: (0..tally.seconds.len()).map(is_counted).collect(),
                sent: per_second(|second| second.sent),
                refused: per_second(Second::all_refused),
                answered: per_second(|second| second.answered),
                failed: per_second(Second::all_failed),
                latency: pairs(|second| &second.latency).collect(),
                lag: if is_open { pairs(|second| &second.lag).collect() } else { Vec::new() },
                stolen: steal.by_cpu(),
            },
            connections: tally.connections,
            bytes_received: tally.bytes_received,
        }
    }

    /// Return what makes its figures doubtful, each with what to do.
    pub fn warnings(&self) -> Vec<String> {
        let LoadReport { requests, connections, .. } = self;
        let mut warnings = Vec::new();
        let mut warn = |text: String| warnings.push(text);
        if let Some(lag) = self.lag.as_ref().map(|lag| lag.milliseconds.p99).filter(|lag| *lag > 1.0) {
            warn(format!(
                "the generator was late: p99 of its lag is {lag:.1} ms, which is in every latency; lower the rate, use \
                 more threads, or give it a core of its own"
            ));
        }
        if requests.refused > 0 {
            warn(format!(
                "{} requests were refused by the generator's own limits: raise --max-connections, the limit of open files \
                 or net.ipv4.ip_local_port_range, or use kept connections",
                requests.refused
            ));
        }
        if connections.unrequested_bytes > 0 {
            warn(format!("on {} connections bytes came that no request had asked for", connections.unrequested_bytes));
        }
        if connections.left_open > 0 {
            warn(format!("the server did not close {} connections after the answer", connections.left_open));
        }
        warnings
    }
}
