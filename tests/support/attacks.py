"""Servers that answer as no server should."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from support.raw_client import Address

Attack = Callable[[socket.socket], None]


@contextmanager
def attacking(attack: Attack) -> Iterator[Address]:
    """A server that reads a request and then does as the attack does, until the client has gone."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.recv(1 << 16)
                attack(connection)

    server = threading.Thread(target=serve, daemon=True)
    server.start()
    try:
        yield listener.getsockname()
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        server.join()


def says(answer: bytes) -> Attack:
    return lambda connection: connection.sendall(answer)
