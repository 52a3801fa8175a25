//! Distributions of times, as they are printed.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use serde::Serialize;

use crate::tally::{Counts, LONGEST, three_digits};

const NANOS_PER_MILLISECOND: f64 = 1e6;

/// A distribution of times.
#[derive(Serialize)]
pub struct Times {
    count: u64,
    pub milliseconds: Milliseconds,
    /// All of it: how many took so many microseconds, in ascending order; to three digits.
    microseconds: Vec<(u64, u64)>,
    /// The same: HdrHistogram V2, compressed, in base64; the values are nanoseconds.
    hdr_histogram: String,
}

#[derive(Serialize)]
pub struct Milliseconds {
    min: f64,
    mean: f64,
    p50: f64,
    p75: f64,
    p90: f64,
    p95: f64,
    pub p99: f64,
    #[serde(rename = "p99.9")]
    p99_9: f64,
    #[serde(rename = "p99.99")]
    p99_99: f64,
    max: f64,
}

impl Times {
    /// Return the distribution; None if there is no value.
    pub fn of(counts: &Counts) -> Option<Times> {
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

    pub fn to_text(&self) -> String {
        let Milliseconds { mean, p50, p90, p99, p99_9, max, .. } = &self.milliseconds;
        format!("ms: mean {mean:.3}, p50 {p50:.3}, p90 {p90:.3}, p99 {p99:.3}, p99.9 {p99_9:.3}, max {max:.3}")
    }
}

/// Return how many took so many microseconds, rounded below 2,048 and to three digits from there on, in ascending order.
pub fn in_microseconds(counts: &Counts) -> Vec<(u64, u64)> {
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
