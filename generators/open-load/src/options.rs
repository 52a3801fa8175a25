//! The command line.

use std::ffi::OsString;
use std::iter::once;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use lexopt::prelude::*;
use serde::Serialize;

use crate::plan::Spacing;
use crate::request::{self, Connections, Version};
use crate::tally::LONGEST;
use crate::worker::CLOSING;

pub const HELP: &str = "\
open-load makes HTTP load and reports latency from the intended time of each request.

usage: open-load (--rate R | --closed N) [OPTIONS] http://HOST[:PORT]/PATH

load:
  --rate R              open load: R arrivals per second, planned beforehand
  --closed N            closed load: N connections; each sends its next request after its answer
  --seconds S           time in which requests are due [10]
  --at-most S           go on for up to S seconds until --seconds of them are clean, and take latencies from
                        these alone: the hypervisor took no CPU time in them, nor in the second before
  --cpus LIST           CPUs whose stolen time decides that, such as 0,1 [all]
  --lead-in S           the same load before that, which is not counted [0]
  --arrivals KIND       poisson or constant, of an open load [poisson]
  --seed N              of a Poisson plan; the same seed gives the same plan [1]

requests:
  --http VERSION        1.0 or 1.1 [1.1]
  --connections KIND    kept or new: a new connection for each request [kept]
  --header LINE         a further line of the request's head, such as 'Accept-Encoding: gzip'; may be repeated
  --expect FILE         compare each body with this file, byte for byte
  --expect-echo         compare each body with the head of the request
  --timeout S           longest time from sending to the end of the answer [10]

limits:
  --max-connections N   most connections at once, of an open load [10000]
  --open N              connections that are opened before the first request is due [0]
  --threads N           each takes a share of requests and connections [1]
  --spin US             poll instead of sleeping for US microseconds before a request is due and after it was sent [0]

beside the load:
  --beside RATE=PATH    a second open load, of constant arrivals, for another path, on connections of its own
  --beside-expect FILE  compare each body of that with this file
  --idle N              connections that are opened before and stay silent [0]

output:
  --json                JSON instead of a summary; docs/open-load.md has the format
  --print-head          print the head of a request, byte for byte, and make no load
  --help, --version

exit codes: 0 every answer was right; 1 some were not; 2 wrong usage, or the server cannot be reached
";

/// Lines that every request has, and those that a request without a body must not have.
const OWN_HEADERS: [&str; 6] = ["Accept", "Connection", "Content-Length", "Host", "Transfer-Encoding", "User-Agent"];
/// Arrivals per second.
const RATES: RangeInclusive<f64> = 0.001..=10_000_000.0;
/// More would keep the plan's first pass busy for long before the run.
const MOST_ARRIVALS: f64 = 1e9;

/// What makes requests due.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Load {
    /// A plan, with so many arrivals per second.
    Open { rate: f64, arrivals: Spacing, seed: u64, max_connections: usize },
    /// Connections that are free; there are so many.
    Closed {
        #[serde(rename = "closed")]
        connections: usize,
    },
}

impl Load {
    /// Return the most connections that it may have at once.
    pub fn most_connections(&self) -> usize {
        match *self {
            Load::Open { max_connections, .. } => max_connections,
            Load::Closed { connections } => connections,
        }
    }
}

/// A second load beside the first one, on the same host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beside {
    #[serde(flatten)]
    pub load: Load,
    pub path: String,
    pub expect: Option<PathBuf>,
}

/// What was asked for, as it is repeated in the output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Options {
    pub url: String,
    #[serde(flatten)]
    pub load: Load,
    pub seconds: f64,
    #[serde(rename = "at_most_seconds")]
    pub at_most: Option<f64>,
    pub cpus: Vec<usize>,
    #[serde(rename = "lead_in_seconds")]
    pub lead_in: f64,
    pub http: Version,
    pub connections: Connections,
    pub headers: Vec<String>,
    pub expect: Option<PathBuf>,
    pub expect_echo: bool,
    #[serde(rename = "timeout_seconds")]
    pub timeout: f64,
    pub open: usize,
    pub threads: usize,
    #[serde(rename = "spin_microseconds")]
    pub spin: u64,
    pub beside: Option<Beside>,
    pub idle: usize,
    #[serde(skip)]
    pub json: bool,
}

impl Options {
    /// Return the longest time in which requests may be due, without the lead-in.
    pub fn longest(&self) -> f64 {
        self.at_most.unwrap_or(self.seconds)
    }

    /// Return the load, and the one beside it.
    pub fn loads(&self) -> impl Iterator<Item = &Load> {
        once(&self.load).chain(self.beside.as_ref().map(|beside| &beside.load))
    }

    /// Return the head of each request for a path.
    pub fn head(&self, authority: &str, path: &str) -> String {
        request::head(authority, path, self.http, self.connections, &self.headers)
    }
}

/// What the command line asks for.
#[derive(Debug, PartialEq)]
pub enum Command {
    Run(Box<Options>),
    /// Print this head of a request.
    Head(String),
    Help,
    Version,
}

/// The parts of `http://HOST[:PORT]/PATH`.
#[derive(Debug, PartialEq, Eq)]
pub struct Url {
    /// With the port as it was given, for the Host line.
    pub authority: String,
    pub host: String,
    pub port: u16,
    pub path: String,
}

/// Return what the arguments ask for, or one line that says what is wrong with them.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let (mut rate, mut closed, mut print_head) = (None, None, false);
    let (mut arrivals, mut seed, mut max_connections) = (Spacing::Poisson, 1, 10_000);
    let (mut rate_beside, mut expect_beside) = (None, None);
    let mut options = Options {
        url: String::new(),
        load: Load::Closed { connections: 1 }, // until all arguments are known
        seconds: 10.0,
        at_most: None,
        cpus: Vec::new(),
        lead_in: 0.0,
        http: Version::Http11,
        connections: Connections::Kept,
        headers: Vec::new(),
        expect: None,
        expect_echo: false,
        timeout: 10.0,
        open: 0,
        threads: 1,
        spin: 0,
        beside: None,
        idle: 0,
        json: false,
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    let line = |error: lexopt::Error| error.to_string();
    while let Some(argument) = parser.next().map_err(line)? {
        match argument {
            Long("rate") => rate = Some(number(&mut parser, "--rate", *RATES.start(), *RATES.end())?),
            Long("closed") => closed = Some(number(&mut parser, "--closed", 1, 1_000_000)?),
            Long("seconds") => options.seconds = number(&mut parser, "--seconds", 0.001, 86_400.0)?,
            Long("at-most") => options.at_most = Some(number(&mut parser, "--at-most", 1.0, 86_400.0)?),
            Long("cpus") => options.cpus = cpus(&parser.value().and_then(|list| list.string()).map_err(line)?)?,
            Long("lead-in") => options.lead_in = number(&mut parser, "--lead-in", 0.0, 3600.0)?,
            Long("arrivals") => {
                arrivals = choice(
                    &mut parser,
                    "--arrivals",
                    [("poisson", Spacing::Poisson), ("constant", Spacing::Constant)],
                )?;
            }
            Long("seed") => seed = number(&mut parser, "--seed", 0, u64::MAX)?,
            Long("http") => {
                options.http = choice(&mut parser, "--http", [("1.0", Version::Http10), ("1.1", Version::Http11)])?;
            }
            Long("connections") => {
                options.connections =
                    choice(&mut parser, "--connections", [("kept", Connections::Kept), ("new", Connections::New)])?;
            }
            Long("header") => {
                options.headers.push(header(&parser.value().and_then(|line| line.string()).map_err(line)?)?)
            }
            Long("expect") => options.expect = Some(parser.value().map_err(line)?.into()),
            Long("expect-echo") => options.expect_echo = true,
            Long("timeout") => options.timeout = number(&mut parser, "--timeout", 0.001, LONGEST as f64 / 1e9)?,
            Long("max-connections") => {
                max_connections = number(&mut parser, "--max-connections", 1, 1_000_000)?;
            }
            Long("open") => options.open = number(&mut parser, "--open", 0, 1_000_000)?,
            Long("threads") => options.threads = number(&mut parser, "--threads", 1, 1024)?,
            Long("spin") => options.spin = number(&mut parser, "--spin", 0, 1_000_000)?,
            Long("beside") => {
                rate_beside = Some(rate_and_path(&parser.value().and_then(|text| text.string()).map_err(line)?)?);
            }
            Long("beside-expect") => expect_beside = Some(parser.value().map_err(line)?.into()),
            Long("idle") => options.idle = number(&mut parser, "--idle", 0, 1_000_000)?,
            Long("json") => options.json = true,
            Long("print-head") => print_head = true,
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Value(url) if options.url.is_empty() => options.url = url.string().map_err(line)?,
            other => return Err(other.unexpected().to_string()),
        }
    }
    if options.url.is_empty() {
        return Err("no URL is given, such as http://127.0.0.1:8080/small.html".into());
    }
    let url = url(&options.url)?;
    if print_head {
        return Ok(Command::Head(options.head(&url.authority, &url.path)));
    }
    options.load = match (rate, closed) {
        (Some(_), Some(_)) => return Err("--rate and --closed exclude each other".into()),
        (None, None) => return Err("give --rate R for an open load, or --closed N for a closed one".into()),
        (Some(rate), None) => Load::Open { rate, arrivals, seed, max_connections },
        (None, Some(connections)) => Load::Closed { connections },
    };
    options.beside = match rate_beside {
        Some((rate, path)) => Some(Beside { load: beside(rate, &options), path, expect: expect_beside }),
        None if expect_beside.is_some() => return Err("--beside-expect needs --beside".into()),
        None => None,
    };
    check(&options)?;
    Ok(Command::Run(Box::new(options)))
}

/// Return one line that says what is wrong with options that do not fit each other.
fn check(options: &Options) -> Result<(), String> {
    for load in options.loads() {
        let Load::Open { rate, .. } = *load else { continue };
        let seconds = options.longest() + options.lead_in;
        if rate * options.seconds < 0.5 {
            return Err(format!("{rate} arrivals per second for {} s are no request", options.seconds));
        }
        if rate * seconds > MOST_ARRIVALS {
            return Err(format!("{rate} arrivals per second for {seconds} s are more than {MOST_ARRIVALS}"));
        }
    }
    if let Some(at_most) = options.at_most {
        if options.seconds.fract() != 0.0 || at_most.fract() != 0.0 {
            return Err("with --at-most, it and --seconds must be whole seconds".into());
        }
        if at_most < options.seconds {
            return Err(format!("--at-most {at_most} is less than --seconds {}", options.seconds));
        }
    }
    if options.expect_echo && options.expect.is_some() {
        return Err("--expect and --expect-echo exclude each other".into());
    }
    let most = options.load.most_connections();
    if options.open > most {
        return Err(format!("--open {} is more than the {most} connections that the load may have", options.open));
    }
    if options.open > 0 && options.connections == Connections::New {
        return Err("--open needs kept connections".into());
    }
    if options.threads > most {
        return Err("each thread needs a connection: give fewer --threads".into());
    }
    Ok(())
}

/// Return the parts of a URL, or one line that says what is wrong with it.
pub fn url(text: &str) -> Result<Url, String> {
    let wrong = |why: &str| Err(format!("'{text}' {why}; a URL is such as http://127.0.0.1:8080/small.html"));
    let Some(rest) = text.strip_prefix("http://") else { return wrong("does not begin with http://") };
    if !rest.bytes().all(|byte| byte.is_ascii_graphic()) {
        return wrong("has a space or another character that must be encoded");
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    // The last colon is the port's, unless it is within the brackets of an IPv6 address.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()),
        _ => (authority, Some(80)),
    };
    let Some(port) = port else { return wrong("has a port that is no number up to 65535") };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() || host.contains('@') {
        return wrong("has no host that is a name or an address");
    }
    Ok(Url { authority: authority.to_owned(), host: host.to_owned(), port, path })
}

/// Return the rate and the path in `RATE=PATH`, or one line that says what is wrong with them.
fn rate_and_path(text: &str) -> Result<(f64, String), String> {
    let wrong = |why: &str| Err(format!("--beside '{}' {why}, as in 10=/small.html", text.escape_debug()));
    let Some((rate, path)) = text.split_once('=') else { return wrong("must be a rate and a path") };
    if !path.starts_with('/') || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return wrong("has no path of printable ASCII that begins with a slash");
    }
    match rate.parse() {
        Ok(rate) if RATES.contains(&rate) => Ok((rate, path.to_owned())),
        _ => wrong(&format!("has no rate from {} to {}", RATES.start(), RATES.end())),
    }
}

/// Return the load beside that of the options, which has a connection for every request that can be under way or closing.
fn beside(rate: f64, options: &Options) -> Load {
    let longest = options.timeout + CLOSING as f64 / 1e9;
    let max_connections = (rate * longest).ceil() as usize + options.threads;
    Load::Open { rate, arrivals: Spacing::Constant, seed: 1, max_connections }
}

/// Return the numbers of CPUs, or one line that says what is wrong with them.
fn cpus(text: &str) -> Result<Vec<usize>, String> {
    let wrong = |_| format!("--cpus must be numbers with commas between them, such as 0,1, not '{text}'");
    text.split(',').map(str::parse).collect::<Result<_, _>>().map_err(wrong)
}

/// Return a line of a request's head, or one line that says what is wrong with it.
fn header(text: &str) -> Result<String, String> {
    let wrong = |why: &str| Err(format!("--header '{}' {why}", text.escape_debug()));
    let Some((name, value)) = text.split_once(':') else { return wrong("has no colon, as in 'Accept-Encoding: gzip'") };
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_of_name) {
        return wrong("has no name before its colon that HTTP allows");
    }
    if !value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        return wrong("has a character that is not printable ASCII");
    }
    if OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own)) {
        return wrong("cannot be given: open-load decides about it");
    }
    Ok(format!("{name}: {}", value.trim()))
}

fn number<T>(parser: &mut lexopt::Parser, name: &str, least: T, most: T) -> Result<T, String>
where
    T: FromStr + PartialOrd + std::fmt::Display,
{
    let text = parser.value().and_then(|value| value.string()).map_err(|error| error.to_string())?;
    match text.parse() {
        Ok(number) if number >= least && number <= most => Ok(number),
        _ => Err(format!("{name} must be a number from {least} to {most}, not '{text}'")),
    }
}

fn choice<T: Copy>(parser: &mut lexopt::Parser, name: &str, choices: [(&str, T); 2]) -> Result<T, String> {
    let text = parser.value().and_then(|value| value.string()).map_err(|error| error.to_string())?;
    let found = choices.iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| *value).ok_or(format!("{name} must be {} or {}, not '{text}'", choices[0].0, choices[1].0))
}

#[cfg(test)]
mod tests;
