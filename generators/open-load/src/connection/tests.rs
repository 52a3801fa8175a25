//! Each test is both ends: it takes one step of a connection after the other, and answers as its server.

use std::net::TcpListener;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::*;
use crate::request::{Connections, Expectation, Version, head};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
/// A step that has not come by then never does.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection, and what is asked on it.
struct Client {
    connection: Connection,
    request: Request,
    received: u64,
}

/// Return a connection and its server's end.
fn connected(connections: Connections) -> (Client, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let Ok(socket) = connect(address) else { panic!("it is not opened") };
    let request = Request {
        address,
        head: head("h", "/", Version::Http11, connections, &[]).into_bytes(),
        timeout: 0,
        expectation: Expectation { body: Some(b"ok".to_vec()), version: Version::Http11, connections },
    };
    (Client { connection: Connection::new(socket, 0), request, received: 0 }, listener.accept().unwrap().0)
}

/// Return a kept connection that has had an answer, and its server's end.
fn used_before() -> (Client, TcpStream) {
    let (mut client, mut server) = connected(Connections::Kept);
    client.ask(&mut server);
    server.write_all(ANSWER).unwrap();
    assert_eq!(client.step(), Step::Answered(Afterwards::Keep));
    client.connection.keep();
    (client, server)
}

impl Client {
    fn advance(&mut self) -> Step {
        self.connection.advance(&self.request, &mut [0; 1024], &mut self.received)
    }

    /// Return the first step that does not wait.
    fn step(&mut self) -> Step {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            match self.advance() {
                Step::Wait(_) => sleep(Duration::from_millis(1)),
                step => return step,
            }
        }
        panic!("nothing comes");
    }

    /// Begin a request, and read it at the server's end.
    fn ask(&mut self, server: &mut TcpStream) {
        self.connection.begin(0, 0, 0);
        assert_eq!(self.advance(), Step::Wait(EventFlags::IN));
        assert_eq!(self.connection.phase, Phase::Receiving);
        let mut read = vec![0; self.request.head.len()];
        server.read_exact(&mut read).unwrap();
        assert_eq!(read, self.request.head);
    }

    /// Send a part of an answer, and read it.
    fn answer_in_part(&mut self, server: &mut TcpStream, part: &[u8]) {
        server.write_all(part).unwrap();
        let (expected, end) = (self.received + part.len() as u64, Instant::now() + PATIENCE);
        while self.received < expected {
            assert!(Instant::now() < end, "nothing comes");
            assert_eq!(self.advance(), Step::Wait(EventFlags::IN));
        }
    }
}

#[test]
fn an_answer_may_come_in_parts() {
    let (mut client, mut server) = connected(Connections::Kept);
    client.ask(&mut server);
    for part in [&HEAD[..10], &HEAD[10..], b"o"] {
        client.answer_in_part(&mut server, part);
    }
    server.write_all(b"k").unwrap();
    assert_eq!(client.step(), Step::Answered(Afterwards::Keep));
    assert_eq!(client.received, ANSWER.len() as u64);
}

#[test]
fn a_request_may_go_out_in_parts() {
    const LENGTH: usize = 64 << 20;
    let (mut client, mut server) = connected(Connections::Kept);
    client.request.head = vec![b'x'; LENGTH];
    client.connection.begin(0, 0, 0);
    assert_eq!(client.advance(), Step::Wait(EventFlags::OUT));
    assert!(matches!(client.connection.phase, Phase::Sending(sent) if 0 < sent && sent < LENGTH));
    let (mut read, mut count) = (vec![0; LENGTH], 0);
    while client.connection.phase != Phase::Receiving {
        assert!(matches!(client.advance(), Step::Wait(_)));
        count += server.read(&mut read[count..]).unwrap();
    }
    server.read_exact(&mut read[count..]).unwrap();
    assert!(read == client.request.head);
}

#[test]
fn the_server_is_to_close_a_connection_that_has_one_request() {
    let (mut client, mut server) = connected(Connections::New);
    client.ask(&mut server);
    server.write_all(ANSWER).unwrap();
    assert_eq!(client.step(), Step::Answered(Afterwards::AwaitClose));
    client.connection.phase = Phase::Closing;
    assert_eq!(client.advance(), Step::Wait(EventFlags::IN));
    drop(server);
    assert_eq!(client.step(), Step::Closed);
}

#[test]
fn the_end_of_the_connection_may_be_that_of_the_answer() {
    let (mut client, mut server) = connected(Connections::Kept);
    client.ask(&mut server);
    client.answer_in_part(&mut server, b"HTTP/1.1 200 OK\r\n\r\nok");
    drop(server);
    assert_eq!(client.step(), Step::Answered(Afterwards::IsClosed));
}

#[test]
fn a_request_without_a_byte_of_an_answer_is_sent_again_only_if_its_connection_was_open_before() {
    let (mut opened, its_server) = connected(Connections::Kept);
    opened.connection = Connection::free(opened.connection.socket);
    let all = [(false, connected(Connections::Kept)), (true, used_before()), (true, (opened, its_server))];
    for (was_open, (mut client, mut server)) in all {
        client.ask(&mut server);
        drop(server);
        assert_eq!(client.step(), Step::Failed(Failure::NoAnswer));
        assert_eq!(client.connection.was_closed_before(Failure::NoAnswer), was_open);
    }
}

#[test]
fn a_kept_connection_may_be_closed_before_a_request_reaches_the_server() {
    let (mut client, server) = used_before();
    drop(server);
    client.connection.begin(0, 0, 0);
    let Step::Failed(failure) = client.step() else { panic!("nobody can answer it") };
    assert!(client.connection.was_closed_before(failure), "{failure:?}");
}

#[test]
fn a_request_that_was_answered_in_part_is_not_sent_again() {
    for part in [&HEAD[..1], HEAD] {
        let (mut client, mut server) = used_before();
        client.ask(&mut server);
        client.answer_in_part(&mut server, part);
        drop(server);
        assert_eq!(client.step(), Step::Failed(Failure::Truncated));
        assert!(!client.connection.was_closed_before(Failure::Reset));
    }
}

#[test]
fn a_request_that_takes_too_long_is_not_sent_again() {
    let (mut client, mut server) = used_before();
    client.connection.begin(0, 0, 0);
    assert_eq!(client.connection.overdue(), Failure::ConnectTimeout);
    client.ask(&mut server);
    assert_eq!(client.connection.overdue(), Failure::Timeout);
    assert!(!client.connection.was_closed_before(Failure::Timeout));
}

#[test]
fn a_connection_without_a_request_notices_its_end_and_bytes_that_nobody_asked_for() {
    for phase in [Phase::Free, Phase::Silent] {
        let (mut client, mut server) = connected(Connections::Kept);
        client.connection.phase = phase;
        assert_eq!(client.advance(), Step::Wait(EventFlags::IN));
        server.write_all(b"x").unwrap();
        assert_eq!(client.step(), Step::Unrequested);
        drop(server);
        assert_eq!(client.step(), Step::Closed);
    }
}

#[test]
fn where_nobody_listens_a_request_fails_to_connect() {
    let (mut client, _server) = connected(Connections::Kept);
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let Ok(socket) = connect(nobody) else { return }; // some kernels refuse at once
    client.connection = Connection::new(socket, 0);
    client.connection.begin(0, 0, 0);
    assert_eq!(client.step(), Step::Failed(Failure::Connect));
}
