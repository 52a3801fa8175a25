//! The summary for people.

use std::fmt::Write;

use serde::Serialize;

use crate::options::Load;
use crate::report::Report;
use crate::report::load::Requests;

impl Report<'_> {
    /// Return the summary for people.
    pub fn to_text(&self) -> String {
        let Report { options, load, .. } = self;
        let (requests, connections) = (&load.requests, &load.connections);
        let kind = match &options.load {
            Load::Open { rate, arrivals, .. } => format!("open, {rate} requests/s, {} arrivals", word(arrivals)),
            Load::Closed { connections } => format!("closed, {connections} connections"),
        };
        let mut text = String::new();
        let mut line = |name: &str, value: String| writeln!(text, "{name:<12} {value}").expect("memory is enough");
        line("load", format!("{kind}, {} s, {} connections", self.due_seconds, word(&options.connections)));
        line(
            "requests",
            format!("{} planned = {} sent + {} refused", requests.planned, requests.sent, requests.refused),
        );
        line("", format!("{} sent = {} answered + {} failed", requests.sent, requests.answered, requests.failed));
        if requests.retried > 0 {
            line("", format!("{} sent twice, for the server closed a kept connection meanwhile", requests.retried));
        }
        for (reason, count) in &load.failed {
            line("", format!("failed: {} {count}", word(reason)));
        }
        for (reason, count) in &load.refused {
            line("", format!("refused: {} {count}", word(reason)));
        }
        line("rate", format!("{:.1} right answers/s", load.answered_per_second));
        if options.at_most.is_some() {
            line("clean", format!("{} of {} s: latency and lag are of these", self.counted_seconds, self.due_seconds));
        }
        for (name, times) in
            [("latency", &load.latency), ("from sending", &load.latency_from_sending), ("lag", &load.lag)]
        {
            if let Some(times) = times {
                line(name, times.to_text());
            }
        }
        line("connections", format!("{} opened, at most {} at once", connections.opened, connections.most_at_once));
        if options.open > 0 {
            line("", format!("{} opened before the load", self.opened_before));
        }
        if let (Some(beside), Some(load)) = (&options.beside, &self.beside) {
            let Requests { planned, answered, failed, refused, .. } = load.requests;
            line(
                "beside",
                format!("{planned} of {}: {answered} answered, {failed} failed, {refused} refused", beside.path),
            );
            if let Some(latency) = &load.latency {
                line("", latency.to_text());
            }
        }
        if options.idle > 0 {
            line("idle", format!("{} opened, {} closed by the server", self.idle_opened, connections.idle_closed));
        }
        line("CPU", format!("{:.2} s in {:.2} s, {} thread(s)", self.cpu_seconds, self.seconds, options.threads));
        text
    }
}

/// Return the word that JSON has for a value, with spaces.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|json| json.as_str().map(|word| word.replace('_', " ")))
        .unwrap_or_default()
}
