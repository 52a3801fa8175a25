//! An HTTP load generator with an open and a closed model: docs/open-load.md.

mod answer;
mod clock;
mod connection;
mod idle;
mod options;
mod outcome;
mod plan;
mod report;
mod request;
mod tally;
mod worker;

use std::env;
use std::fs;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use clock::{Clock, cpu_seconds, nanos_of};
use options::{Command, Load, Options, Url};
use plan::{Arrivals, Plan};
use report::{Report, Run};
use request::{Expectation, Request};
use tally::{Accounts, Tally};
use worker::{Limits, Worker};

/// Threads are started in this time before the first request is due.
const GET_READY: Duration = Duration::from_millis(20);
/// File descriptors that are no connections of the load: standard streams, and one of epoll per thread.
const OTHER_FILES: usize = 64;
const WRONG_ANSWERS: u8 = 1;
const NOT_RUN: u8 = 2;

fn main() -> ExitCode {
    let outcome = match options::parse(env::args_os().skip(1)) {
        Ok(Command::Help) => print(options::HELP).map(|()| true),
        Ok(Command::Version) => print(concat!("open-load ", env!("CARGO_PKG_VERSION"), "\n")).map(|()| true),
        Ok(Command::Head(head)) => print(&head).map(|()| true),
        Ok(Command::Run(options)) => run(&options),
        Err(error) => Err(format!("{error} (see open-load --help)")),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(WRONG_ANSWERS),
        Err(error) => {
            eprintln!("open-load: {error}");
            ExitCode::from(NOT_RUN)
        }
    }
}

/// Make the load, print what came of it, and return whether every answer was right.
fn run(options: &Options) -> Result<bool, String> {
    let url = options::url(&options.url)?;
    let address = resolve(&url)?;
    raise_open_files(options)?;
    let request = request(options, &url, address)?;
    let timeout = Duration::from_nanos(request.timeout);
    // So that a server that is not there is known at once, and not by as many failures as there are requests.
    TcpStream::connect_timeout(&address, timeout).map_err(|error| format!("cannot reach {address}: {error}"))?;
    let idle = idle::open(address, options.idle, timeout)
        .map_err(|error| format!("idle connections cannot be opened: {error}"))?;
    let idle_opened = idle.len();

    let arrivals = (0..options.threads).map(|thread| arrivals(options, thread)).collect();

    let clock = Clock::starting_in(GET_READY);
    let (tally, cpu_before) =
        make_load(options, &request, clock, arrivals, idle).map_err(|error| format!("the load broke off: {error}"))?;
    let run = Run {
        options,
        address,
        head: &request.head,
        expected_bytes: request.expectation.body.as_ref().map(Vec::len),
        clock,
        end: clock.now(),
        cpu_seconds: cpu_seconds() - cpu_before,
        idle_opened,
    };
    let report = Report::new(&run, &tally);
    for warning in report.warnings() {
        eprintln!("open-load: warning: {warning}");
    }
    print(&if options.json { report.to_json() } else { report.to_text() })?;
    Ok(tally.is_clean())
}

fn resolve(url: &Url) -> Result<SocketAddr, String> {
    let found = (url.host.as_str(), url.port).to_socket_addrs();
    let mut addresses = found.map_err(|error| format!("cannot find the host '{}': {error}", url.host))?;
    addresses.next().ok_or(format!("the host '{}' has no address", url.host))
}

fn request(options: &Options, url: &Url, address: SocketAddr) -> Result<Request, String> {
    let head = options.head(url).into_bytes();
    let body = match &options.expect {
        Some(file) => Some(fs::read(file).map_err(|error| format!("cannot read '{}': {error}", file.display()))?),
        None if options.expect_echo => Some(head.clone()),
        None => None,
    };
    let expectation = Expectation { body, version: options.http, connections: options.connections };
    Ok(Request { address, head, timeout: nanos_of(options.timeout), expectation })
}

/// Allow as many open files as the load may need, if this process may.
fn raise_open_files(options: &Options) -> Result<(), String> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let connections = options.load.most_connections() + options.idle;
    let needed = connections + options.threads + OTHER_FILES;
    if maximum.is_some_and(|maximum| maximum < needed as u64) {
        let maximum = maximum.unwrap_or_default();
        return Err(format!(
            "{connections} connections need {needed} open files, and {maximum} are allowed: give fewer, or raise ulimit -Hn"
        ));
    }
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
        .map_err(|error| format!("cannot open files: {error}"))
}

/// Return what makes one thread of all send its requests. A plan takes a while, so this comes before the clock starts.
fn arrivals(options: &Options, thread: usize) -> Arrivals {
    let lead_in = nanos_of(options.lead_in);
    match options.load {
        Load::Open { rate, arrivals, seed, .. } => {
            let times = |seconds, seed| Plan::at_rate(rate, seconds, arrivals, seed).share(thread, options.threads);
            let run = times(options.seconds, seed).map(move |due| lead_in + due);
            // Of another seed: with the same one the run would begin with the intervals of the lead-in.
            Arrivals::open(Box::new(times(options.lead_in, !seed).chain(run)))
        }
        Load::Closed { connections } => Arrivals::Closed {
            connections: share(connections, thread, options),
            until: lead_in + nanos_of(options.seconds),
        },
    }
}

/// Return the share of a thread in a count of connections.
fn share(count: usize, thread: usize, options: &Options) -> usize {
    count / options.threads + usize::from(thread < count % options.threads)
}

/// Run all threads to their end. Return the sum of their accounts, and the CPU seconds that were spent before the end of
/// the lead-in.
fn make_load(
    options: &Options,
    request: &Request,
    clock: Clock,
    arrivals: Vec<Arrivals>,
    mut idle: Vec<TcpStream>,
) -> io::Result<(Tally, f64)> {
    let (lead_in, duration) = (nanos_of(options.lead_in), nanos_of(options.seconds));
    let idle_opened = idle.len();
    let most = options.load.most_connections();
    let workers = arrivals.into_iter().enumerate().map(|(thread, arrivals)| {
        let limits = Limits { connections: share(most, thread, options), spin: options.spin * 1000 };
        let idle = idle.drain(..share(idle_opened, thread, options)).collect();
        Worker::new(request, clock, arrivals, limits, idle, Accounts::new(lead_in, duration))
    });
    let workers: Vec<Worker> = workers.collect::<io::Result<_>>()?;
    thread::scope(|scope| {
        let running: Vec<_> = workers.into_iter().map(|worker| scope.spawn(move || worker.run())).collect();
        clock.sleep_until(lead_in);
        let cpu_before = cpu_seconds();
        let mut sum = Tally::new(lead_in, duration);
        for thread in running {
            sum.add(&thread.join().expect("a worker does not panic")?);
        }
        Ok((sum, cpu_before))
    })
}

fn print(text: &str) -> Result<(), String> {
    io::stdout().write_all(text.as_bytes()).map_err(|error| format!("cannot print: {error}"))
}
