//! What is printed: JSON for programs, a summary for people. docs/open-load.md defines each field.

mod load;
mod summary;
mod times;

use std::net::SocketAddr;
use std::time::UNIX_EPOCH;

use serde::Serialize;

use crate::clock::{Clock, Nanos};
use crate::options::Options;
use crate::request::Request;
use crate::steal::Steal;
use crate::tally::Tally;
use load::LoadReport;

/// Raised when an old reader would misread the output.
const FORMAT: u32 = 2;

/// What a run was.
pub struct Run<'a> {
    pub options: &'a Options,
    pub address: SocketAddr,
    pub clock: Clock,
    /// No request was due from then on.
    pub due_until: Nanos,
    /// The end of the last request.
    pub end: Nanos,
    pub cpu_seconds: f64,
    pub steal: &'a Steal,
    pub idle_opened: usize,
    pub opened_before: usize,
    /// Those of each load, in the order of `Options::loads`.
    pub requests: &'a [Request],
    pub tallies: &'a [Tally],
}

#[derive(Serialize)]
pub struct Report<'a> {
    format: u32,
    program: &'static str,
    version: &'static str,
    options: &'a Options,
    address: SocketAddr,
    start_unix_seconds: f64,
    end_unix_seconds: f64,
    /// From the end of the lead-in to that of the last request.
    seconds: f64,
    /// The time in which requests were due.
    due_seconds: f64,
    /// The seconds of it that the latencies and lag are of.
    counted_seconds: f64,
    cpu_seconds: f64,
    #[serde(flatten)]
    load: LoadReport,
    beside: Option<LoadReport>,
    idle_opened: usize,
    opened_before: usize,
    warnings: Vec<String>,
}

impl<'a> Report<'a> {
    pub fn new(run: &Run<'a>) -> Report<'a> {
        let Run { options, .. } = *run;
        let start = run.clock.wall_start.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() + options.lead_in;
        let since_start = |time: Nanos| (time as f64 / 1e9 - options.lead_in).max(0.0);
        let (seconds, due_seconds) = (since_start(run.end), since_start(run.due_until));
        let clean = run.steal.clean();
        let is_counted = |second: usize| options.at_most.is_none() || clean.get(second).is_some_and(|clean| *clean);
        let mut loads =
            options.loads().zip(run.requests).zip(run.tallies).map(|((load, request), tally)| {
                LoadReport::new(load, request, tally, due_seconds, is_counted, run.steal)
            });
        let load = loads.next().expect("there is one load at least");
        let mut report = Report {
            format: FORMAT,
            program: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            options,
            address: run.address,
            start_unix_seconds: start,
            end_unix_seconds: start + seconds,
            seconds,
            due_seconds,
            counted_seconds: match options.at_most {
                Some(_) => load.per_second.counted.iter().filter(|counted| **counted).count() as f64,
                None => due_seconds,
            },
            cpu_seconds: run.cpu_seconds,
            load,
            beside: loads.next(),
            idle_opened: run.idle_opened,
            opened_before: run.opened_before,
            warnings: Vec::new(),
        };
        report.warnings = warnings(&report);
        report
    }

    /// Return the report as one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("all keys are strings") + "\n"
    }

    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Return what makes the figures doubtful, each with what to do.
fn warnings(report: &Report) -> Vec<String> {
    let Report { options, .. } = report;
    let mut warnings = report.load.warnings();
    let mut warn = |text: String| warnings.push(text);
    for text in report.beside.iter().flat_map(LoadReport::warnings) {
        warn(format!("beside the load: {text}"));
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
    if report.idle_opened < options.idle {
        warn(format!("only {} of {} idle connections could be opened", report.idle_opened, options.idle));
    }
    if report.opened_before < options.open {
        warn(format!("only {} of {} connections could be opened before the load", report.opened_before, options.open));
    }
    if report.load.expected_bytes.is_none() {
        warn("the bodies were not compared: give --expect FILE".into());
    }
    warnings
}

#[cfg(test)]
mod tests;
