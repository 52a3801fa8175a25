"""What identifies a person or a machine, replaced in a sweep that is to be published. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec

_HOME = re.compile(r"(?<![\w.-])/(?:(?:home|Users)/[^/\s:;,()'\"]+|root(?![\w-]))")
_OTHER_HOST = re.compile(r"^hostname is .*")
_FREE_TEXT = frozenset(("head", "error", "detail", "who", "differences", "left_out"))
"""Keys of texts that servers, builders and the system have written and that no analysis reads. Only in these are names
replaced: a host may be called `server`, or as a workload is."""
_CONTEXTS = frozenset(("server_host", "load_hosts", "node"))
"""Keys of names of Docker contexts and of nodes; those of a list of hosts are at `name` in it."""
_ROLES = ("server", "generator", "agent")
"""What a message may be about besides a host."""
SERVER_HOST = "server-host"
"""Stands in the place of the servers' host, where load comes from others."""
_NOBODYS = frozenset(("", "root", "nobody", "localhost"))


class Redaction(msgspec.Struct, frozen=True):
    """The host and the user to be replaced, and folders, each with what stands in its place."""

    host: str
    user: str
    folders: dict[str, str]
    contexts: dict[str, str] = {}
    """The names of other hosts, as Docker contexts, with what stands in their place."""
    addresses: tuple[str, ...] = ()
    """Where load hosts found the server's host."""

    def sweep(self, content: bytes) -> bytes:
        """Return a sweep.json without the hosts' names and the server's address."""
        sweep = self._value(msgspec.json.decode(content), "")
        for told in (sweep, *sweep.get("load_hosts", ())):
            told["machine"]["hostname"] = ""
        for place in ("server_address", "registry"):
            sweep["asked"].pop(place, None)
        return msgspec.json.format(msgspec.json.encode(sweep), indent=2) + b"\n"

    def log(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the lines of a log that have anything."""
        for line in lines:
            if line.strip():
                record = self._value(msgspec.json.decode(line), "")
                if isinstance(record, dict) and "machine" in record:
                    record["machine"]["hostname"] = ""
                yield msgspec.json.encode(record)

    def _value(self, value: Any, key: str) -> Any:
        """Return a JSON value that stands at this key."""
        if isinstance(value, str):
            return self._text(value, key)
        if isinstance(value, list):
            return [self._value(each, key) for each in value]
        if isinstance(value, dict):
            # The servers of `left_out` are keys; in older files their reasons are free text.
            is_text = key == "left_out"
            own_name = "name" if key == "load_hosts" else None
            return {
                name: self._value(each, key if (is_text and isinstance(each, str)) or name == own_name else name)
                for name, each in value.items()
            }
        return value

    def _text(self, text: str, key: str) -> str:
        if key in _CONTEXTS:
            return self.contexts.get(text, text)
        if key == "who" and text in _ROLES:
            return text
        if key in ("command", "folder") and text.startswith("/"):
            return PurePosixPath(text).name
        for folder, instead in self.folders.items():
            text = re.sub(rf"(?<![\w.-]){re.escape(folder)}(?![\w-])", instead, text)
        text = _HOME.sub("~", text)
        if key == "command":
            for address in self.addresses:
                text = re.sub(rf"^http://{re.escape(address)}(?![\w.-])", f"http://{SERVER_HOST}", text)
        if key in _FREE_TEXT:
            text = _OTHER_HOST.sub("hostname is another", text) if key == "differences" else text
            for name, instead in self._names():
                text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", instead, text)
        return text

    def _names(self) -> Iterator[tuple[str, str]]:
        """Yield each name with what stands in its place; of a host with a domain, also its first part."""
        yield from ((address, SERVER_HOST) for address in self.addresses)
        own = ((self.host, "HOST"), (self.host.partition(".")[0], "HOST"), (self.user, "USER"))
        for name, instead in (*self.contexts.items(), *own):
            if name not in _NOBODYS:
                yield name, instead
