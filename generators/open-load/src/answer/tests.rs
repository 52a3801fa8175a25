use super::*;
use crate::plan::split_mix;

const BODY: &str = "hello, world";

fn expecting(body: Option<&str>) -> Expectation {
    Expectation {
        body: body.map(|body| body.as_bytes().to_vec()),
        version: Version::Http11,
        connections: Connections::Kept,
    }
}

/// Return what an answer comes to that arrives in these pieces and is followed by the end of the connection.
fn read(pieces: &[&[u8]], expected: &Expectation) -> Result<bool, Failure> {
    let mut answer = Answer::default();
    for (number, piece) in pieces.iter().enumerate() {
        if let Progress::Complete { stays } = answer.feed(piece, expected)? {
            return if number + 1 == pieces.len() { Ok(stays) } else { Err(Failure::ExtraBytes) };
        }
    }
    answer.end(expected).map(|()| false)
}

/// Return what an answer comes to, which must be the same wherever it is cut in two, and byte for byte.
fn outcome_for(bytes: &[u8], expected: &Expectation) -> Result<bool, Failure> {
    let whole = read(&[bytes], expected);
    for cut in 1..bytes.len() {
        assert_eq!(read(&[&bytes[..cut], &bytes[cut..]], expected), whole, "cut after {cut} bytes");
    }
    assert_eq!(read(&bytes.chunks(1).collect::<Vec<_>>(), expected), whole);
    whole
}

fn outcome(head: &str, body: &str) -> Result<bool, Failure> {
    outcome_for(format!("{head}\r\n\r\n{body}").as_bytes(), &expecting(Some(BODY)))
}

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked";

#[test]
fn the_right_answer_is_right_with_each_kind_of_framing() {
    assert_eq!(outcome("HTTP/1.1 200 OK\r\nContent-Length: 12", BODY), Ok(true));
    assert_eq!(outcome(CHUNKED, "5\r\nhello\r\n7;a=b\r\n, world\r\n0\r\n\r\n"), Ok(true));
    assert_eq!(outcome(CHUNKED, "00c\r\nhello, world\r\n0\r\nDigest: x\r\n\r\n"), Ok(true));
    assert_eq!(outcome("HTTP/1.0 200 OK", BODY), Ok(false));
}

#[test]
fn an_empty_body_is_an_answer() {
    let nothing = expecting(Some(""));
    assert_eq!(outcome_for(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", &nothing), Ok(true));
    assert_eq!(outcome_for(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", &nothing), Ok(true));
}

#[test]
fn an_interim_answer_is_no_answer_yet() {
    let head = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 12";
    assert_eq!(outcome(head, BODY), Ok(true));
    assert_eq!(outcome("HTTP/1.1 101 Switching Protocols", ""), Err(Failure::WrongStatus));
}

#[test]
fn a_connection_stays_if_both_sides_say_so() {
    let stays = |version, connections, head: &str| {
        let expected = Expectation { version, connections, ..expecting(Some(BODY)) };
        outcome_for(format!("{head}\r\nContent-Length: 12\r\n\r\n{BODY}").as_bytes(), &expected).unwrap()
    };
    assert!(stays(Version::Http11, Connections::Kept, "HTTP/1.1 200 OK"));
    assert!(!stays(Version::Http11, Connections::New, "HTTP/1.1 200 OK"));
    assert!(!stays(Version::Http11, Connections::Kept, "HTTP/1.1 200 OK\r\nConnection: TE, Close"));
    assert!(!stays(Version::Http11, Connections::Kept, "HTTP/1.0 200 OK"));
    assert!(stays(Version::Http10, Connections::Kept, "HTTP/1.1 200 OK\r\nConnection: Keep-Alive"));
    assert!(!stays(Version::Http10, Connections::Kept, "HTTP/1.1 200 OK"));
}

#[test]
fn a_wrong_answer_has_its_reason() {
    let plain = "HTTP/1.1 200 OK\r\nContent-Length: 12";
    assert_eq!(outcome("HTTP/1.1 503 Busy\r\nContent-Length: 12", BODY), Err(Failure::WrongStatus));
    assert_eq!(outcome(plain, "hello, World"), Err(Failure::WrongBytes));
    assert_eq!(outcome(plain, "hello, worl"), Err(Failure::Truncated));
    assert_eq!(outcome(plain, "hello, world!"), Err(Failure::ExtraBytes));
    assert_eq!(outcome("HTTP/1.1 200 OK\r\nContent-Length: 11", "hello, worl"), Err(Failure::WrongLength));
    assert_eq!(outcome("HTTP/1.1 200 OK", "hello, worl"), Err(Failure::WrongLength));
    assert_eq!(outcome("HTTP/1.1 200 OK", "hello, world!"), Err(Failure::WrongLength));
    assert_eq!(outcome(CHUNKED, "5\r\nhello\r\n0\r\n\r\n"), Err(Failure::WrongLength));
    assert_eq!(outcome(CHUNKED, "d\r\nhello, world!\r\n0\r\n\r\n"), Err(Failure::WrongLength));
    assert_eq!(outcome(CHUNKED, "5\r\nhello\r\n"), Err(Failure::Truncated));
    assert_eq!(outcome_for(b"", &expecting(None)), Err(Failure::NoAnswer));
    assert_eq!(outcome_for(b"HTTP/1.1 20", &expecting(None)), Err(Failure::Truncated));
}

#[test]
fn what_is_no_http_is_malformed() {
    for head in [
        "SSH-2.0-OpenSSH",
        "HTTP/2.0 200 OK",
        "HTTP/1.1 2x0 OK",
        "HTTP/1.1 200 OK\r\nno colon",
        "HTTP/1.1 200 OK\r\nContent-Length: -1",
        "HTTP/1.1 200 OK\r\nContent-Length: +12",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999",
        "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Length: 13",
        "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nTransfer-Encoding: chunked",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked",
    ] {
        assert_eq!(outcome(head, ""), Err(Failure::Malformed), "{head}");
    }
    for body in ["\r\n", "x\r\n", "5\nhello", "5\r\nhello, world\r\n", "fffffffffffffffff\r\n"] {
        assert_eq!(outcome(CHUNKED, body), Err(Failure::Malformed), "{body}");
    }
    let of_1_0 = Expectation { version: Version::Http10, ..expecting(None) };
    assert_eq!(outcome_for(format!("{CHUNKED}\r\n\r\n").as_bytes(), &of_1_0), Err(Failure::Malformed));
}

#[test]
fn what_has_no_end_is_given_up_without_being_stored() {
    for (begin, piece) in [
        ("", "\r\n".to_owned()),
        ("HTTP/1.1 200 OK\r\n", format!("X: {}\r\n", "y".repeat(1000))),
        ("HTTP/1.1 200 OK\r\n", "X: y\r\n".to_owned()),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n".to_owned()),
    ] {
        let mut answer = Answer::default();
        answer.feed(begin.as_bytes(), &expecting(None)).unwrap();
        let end = (0..MAX_HEAD).find_map(|_| answer.feed(piece.as_bytes(), &expecting(None)).err());
        assert_eq!(end, Some(Failure::HeadTooLong), "{begin:?} {piece:?}");
    }
    let mut answer = Answer::default();
    answer.feed(format!("{CHUNKED}\r\n\r\n5").as_bytes(), &expecting(None)).unwrap();
    assert_eq!(answer.feed(&[b' '; 2 * MAX_CHUNK_LINE], &expecting(None)), Err(Failure::Malformed));
}

#[test]
fn a_body_of_any_length_takes_no_memory() {
    let mut answer = Answer::default();
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n";
    answer.feed(head, &expecting(None)).unwrap();
    for _ in 0..1000 {
        assert_eq!(answer.feed(&[0; 65536], &expecting(None)), Ok(Progress::Incomplete));
    }
    assert_eq!(answer.partial.capacity(), 0);
}

#[test]
fn no_bytes_whatever_make_it_panic() {
    let seeds = [
        format!("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{BODY}"),
        format!("{CHUNKED}\r\n\r\n5\r\nhello\r\n7\r\n, world\r\n0\r\nA: b\r\n\r\n"),
        format!("HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n{BODY}"),
    ];
    let mut random = split_mix(1);
    let mut below = |limit: usize| (random.next().unwrap() % limit as u64) as usize;
    for _ in 0..20_000 {
        let mut bytes = seeds[below(seeds.len())].clone().into_bytes();
        for _ in 0..=below(4) {
            let place = below(bytes.len());
            match below(3) {
                0 => bytes[place] = below(256) as u8,
                1 => {
                    bytes.remove(place);
                }
                _ => bytes.insert(place, b"\r\n0f; :"[below(7)]),
            }
        }
        let cut = below(bytes.len());
        for expected in [expecting(Some(BODY)), expecting(None)] {
            let _ = read(&[&bytes[..cut], &bytes[cut..]], &expected);
        }
    }
}
