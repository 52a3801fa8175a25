"""The agent's program: what it does at the runner's request."""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
from collections.abc import Callable
from typing import Any

from ab_runner.agent import link
from ab_runner.agent.frames import Frame, Kind
from ab_runner.agent.relay import Channel, Relay
from ab_runner.host import facts
from ab_runner.host.cooldown import Settled
from ab_runner.monitor.accounting import ContainerProcesses
from ab_runner.monitor.readings import Reading, Watched
from ab_runner.monitor.watch import ResourceAccounts, Watch, accounts_of


class Program:
    """Answers one runner until that hangs up. Its thread does one thing at a time; a trial is watched by another."""

    def __init__(self, source: int, sink: int) -> None:
        self._relay = Relay(source, sink, self._handle, keeps_half=True)
        self._accounts: ResourceAccounts | None = None
        self._watch: Watch | None = None
        self._calls: dict[str, Callable[..., Any]] = {
            "here": lambda number: None,
            "meter": self._meter,
            "watch": self._begin,
            "watched": self._end,
            "settle": self._settle,
        }

    def run(self) -> None:
        """Answer until the runner has gone."""
        self._relay.run()

    def _handle(self, frame: Frame) -> None:
        if frame.kind is Kind.OPEN:
            host, port = frame.content.decode().split()
            self._connect(frame.number, (host, int(port)))
        elif frame.kind is Kind.CALL:
            self._relay.send(self._answer(frame))

    def _connect(self, number: int, address: tuple[str, int]) -> None:
        channel = Channel(number, socket.socket())
        channel.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # parts arrive as they were sent
        channel.is_connecting = True
        self._relay.add(channel)
        if (error := channel.connection.connect_ex(address)) not in (0, errno.EINPROGRESS):
            self._relay.close(number, error)

    def _answer(self, frame: Frame) -> Frame:
        """Return the answer to a call, or why there is none."""
        call = json.loads(frame.content)
        try:
            said = self._calls[call.pop("call")](frame.number, **call)
        except OSError as error:
            return Frame(Kind.FAILED, frame.number, str(error).encode())
        return Frame(Kind.ANSWER, frame.number, json.dumps(said).encode())

    def _meter(
        self, number: int, server: str, generator: str, server_cpus: list[int], generator_cpus: list[int]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Measure these two containers from now on, and return the CPUs of both. OSError if they cannot be seen."""
        processes, load = ContainerProcesses(server), ContainerProcesses(generator)
        accounts = accounts_of(processes, load.cpu_seconds, tuple(server_cpus), tuple(generator_cpus))
        for each in (processes, load):
            each.look()
        self._accounts = accounts
        return accounts.server_cpus, accounts.generator_cpus

    def _begin(self, number: int, interval: float, each_second: bool) -> None:
        """Watch a trial from now on; the first look in each of its seconds is an event of this call."""
        if self._watch is not None:
            self._watch.end()
        self._watch = self._metered().watch(interval, self._teller(number) if each_second else None)

    def _end(self, number: int) -> Watched:
        if self._watch is None:
            raise ProcessLookupError("nothing is watched")
        watch, self._watch = self._watch, None
        return watch.end()

    def _settle(self, number: int, ports: int, connections: int) -> Settled:
        return self._metered().settle(ports, connections)

    def _metered(self) -> ResourceAccounts:
        if self._accounts is None:
            raise ProcessLookupError("nothing is measured")
        return self._accounts

    def _teller(self, number: int) -> Callable[[Reading], None]:
        def tell(reading: Reading) -> None:
            frame = Frame(Kind.EVENT, number, json.dumps(reading).encode())
            self._relay.post(lambda: self._relay.send(frame))

        return tell


def main() -> None:
    """Do what the arguments say: tell the facts of this machine, or be one side of a transfer that measures a link.
    Without any, answer a runner on the standard streams; what else would be printed there goes to stderr."""
    match sys.argv[1:]:
        case ["facts"]:
            told = {"machine": facts.machine(), "conditions": facts.conditions(), "cores": facts.cores()}
            print(json.dumps({**told, "conntrack": facts.conntrack()}))
        case ["send", port]:
            link.send(int(port))
        case ["receive", address, port]:
            print(link.receive(address, int(port)))
        case _:
            sink = os.dup(1)
            os.dup2(2, 1)
            Program(0, sink).run()
