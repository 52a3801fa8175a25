"""Relays connections over one stream of frames. Runner and agent both run it, and either holds one end of each
connection: the agent a connection to the server, the runner one end of a pair of sockets.

What one side has read and the other has not passed on is at most `WINDOW` bytes for each connection: whoever reads
slowly holds up nobody else, and no server fills anybody's memory.
"""

from __future__ import annotations

import errno
import os
import selectors
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from selectors import EVENT_READ, EVENT_WRITE

from ab_runner.agent.frames import Decoder, Frame, FrameError, Kind, count, encode

WINDOW = 256 << 10
_PART = 64 << 10
_TELL_AFTER = WINDOW // 4
"""Bytes that are passed on before the other side is told so: short answers need no frame for that."""


class Channel:
    """One connection, as one side has it."""

    def __init__(self, number: int, connection: socket.socket) -> None:
        connection.setblocking(False)
        self.number = number
        self.connection = connection
        self.is_open = False
        """Whether the agent's connection is there."""
        self.is_connecting = False
        """Whether it is this side that waits for it."""
        self.is_read = True
        """Whether more can come from the connection."""
        self.pending = bytearray()
        """What the connection has not taken yet."""
        self.taken = 0
        """What it has taken since the other side was told."""
        self.credit = WINDOW
        """How much may be read from it."""
        self.has_ended = False
        """Whether the other side sends no more."""
        self.closing: int | None = None
        """The error with which it is closed as soon as nothing is pending."""
        self.broken = 0
        """The error with which it took no more, where what it has sent before may still be read."""

    def opened(self) -> None:
        """Is called when the agent's connection is there."""

    def closed(self, error: int) -> None:
        """Is called before it is closed, with the error's number; 0 where there was none."""


class Relay:
    """One side. Only `post` may be called from another thread than the one that is in `run`."""

    def __init__(self, source: int, sink: int, handle: Callable[[Frame], None], keeps_half: bool) -> None:
        """Frames come from the descriptor `source` and go to `sink`; `handle` gets those that are of no connection.
        `keeps_half`: whether a connection that sends no more can still receive, as with a server; elsewhere it is
        gone."""
        self._source = source
        self._sink = sink
        self._handle = handle
        self._keeps_half = keeps_half
        self._decoder = Decoder()
        self._out = bytearray()
        self._channels: dict[int, Channel] = {}
        self._posted: deque[Callable[[], None]] = deque()
        self._waker, self._woken = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        for each in (source, sink):
            os.set_blocking(each, False)
        for end in (self._waker, self._woken):
            end.setblocking(False)
        self._selector.register(source, EVENT_READ, self._receive)
        self._selector.register(self._woken, EVENT_READ, self._do_posted)

    def post(self, do: Callable[[], None]) -> None:
        """Have something done in the thread that relays. Nothing is done any more where that has ended."""
        self._posted.append(do)
        with suppress(OSError):  # it is awake already, or has ended
            self._waker.send(b"!")

    def run(self) -> None:
        """Relay until the other side has gone."""
        try:
            while True:
                for key, events in self._selector.select():
                    key.data(events)
                self._flush()
        except OSError:
            pass  # the other side has gone, or speaks something else
        finally:
            for channel in list(self._channels.values()):
                self._drop(channel, errno.EPIPE)
            self._selector.close()
            self._waker.close()
            self._woken.close()

    def send(self, frame: Frame) -> None:
        """Send a frame to the other side."""
        self._out += encode(frame)

    def add(self, channel: Channel) -> None:
        """Relay a connection from now on."""
        self._channels[channel.number] = channel
        self._attend(channel)

    def close(self, number: int, error: int = 0) -> None:
        """Close a connection on both sides, if it is still there."""
        if (channel := self._channels.get(number)) is not None:
            self._drop(channel, error)
            self.send(Frame(Kind.CLOSE, number, str(error).encode()))

    def _do_posted(self, events: int) -> None:
        with suppress(BlockingIOError):
            self._woken.recv(_PART)
        while self._posted:
            self._posted.popleft()()

    def _flush(self, events: int = 0) -> None:
        with suppress(BlockingIOError):
            while self._out:
                del self._out[: os.write(self._sink, self._out[:_PART])]
        self._listen(self._sink, EVENT_WRITE if self._out else 0, self._flush)

    def _receive(self, events: int) -> None:
        try:
            data = os.read(self._source, _PART)
        except BlockingIOError:
            return
        if not data:
            raise ConnectionResetError("the other side has gone")
        for frame in self._decoder.feed(data):
            if frame.kind in (Kind.OPENED, Kind.DATA, Kind.TAKEN, Kind.END, Kind.CLOSE):
                if (channel := self._channels.get(frame.number)) is not None:
                    self._pass_on(channel, frame)
            else:
                self._handle(frame)

    def _pass_on(self, channel: Channel, frame: Frame) -> None:
        """Do what a frame says of a connection."""
        match frame.kind:
            case Kind.OPENED:
                channel.is_open = True
                channel.opened()
            case Kind.DATA:
                channel.pending += frame.content
                if len(channel.pending) > WINDOW:
                    raise FrameError("more bytes than were asked for")
            case Kind.TAKEN:
                channel.credit += count(frame)
            case Kind.END:
                channel.has_ended = True
            case Kind.CLOSE:
                channel.closing, channel.is_read = count(frame), False
        self._write(channel)

    def _serve(self, channel: Channel, events: int) -> None:
        """Do what the connection is ready for."""
        if self._channels.get(channel.number) is not channel:
            return  # it was closed a moment ago
        if channel.is_connecting:
            self._connected(channel)
        elif events & EVENT_WRITE:
            self._write(channel)
        if events & EVENT_READ and self._channels.get(channel.number) is channel:
            self._read(channel)

    def _connected(self, channel: Channel) -> None:
        if error := channel.connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.close(channel.number, error)
            return
        channel.is_connecting, channel.is_open = False, True
        self.send(Frame(Kind.OPENED, channel.number))
        self._attend(channel)

    def _read(self, channel: Channel) -> None:
        try:
            data = channel.connection.recv(min(_PART, channel.credit))
        except BlockingIOError:
            return
        except OSError as error:
            self.close(channel.number, error.errno or errno.EIO)
            return
        if not data and (channel.broken or not self._keeps_half):
            self.close(channel.number, channel.broken)
            return
        channel.credit -= len(data)
        channel.is_read = bool(data)
        self.send(Frame(Kind.DATA if data else Kind.END, channel.number, data))
        self._attend(channel)

    def _write(self, channel: Channel) -> None:
        """Pass on what is pending, as far as the connection takes it, and what comes after it."""
        try:
            while channel.pending and not channel.is_connecting:
                sent = channel.connection.send(channel.pending[:_PART])
                del channel.pending[:sent]
                channel.taken += sent
        except BlockingIOError:
            pass
        except OSError as error:
            channel.pending.clear()
            channel.broken = error.errno or errno.EIO
            if not (self._keeps_half and channel.is_read):
                self.close(channel.number, channel.broken)
                return
        if channel.taken >= _TELL_AFTER:
            self.send(Frame(Kind.TAKEN, channel.number, str(channel.taken).encode()))
            channel.taken = 0
        if not channel.pending:
            if channel.closing is not None:
                self._drop(channel, channel.closing)
                return
            if channel.has_ended:
                with suppress(OSError):
                    channel.connection.shutdown(socket.SHUT_WR)
        self._attend(channel)

    def _attend(self, channel: Channel) -> None:
        """Wait for what the connection has to do next."""
        reads = channel.is_open and channel.is_read and channel.credit > 0
        writes = channel.is_connecting or bool(channel.pending)
        events = (EVENT_READ if reads else 0) | (EVENT_WRITE if writes else 0)
        self._listen(channel.connection, events, lambda ready: self._serve(channel, ready))

    def _drop(self, channel: Channel, error: int) -> None:
        del self._channels[channel.number]
        self._listen(channel.connection, 0, self._flush)
        channel.closed(error)
        channel.connection.close()

    def _listen(self, file: socket.socket | int, events: int, do: Callable[[int], None]) -> None:
        is_known = file in self._selector.get_map()
        if events and is_known:
            self._selector.modify(file, events, do)
        elif events:
            self._selector.register(file, events, do)
        elif is_known:
            self._selector.unregister(file)
