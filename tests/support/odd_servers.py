"""Small HTTP servers whose answers, and their times, are known: what a load generator must measure and find out."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

BODY = bytes(range(33, 126)) + b"\r\n\r\n" + bytes(3)
RIGHT = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY

Respond = Callable[["Connection", int], None]
"""Answers a request on a connection; the number is how many requests the server has had before."""


class Server:
    """Counts requests, and has each answered."""

    def __init__(self, respond: Respond, connected: Callable[[Connection, int], None] | None = None) -> None:
        self.respond = respond
        self.connected = connected
        self.requests = 0
        self.connections = 0
        self.transports: set[asyncio.Transport] = set()

    def protocol(self) -> Connection:
        return Connection(self)


class Connection(asyncio.Protocol):
    """One connection; requests have no body."""

    transport: asyncio.Transport

    def __init__(self, server: Server) -> None:
        self._server = server
        self._received = b""
        self.head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.transports.add(transport)
        number, self._server.connections = self._server.connections, self._server.connections + 1
        if self._server.connected:
            self._server.connected(self, number)

    def connection_lost(self, reason: Exception | None) -> None:
        self._server.transports.discard(self.transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, self._received = self._received.partition(b"\r\n\r\n")
            self.head = head + b"\r\n\r\n"
            number, self._server.requests = self._server.requests, self._server.requests + 1
            self._server.respond(self, number)

    def send(self, data: bytes) -> None:
        """Send these bytes, and close the connection if the request asked for that."""
        self.transport.write(data)
        if b"connection: close" in self.head.lower():
            self.transport.close()

    def reset(self) -> None:
        """Close the connection with a reset."""
        plug = self.transport.get_extra_info("socket")
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


@contextmanager
def running(*servers: Server, address: str = "127.0.0.1") -> Iterator[list[int]]:
    """The servers' ports, until the block ends."""
    loop = asyncio.new_event_loop()
    listeners = [
        loop.run_until_complete(loop.create_server(each.protocol, address, 0, backlog=4096)) for each in servers
    ]
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def close() -> None:
        for listener in listeners:
            listener.close()
        for transport in {each for server in servers for each in server.transports}:
            transport.abort()

    try:
        yield [listener.sockets[0].getsockname()[1] for listener in listeners]
    finally:
        asyncio.run_coroutine_threadsafe(close(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class Timed:
    """Gives right answers at certain times, and records how late it was in each, in seconds: a busy machine makes what
    a client measures longer by as much."""

    def __init__(self) -> None:
        self.late: list[float] = []

    def answer_at(self, connection: Connection, due: float) -> None:
        asyncio.get_running_loop().call_at(due, self._answer, connection, due)

    def _answer(self, connection: Connection, due: float) -> None:
        connection.send(RIGHT)
        self.late.append(asyncio.get_running_loop().time() - due)


class Delayed(Timed):
    """Each answer comes after that time."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def __call__(self, connection: Connection, number: int) -> None:
        self.answer_at(connection, asyncio.get_running_loop().time() + self._seconds)


class Queue(Timed):
    """One request after the other in the order of their arrival, so many per second, but for a pause in the middle of
    each period. The first request begins the first period."""

    def __init__(self, capacity: float, pause: float, period: float) -> None:
        super().__init__()
        self._capacity, self._pause, self._period = capacity, pause, period
        self._began: float | None = None
        self._free = 0.0

    def __call__(self, connection: Connection, number: int) -> None:
        now = asyncio.get_running_loop().time()
        self._began = now if self._began is None else self._began
        at = max(now, self._free)
        into_pause = (at - self._began) % self._period - (self._period - self._pause) / 2
        if 0 <= into_pause < self._pause:
            at += self._pause - into_pause
        self._free = at + 1 / self._capacity
        self.answer_at(connection, self._free)


def lying(lie: Callable[[Connection], None], every: int = 500) -> Respond:
    """One answer of so many is a lie, in the middle of them; the others are right."""

    def respond(connection: Connection, number: int) -> None:
        if number % every == every // 2:
            lie(connection)
        else:
            connection.send(RIGHT)

    return respond
