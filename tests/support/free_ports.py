"""Ports that nobody listens at."""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack, suppress


def first_of_free_ports(count: int) -> int:
    """Return the first of so many free ports in a row. They are below those that clients are given, as the tests that
    run beside this one open thousands of connections."""
    while True:
        first = random.randrange(10_000, 32_000)
        with suppress(OSError), ExitStack() as stack:
            for port in range(first, first + count):
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
            return first
