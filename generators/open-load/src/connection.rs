//! One TCP connection, and the request on it.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};

use crate::answer::{Answer, Progress};
use crate::clock::Nanos;
use crate::outcome::{Failure, Refusal};
use crate::request::Request;

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// So many bytes of a request have been sent. With 0 it may still be opening.
    Sending(usize),
    Receiving,
    /// The answer is complete, and the server is to close the connection.
    Closing,
    /// It is kept for a further request.
    Free,
    /// It never has a request.
    Silent,
}

/// What came of a step.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing yet: wait for this event.
    Wait(EventFlags),
    /// The answer is complete and right.
    Answered(Afterwards),
    Failed(Failure),
    /// The server closed the connection, which had no request.
    Closed,
    /// Bytes came that no request had asked for.
    Unrequested,
}

/// What becomes of a connection after the right answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Afterwards {
    Keep,
    /// The server is to close it. If the client were first, its host would run out of ports: TIME_WAIT is the first's.
    AwaitClose,
    IsClosed,
}

/// Why there is no connection.
pub enum NotOpened {
    Refused(Refusal),
    Failed(Failure),
}

/// Begin to open a connection.
pub fn connect(address: SocketAddr) -> Result<TcpStream, NotOpened> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = net::socket_with(family, SocketType::STREAM, flags, None)
        .map_err(|_| NotOpened::Refused(Refusal::NoDescriptor))?;
    // A request is one write, so this changes nothing but in the odd case that it goes out in parts.
    let _ = sockopt::set_tcp_nodelay(&socket, true);
    match net::connect(&socket, &address) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(TcpStream::from(socket)),
        Err(Errno::ADDRNOTAVAIL | Errno::AGAIN) => Err(NotOpened::Refused(Refusal::NoPort)),
        Err(Errno::NOBUFS | Errno::NOMEM) => Err(NotOpened::Refused(Refusal::NoDescriptor)),
        Err(_) => Err(NotOpened::Failed(Failure::Connect)),
    }
}

pub struct Connection {
    pub socket: TcpStream,
    /// The number of the stream that it belongs to.
    pub stream: usize,
    pub phase: Phase,
    /// When its request was due.
    pub intended: Nanos,
    /// When that was sent, or its first connection begun.
    pub sent: Nanos,
    /// When its phase ends at the latest.
    pub deadline: Nanos,
    /// The event that epoll waits for; None if epoll does not know the connection yet.
    pub watched: Option<EventFlags>,
    /// Whether it was open before its request.
    was_open: bool,
    /// Whether any byte has come since its request began.
    is_answering: bool,
    answer: Answer,
}

impl Connection {
    /// Return a connection of a stream; it may still be opening.
    pub fn new(socket: TcpStream, stream: usize) -> Connection {
        Connection {
            socket,
            stream,
            phase: Phase::Free,
            intended: 0,
            sent: 0,
            deadline: 0,
            watched: None,
            was_open: false,
            is_answering: false,
            answer: Answer::default(),
        }
    }

    /// Return a connection of the first stream that was opened before the load.
    pub fn free(socket: TcpStream) -> Connection {
        Connection { was_open: true, ..Connection::new(socket, 0) }
    }

    /// Return an open connection beside the load that never has a request.
    pub fn silent(socket: TcpStream) -> Connection {
        Connection { phase: Phase::Silent, ..Connection::new(socket, 0) }
    }

    /// Begin the request that was due at that time. It is sent by `advance`: on loopback a connection is mostly
    /// established by now, so trying at once saves a wait.
    pub fn begin(&mut self, intended: Nanos, sent: Nanos, deadline: Nanos) {
        self.intended = intended;
        self.sent = sent;
        self.deadline = deadline;
        self.phase = Phase::Sending(0);
        self.is_answering = false;
        self.answer = Answer::default();
    }

    /// Keep it for a further request.
    pub fn keep(&mut self) {
        self.phase = Phase::Free;
        self.was_open = true;
    }

    /// Return whether a request that failed so may be sent once more (RFC 9112, 9.3.1): the server closed an open
    /// connection while the request was on its way to it, and has not said a word about it.
    pub fn was_closed_before(&self, failure: Failure) -> bool {
        self.was_open && !self.is_answering && matches!(failure, Failure::NoAnswer | Failure::Reset)
    }

    /// Do what can be done now: at most one write or one read, so that no connection keeps the others waiting.
    /// Bytes are read into the buffer, and added to `received`.
    pub fn advance(&mut self, request: &Request, buffer: &mut [u8], received: &mut u64) -> Step {
        match self.phase {
            Phase::Sending(sent) => self.send(sent, &request.head),
            Phase::Receiving => self.receive(request, buffer, received),
            Phase::Closing | Phase::Free | Phase::Silent => match self.socket.read(buffer) {
                Ok(0) => Step::Closed,
                Ok(_) => Step::Unrequested,
                Err(error) if is_temporary(error.kind()) => Step::Wait(EventFlags::IN),
                Err(_) => Step::Closed,
            },
        }
    }

    fn send(&mut self, sent: usize, head: &[u8]) -> Step {
        match self.socket.write(&head[sent..]) {
            Ok(count) if sent + count == head.len() => {
                self.phase = Phase::Receiving;
                Step::Wait(EventFlags::IN)
            }
            Ok(count) => {
                self.phase = Phase::Sending(sent + count);
                Step::Wait(EventFlags::OUT)
            }
            Err(error) => match error.kind() {
                kind if is_temporary(kind) => Step::Wait(EventFlags::OUT),
                ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => Step::Failed(Failure::Reset),
                _ => Step::Failed(Failure::Connect),
            },
        }
    }

    fn receive(&mut self, request: &Request, buffer: &mut [u8], received: &mut u64) -> Step {
        let expected = &request.expectation;
        let count = match self.socket.read(buffer) {
            Ok(count) => count,
            Err(error) if is_temporary(error.kind()) => return Step::Wait(EventFlags::IN),
            Err(_) => return Step::Failed(Failure::Reset),
        };
        *received += count as u64;
        self.is_answering |= count > 0;
        if count == 0 {
            return match self.answer.end(expected) {
                Ok(()) => Step::Answered(Afterwards::IsClosed),
                Err(failure) => Step::Failed(failure),
            };
        }
        match self.answer.feed(&buffer[..count], expected) {
            Ok(Progress::Incomplete) => Step::Wait(EventFlags::IN),
            Ok(Progress::Complete { stays: true }) => Step::Answered(Afterwards::Keep),
            Ok(Progress::Complete { stays: false }) => Step::Answered(Afterwards::AwaitClose),
            Err(failure) => Step::Failed(failure),
        }
    }

    /// Return the failure of a request whose deadline has passed.
    pub fn overdue(&self) -> Failure {
        if self.phase == Phase::Sending(0) { Failure::ConnectTimeout } else { Failure::Timeout }
    }
}

fn is_temporary(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests;
