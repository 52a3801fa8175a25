//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use lexopt::prelude::*;
use serde::Serialize;

use crate::plan::Spacing;
use crate::request::{self, Connections, Version};
use crate::tally::LONGEST;

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
  --threads N           each takes a share of requests and connections [1]
  --spin US             poll instead of sleeping for US microseconds before a request is due and after it was sent [0]

beside the load:
  --idle N              connections that are opened before and stay silent [0]

output:
  --json                JSON instead of a summary; docs/open-load.md has the format
  --print-head          print the head of a request, byte for byte, and make no load
  --help, --version

exit codes: 0 every answer was right; 1 some were not; 2 wrong usage, or the server cannot be reached
";

/// Lines that every request has, and those that a request without a body must not have.
const OWN_HEADERS: [&str; 6] = ["Accept", "Connection", "Content-Length", "Host", "Transfer-Encoding", "User-Agent"];
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
    pub threads: usize,
    #[serde(rename = "spin_microseconds")]
    pub spin: u64,
    pub idle: usize,
    #[serde(skip)]
    pub json: bool,
}

impl Options {
    /// Return the longest time in which requests may be due, without the lead-in.
    pub fn longest(&self) -> f64 {
        self.at_most.unwrap_or(self.seconds)
    }

    /// Return the head of each request.
    pub fn head(&self, url: &Url) -> String {
        request::head(&url.authority, &url.path, self.http, self.connections, &self.headers)
    }
}

/// What the command line asks for.
#[derive(Debug, PartialEq)]
pub enum Command {
    Run(Options),
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
        threads: 1,
        spin: 0,
        idle: 0,
        json: false,
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    let line = |error: lexopt::Error| error.to_string();
    while let Some(argument) = parser.next().map_err(line)? {
        match argument {
            Long("rate") => rate = Some(number(&mut parser, "--rate", 0.001, 10_000_000.0)?),
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
            Long("threads") => options.threads = number(&mut parser, "--threads", 1, 1024)?,
            Long("spin") => options.spin = number(&mut parser, "--spin", 0, 1_000_000)?,
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
        return Ok(Command::Head(options.head(&url)));
    }
    options.load = match (rate, closed) {
        (Some(_), Some(_)) => return Err("--rate and --closed exclude each other".into()),
        (None, None) => return Err("give --rate R for an open load, or --closed N for a closed one".into()),
        (Some(rate), None) => Load::Open { rate, arrivals, seed, max_connections },
        (None, Some(connections)) => Load::Closed { connections },
    };
    check(&options)?;
    Ok(Command::Run(options))
}

/// Return one line that says what is wrong with options that do not fit each other.
fn check(options: &Options) -> Result<(), String> {
    if let Load::Open { rate, .. } = options.load {
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
    if options.threads > options.load.most_connections() {
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
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn options(line: &str) -> Options {
        match parsed(line) {
            Ok(Command::Run(options)) => options,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn options_may_stand_before_and_after_the_url() {
        let found = options(
            "--rate 2.5 http://localhost/ --seconds 3 --lead-in 0.5 --http 1.0 --connections new --arrivals constant",
        );
        let load = Load::Open { rate: 2.5, arrivals: Spacing::Constant, seed: 1, max_connections: 10_000 };
        assert_eq!((found.load, found.seconds, found.lead_in), (load, 3.0, 0.5));
        assert_eq!((found.http, found.connections), (Version::Http10, Connections::New));
    }

    #[test]
    fn a_header_is_a_name_and_a_value_on_one_line() {
        assert_eq!(header("Accept-Encoding:gzip "), Ok("Accept-Encoding: gzip".to_owned()));
        assert_eq!(header("X-Empty:"), Ok("X-Empty: ".to_owned()));
        for (text, said) in [
            ("gzip", "has no colon"),
            (": gzip", "has no name"),
            ("Accept Encoding: gzip", "has no name"),
            ("X: a\r\nY: b", "not printable ASCII"),
            ("X: ä", "not printable ASCII"),
            ("host: other", "open-load decides"),
        ] {
            let error = header(text).expect_err(text);
            assert!(error.contains(said) && !error.contains('\n'), "{text}: {error}");
        }
    }

    #[test]
    fn help_and_version_need_nothing_else() {
        assert_eq!(parsed("--help"), Ok(Command::Help));
        assert_eq!(parsed("-V"), Ok(Command::Version));
    }

    #[test]
    fn the_head_of_a_request_needs_no_load() {
        let expected = request::head("h:81", "/a", Version::Http10, Connections::New, &["X: y".to_owned()]);
        let parts = ["--print-head", "--http", "1.0", "--connections", "new", "--header", "X:y", "http://h:81/a"];
        assert_eq!(parse(parts.map(OsString::from)), Ok(Command::Head(expected.clone())));
        let whole_command_line = ["--rate", "5", "--expect-echo", "--json"].into_iter().chain(parts);
        assert_eq!(parse(whole_command_line.map(OsString::from)), Ok(Command::Head(expected)));
        assert!(parsed("--print-head h").is_err());
    }

    #[test]
    fn the_help_names_every_option_and_its_default() {
        for word in [
            "[10000]",
            "--at-most",
            "--cpus",
            "--expect-echo",
            "--idle",
            "--spin",
            "--seed",
            "--print-head",
            "exit codes",
        ] {
            assert!(HELP.contains(word), "{word}");
        }
    }

    #[test]
    fn wrong_usage_is_said_in_one_line() {
        for (line, said) in [
            ("", "no URL"),
            ("http://h/", "give --rate R"),
            ("--rate 1 --closed 1 http://h/", "exclude each other"),
            ("--rate 0 http://h/", "--rate must be a number from 0.001"),
            ("--rate NaN http://h/", "--rate must be a number"),
            ("--rate inf http://h/", "--rate must be a number"),
            ("--rate 0.1 --seconds 1 http://h/", "no request"),
            ("--rate 1000000 --seconds 10000 http://h/", "more than 1000000000"),
            ("--closed 1.5 http://h/", "--closed must be a number from 1"),
            ("--closed 1 --threads 2 http://h/", "fewer --threads"),
            ("--rate 1 --lead-in -1 http://h/", "--lead-in must be a number from 0"),
            ("--rate 1 --at-most 0 http://h/", "--at-most must be a number from 1"),
            ("--rate 1 --seconds 5 --at-most 4 http://h/", "--at-most 4 is less than --seconds 5"),
            ("--rate 1 --seconds 1.5 --at-most 4 http://h/", "whole seconds"),
            ("--rate 1 --cpus 0, http://h/", "--cpus must be numbers"),
            ("--rate 1 --http 2 http://h/", "--http must be 1.0 or 1.1, not '2'"),
            ("--rate 1 --expect-echo --expect f http://h/", "exclude each other"),
            ("--rate 1 http://h/ http://h/", "unexpected argument"),
            ("--rate 1 --nonsense http://h/", "invalid option '--nonsense'"),
            ("--rate", "missing argument"),
        ] {
            let error = parsed(line).expect_err(line);
            assert!(error.contains(said) && !error.contains('\n'), "{line}: {error}");
        }
    }

    #[test]
    fn a_url_has_a_host_and_may_have_a_port_and_a_path() {
        let parts = |text| url(text).map(|url| (url.host, url.port, url.path)).unwrap();
        let expected = |host: &str, port, path: &str| (host.to_owned(), port, path.to_owned());
        assert_eq!(parts("http://h"), expected("h", 80, "/"));
        assert_eq!(parts("http://h:81/a/b?c:d"), expected("h", 81, "/a/b?c:d"));
        assert_eq!(parts("http://h?x"), expected("h", 80, "/?x"));
        assert_eq!(parts("http://[::1]:81/"), expected("::1", 81, "/"));
        assert_eq!(parts("http://[::1]/"), expected("::1", 80, "/"));
        assert_eq!(url("http://h:81/").unwrap().authority, "h:81");
        for wrong in
            ["h", "https://h/", "http://", "http:///x", "http://h:x/", "http://h:65536/", "http://u@h/", "http://h/ä"]
        {
            assert!(url(wrong).is_err(), "{wrong}");
        }
    }
}
