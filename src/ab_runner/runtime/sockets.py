"""Sockets of a container's network namespace. The runner needs no route to it, and the container no network.

A socket belongs to the namespace that it was made in, whoever uses it afterwards. The generator's container runs
docker/sockets.py, which makes sockets and passes them to the runner by a Unix socket in the folder that they share.
"""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

NAME = "sockets"
"""The Unix socket, in the folder that the generator may write to."""
_AT_MOST = 64
"""Sockets in one answer; docker/sockets.py gives fewer."""
_ANSWER_SECONDS = 5.0


class SocketSource:
    """Sockets that a container makes, several at a time: a wake-up for each would take CPU time from the generator."""

    def __init__(self, folder: Path, seconds: float) -> None:
        """`folder` is the shared one, as seen from here. OSError unless the container answers in so many seconds."""
        self._source = socket.socket(socket.AF_UNIX)
        self._spare: list[socket.socket] = []
        try:
            _connect(self._source, folder, seconds)
        except OSError:
            self._source.close()
            raise

    def connect(self, address: tuple[str, int], seconds: float) -> socket.socket:
        """Return a connection from the container to that address. OSError if there is none within so many seconds."""
        if not self._spare:
            self._spare = self._more()
        connection = self._spare.pop()
        connection.settimeout(seconds)
        try:
            connection.connect(address)
        except OSError:
            connection.close()
            raise
        return connection

    def _more(self) -> list[socket.socket]:
        self._source.sendall(b"+")
        _, files, _, _ = socket.recv_fds(self._source, 1, _AT_MOST)
        if not files:
            raise ConnectionError("the generator's container makes no sockets any more")
        # By their kind, because the container could pass anything: the wrong kind has no such address, an OSError.
        return [socket.socket(socket.AF_INET, socket.SOCK_STREAM, fileno=file) for file in files]

    def close(self) -> None:
        """Close what has not been used; may be called twice."""
        for each in (self._source, *self._spare):
            each.close()
        self._spare.clear()


def _connect(source: socket.socket, folder: Path, seconds: float) -> None:
    """Connect to the container's Unix socket, which need not be there yet."""
    # A sweep's path may be longer than the 107 bytes of a Unix socket's address.
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        deadline = time.monotonic() + seconds
        while True:
            try:
                source.connect(f"/proc/self/fd/{at}/{NAME}")
                break
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.01)
    finally:
        os.close(at)
    source.settimeout(_ANSWER_SECONDS)
