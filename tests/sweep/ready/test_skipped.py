from __future__ import annotations

from ab_runner.model.message import Skip, SkipKind
from ab_runner.sweep.ready.skipped import not_here_lines, skipped_lines

SKIPS = {
    "cindy-2.4.4": Skip(
        SkipKind.ARTIFACT, "needs cindy-2.4.4.jar, which no registry has: get https://example.org/a.jar"
    ),
    "lighttpd-1.4": Skip(SkipKind.NOT_INSTALLED, "lighttpd is not installed"),
    "resin-3.0.9": Skip(
        SkipKind.ARTIFACT, "needs resin-3.0.9.jar, which no registry has: get https://example.org/b.jar"
    ),
    "lighttpd-1.4-workers": Skip(SkipKind.NOT_INSTALLED, "lighttpd is not installed"),
    "tomcat-11": Skip(SkipKind.JDK, "needs Java 21 or later; this sweep runs on 17"),
}


def test_skipped_servers_are_a_line_for_each_reason() -> None:
    assert list(skipped_lines(SKIPS)) == [
        "2 servers skipped: their artifacts are missing (cindy-2.4.4, resin-3.0.9); ./ab-runner artifacts fetch gets "
        "them",
        "2 servers skipped: lighttpd is not installed (lighttpd-1.4, lighttpd-1.4-workers)",
        "1 server skipped: needs Java 21 or later; this sweep runs on 17 (tomcat-11)",
    ]
    assert list(skipped_lines({})) == []


def test_a_list_of_servers_says_which_cannot_run_here() -> None:
    assert list(not_here_lines(SKIPS)) == [
        "not here: cindy-2.4.4, resin-3.0.9: their artifacts are missing; ./ab-runner artifacts fetch gets them",
        "not here: lighttpd-1.4, lighttpd-1.4-workers: lighttpd is not installed",
        "not here: tomcat-11: needs Java 21 or later; this sweep runs on 17",
    ]
