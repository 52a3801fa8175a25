use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use super::*;
use crate::clock::End;
use crate::plan::Arrivals;
use crate::request::{Connections, Expectation, Request, Version, head};
use crate::tally::{Accounts, Second};

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

/// Return a connection as one that was opened before the load.
fn connected(address: SocketAddr) -> TcpStream {
    let socket = TcpStream::connect(address).unwrap();
    socket.set_nonblocking(true).unwrap();
    socket
}

/// Read one request, and return its head; None at the end of the connection.
fn read_request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut read = Vec::new();
    let mut byte = [0];
    while !read.ends_with(b"\r\n\r\n") {
        if !matches!(stream.read(&mut byte), Ok(1)) {
            return None;
        }
        read.push(byte[0]);
    }
    Some(read)
}

fn request(address: SocketAddr, path: &str, timeout: Nanos) -> Request {
    let connections = Connections::Kept;
    Request {
        address,
        head: head("h", path, Version::Http11, connections, &[]).into_bytes(),
        timeout,
        expectation: Expectation { body: Some(b"ok".to_vec()), version: Version::Http11, connections },
    }
}

fn stream(request: &Request, arrivals: Arrivals, most_connections: usize) -> Stream<'_> {
    Stream::new(request, arrivals, Accounts::new(0, End::at(SECOND)), most_connections)
}

/// Make these streams, and return the accounts of each.
fn made(streams: Vec<Stream>, opened: Opened) -> Vec<(Tally, Second)> {
    let tallies = Worker::new(streams, 0, opened).unwrap().run(Clock::starting_in(Duration::ZERO)).unwrap();
    let made = tallies.into_iter().map(|tally| {
        let all = tally.sum(|_| true);
        assert_eq!(all.planned(), all.sent + all.all_refused());
        assert_eq!(all.sent, all.answered + all.all_failed());
        (tally, all)
    });
    made.collect()
}

/// Make a load over kept connections, of which two are allowed, and return its accounts.
fn load(address: SocketAddr, arrivals: Arrivals, timeout: Nanos) -> (Tally, Second) {
    let request = request(address, "/", timeout);
    made(vec![stream(&request, arrivals, 2)], Opened::default()).remove(0)
}

/// Requests one after the other: what becomes of them does not depend on the speed of this machine.
fn one_connection() -> Arrivals {
    Arrivals::closed(1, End::at(SECOND / 4))
}

fn planned<const COUNT: usize>(times: [Nanos; COUNT]) -> Arrivals {
    Arrivals::open(Box::new(times.into_iter()), End::at(SECOND))
}

#[test]
fn a_kept_connection_has_one_request_after_the_other() {
    let address = server(|stream, _| {
        while read_request(stream).is_some() {
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
    let (tally, all) = load(address, planned([0, MILLI]), PATIENCE);
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
    let address = server(|stream, _| while read_request(stream).is_some() {});
    let (_, all) = load(address, planned([0, 0, 0]), SECOND / 2);
    assert_eq!(all.refused.into_iter().collect::<Vec<_>>(), [(Refusal::ConnectionLimit, 1)]);
    assert_eq!(all.failed.into_iter().collect::<Vec<_>>(), [(Failure::Timeout, 2)]);
}

#[test]
fn a_stream_whose_connections_are_all_in_use_does_not_keep_another_one_waiting() {
    // One thread for each connection, for those of the slow path stay open.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming() {
            thread::spawn(move || {
                let mut connection = connection.unwrap();
                while let Some(head) = read_request(&mut connection) {
                    if head.starts_with(b"GET /fast ") {
                        connection.write_all(ANSWER).unwrap();
                    }
                }
            });
        }
    });
    let (slow, fast) = (request(address, "/slow", SECOND / 2), request(address, "/fast", PATIENCE));
    let streams = vec![stream(&slow, planned([0, 0, 0]), 2), stream(&fast, planned([0, MILLI, 100 * MILLI]), 3)];
    let made = made(streams, Opened::default());
    let [(_, slow), (tally, fast)] = &made[..] else { panic!("each stream has accounts of its own") };
    assert_eq!((slow.planned(), slow.answered), (3, 0));
    assert_eq!((fast.planned(), fast.answered), (3, 3));
    assert!((1..=3).contains(&tally.connections.opened), "its own alone");
}

#[test]
fn a_connection_that_was_opened_before_is_used_first_and_counts_as_a_kept_one() {
    for closes in [false, true] {
        let address = server(move |stream, number| {
            while read_request(stream).is_some() && !(closes && number == 0) {
                stream.write_all(ANSWER).unwrap();
            }
        });
        let opened = Opened { free: vec![connected(address)], ..Opened::default() };
        let request = request(address, "/", PATIENCE);
        let (tally, all) = made(vec![stream(&request, one_connection(), 2)], opened).remove(0);
        assert!(all.answered > 0);
        assert_eq!((all.all_failed(), tally.retried), (0, u64::from(closes)));
        assert_eq!(tally.connections.opened, u64::from(closes), "only in place of the one that was closed");
    }
}
