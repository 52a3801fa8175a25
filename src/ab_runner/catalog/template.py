"""A new server's files, made from those of servers/shared/template, which Maven builds and tests as it does servers:
pure."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from string import Template

DESCRIPTION = "server.toml.template"
OUTSIDE = "outside.toml.template"
"""The server.toml of a new server outside the repository."""
_FURTHER_UP = "    <relativePath>../../pom.xml</relativePath>\n"
"""What the template's pom has and a server's does not need, which is a folder nearer to its parent."""
_JAVA_WORD = re.compile(
    "abstract|assert|boolean|break|byte|case|catch|char|class|const|continue|default|do|double|else|enum|extends|false|"
    "final|finally|float|for|goto|if|implements|import|instanceof|int|interface|long|native|new|null|package|private|"
    "protected|public|return|short|static|strictfp|super|switch|synchronized|this|throw|throws|transient|true|try|"
    "void|volatile|while"
)


def files_of(id: str, template: Mapping[str, str], released: datetime.date) -> dict[str, str]:
    """Return the template's files (name within the folder to text) under the names of the new server."""
    package = package_of(id)

    def renamed(text: str) -> str:
        return (
            text.replace("abrunner.template", f"abrunner.{package}")
            .replace("abrunner/template", f"abrunner/{package}")
            .replace("<artifactId>template</artifactId>", f"<artifactId>{id}</artifactId>")
            .replace(_FURTHER_UP, "")
        )

    made = {renamed(name): renamed(text) for name, text in template.items() if name != DESCRIPTION}
    return made | {"server.toml": description(id, template[DESCRIPTION], released)}


def package_of(id: str) -> str:
    """Return the Java package of a server, `mina092` for `mina-0.9.2`, with `_` before what Java does not take as a
    name."""
    name = id.replace("-", "").replace(".", "")
    return f"_{name}" if _JAVA_WORD.fullmatch(name) else name


def description(id: str, template: str, released: datetime.date) -> str:
    """Return server.toml, made from this template. The version in the id begins with a digit after a dash."""
    found = re.fullmatch(r"(?P<family>.+?)-(?P<version>[0-9].*)", id)
    names = found.groupdict() if found else {"family": id, "version": "1"}
    return Template(template).substitute(names, released=released.isoformat())


def with_module(pom: str, id: str) -> str:
    """Return servers/pom.xml with the new server as its last module. The modules of profiles come after that."""
    return re.sub(r"^( *)</modules>", rf"\1  <module>{id}</module>\n\1</modules>", pom, count=1, flags=re.MULTILINE)
