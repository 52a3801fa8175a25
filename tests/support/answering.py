"""A server whose every answer a test chooses."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

from support.waiting import AT_MOST

HEAD = b"GET /small.html HTTP/1.0\r\n\r\n"
RIGHT = b"x" * 100


def answer(body: bytes, kept: bool = False, status: str = "200 OK") -> bytes:
    connection = "keep-alive" if kept else "close"
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: {connection}\r\n\r\n".encode() + body


@contextlib.contextmanager
def serving(reply: Callable[[int], bytes | None], kept: bool = False) -> Iterator[tuple[int, list[int]]]:
    """A server that answers request number n with reply(n), not at all if that is None. Yields its port and the number
    of the connection of each request."""
    listening = socket.create_server(("127.0.0.1", 0))
    requests: list[int] = []
    over = threading.Event()

    def serve() -> None:
        connections = 0
        while not over.is_set():
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            connections += 1
            with connection:
                while connection.recv(4096):
                    requests.append(connections)
                    if (text := reply(len(requests))) is None:
                        over.wait(AT_MOST)
                        break
                    connection.sendall(text)
                    if not kept:
                        break

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listening.getsockname()[1], requests
    finally:
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()
