//! What is asked, and what the right answer is.

use std::net::SocketAddr;

use serde::Serialize;

use crate::clock::Nanos;

/// The HTTP version of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Version {
    #[serde(rename = "1.0")]
    Http10,
    #[serde(rename = "1.1")]
    Http11,
}

/// What becomes of a connection after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Connections {
    /// It is used again, if the server allows it.
    Kept,
    /// Each request has a new one.
    New,
}

/// A request that is made again and again, and its right answer.
pub struct Request {
    pub address: SocketAddr,
    pub head: Vec<u8>,
    pub timeout: Nanos,
    pub expectation: Expectation,
}

/// What makes an answer right, beside the status 200.
pub struct Expectation {
    /// The bytes of the body; None if any will do.
    pub body: Option<Vec<u8>>,
    pub version: Version,
    pub connections: Connections,
}

/// Return the head of a GET request, which ends with these further lines.
pub fn head(host: &str, path: &str, version: Version, connections: Connections, headers: &[String]) -> String {
    let version = match version {
        Version::Http10 => "1.0",
        Version::Http11 => "1.1",
    };
    // Some servers keep a connection of HTTP/1.1 only if they are asked to, as browsers do.
    let connection = match connections {
        Connections::Kept => "keep-alive",
        Connections::New => "close",
    };
    let agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
    let further: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    format!(
        "GET {path} HTTP/{version}\r\nConnection: {connection}\r\nHost: {host}\r\nUser-Agent: {agent}\r\nAccept: */*\r\n{further}\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_says_what_becomes_of_the_connection() {
        for version in [Version::Http10, Version::Http11] {
            assert!(head("h", "/", version, Connections::Kept, &[]).contains("\r\nConnection: keep-alive\r\n"));
            assert!(head("h", "/", version, Connections::New, &[]).contains("\r\nConnection: close\r\n"));
        }
    }

    #[test]
    fn a_head_is_a_get_request() {
        let headers = ["Accept-Encoding: gzip".to_owned()];
        let head = head("localhost:8080", "/small.html", Version::Http11, Connections::Kept, &headers);
        assert!(head.starts_with("GET /small.html HTTP/1.1\r\nConnection: keep-alive\r\nHost: localhost:8080\r\n"));
        assert!(head.ends_with("\r\nAccept: */*\r\nAccept-Encoding: gzip\r\n\r\n"));
    }
}
