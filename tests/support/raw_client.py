"""A client that sends what it is told to, byte for byte, and reads answers as HTTP/1.x frames them."""

from __future__ import annotations

import socket
import struct
from types import TracebackType

from ab_runner.sweep.server.answers import Answer, Connect

ANSWER_SECONDS = 10.0


Address = tuple[str, int]


def to(address: Address, receive_buffer: int | None = None) -> Connect:
    """How the probe connects to this machine. A small `receive_buffer` makes a slow reader; it has to be set before the
    connection exists, for TCP has agreed on its window then."""

    def connect(timeout: float) -> socket.socket:
        connection = socket.socket()
        connection.settimeout(timeout)
        if receive_buffer is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.connect(address)
        return connection

    return connect


class RawClient:
    """One connection. An answer that does not come in time is a TimeoutError."""

    def __init__(self, connect: Connect) -> None:
        self.socket = connect(ANSWER_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._unread = b""

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.socket.close()

    def send(self, *packets: bytes) -> None:
        for packet in packets:
            self.socket.sendall(packet)

    def answer(self, head_only: bool = False) -> Answer:
        """The next answer; its body is as long as Content-Length says, or lasts until the server closes."""
        while b"\r\n\r\n" not in self._unread:
            if not self._receive():
                raise ConnectionError(f"closed after {self._unread[:80]!r}")
        parted, end, self._unread = self._unread.partition(b"\r\n\r\n")
        first, *lines = parted.decode("latin-1").split("\r\n")
        head = (parted + end).decode("latin-1")
        pairs = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        status = int(first.split(" ")[1])
        length = headers.get("content-length")
        if head_only:
            return Answer(head, status, headers, b"")
        if length is None:
            return Answer(head, status, headers, self.rest())
        while len(self._unread) < int(length):
            if not self._receive():
                raise ConnectionError(f"closed after {len(self._unread)} of {length} bytes")
        body, self._unread = self._unread[: int(length)], self._unread[int(length) :]
        return Answer(head, status, headers, body)

    def rest(self) -> bytes:
        """All that comes until the server closes."""
        while self._receive():
            pass
        everything, self._unread = self._unread, b""
        return everything

    def is_closed(self) -> bool:
        """Does the server close without another byte?"""
        try:
            return self.rest() == b""
        except ConnectionResetError:
            return True

    def reset(self) -> None:
        """Ends the connection the hard way."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def _receive(self) -> bool:
        data = self.socket.recv(1 << 16)
        self._unread += data
        return bool(data)
