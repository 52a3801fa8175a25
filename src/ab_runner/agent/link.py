"""A transfer from one host to another, which tells what the link between them carries. Standard library only."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress

CONNECTIONS = 4
"""One may be slower than the link: its window is small over a long way."""
SENDS_SECONDS = 120.0
"""After so long the sending side ends by itself, whatever became of the runner."""
_SECONDS = 1.0
_SLOW_START_SECONDS = 0.3
"""Before it, in which TCP finds out what the link carries."""
_CONNECT_SECONDS = 10.0
_PART = 1 << 20


def send(port: int) -> None:
    """Send to everybody who connects until they hang up."""
    deadline = time.monotonic() + SENDS_SECONDS
    with socket.create_server(("", port), backlog=100) as listener:
        while (left := deadline - time.monotonic()) > 0:
            listener.settimeout(left)
            with suppress(TimeoutError):
                connection, _ = listener.accept()
                threading.Thread(target=_serve, args=(connection,), daemon=True).start()


def _serve(connection: socket.socket) -> None:
    part = bytes(_PART)
    with connection, suppress(OSError):
        while True:
            connection.sendall(part)


def receive(address: str, port: int) -> float:
    """Return the bytes per second that come from there. OSError if nobody sends, or nothing arrives."""
    counts = [0] * CONNECTIONS
    connections = [_connect(address, port) for _ in counts]
    for number, connection in enumerate(connections):
        threading.Thread(target=_count, args=(connection, counts, number), daemon=True).start()
    time.sleep(_SLOW_START_SECONDS)
    began, before = time.monotonic(), sum(counts)
    time.sleep(_SECONDS)
    received, seconds = sum(counts) - before, time.monotonic() - began
    for connection in connections:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)  # which ends what counts, and the other side
    if not received:
        raise OSError(f"connections to {address} open, and no bytes arrive")
    return received / seconds


def _connect(address: str, port: int) -> socket.socket:
    """Return a connection, as soon as the other side listens."""
    deadline = time.monotonic() + _CONNECT_SECONDS
    while True:
        try:
            return socket.create_connection((address, port), _CONNECT_SECONDS)
        except OSError:
            if time.monotonic() >= deadline:
                raise
        time.sleep(0.1)


def _count(connection: socket.socket, counts: list[int], number: int) -> None:
    room = bytearray(_PART)
    with connection, suppress(OSError):
        while size := connection.recv_into(room):
            counts[number] += size
