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
mod tests;
