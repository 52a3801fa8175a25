//! The event loop of one thread: sends what is due, reads what has arrived, and keeps the accounts.
//!
//! A request that is due must not wait until a batch of answers has been read. Nor must answers wait until a burst of
//! requests has been sent: their connections would not be free again, and the burst would open further ones. So one
//! request is sent at most after each event, and one more after each look for events.

use std::io;
use std::net::TcpStream;
use std::num::NonZeroU64;
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::thread::set_current_timer_slack;
use rustix::time::Timespec;
use slotmap::{DefaultKey, Key, KeyData, SlotMap};

use crate::clock::{Clock, Nanos, SECOND};
use crate::connection::{Afterwards, Connection, NotOpened, Phase, Step, connect};
use crate::outcome::{Failure, Refusal};
use crate::stream::Stream;
use crate::tally::Tally;

/// Events taken from epoll at once.
const BATCH: usize = 64;
const BUFFER: usize = 64 * 1024;
/// How long the server may take to close a connection after an answer; then the client does it.
pub const CLOSING: Nanos = SECOND;

/// Connections that were opened before the load.
#[derive(Default)]
pub struct Opened {
    /// Those that stay silent beside it.
    pub idle: Vec<TcpStream>,
    /// Those that the first stream uses.
    pub free: Vec<TcpStream>,
}

pub struct Worker<'a> {
    clock: Clock,
    /// For so long before a request is due, and after one was sent, the thread polls instead of sleeping.
    spin: Nanos,
    epoll: OwnedFd,
    /// Those of all streams.
    connections: SlotMap<DefaultKey, Connection>,
    streams: Vec<Stream<'a>>,
    /// When a request was last sent.
    sent: Nanos,
    buffer: Vec<u8>,
}

impl<'a> Worker<'a> {
    /// Return a worker that makes these streams over these open connections and others.
    pub fn new(streams: Vec<Stream<'a>>, spin: Nanos, opened: Opened) -> io::Result<Worker<'a>> {
        let mut worker = Worker {
            clock: Clock::starting_in(Duration::ZERO), // until the load begins
            spin,
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            connections: SlotMap::new(),
            streams,
            sent: 0,
            buffer: vec![0; BUFFER],
        };
        for socket in opened.idle {
            let key = worker.connections.insert(Connection::silent(socket));
            worker.watch(key, EventFlags::IN)?;
        }
        for socket in opened.free {
            let key = worker.connections.insert(Connection::free(socket));
            worker.watch(key, EventFlags::IN)?;
            worker.streams[0].free.push(key);
            worker.streams[0].open += 1;
        }
        Ok(worker)
    }

    /// Make the load by this clock, and return the accounts of each stream. An error is one of epoll, not of the server.
    pub fn run(mut self, clock: Clock) -> io::Result<Vec<Tally>> {
        self.clock = clock;
        // By default the kernel may wake a thread 50 µs late, to wake several at once.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let mut events = Vec::with_capacity(BATCH);
        self.clock.sleep_until(0);
        loop {
            self.send_what_is_due()?;
            self.expire();
            let now = self.clock.now();
            if self.streams.iter_mut().all(|stream| stream.is_over(now)) {
                return Ok(self.streams.into_iter().map(|stream| stream.accounts.run).collect());
            }
            let timeout = self.patience(now);
            match epoll::wait(&self.epoll, spare_capacity(&mut events), timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            for event in events.drain(..) {
                let key = DefaultKey::from(KeyData::from_ffi(event.data.u64()));
                self.advance(key)?;
                self.send_what_is_due()?;
            }
        }
    }

    /// Return how long nothing has to be done; None is for ever.
    fn patience(&mut self, now: Nanos) -> Option<Timespec> {
        let is_waiting = self.streams.iter().any(|stream| stream.accounts.under_way() > 0);
        if is_waiting && now < self.sent + self.spin {
            return Some(Timespec { tv_sec: 0, tv_nsec: 0 });
        }
        let until = self.streams.iter_mut().flat_map(|stream| {
            let due = stream.next(now).map(|due| due.saturating_sub(self.spin));
            let overdue = stream.deadlines.first().map(|(deadline, _)| *deadline);
            [due, overdue]
        });
        let left = until.flatten().min()?.saturating_sub(now);
        // The kernel may be late by 0.1 % of a wait, by 0.5 % if this process is nice. So a long wait ends early, and is
        // followed by a short one.
        let left = if left > SECOND / 1000 { left - left / 128 } else { left };
        Some(Timespec { tv_sec: (left / SECOND) as _, tv_nsec: (left % SECOND) as _ })
    }

    /// Send the next request of each stream that has one due.
    fn send_what_is_due(&mut self) -> io::Result<()> {
        (0..self.streams.len()).try_for_each(|number| self.send_if_due(number))
    }

    /// Send the next request of this stream if it is due.
    fn send_if_due(&mut self, number: usize) -> io::Result<()> {
        let now = self.clock.now();
        let Some(intended) = self.streams[number].take_due(now) else { return Ok(()) };
        self.streams[number].accounts.of(intended).plan(intended, now);
        let connection = self.connection(number, intended);
        let stream = &mut self.streams[number];
        let tally = stream.accounts.of(intended);
        match connection {
            Ok(key) => {
                tally.send(intended);
                let deadline = now + stream.request.timeout;
                self.begin(key, intended, now, deadline)?;
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
        let connection = &mut self.connections[key];
        let stream = &mut self.streams[connection.stream];
        stream.accounts.of(intended).connected(stream.open);
        stream.deadlines.insert((deadline, key));
        self.sent = self.clock.now();
        connection.begin(intended, sent, deadline);
        self.advance(key)
    }

    /// Send a request of this stream once more, on a new connection, after it failed for that reason. It keeps its times.
    fn retry(
        &mut self,
        number: usize,
        intended: Nanos,
        sent: Nanos,
        deadline: Nanos,
        failure: Failure,
    ) -> io::Result<()> {
        let connection = self.open(number, intended);
        let tally = self.streams[number].accounts.of(intended);
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

    /// Return a connection for the request of this stream that was due then: a free one, or else a new one.
    fn connection(&mut self, number: usize, intended: Nanos) -> Result<DefaultKey, NotOpened> {
        while let Some(key) = self.streams[number].free.pop() {
            if self.connections.contains_key(key) {
                return Ok(key);
            }
        }
        self.open(number, intended)
    }

    /// Open a connection for the request of this stream that was due then.
    fn open(&mut self, number: usize, intended: Nanos) -> Result<DefaultKey, NotOpened> {
        let stream = &mut self.streams[number];
        if stream.open >= stream.most_connections {
            return Err(NotOpened::Refused(Refusal::ConnectionLimit));
        }
        let key = self.connections.insert(Connection::new(connect(stream.request.address)?, number));
        stream.open += 1;
        stream.accounts.of(intended).connections.opened += 1;
        Ok(key)
    }

    /// Do what a connection can do now. It may be gone: events of a batch can be older than the last change.
    fn advance(&mut self, key: DefaultKey) -> io::Result<()> {
        let Some(connection) = self.connections.get_mut(key) else { return Ok(()) };
        let stream = &mut self.streams[connection.stream];
        let tally = stream.accounts.of(connection.intended);
        let step = connection.advance(stream.request, &mut self.buffer, &mut tally.bytes_received);
        let now = self.clock.now();
        match step {
            Step::Wait(event) => self.watch(key, event)?,
            Step::Answered(afterwards) => {
                let sent = stream.arrivals.are_planned().then_some(connection.sent);
                tally.answer(connection.intended, sent, now);
                stream.deadlines.remove(&(connection.deadline, key));
                match afterwards {
                    Afterwards::Keep => {
                        connection.keep();
                        stream.free.push(key);
                    }
                    Afterwards::AwaitClose => {
                        connection.phase = Phase::Closing;
                        connection.deadline = now + CLOSING;
                        stream.deadlines.insert((connection.deadline, key));
                    }
                    Afterwards::IsClosed => self.close(key),
                }
            }
            Step::Failed(reason) if connection.was_closed_before(reason) => {
                let Connection { stream: number, intended, sent, deadline, .. } = *connection;
                self.close(key);
                self.retry(number, intended, sent, deadline, reason)?;
            }
            Step::Failed(reason) => {
                tally.fail(reason, connection.intended);
                self.close(key);
            }
            // A server may say 408 before it closes a connection that stayed silent.
            Step::Closed | Step::Unrequested if connection.phase == Phase::Silent => {
                stream.accounts.run.connections.idle_closed += 1;
                self.close(key);
            }
            Step::Closed => {
                stream.accounts.run.connections.closed_while_free += u64::from(connection.phase == Phase::Free);
                self.close(key);
            }
            Step::Unrequested => {
                stream.accounts.run.connections.unrequested_bytes += 1;
                self.close(key);
            }
        }
        Ok(())
    }

    /// End what has taken too long.
    fn expire(&mut self) {
        let now = self.clock.now();
        for number in 0..self.streams.len() {
            while let Some((deadline, key)) = self.streams[number].deadlines.first().copied() {
                if deadline > now {
                    break;
                }
                let connection = &self.connections[key];
                let accounts = &mut self.streams[number].accounts;
                if connection.phase == Phase::Closing {
                    accounts.run.connections.left_open += 1;
                } else {
                    accounts.of(connection.intended).fail(connection.overdue(), connection.intended);
                }
                self.close(key);
            }
        }
    }

    fn watch(&mut self, key: DefaultKey, event: EventFlags) -> io::Result<()> {
        let connection = &mut self.connections[key];
        let data = EventData::new_u64(key.data().as_ffi());
        match connection.watched.replace(event) {
            Some(before) if before == event => {}
            Some(_) => epoll::modify(&self.epoll, &connection.socket, data, event)?,
            None => epoll::add(&self.epoll, &connection.socket, data, event)?,
        }
        Ok(())
    }

    fn close(&mut self, key: DefaultKey) {
        if let Some(connection) = self.connections.remove(key) {
            let stream = &mut self.streams[connection.stream];
            stream.deadlines.remove(&(connection.deadline, key));
            stream.open -= usize::from(connection.phase != Phase::Silent);
        }
    }
}

#[cfg(test)]
mod tests;
