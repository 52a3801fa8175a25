//! What is printed: JSON for programs, a summary for people. docs/open-load.md defines each field.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::SocketAddr;
use std::time::UNIX_EPOCH;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use serde::Serialize;

use crate::clock::{Clock, Nanos};
use crate::options::{Load, Options};
use crate::outcome::{Failure, Refusal};
use crate::steal::Steal;
use crate::tally::{Connections, Counts, LONGEST, Second, Tally, three_digits};

/// Raised when an old reader would misread the output.
const FORMAT: u32 = 2;
const NANOS_PER_MILLISECOND: f64 = 1e6;

/// What a run was, beside its accounts.
pub struct Run<'a> {
    pub options: &'a Options,
    pub address: SocketAddr,
    pub head: &'a [u8],
    pub expected_bytes: Option<usize>,
    pub clock: Clock,
    /// No request was due from then on.
    pub due_until: Nanos,
    /// The end of the last request.
    pub end: Nanos,
    pub cpu_seconds: f64,
    pub steal: &'a Steal,
    pub idle_opened: usize,
}

#[derive(Serialize)]
pub struct Report<'a> {
    format: u32,
    program: &'static str,
    version: &'static str,
    options: &'a Options,
    address: SocketAddr,
    request_head: String,
    expected_bytes: Option<usize>,
    start_unix_seconds: f64,
    end_unix_seconds: f64,
    /// From the end of the lead-in to that of the last request.
    seconds: f64,
    /// The time in which requests were due.
    due_seconds: f64,
    /// The seconds of it that latency and lag are of.
    counted_seconds: f64,
    cpu_seconds: f64,
    requests: Requests,
    failed: BTreeMap<Failure, u64>,
    refused: BTreeMap<Refusal, u64>,
    /// Right answers within the time in which requests were due, over that time.
    answered_per_second: f64,
    latency: Option<Times>,
    latency_from_sending: Option<Times>,
    lag: Option<Times>,
    per_second: PerSecond,
    connections: Connections,
    idle_opened: usize,
    bytes_received: u64,
    warnings: Vec<String>,
}

/// planned = sent + refused, and sent = answered + failed. `retried` of those that were sent were sent twice.
#[derive(Serialize)]
struct Requests {
    planned: u64,
    sent: u64,
    refused: u64,
    answered: u64,
    failed: u64,
    retried: u64,
}

/// A distribution of times.
#[derive(Serialize)]
struct Times {
    count: u64,
    milliseconds: Milliseconds,
    /// All of it: how many took so many microseconds, in ascending order; to three digits.
    microseconds: Vec<(u64, u64)>,
    /// The same: HdrHistogram V2, compressed, in base64; the values are nanoseconds.
    hdr_histogram: String,
}

#[derive(Serialize)]
struct Milliseconds {
    min: f64,
    mean: f64,
    p50: f64,
    p75: f64,
    p90: f64,
    p95: f64,
    p99: f64,
    #[serde(rename = "p99.9")]
    p99_9: f64,
    #[serde(rename = "p99.99")]
    p99_99: f64,
    max: f64,
}

/// What became of the requests that were due in each second since the end of the lead-in. `latency` and `lag` have how
/// many took so many microseconds.
#[derive(Serialize)]
struct PerSecond {
    /// Whether latency and lag of the run have those of this second.
    counted: Vec<bool>,
    sent: Vec<u64>,
    refused: Vec<u64>,
    answered: Vec<u64>,
    failed: Vec<u64>,
    latency: Vec<Vec<(u64, u64)>>,
    lag: Vec<Vec<(u64, u64)>>,
    /// Seconds that the hypervisor took from each CPU.
    stolen: BTreeMap<usize, Vec<f64>>,
}

impl<'a> Report<'a> {
    pub fn new(run: &Run<'a>, tally: &Tally) -> Report<'a> {
        let Run { options, .. } = *run;
        let start = run.clock.wall_start.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() + options.lead_in;
        let since_start = |time: Nanos| (time as f64 / 1e9 - options.lead_in).max(0.0);
        let (seconds, due_seconds) = (since_start(run.end), since_start(run.due_until));
        let clean = run.steal.clean();
        let is_counted = |second: usize| options.at_most.is_none() || clean.get(second).is_some_and(|clean| *clean);
        let counted: Vec<bool> = (0..tally.seconds.len()).map(is_counted).collect();
        let all = tally.sum(|_| true);
        let times_of = tally.sum(is_counted);
        let is_open = matches!(options.load, Load::Open { .. });
        let per_second = |count: fn(&Second) -> u64| tally.seconds.iter().map(count).collect();
        let pairs =
            |counts: fn(&Second) -> &Counts| tally.seconds.iter().map(move |each| in_microseconds(counts(each)));
        let mut report = Report {
            format: FORMAT,
            program: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            options,
            address: run.address,
            request_head: String::from_utf8_lossy(run.head).into_owned(),
            expected_bytes: run.expected_bytes,
            start_unix_seconds: start,
            end_unix_seconds: start + seconds,
            seconds,
            due_seconds,
            counted_seconds: match options.at_most {
                Some(_) => counted.iter().filter(|counted| **counted).count() as f64,
                None => due_seconds,
            },
            cpu_seconds: run.cpu_seconds,
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
            latency: times(&times_of.latency),
            latency_from_sending: times(&times_of.from_sending),
            lag: if is_open { times(&times_of.lag) } else { None },
            per_second: PerSecond {
                counted,
                sent: per_second(|second| second.sent),
                refused: per_second(Second::all_refused),
                answered: per_second(|second| second.answered),
                failed: per_second(Second::all_failed),
                latency: pairs(|second| &second.latency).collect(),
                lag: if is_open { pairs(|second| &second.lag).collect() } else { Vec::new() },
                stolen: run.steal.by_cpu(),
            },
            connections: tally.connections,
            idle_opened: run.idle_opened,
            bytes_received: tally.bytes_received,
            warnings: Vec::new(),
        };
        report.warnings = warnings(&report);
        report
    }

    /// Return the report as one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("all keys are strings") + "\n"
    }

    /// Return the summary for people.
    pub fn to_text(&self) -> String {
        let Report { options, requests, connections, .. } = self;
        let load = match &options.load {
            Load::Open { rate, arrivals, .. } => format!("open, {rate} requests/s, {} arrivals", word(arrivals)),
            Load::Closed { connections } => format!("closed, {connections} connections"),
        };
        let mut text = String::new();
        let mut line = |name: &str, value: String| writeln!(text, "{name:<12} {value}").expect("memory is enough");
        line("load", format!("{load}, {} s, {} connections", self.due_seconds, word(&options.connections)));
        line(
            "requests",
            format!("{} planned = {} sent + {} refused", requests.planned, requests.sent, requests.refused),
        );
        line("", format!("{} sent = {} answered + {} failed", requests.sent, requests.answered, requests.failed));
        if requests.retried > 0 {
            line("", format!("{} sent twice, for the server closed a kept connection meanwhile", requests.retried));
        }
        for (reason, count) in &self.failed {
            line("", format!("failed: {} {count}", word(reason)));
        }
        for (reason, count) in &self.refused {
            line("", format!("refused: {} {count}", word(reason)));
        }
        line("rate", format!("{:.1} right answers/s", self.answered_per_second));
        if options.at_most.is_some() {
            line("clean", format!("{} of {} s: latency and lag are of these", self.counted_seconds, self.due_seconds));
        }
        if let Some(latency) = &self.latency {
            line("latency", latency.to_text());
        }
        if let Some(latency) = &self.latency_from_sending {
            line("from sending", latency.to_text());
        }
        if let Some(lag) = &self.lag {
            line("lag", lag.to_text());
        }
        line("connections", format!("{} opened, at most {} at once", connections.opened, connections.most_at_once));
        if options.idle > 0 {
            line("idle", format!("{} opened, {} closed by the server", self.idle_opened, connections.idle_closed));
        }
        line("CPU", format!("{:.2} s in {:.2} s, {} thread(s)", self.cpu_seconds, self.seconds, options.threads));
        text
    }

    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Times {
    fn to_text(&self) -> String {
        let Milliseconds { mean, p50, p90, p99, p99_9, max, .. } = &self.milliseconds;
        format!("ms: mean {mean:.3}, p50 {p50:.3}, p90 {p90:.3}, p99 {p99:.3}, p99.9 {p99_9:.3}, max {max:.3}")
    }
}

/// Return the distribution; None if there is no value.
fn times(counts: &Counts) -> Option<Times> {
    if counts.is_empty() {
        return None;
    }
    let mut histogram = Histogram::new_with_max(LONGEST, 3).expect("these bounds are allowed");
    for (time, count) in counts {
        histogram.saturating_record_n(*time, *count);
    }
    let quantile = |quantile| histogram.value_at_quantile(quantile) as f64 / NANOS_PER_MILLISECOND;
    Some(Times {
        count: histogram.len(),
        milliseconds: Milliseconds {
            min: histogram.min() as f64 / NANOS_PER_MILLISECOND,
            mean: histogram.mean() / NANOS_PER_MILLISECOND,
            p50: quantile(0.5),
            p75: quantile(0.75),
            p90: quantile(0.9),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p99_9: quantile(0.999),
            p99_99: quantile(0.9999),
            max: histogram.max() as f64 / NANOS_PER_MILLISECOND,
        },
        microseconds: in_microseconds(counts),
        hdr_histogram: encoded(&histogram),
    })
}

/// Return how many took so many microseconds, rounded below 2,048 and to three digits from there on, in ascending order.
fn in_microseconds(counts: &Counts) -> Vec<(u64, u64)> {
    let mut found: BTreeMap<u64, u64> = BTreeMap::new();
    for (time, count) in counts {
        *found.entry(three_digits((time + 500) / 1000)).or_default() += count;
    }
    found.into_iter().collect()
}

fn encoded(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).expect("writing into memory does not fail");
    STANDARD.encode(bytes)
}

/// Return what makes the figures doubtful, each with what to do.
fn warnings(report: &Report) -> Vec<String> {
    let Report { options, connections, .. } = report;
    let mut warnings = Vec::new();
    let mut warn = |text: String| warnings.push(text);
    if let Some(lag) = report.lag.as_ref().map(|lag| lag.milliseconds.p99).filter(|lag| *lag > 1.0) {
        warn(format!(
            "the generator was late: p99 of its lag is {lag:.1} ms, which is in every latency; lower the rate, use more \
             threads, or give it a core of its own"
        ));
    }
    let busy = report.cpu_seconds / report.seconds / options.threads as f64;
    if busy > 0.9 && options.spin == 0 {
        warn(format!(
            "the generator used {:.0} % of its threads' time, so it may be the limit; use more threads",
            100.0 * busy
        ));
    }
    if options.at_most.is_some() && report.counted_seconds < options.seconds {
        warn(format!(
            "the hypervisor took CPU time all along: only {} of {} s are clean, {} were asked for",
            report.counted_seconds, report.due_seconds, options.seconds
        ));
    }
    if report.requests.refused > 0 {
        warn(format!(
            "{} requests were refused by the generator's own limits: raise --max-connections, the limit of open files or \
             net.ipv4.ip_local_port_range, or use kept connections",
            report.requests.refused
        ));
    }
    if report.idle_opened < options.idle {
        warn(format!("only {} of {} idle connections could be opened", report.idle_opened, options.idle));
    }
    if connections.unrequested_bytes > 0 {
        warn(format!("on {} connections bytes came that no request had asked for", connections.unrequested_bytes));
    }
    if connections.left_open > 0 {
        warn(format!("the server did not close {} connections after the answer", connections.left_open));
    }
    if report.expected_bytes.is_none() {
        warn("the bodies were not compared: give --expect FILE".into());
    }
    warnings
}

/// Return the word that JSON has for a value, with spaces.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|json| json.as_str().map(|word| word.replace('_', " ")))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::time::Duration;

    use hdrhistogram::serialization::Deserializer;
    use serde_json::Value;

    use super::*;
    use crate::clock::{End, SECOND, nanos_of};
    use crate::options::{Command, parse};

    fn with_report<T>(line: &str, tally: &Tally, read: impl FnOnce(&Report) -> T) -> T {
        let Ok(Command::Run(options)) = parse(line.split_whitespace().map(OsString::from)) else { panic!("{line}") };
        let run = Run {
            options: &options,
            address: "127.0.0.1:8080".parse().unwrap(),
            head: b"GET / HTTP/1.1\r\n\r\n",
            expected_bytes: Some(100),
            clock: Clock::starting_in(Duration::ZERO),
            due_until: nanos_of(options.lead_in + options.longest()),
            end: 2 * SECOND,
            cpu_seconds: 0.5,
            steal: &Steal::stolen(&[0, 0, 0]),
            idle_opened: 3,
        };
        read(&Report::new(&run, tally))
    }

    /// Return the accounts of a thousand answers of 1, 2, … 1,000 ms, and of two requests without one.
    fn tally() -> Tally {
        let mut tally = Tally::new(0, End::at(2 * SECOND));
        for milliseconds in 1..=1000 {
            tally.plan(0, 1000);
            tally.send(0);
            tally.answer(0, Some(1000), milliseconds * 1_000_000);
        }
        tally.plan(0, 1000);
        tally.send(0);
        tally.fail(Failure::WrongBytes, 0);
        tally.plan(SECOND, SECOND + 1000);
        tally.refuse(Refusal::ConnectionLimit, SECOND);
        tally
    }

    const OPEN: &str = "--rate 501 --seconds 2 --idle 3 http://127.0.0.1:8080/";

    fn json(line: &str, tally: &Tally) -> Value {
        with_report(line, tally, |report| serde_json::from_str(&report.to_json()).unwrap())
    }

    #[test]
    fn the_equations_hold_in_the_output() {
        let report = json(OPEN, &tally());
        let count = |name: &str| report["requests"][name].as_u64().unwrap();
        assert_eq!(count("planned"), count("sent") + count("refused"));
        assert_eq!(count("sent"), count("answered") + count("failed"));
        assert_eq!(report["failed"]["wrong_bytes"], 1);
        assert_eq!(report["refused"]["connection_limit"], 1);
        assert_eq!(report["per_second"]["answered"], serde_json::json!([1000, 0]), "by when they were due");
        assert_eq!(report["per_second"]["refused"], serde_json::json!([0, 1]));
        assert_eq!(report["per_second"]["latency"][0][0], serde_json::json!([1000, 1]), "1 ms");
        assert_eq!(report["per_second"]["lag"], serde_json::json!([[[1, 1001]], [[1, 1]]]));
        assert_eq!(report["answered_per_second"], 500.0);
    }

    #[test]
    fn percentiles_are_those_of_the_values() {
        let report = json(OPEN, &tally());
        let near = |found: &Value, expected: f64| {
            let found = found.as_f64().unwrap();
            assert!((found / expected - 1.0).abs() < 0.001, "{found} for {expected}");
        };
        for (name, expected) in
            [("min", 1.0), ("mean", 500.5), ("p50", 500.0), ("p99", 990.0), ("p99.9", 999.0), ("max", 1000.0)]
        {
            near(&report["latency"]["milliseconds"][name], expected);
        }
        near(&report["latency_from_sending"]["milliseconds"]["min"], 0.999);
    }

    #[test]
    fn the_histogram_can_be_read_back() {
        let report = json(OPEN, &tally());
        let bytes = STANDARD.decode(report["latency"]["hdr_histogram"].as_str().unwrap()).unwrap();
        let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!((histogram.len(), histogram.max()), (1000, 1_000_341_503), "1 s, to three digits");
    }

    #[test]
    fn the_counts_by_microsecond_are_all_requests_in_ascending_order() {
        let report = json(OPEN, &tally());
        let pairs: Vec<(u64, u64)> = serde_json::from_value(report["latency"]["microseconds"].clone()).unwrap();
        assert_eq!(pairs.iter().map(|(_, count)| count).sum::<u64>(), 1000);
        assert!(pairs.is_sorted_by(|(one, _), (next, _)| one < next));
        assert_eq!(pairs[0], (1000, 1), "1 ms");
        assert!((999_000..=1_000_000).contains(&pairs.last().unwrap().0), "1 s, to three digits");
    }

    #[test]
    fn what_was_not_measured_is_null() {
        let closed = json("--closed 2 http://h/", &tally());
        assert_eq!(closed["lag"], Value::Null, "a closed load has no plan");
        assert_eq!(json(OPEN, &Tally::new(0, End::at(SECOND)))["latency"], Value::Null);
    }

    #[test]
    fn warnings_say_what_makes_figures_doubtful() {
        let warnings = |line: &str, tally: &Tally| with_report(line, tally, |report| report.warnings().join("\n"));
        assert_eq!(warnings(OPEN, &Tally::new(0, End::at(SECOND))), "");
        assert!(warnings(OPEN, &tally()).starts_with("1 requests were refused"));
        assert!(
            warnings(&OPEN.replace("--idle 3", "--idle 4"), &Tally::new(0, End::at(SECOND)))
                .contains("only 3 of 4 idle")
        );
        let mut late = Tally::new(0, End::at(SECOND));
        late.plan(0, 5_000_000);
        assert!(warnings(OPEN, &late).contains("p99 of its lag is 5.0 ms"));
    }

    #[test]
    fn the_summary_names_each_reason_with_its_count() {
        let text = with_report(OPEN, &tally(), |report| report.to_text());
        assert!(text.contains("1002 planned = 1001 sent + 1 refused"), "{text}");
        assert!(text.contains("failed: wrong bytes 1\n"), "{text}");
        assert!(text.contains("refused: connection limit 1\n"), "{text}");
        assert!(text.contains("open, 501 requests/s, poisson arrivals, 2 s, kept connections\n"), "{text}");
    }
}
