//! An HTTP load generator with an open and a closed model: docs/open-load.md.

mod answer;
mod clock;
mod connection;
mod opening;
mod options;
mod outcome;
mod plan;
mod report;
mod request;
mod steal;
mod stream;
mod tally;
mod worker;

use std::env;
use std::fs;
use std::io::{self, Write};
use std::iter::once;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use clock::{Clock, End, SECOND, cpu_seconds, nanos_of};
use options::{Command, Load, Options, Url};
use plan::{Arrivals, Plan};
use report::{Report, Run};
use request::{Expectation, Request};
use steal::Steal;
use stream::Stream;
use tally::{Accounts, Tally};
use worker::{Opened, Worker};

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
    let requests = requests(options, &url, address)?;
    let timeout = Duration::from_secs_f64(options.timeout);
    // So that a server that is not there is known at once, and not by as many failures as there are requests.
    TcpStream::connect_timeout(&address, timeout).map_err(|error| format!("cannot reach {address}: {error}"))?;
    let open = |count| {
        opening::open(address, count, timeout).map_err(|error| format!("connections cannot be opened before: {error}"))
    };
    let opened = Opened { idle: open(options.idle)?, free: open(options.open)? };
    let (idle_opened, opened_before) = (opened.idle.len(), opened.free.len());

    let end = End::at(nanos_of(options.lead_in) + nanos_of(options.longest()));
    let broke_off = |error: io::Error| format!("the load broke off: {error}");
    let workers = workers(options, &requests, &end, opened).map_err(broke_off)?;
    let clock = Clock::starting_in(GET_READY);
    let (tallies, watched) = make_load(options, workers, clock, &end).map_err(broke_off)?;
    let run = Run {
        options,
        address,
        clock,
        due_until: end.get(),
        end: clock.now(),
        cpu_seconds: cpu_seconds() - watched.cpu_before,
        steal: &watched.steal,
        idle_opened,
        opened_before,
        requests: &requests,
        tallies: &tallies,
    };
    let report = Report::new(&run);
    for warning in report.warnings() {
        eprintln!("open-load: warning: {warning}");
    }
    print(&if options.json { report.to_json() } else { report.to_text() })?;
    Ok(tallies.iter().all(Tally::is_clean))
}

fn resolve(url: &Url) -> Result<SocketAddr, String> {
    let found = (url.host.as_str(), url.port).to_socket_addrs();
    let mut addresses = found.map_err(|error| format!("cannot find the host '{}': {error}", url.host))?;
    addresses.next().ok_or(format!("the host '{}' has no address", url.host))
}

/// Return the request of the load, and that of the one beside it.
fn requests(options: &Options, url: &Url, address: SocketAddr) -> Result<Vec<Request>, String> {
    let request = |head: String, expect: Option<&Path>, expect_echo: bool| -> Result<Request, String> {
        let head = head.into_bytes();
        let body = match expect {
            Some(file) => Some(fs::read(file).map_err(|error| format!("cannot read '{}': {error}", file.display()))?),
            None => expect_echo.then(|| head.clone()),
        };
        let expectation = Expectation { body, version: options.http, connections: options.connections };
        Ok(Request { address, head, timeout: nanos_of(options.timeout), expectation })
    };
    let load = request(options.head(&url.authority, &url.path), options.expect.as_deref(), options.expect_echo);
    let beside = options
        .beside
        .as_ref()
        .map(|beside| request(options.head(&url.authority, &beside.path), beside.expect.as_deref(), false));
    once(load).chain(beside).collect()
}

/// Allow as many open files as the load may need, if this process may.
fn raise_open_files(options: &Options) -> Result<(), String> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let connections = options.loads().map(Load::most_connections).sum::<usize>() + options.idle;
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

/// Return what makes one thread of all send its requests of a load. A plan takes a while, so this comes before the clock
/// starts.
fn arrivals(options: &Options, load: &Load, thread: usize, end: &End) -> Arrivals {
    let lead_in = nanos_of(options.lead_in);
    match *load {
        Load::Open { rate, arrivals, seed, .. } => {
            let times = |seconds, seed| Plan::at_rate(rate, seconds, arrivals, seed).share(thread, options.threads);
            // As many plans as may be needed, each as long as the first one. With the same seed they would repeat its
            // intervals, and so would the lead-in.
            let plans = (0..(options.longest() / options.seconds).ceil() as u64).map(|number| {
                let before = lead_in + number * nanos_of(options.seconds);
                times(options.seconds, seed ^ number << 32).map(move |due| before + due)
            });
            let plans: Vec<_> = plans.collect(); // now, because each has a first pass
            Arrivals::open(Box::new(times(options.lead_in, !seed).chain(plans.into_iter().flatten())), end.clone())
        }
        Load::Closed { connections } => Arrivals::closed(share(connections, thread, options), end.clone()),
    }
}

/// Return the share of a thread in a count of connections.
fn share(count: usize, thread: usize, options: &Options) -> usize {
    count / options.threads + usize::from(thread < count % options.threads)
}

/// What is known of a run besides its accounts.
struct Watched {
    /// CPU seconds that were spent before the end of the lead-in.
    cpu_before: f64,
    steal: Steal,
}

/// Return the workers of all threads. Each has its share of every load, and of these open connections.
fn workers<'a>(
    options: &Options,
    requests: &'a [Request],
    end: &End,
    mut opened: Opened,
) -> io::Result<Vec<Worker<'a>>> {
    let (idle, free) = (opened.idle.len(), opened.free.len());
    let workers = (0..options.threads).map(|thread| {
        let streams = options.loads().zip(requests).map(|(load, request)| {
            let accounts = Accounts::new(nanos_of(options.lead_in), end.clone());
            let most_connections = share(load.most_connections(), thread, options);
            Stream::new(request, arrivals(options, load, thread, end), accounts, most_connections)
        });
        let opened = Opened {
            idle: opened.idle.drain(..share(idle, thread, options)).collect(),
            free: opened.free.drain(..share(free, thread, options)).collect(),
        };
        Worker::new(streams.collect(), options.spin * 1000, opened)
    });
    workers.collect()
}

/// Run all workers to their end, and return the sums of their accounts of each load.
fn make_load(options: &Options, workers: Vec<Worker>, clock: Clock, end: &End) -> io::Result<(Vec<Tally>, Watched)> {
    let lead_in = nanos_of(options.lead_in);
    thread::scope(|scope| {
        let running: Vec<_> = workers.into_iter().map(|worker| scope.spawn(move || worker.run(clock))).collect();
        let watched = watch(options, clock, end);
        let mut sums: Vec<_> = options.loads().map(|_| Tally::new(lead_in, end.clone())).collect();
        for thread in running {
            let tallies = thread.join().expect("a worker does not panic")?;
            sums.iter_mut().zip(&tallies).for_each(|(sum, tally)| sum.add(tally));
        }
        sums.iter_mut().for_each(Tally::cut_off);
        Ok((sums, watched))
    })
}

/// Look once a second what was stolen, until the end. It is brought forward to when there are enough clean seconds.
fn watch(options: &Options, clock: Clock, end: &End) -> Watched {
    let lead_in = nanos_of(options.lead_in);
    clock.sleep_until(lead_in.saturating_sub(SECOND));
    let mut steal = Steal::of(&options.cpus);
    clock.sleep_until(lead_in);
    let cpu_before = cpu_seconds();
    steal.next_second();
    for over in (1..).map(|number| (lead_in + number * SECOND).min(end.get())) {
        clock.sleep_until(over);
        steal.next_second();
        let clean = steal.clean().into_iter().filter(|clean| *clean).count();
        if options.at_most.is_some() && clean as f64 >= options.seconds {
            end.set(over);
        }
        if over >= end.get() {
            break;
        }
    }
    Watched { cpu_before, steal }
}

fn print(text: &str) -> Result<(), String> {
    io::stdout().write_all(text.as_bytes()).map_err(|error| format!("cannot print: {error}"))
}
