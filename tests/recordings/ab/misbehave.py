"""HTTP servers that misbehave in one way each, to see what Apache Benchmark makes of it.

    with misbehave.serving("resets-now-and-then") as port:
        ...

Every answer is an HTTP/1.0 one with a body of BODY (100 bytes), unless the mode says otherwise.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass

BODY = b"0123456789" * 10


class Hangup(Exception):
    """The client went away, or we want it to."""


@dataclass
class Connection:
    """One connection, with the number of requests that its server has seen so far on any connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    counter: Iterator[int]
    number: int = 0

    async def request(self) -> bytes:
        """The head of the next request; raises Hangup when there is none."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Hangup from None
        self.number = next(self.counter)
        return head

    def send(self, *headers: str, status: str = "200 OK", body: bytes = BODY, length: int | None = None) -> None:
        """Sends one answer. `length` is what Content-Length says: the body's own if None, no such header if < 0."""
        claimed = len(body) if length is None else length
        lines = [f"HTTP/1.0 {status}", "Server: misbehave", "Content-Type: text/plain", *headers]
        if claimed >= 0:
            lines.append(f"Content-Length: {claimed}")
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)

    def reset(self) -> None:
        """Ends the connection with RST instead of FIN."""
        linger = struct.pack("ii", 1, 0)
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.writer.transport.abort()
        raise Hangup

    async def linger(self) -> None:
        """Keeps the connection open, silently, until the client closes it."""
        with contextlib.suppress(ConnectionError):
            while await self.reader.read(4096):
                pass


Mode = Callable[[Connection], Awaitable[None]]
KEEP_ALIVE = "Connection: keep-alive"


def wants_keep_alive(head: bytes) -> bool:
    return b"connection: keep-alive" in head.lower()


# --- well behaved ----------------------------------------------------------------------------------------------


async def well_behaved(c: Connection) -> None:
    """Keeps the connection open when asked to, closes it otherwise."""
    while wants_keep_alive(await c.request()):
        c.send(KEEP_ALIVE)
    c.send("Connection: close")


async def echo(c: Connection) -> None:
    """Sends the request's head back as the body, and closes."""
    c.send("Connection: close", body=await c.request())


async def closes_every_100(c: Connection) -> None:
    """Keep-alive, but each 100th answer on a connection says `close` and is the last, as httpd does by default."""
    for _ in range(99):
        if not wants_keep_alive(await c.request()):
            break
        c.send(KEEP_ALIVE)
    else:
        await c.request()
    c.send("Connection: close")


async def slow_body(c: Connection) -> None:
    """Half of the body, a pause of 50 ms, the other half: so that bytes are in flight when a timed run ends."""
    await c.request()
    c.send("Connection: close", body=BODY[:50], length=100)
    await c.writer.drain()
    await asyncio.sleep(0.05)
    c.writer.write(BODY[50:])


# --- wrong answers ---------------------------------------------------------------------------------------------


async def not_found(c: Connection) -> None:
    """404 for everything."""
    await c.request()
    c.send("Connection: close", status="404 Not Found", body=b"not found\n")


async def refuses_http_1_0(c: Connection) -> None:
    """505 for everything that is not HTTP/1.1, as Helidon 4 does."""
    if b" HTTP/1.1\r\n" in await c.request():
        c.send("Connection: close")
    else:
        c.send("Connection: close", status="505 HTTP Version Not Supported", body=b"")


async def short_body(c: Connection) -> None:
    """Promises 100 bytes, sends 60, closes; from the first answer on."""
    await c.request()
    c.send("Connection: close", body=BODY[:60], length=100)


async def varying_length(c: Connection) -> None:
    """Every fourth body is one byte longer."""
    await c.request()
    c.send("Connection: close", body=BODY + b"!" * (c.number % 4 == 0))


async def chunked(c: Connection) -> None:
    """Keep-alive with a chunked body: 11 bytes of framing around the 100 of the body."""
    framed = b"64\r\n" + BODY + b"\r\n0\r\n\r\n"
    while True:
        await c.request()
        c.send(KEEP_ALIVE, "Transfer-Encoding: chunked", body=framed, length=-1)


async def huge_head(c: Connection) -> None:
    """A head of 10,000 bytes, more than ab's buffer of 8192 (2048 in 2.0)."""
    await c.request()
    c.send("Connection: close", "X-Padding: " + "x" * 10_000)


# --- wrong endings ---------------------------------------------------------------------------------------------


async def closes_without_data(c: Connection) -> None:
    """Takes the request and closes without a byte."""
    await c.request()


async def never_closes(c: Connection) -> None:
    """Answers with length and keep-alive, whatever it was asked, and leaves the connection open."""
    while True:
        await c.request()
        c.send(KEEP_ALIVE)


async def open_without_header(c: Connection) -> None:
    """Answers with a length but no Connection header, and leaves the connection open."""
    while True:
        await c.request()
        c.send()


async def says_keep_alive_then_closes(c: Connection) -> None:
    """Answers `Connection: keep-alive` and closes with FIN a moment later."""
    await c.request()
    c.send(KEEP_ALIVE)


async def resets_at_once(c: Connection) -> None:
    """RST in place of an answer, every time."""
    await c.request()
    c.reset()


async def resets_now_and_then(c: Connection) -> None:
    """RST in place of every tenth answer."""
    await c.request()
    if c.number % 10 == 0:
        c.reset()
    c.send("Connection: close")


async def resets_mid_body(c: Connection) -> None:
    """RST after 60 of the 100 bytes in every tenth answer."""
    await c.request()
    if c.number % 10 == 0:
        c.send("Connection: close", body=BODY[:60], length=100)
        await c.writer.drain()
        await asyncio.sleep(0.01)
        c.reset()
    c.send("Connection: close")


# --- silence ---------------------------------------------------------------------------------------------------


async def never_answers(c: Connection) -> None:
    """Takes the request and says nothing."""
    await c.request()
    await c.linger()


async def stops_answering(c: Connection) -> None:
    """The first 20 answers are good; then silence."""
    await c.request()
    if c.number > 20:
        await c.linger()
    c.send("Connection: close")


async def trickles(c: Connection) -> None:
    """One byte of the body every half second: never idle for long, never done."""
    await c.request()
    c.send("Connection: close", body=b"", length=100)
    for position in range(len(BODY)):
        c.writer.write(BODY[position : position + 1])
        await c.writer.drain()
        await asyncio.sleep(0.5)


MODES: dict[str, Mode] = {
    mode.__name__.replace("_", "-"): mode
    for mode in (
        well_behaved,
        echo,
        closes_every_100,
        slow_body,
        not_found,
        refuses_http_1_0,
        short_body,
        varying_length,
        chunked,
        huge_head,
        closes_without_data,
        never_closes,
        open_without_header,
        says_keep_alive_then_closes,
        resets_at_once,
        resets_now_and_then,
        resets_mid_body,
        never_answers,
        stops_answering,
        trickles,
    )
}
"""Every way to misbehave, under its name on the command line; the docstrings say what each does."""


# --- serving ---------------------------------------------------------------------------------------------------


async def serve(mode: Mode, port: int, ready: Callable[[int, asyncio.Event], None]) -> None:
    """Serves on 127.0.0.1:port (0: any free port).

    Calls ready, once it listens, with the port and with the event that ends it.
    """
    counter = itertools.count(1)
    stop = asyncio.Event()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(Hangup, ConnectionError, asyncio.CancelledError):
            await mode(Connection(reader, writer, counter))
        writer.close()

    async with await asyncio.start_server(connected, "127.0.0.1", port, backlog=1000) as server:
        ready(server.sockets[0].getsockname()[1], stop)
        await stop.wait()


@contextlib.contextmanager
def serving(mode: str, port: int = 0) -> Iterator[int]:
    """Serves a mode from a thread of its own for as long as the block runs, and gives the port.

    Raises OSError when it cannot listen there, KeyError for a mode that there is not.
    """
    behave = MODES[mode]
    started: Future[tuple[int, Callable[[], object]]] = Future()

    def on_ready(bound: int, stop: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()
        started.set_result((bound, lambda: loop.call_soon_threadsafe(stop.set)))

    def run() -> None:
        try:
            asyncio.run(serve(behave, port, on_ready))
        except OSError as error:
            started.set_exception(error)

    thread = threading.Thread(target=run, name=f"misbehave {mode}", daemon=True)
    thread.start()
    bound, stop = started.result()
    try:
        yield bound
    finally:
        stop()
        thread.join()
