//! One answer: read from the pieces in which it arrives, and compared with what is expected.
//!
//! Nothing here waits or does I/O. The body is compared as it comes and never stored. What is stored is the head, or one
//! line of the chunked coding, and only while it is incomplete.

use crate::outcome::Failure;
use crate::request::{Connections, Expectation, Version};

/// Longest head, and longest trailer, in bytes.
pub const MAX_HEAD: usize = 16 * 1024;
/// Longest line with the size of a chunk.
const MAX_CHUNK_LINE: usize = 1024;
const MAX_HEADER_LINES: usize = 100;

/// How far an answer has come.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to come.
    Incomplete,
    /// The answer is complete and right. The connection may be used again if `stays`.
    Complete { stays: bool },
}

/// An answer of which a part may have arrived.
#[derive(Default)]
pub struct Answer {
    part: Part,
    /// The beginning of a head or of a line, until the rest of it is there.
    partial: Vec<u8>,
    /// Bytes of the body so far.
    received: usize,
    stays: bool,
}

/// The part of an answer that comes next.
#[derive(Default)]
enum Part {
    #[default]
    Head,
    /// A body with so many bytes left.
    Body(u64),
    /// A body that ends where the server closes the connection.
    BodyUntilClose,
    ChunkSize,
    Chunk(u64),
    ChunkEnd,
    /// The lines after the last chunk, and the bytes that they may still have.
    Trailer(usize),
}

/// What matters of a head.
#[derive(Default)]
struct Head {
    status: u16,
    minor_version: u8,
    length: Option<u64>,
    is_chunked: bool,
    close: bool,
    keep_alive: bool,
}

impl Answer {
    /// Read the next bytes of the answer.
    pub fn feed(&mut self, mut bytes: &[u8], expected: &Expectation) -> Result<Progress, Failure> {
        loop {
            match self.part {
                Part::Head => {
                    let Some(head) = self.take_head(&mut bytes)? else { return Ok(Progress::Incomplete) };
                    self.begin(&head, expected)?;
                }
                Part::Body(left) => {
                    let left = left - self.take_body(&mut bytes, left, expected)?;
                    self.part = Part::Body(left);
                    return if left == 0 { self.complete(bytes) } else { Ok(Progress::Incomplete) };
                }
                Part::BodyUntilClose => {
                    self.take_body(&mut bytes, u64::MAX, expected)?;
                    return Ok(Progress::Incomplete);
                }
                Part::ChunkSize => {
                    let Some(line) = self.take_line(&mut bytes, MAX_CHUNK_LINE)? else {
                        return Ok(Progress::Incomplete);
                    };
                    self.part = match chunk_size(&line)? {
                        0 => Part::Trailer(MAX_HEAD),
                        size => Part::Chunk(size),
                    };
                }
                Part::Chunk(left) => {
                    let left = left - self.take_body(&mut bytes, left, expected)?;
                    self.part = if left == 0 { Part::ChunkEnd } else { Part::Chunk(left) };
                    if bytes.is_empty() {
                        return Ok(Progress::Incomplete);
                    }
                }
                Part::ChunkEnd => {
                    let Some(line) = self.take_line(&mut bytes, 2)? else { return Ok(Progress::Incomplete) };
                    if line != b"\r\n" {
                        return Err(Failure::Malformed);
                    }
                    self.part = Part::ChunkSize;
                }
                Part::Trailer(room) => {
                    let line = self.take_line(&mut bytes, room).map_err(|_| Failure::HeadTooLong)?;
                    let Some(line) = line else { return Ok(Progress::Incomplete) };
                    if line == b"\r\n" {
                        self.check_length(expected)?;
                        return self.complete(bytes);
                    }
                    self.part = Part::Trailer(room - line.len());
                }
            }
        }
    }

    /// Return whether the answer is right if the server closes the connection now.
    pub fn end(&self, expected: &Expectation) -> Result<(), Failure> {
        match self.part {
            Part::Head if self.partial.is_empty() => Err(Failure::NoAnswer),
            Part::BodyUntilClose => self.check_length(expected),
            _ => Err(Failure::Truncated),
        }
    }

    fn complete(&self, rest: &[u8]) -> Result<Progress, Failure> {
        if rest.is_empty() { Ok(Progress::Complete { stays: self.stays }) } else { Err(Failure::ExtraBytes) }
    }

    /// Take the head off the bytes; None if its end is not there yet.
    fn take_head(&mut self, bytes: &mut &[u8]) -> Result<Option<Head>, Failure> {
        let before = self.partial.len();
        let window = &bytes[..bytes.len().min(MAX_HEAD - before)];
        let parsed = if before == 0 {
            parse_head(window)?
        } else {
            self.partial.extend_from_slice(window);
            parse_head(&self.partial)?
        };
        if let Some((length, head)) = parsed {
            self.partial = Vec::new();
            *bytes = &bytes[length - before..];
            return Ok(Some(head));
        }
        if before + window.len() == MAX_HEAD {
            return Err(Failure::HeadTooLong);
        }
        if before == 0 {
            self.partial.extend_from_slice(window);
        }
        Ok(None)
    }

    /// Decide by the head what follows it.
    fn begin(&mut self, head: &Head, expected: &Expectation) -> Result<(), Failure> {
        if matches!(head.status, 100 | 102..=199) {
            return Ok(()); // interim: the head of the answer itself follows
        }
        if head.status != 200 {
            return Err(Failure::WrongStatus);
        }
        let both_keep_by_default = expected.version == Version::Http11 && head.minor_version == 1;
        let server_keeps = !head.close && (both_keep_by_default || head.keep_alive);
        self.stays = expected.connections == Connections::Kept && server_keeps;
        self.part = match (head.is_chunked, head.length) {
            // Both is an error, by RFC 9112, 6.3; and HTTP/1.0 has no chunks.
            (true, Some(_)) => return Err(Failure::Malformed),
            (true, None) if expected.version == Version::Http10 => return Err(Failure::Malformed),
            (true, None) => Part::ChunkSize,
            (false, Some(length)) => {
                if expected.body.as_ref().is_some_and(|body| body.len() as u64 != length) {
                    return Err(Failure::WrongLength);
                }
                Part::Body(length)
            }
            (false, None) => Part::BodyUntilClose,
        };
        Ok(())
    }

    /// Take at most that many bytes of the body off the bytes, and return how many there were.
    fn take_body(&mut self, bytes: &mut &[u8], most: u64, expected: &Expectation) -> Result<u64, Failure> {
        let count = usize::try_from(most).unwrap_or(usize::MAX).min(bytes.len());
        let (piece, rest) = bytes.split_at(count);
        if let Some(body) = &expected.body {
            let next = &body[self.received..];
            let common = piece.len().min(next.len());
            if piece[..common] != next[..common] {
                return Err(Failure::WrongBytes);
            }
            if piece.len() > next.len() {
                return Err(Failure::WrongLength);
            }
        }
        self.received = self.received.saturating_add(count);
        *bytes = rest;
        Ok(count as u64)
    }

    fn check_length(&self, expected: &Expectation) -> Result<(), Failure> {
        match &expected.body {
            Some(body) if body.len() != self.received => Err(Failure::WrongLength),
            _ => Ok(()),
        }
    }

    /// Take a line off the bytes, with its end; None if that is not there yet.
    fn take_line(&mut self, bytes: &mut &[u8], most: usize) -> Result<Option<Vec<u8>>, Failure> {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (piece, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
        if self.partial.len() + piece.len() > most {
            return Err(Failure::Malformed);
        }
        self.partial.extend_from_slice(piece);
        *bytes = rest;
        Ok(end.map(|_| std::mem::take(&mut self.partial)))
    }
}

/// Return a head and its length; None if its end is not there yet.
fn parse_head(bytes: &[u8]) -> Result<Option<(usize, Head)>, Failure> {
    let mut lines = [httparse::EMPTY_HEADER; MAX_HEADER_LINES];
    let mut response = httparse::Response::new(&mut lines);
    let length = match response.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Failure::HeadTooLong),
        Err(_) => return Err(Failure::Malformed),
    };
    let mut head = Head {
        status: response.code.unwrap_or_default(),
        minor_version: response.version.unwrap_or_default(),
        ..Head::default()
    };
    for line in response.headers.iter() {
        head.read_line(line.name, line.value)?;
    }
    Ok(Some((length, head)))
}

impl Head {
    fn read_line(&mut self, name: &str, value: &[u8]) -> Result<(), Failure> {
        if name.eq_ignore_ascii_case("content-length") {
            let length = decimal(value).ok_or(Failure::Malformed)?;
            if self.length.replace(length).is_some_and(|before| before != length) {
                return Err(Failure::Malformed);
            }
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            if self.is_chunked || !value.eq_ignore_ascii_case(b"chunked") {
                return Err(Failure::Malformed); // no other coding was asked for
            }
            self.is_chunked = true;
        } else if name.eq_ignore_ascii_case("connection") {
            for token in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                self.close |= token.eq_ignore_ascii_case(b"close");
                self.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
            }
        }
        Ok(())
    }
}

fn decimal(text: &[u8]) -> Option<u64> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit); // `parse` would take a sign as well
    std::str::from_utf8(text).ok()?.parse().ok().filter(|_| is_number)
}

fn chunk_size(line: &[u8]) -> Result<u64, Failure> {
    match httparse::parse_chunk_size(line) {
        // Without the first condition an empty line is a size of 0.
        Ok(httparse::Status::Complete((end, size))) if line[0].is_ascii_hexdigit() && end == line.len() => Ok(size),
        _ => Err(Failure::Malformed),
    }
}

#[cfg(test)]
mod tests {
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
}
