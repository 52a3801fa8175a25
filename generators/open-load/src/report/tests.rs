use std::ffi::OsString;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use serde_json::Value;

use super::*;
use crate::clock::{End, SECOND, nanos_of};
use crate::options::{Command, parse};
use crate::outcome::{Failure, Refusal};
use crate::request::Expectation;

/// Read the report of a run that has these accounts of each load.
fn with_report<T>(line: &str, tallies: &[Tally], read: impl FnOnce(&Report) -> T) -> T {
    let Ok(Command::Run(options)) = parse(line.split_whitespace().map(OsString::from)) else { panic!("{line}") };
    let requests = options.loads().map(|_| Request {
        address: "127.0.0.1:8080".parse().unwrap(),
        head: b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        timeout: SECOND,
        expectation: Expectation {
            body: Some(vec![b'x'; 100]),
            version: options.http,
            connections: options.connections,
        },
    });
    let run = Run {
        options: &options,
        address: "127.0.0.1:8080".parse().unwrap(),
        clock: Clock::starting_in(Duration::ZERO),
        due_until: nanos_of(options.lead_in + options.longest()),
        end: 2 * SECOND,
        cpu_seconds: 0.5,
        steal: &Steal::stolen(&[0, 0, 0]),
        idle_opened: 3,
        opened_before: 4,
        requests: &requests.collect::<Vec<_>>(),
        tallies,
    };
    read(&Report::new(&run))
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

fn json(line: &str, tally: Tally) -> Value {
    with_report(line, &[tally], |report| serde_json::from_str(&report.to_json()).unwrap())
}

#[test]
fn the_equations_hold_in_the_output() {
    let report = json(OPEN, tally());
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
    let report = json(OPEN, tally());
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
    let report = json(OPEN, tally());
    let bytes = STANDARD.decode(report["latency"]["hdr_histogram"].as_str().unwrap()).unwrap();
    let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
    assert_eq!((histogram.len(), histogram.max()), (1000, 1_000_341_503), "1 s, to three digits");
}

#[test]
fn the_counts_by_microsecond_are_all_requests_in_ascending_order() {
    let report = json(OPEN, tally());
    let pairs: Vec<(u64, u64)> = serde_json::from_value(report["latency"]["microseconds"].clone()).unwrap();
    assert_eq!(pairs.iter().map(|(_, count)| count).sum::<u64>(), 1000);
    assert!(pairs.is_sorted_by(|(one, _), (next, _)| one < next));
    assert_eq!(pairs[0], (1000, 1), "1 ms");
    assert!((999_000..=1_000_000).contains(&pairs.last().unwrap().0), "1 s, to three digits");
}

#[test]
fn what_was_not_measured_is_null() {
    let closed = json("--closed 2 http://h/", tally());
    assert_eq!(closed["lag"], Value::Null, "a closed load has no plan");
    assert_eq!(json(OPEN, Tally::new(0, End::at(SECOND)))["latency"], Value::Null);
}

#[test]
fn warnings_say_what_makes_figures_doubtful() {
    let warnings = |line: &str, tally: Tally| with_report(line, &[tally], |report| report.warnings().join("\n"));
    assert_eq!(warnings(OPEN, Tally::new(0, End::at(SECOND))), "");
    assert!(warnings(OPEN, tally()).starts_with("1 requests were refused"));
    assert!(
        warnings(&OPEN.replace("--idle 3", "--idle 4"), Tally::new(0, End::at(SECOND))).contains("only 3 of 4 idle")
    );
    assert!(
        warnings(&OPEN.replace("--idle 3", "--open 5"), Tally::new(0, End::at(SECOND)))
            .contains("only 4 of 5 connections")
    );
    let mut late = Tally::new(0, End::at(SECOND));
    late.plan(0, 5_000_000);
    assert!(warnings(OPEN, late).contains("p99 of its lag is 5.0 ms"));
}

#[test]
fn the_summary_names_each_reason_with_its_count() {
    let text = with_report(OPEN, &[tally()], |report| report.to_text());
    assert!(text.contains("1002 planned = 1001 sent + 1 refused"), "{text}");
    assert!(text.contains("failed: wrong bytes 1\n"), "{text}");
    assert!(text.contains("refused: connection limit 1\n"), "{text}");
    assert!(text.contains("open, 501 requests/s, poisson arrivals, 2 s, kept connections\n"), "{text}");
}

const BESIDE: &str = "--rate 501 --seconds 2 --idle 3 --beside 1=/slow?ms=5 http://127.0.0.1:8080/";

/// Return the accounts of a load beside it: an answer after 30 ms, and none to the request of the next second.
fn beside() -> Tally {
    let mut tally = Tally::new(0, End::at(2 * SECOND));
    for due in [0, SECOND] {
        tally.plan(due, due);
        tally.send(due);
    }
    tally.answer(0, Some(0), 30_000_000);
    tally.fail(Failure::Timeout, SECOND);
    tally
}

#[test]
fn a_load_beside_it_has_the_same_fields_and_accounts_of_its_own() {
    let (alone, both) = (json(OPEN, tally()), with_report(BESIDE, &[tally(), beside()], |report| report.to_json()));
    let both: Value = serde_json::from_str(&both).unwrap();
    assert_eq!(alone["beside"], Value::Null);
    for name in ["requests", "failed", "refused", "latency", "latency_from_sending", "lag", "per_second"] {
        assert_eq!(both[name], alone[name], "{name}");
        assert!(both["beside"].get(name).is_some(), "{name}");
    }
    let beside = &both["beside"];
    assert_eq!((&beside["requests"]["planned"], &beside["requests"]["answered"]), (&2.into(), &1.into()));
    assert_eq!(beside["failed"], serde_json::json!({"timeout": 1}));
    assert_eq!(beside["answered_per_second"], 0.5);
    assert_eq!(beside["per_second"]["answered"], serde_json::json!([1, 0]));
    assert_eq!(beside["per_second"]["failed"], serde_json::json!([0, 1]));
    assert_eq!(beside["per_second"]["latency"][0][0][1], 1);
    assert_eq!(both["options"]["beside"]["path"], "/slow?ms=5");
}

#[test]
fn the_summary_has_the_load_beside_it() {
    let text = with_report(BESIDE, &[tally(), beside()], |report| report.to_text());
    let said = "beside       2 of /slow?ms=5: 1 answered, 1 failed, 0 refused\n             ms: mean 30.0";
    assert!(text.contains(said), "{text}");
}

#[test]
fn warnings_name_the_load_that_they_are_of() {
    let mut late = beside();
    late.plan(SECOND, SECOND + 5_000_000);
    let warnings = with_report(BESIDE, &[Tally::new(0, End::at(SECOND)), late], |report| report.warnings().join("\n"));
    assert!(warnings.starts_with("beside the load: the generator was late"), "{warnings}");
}
