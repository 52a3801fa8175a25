//! The event loop of one thread: sends what is due, reads what has arrived, and keeps the accounts.
//!
//! A request that is due must not wait until a batch of answers has been read. Nor must answers wait until a burst of
//! requests has been sent: their connections would not be free again, and the burst would open further ones. So one
//! request is sent at most after each event, and one more after each look for events.

use std::collections::BTreeSet;
use std::io;
use std::net::TcpStream;
use std::num::NonZeroU64;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::thread::set_current_timer_slack;
use rustix::time::Timespec;
use slotmap::{DefaultKey, Key, KeyData, SlotMap};

use crate::clock::{Clock, Nanos, SECOND};
use crate::connection::{Afterwards, Connection, NotOpened, Phase, Step};
use crate::outcome::{Failure, Refusal};
use crate::plan::Arrivals;
use crate::request::Request;
use crate::tally::{Accounts, Tally};

/// Events taken from epoll at once.
const BATCH: usize = 64;
const BUFFER: usize = 64 * 1024;
/// How long the server may take to close a connection after an answer; then the client does it.
const CLOSING: Nanos = SECOND;

/// What a worker may use.
pub struct Limits {
    pub connections: usize,
    /// For so long before a request is due, and after one was sent, the thread polls instead of sleeping.
    pub spin: Nanos,
}

pub struct Worker<'a> {
    request: &'a Request,
    clock: Clock,
    arrivals: Arrivals,
    limits: Limits,
    epoll: OwnedFd,
    connections: SlotMap<DefaultKey, Connection>,
    /// Kept connections; the one that was used last is used next. Some may be closed by now. There are never more than
    /// the limit of connections, since a new one is opened only when this is empty.
    free: Vec<DefaultKey>,
    /// Of all connections that are neither free nor silent.
    deadlines: BTreeSet<(Nanos, DefaultKey)>,
    silent: usize,
    /// When a request was last sent.
    sent: Nanos,
    buffer: Vec<u8>,
    accounts: Accounts,
}

impl<'a> Worker<'a> {
    /// Return a worker with these silent connections beside its own.
    pub fn new(
        request: &'a Request,
        clock: Clock,
        arrivals: Arrivals,
        limits: Limits,
        idle: Vec<TcpStream>,
        accounts: Accounts,
    ) -> io::Result<Worker<'a>> {
        let mut worker = Worker {
            request,
            clock,
            arrivals,
            limits,
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            connections: SlotMap::new(),
            free: Vec::new(),
            deadlines: BTreeSet::new(),
            silent: idle.len(),
            sent: 0,
            buffer: vec![0; BUFFER],
            accounts,
        };
        for stream in idle {
            let key = worker.connections.insert(Connection::silent(stream));
            worker.watch(key, EventFlags::IN)?;
        }
        Ok(worker)
    }

    /// Make the load, and return the accounts of the run. An error is one of epoll, not of the server.
    pub fn run(mut self) -> io::Result<Tally> {
        // By default the kernel may wake a thread 50 µs late, to wake several at once.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let mut events = Vec::with_capacity(BATCH);
        self.clock.sleep_until(0);
        loop {
            self.send_if_due()?;
            self.expire();
            let now = self.clock.now();
            if self.arrivals.are_over(now) && self.accounts.under_way() == 0 {
                return Ok(self.accounts.run);
            }
            let timeout = self.patience(now);
            match epoll::wait(&self.epoll, spare_capacity(&mut events), timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            for event in events.drain(..) {
                let key = DefaultKey::from(KeyData::from_ffi(event.data.u64()));
                self.advance(key)?;
                self.send_if_due()?;
            }
        }
    }

    /// Return how long nothing has to be done; None is for ever.
    fn patience(&mut self, now: Nanos) -> Option<Timespec> {
        if self.accounts.under_way() > 0 && now < self.sent + self.limits.spin {
            return Some(Timespec { tv_sec: 0, tv_nsec: 0 });
        }
        let due = self.arrivals.next(now, self.occupied()).map(|due| due.saturating_sub(self.limits.spin));
        let overdue = self.deadlines.first().map(|(deadline, _)| *deadline);
        let left = due.into_iter().chain(overdue).min()?.saturating_sub(now);
        // The kernel may be late by 0.1 % of a wait, by 0.5 % if this process is nice. So a long wait ends early, and is
        // followed by a short one.
        let left = if left > SECOND / 1000 { left - left / 128 } else { left };
        Some(Timespec { tv_sec: (left / SECOND) as _, tv_nsec: (left % SECOND) as _ })
    }

    /// Return the number of connections that have a request or are closing.
    fn occupied(&self) -> usize {
        self.deadlines.len()
    }

    /// Send the next request if it is due.
    fn send_if_due(&mut self) -> io::Result<()> {
        let now = self.clock.now();
        let Some(intended) = self.arrivals.take_due(now, self.occupied()) else { return Ok(()) };
        self.accounts.of(intended).plan(intended, now);
        let connection = self.connection(intended);
        let tally = self.accounts.of(intended);
        match connection {
            Ok(key) => {
                tally.send(intended);
                self.begin(key, intended, now, now + self.request.timeout)?;
            }
            Err(NotOpened::Refused(reason)) => tally.refuse(reason, intended),
            Err(NotOpened::Failed(reason)) => {
                tally.send(intended);
                tally.fail(reason, intended);
            }
        }
        Ok(())
    }

    /// Begin the request that was due then on a connection.
    fn begin(&mut self, key: DefaultKey, intended: Nanos, sent: Nanos, deadline: Nanos) -> io::Result<()> {
        self.accounts.of(intended).connected(self.connections.len() - self.silent);
        self.deadlines.insert((deadline, key));
        self.sent = self.clock.now();
        self.connections[key].begin(intended, sent, deadline);
        self.advance(key)
    }

    /// Send a request once more, on a new connection, after it failed for that reason. It keeps all its times.
    fn retry(&mut self, intended: Nanos, sent: Nanos, deadline: Nanos, failure: Failure) -> io::Result<()> {
        let connection = self.open(intended);
        let tally = self.accounts.of(intended);
        match connection {
            Ok(key) => {
                tally.retried += 1;
                self.begin(key, intended, sent, deadline)?;
            }
            Err(NotOpened::Refused(_)) => tally.fail(failure, intended),
            Err(NotOpened::Failed(reason)) => tally.fail(reason, intended),
        }
        Ok(())
    }

    /// Return a connection for the request that was due then: a free one, or else a new one.
    fn connection(&mut self, intended: Nanos) -> Result<DefaultKey, NotOpened> {
        while let Some(key) = self.free.pop() {
            if self.connections.contains_key(key) {
                return Ok(key);
            }
        }
        self.open(intended)
    }

    /// Open a connection for the request that was due then.
    fn open(&mut self, intended: Nanos) -> Result<DefaultKey, NotOpened> {
        if self.connections.len() - self.silent >= self.limits.connections {
            return Err(NotOpened::Refused(Refusal::ConnectionLimit));
        }
        let key = self.connections.insert(Connection::open(self.request.address)?);
        self.accounts.of(intended).connections.opened += 1;
        Ok(key)
    }

    /// Do what a connection can do now. It may be gone: events of a batch can be older than the last change.
    fn advance(&mut self, key: DefaultKey) -> io::Result<()> {
        let Some(connection) = self.connections.get_mut(key) else { return Ok(()) };
        let tally = self.accounts.of(connection.intended);
        let step = connection.advance(self.request, &mut self.buffer, &mut tally.bytes_received);
        let now = self.clock.now();
        match step {
            Step::Wait(event) => self.watch(key, event)?,
            Step::Answered(afterwards) => {
                let sent = self.arrivals.are_planned().then_some(connection.sent);
                tally.answer(connection.intended, sent, now);
                self.deadlines.remove(&(connection.deadline, key));
                match afterwards {
                    Afterwards::Keep => {
                        connection.keep();
                        self.free.push(key);
                    }
                    Afterwards::AwaitClose => {
                        connection.phase = Phase::Closing;
                        connection.deadline = now + CLOSING;
                        self.deadlines.insert((connection.deadline, key));
                    }
                    Afterwards::IsClosed => self.close(key),
                }
            }
            Step::Failed(reason) if connection.was_closed_before(reason) => {
                let Connection { intended, sent, deadline, .. } = *connection;
                self.close(key);
                self.retry(intended, sent, deadline, reason)?;
            }
            Step::Failed(reason) => {
                tally.fail(reason, connection.intended);
                self.close(key);
            }
            // A server may say 408 before it closes a connection that stayed silent.
            Step::Closed | Step::Unrequested if connection.phase == Phase::Silent => {
                self.accounts.run.connections.idle_closed += 1;
                self.close(key);
            }
            Step::Closed => {
                self.accounts.run.connections.closed_while_free += u64::from(connection.phase == Phase::Free);
                self.close(key);
            }
            Step::Unrequested => {
                self.accounts.run.connections.unrequested_bytes += 1;
                self.close(key);
            }
        }
        Ok(())
    }

    /// End what has taken too long.
    fn expire(&mut self) {
        let now = self.clock.now();
        while let Some((deadline, key)) = self.deadlines.first().copied() {
            if deadline > now {
                break;
            }
            let connection = &self.connections[key];
            if connection.phase == Phase::Closing {
                self.accounts.run.connections.left_open += 1;
            } else {
                self.accounts.of(connection.intended).fail(connection.overdue(), connection.intended);
            }
            self.close(key);
        }
    }

    fn watch(&mut self, key: DefaultKey, event: EventFlags) -> io::Result<()> {
        let connection = &mut self.connections[key];
        let data = EventData::new_u64(key.data().as_ffi());
        match connection.watched.replace(event) {
            Some(before) if before == event => {}
            Some(_) => epoll::modify(&self.epoll, &connection.stream, data, event)?,
            None => epoll::add(&self.epoll, &connection.stream, data, event)?,
        }
        Ok(())
    }

    fn close(&mut self, key: DefaultKey) {
        if let Some(connection) = self.connections.remove(key) {
            self.deadlines.remove(&(connection.deadline, key));
            self.silent -= usize::from(connection.phase == Phase::Silent);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::clock::End;
    use crate::request::{Connections, Expectation, Version, head};
    use crate::tally::Second;

    const MILLI: Nanos = SECOND / 1000;
    /// Longer than any request takes here.
    const PATIENCE: Nanos = 60 * SECOND;
    const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    /// Return the address of a server. `serve` is given each of its connections, and the number of those before.
    fn server(serve: impl Fn(&mut TcpStream, usize) + Send + 'static) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                serve(&mut stream.unwrap(), number);
            }
        });
        address
    }

    /// Read one request; false at the end of the connection.
    fn read_request(stream: &mut TcpStream) -> bool {
        let mut read = Vec::new();
        let mut byte = [0];
        while !read.ends_with(b"\r\n\r\n") {
            if !matches!(stream.read(&mut byte), Ok(1)) {
                return false;
            }
            read.push(byte[0]);
        }
        true
    }

    /// Make a load over kept connections, of which two are allowed, and return its accounts.
    fn load(address: SocketAddr, arrivals: Arrivals, timeout: Nanos) -> (Tally, Second) {
        let connections = Connections::Kept;
        let request = Request {
            address,
            head: head("h", "/", Version::Http11, connections, &[]).into_bytes(),
            timeout,
            expectation: Expectation { body: Some(b"ok".to_vec()), version: Version::Http11, connections },
        };
        let limits = Limits { connections: 2, spin: 0 };
        let clock = Clock::starting_in(Duration::ZERO);
        let accounts = Accounts::new(0, End::at(SECOND));
        let tally = Worker::new(&request, clock, arrivals, limits, Vec::new(), accounts).unwrap().run().unwrap();
        let all = tally.sum(|_| true);
        assert_eq!(all.planned(), all.sent + all.all_refused());
        assert_eq!(all.sent, all.answered + all.all_failed());
        (tally, all)
    }

    /// Requests one after the other: what becomes of them does not depend on the speed of this machine.
    fn one_connection() -> Arrivals {
        Arrivals::closed(1, End::at(SECOND / 4))
    }

    fn planned(times: &[Nanos]) -> Arrivals {
        Arrivals::open(Box::new(times.to_vec().into_iter()), End::at(SECOND))
    }

    #[test]
    fn a_kept_connection_has_one_request_after_the_other() {
        let address = server(|stream, _| {
            while read_request(stream) {
                stream.write_all(ANSWER).unwrap();
            }
        });
        let (tally, all) = load(address, one_connection(), PATIENCE);
        assert!(all.answered > 0);
        assert_eq!((all.all_failed(), tally.retried, tally.connections.opened), (0, 0, 1));
    }

    #[test]
    fn a_request_whose_kept_connection_is_closed_without_a_word_is_sent_once_more() {
        let address = server(|stream, _| {
            read_request(stream);
            stream.write_all(ANSWER).unwrap();
            read_request(stream);
        });
        let (tally, all) = load(address, one_connection(), PATIENCE);
        assert!(all.planned() > 1);
        assert_eq!((all.answered, all.all_failed()), (all.planned(), 0));
        assert_eq!((tally.retried, tally.connections.opened), (all.planned() - 1, all.planned()));
    }

    #[test]
    fn it_is_not_sent_a_third_time() {
        let address = server(|stream, number| {
            read_request(stream);
            if number == 0 {
                stream.write_all(ANSWER).unwrap();
                read_request(stream);
            }
        });
        let (tally, all) = load(address, one_connection(), PATIENCE);
        assert_eq!((all.answered, tally.retried), (1, 1));
        assert_eq!(all.failed, BTreeMap::from([(Failure::NoAnswer, all.planned() - 1)]));
    }

    #[test]
    fn a_request_on_a_new_connection_is_sent_once() {
        let address = server(|stream, _| {
            read_request(stream);
        });
        let (tally, all) = load(address, planned(&[0, MILLI]), PATIENCE);
        assert_eq!((tally.retried, all.failed.get(&Failure::NoAnswer)), (0, Some(&2)));
    }

    #[test]
    fn one_that_was_answered_in_part_is_not_sent_again() {
        let address = server(|stream, _| {
            read_request(stream);
            stream.write_all(ANSWER).unwrap();
            read_request(stream);
            stream.write_all(&ANSWER[..20]).unwrap();
        });
        let (tally, all) = load(address, one_connection(), PATIENCE);
        assert_eq!((tally.retried, all.failed.get(&Failure::Truncated)), (0, Some(&(all.planned() / 2))));
    }

    #[test]
    fn what_finds_no_connection_is_refused_and_what_takes_too_long_has_failed() {
        let address = server(|stream, _| while read_request(stream) {});
        let (_, all) = load(address, planned(&[0, 0, 0]), SECOND / 2);
        assert_eq!(all.refused.into_iter().collect::<Vec<_>>(), [(Refusal::ConnectionLimit, 1)]);
        assert_eq!(all.failed.into_iter().collect::<Vec<_>>(), [(Failure::Timeout, 2)]);
    }
}
