//! How a request can end other than by the right answer.

use serde::Serialize;

/// Why a request that was sent has no right answer. A request whose connection was begun counts as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The server's host refused the connection, or cannot be reached.
    Connect,
    /// The connection was not established in time.
    ConnectTimeout,
    /// The answer was not complete in time.
    Timeout,
    /// The connection was reset after it had been established.
    Reset,
    /// The server closed the connection without a byte of an answer.
    NoAnswer,
    /// The server closed the connection amid an answer.
    Truncated,
    /// What came is not HTTP/1.0 or 1.1.
    Malformed,
    /// The head, or the trailer after the last chunk, is longer than `answer::MAX_HEAD`.
    HeadTooLong,
    /// The status is not 200.
    WrongStatus,
    /// The body's length is not the expected one.
    WrongLength,
    /// The body has a wrong byte.
    WrongBytes,
    /// More bytes came together with the end of the answer.
    ExtraBytes,
}

/// Why a request that was due could not be sent: limits of the generator and its host, not of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// All connections that are allowed were in use.
    ConnectionLimit,
    /// No local port was free.
    NoPort,
    /// This process or this host has no more file descriptors or memory for sockets.
    NoDescriptor,
}
