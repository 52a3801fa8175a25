"""The warnings of a sweep: one line of each kind, with some of the names or with every detail."""

from __future__ import annotations

import pytest
from support.builders import NOON, server, sweep, trial, usage
from support.table_sweeps import SERVERS

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.analysis.warnings import skipped
from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.records import EndRecord, Record, ResumeRecord, StartRecord, WarmUpRecord
from ab_runner.model.sweep import Conditions
from ab_runner.report.say.warnings import warning_groups, warning_lines
from ab_runner.store.reader import Stored

FINISHED = EndRecord(at=NOON, reason="finished")
GET = "needs x.jar, which no registry has: `./ab-runner artifacts fetch` downloads it"
NO_JAR = Skip(SkipKind.ARTIFACT, GET)
NO_MAVEN = Skip(SkipKind.NOT_INSTALLED, "mvn is not installed (Debian: maven)")
NO_ROOM, NO_LIGHT = Skip(SkipKind.OTHER, "no room"), Skip(SkipKind.OTHER, "no light")


def lines(*records: Record, everything: bool = False, damage: tuple[str, ...] = (), **changes: object) -> list[str]:
    stored = Stored(sweep(*SERVERS, reference=server("ceiling"), **changes), (*records, FINISHED), damage)
    return list(warning_lines(analyse(stored).warnings, everything))


def test_a_sweep_without_trouble_has_no_warnings() -> None:
    assert lines() == []


def test_servers_that_are_skipped_for_reasons_of_one_kind_are_one_line() -> None:
    names = [f"cindy-{number}" for number in range(7)]
    assert warning_lines(skipped(dict.fromkeys(names, NO_JAR))) == (
        "7 servers skipped, artifacts missing (./ab-runner artifacts fetch): "
        "cindy-0, cindy-1, cindy-2, cindy-3, cindy-4 and 2 more",
    )
    assert warning_lines(skipped({"a-1": NO_MAVEN, "b-1": NO_JAR, "c-1": NO_JAR})) == (
        "skipped: a-1: mvn is not installed (Debian: maven)",
        "2 servers skipped, artifacts missing (./ab-runner artifacts fetch): b-1, c-1",
    )


def test_every_skipped_server_has_its_reason_where_everything_is_wanted() -> None:
    skipped = {"b-1": NO_JAR, "c-1": Skip(SkipKind.OTHER, "no\nroom")}
    assert lines(skipped=skipped, everything=True) == [f"skipped: b-1: {GET}", "skipped: c-1: no room"]


def test_forty_skipped_servers_are_one_line_that_has_them_all_behind_it() -> None:
    names = [f"cindy-{number}" for number in range(40)]
    (group,) = warning_groups(skipped(dict.fromkeys(names, NO_JAR)))
    assert group.line == "40 servers skipped, artifacts missing (./ab-runner artifacts fetch)"
    assert group.items == tuple((name, GET) for name in names)


def test_reasons_that_are_no_known_kind_are_one_line() -> None:
    assert warning_lines(skipped({"a-1": NO_ROOM, "b-1": NO_ROOM})) == ("2 servers skipped, no room: a-1, b-1",)
    different = {"a-1": NO_ROOM, "b-1": NO_ROOM, "c-1": NO_LIGHT}
    assert warning_lines(skipped(different)) == ("3 servers skipped, several reasons: a-1, b-1, c-1",)
    assert warning_lines(skipped(different), everything=True) == (
        "3 servers skipped, several reasons: a-1 (no room); b-1 (no room); c-1 (no light)",
    )


def test_what_is_wrong_with_the_host_is_one_line() -> None:
    conditions = Conditions(
        governors=("powersave",), turbo=True, swap_used_bytes=0, busy_cores=0.0, stolen=0.0, cpu_quota=None
    )
    (line,) = lines(conditions=conditions)
    assert "powersave" in line
    assert "turbo is on" in line
    assert lines(conditions=conditions, everything=True) == [line]
    assert line.startswith("2 conditions of this host disturb measurements: ")


def test_trials_in_which_the_hypervisor_gave_time_to_others_are_one_line() -> None:
    shares = ((0.0, 0.0), (0.03, 0.0), (0.01, 0.031), (0.124, 0.05), (None, None))
    trials = [
        trial(
            "tomcat-5.5.15", "small", level, usage=usage(server_stolen_share=server, generator_stolen_share=generator)
        )
        for level, (server, generator) in enumerate(shares, 1)
    ]
    assert lines(*trials, trial("tomcat-5.5.15", "small", 9)) == [
        "in 2 of 6 trials the hypervisor gave more than 3 % of the CPU time to others, at most 12.4 %: "
        "figures are of the other trials, where a cell has any; use a quieter host"
    ]
    assert lines(*trials[:2]) == []


def test_damaged_lines_and_differences_are_counted() -> None:
    resumed = ResumeRecord(at=NOON, differences=("kernel is 6.2 and was 6.1", "ab is b and was a"))
    damage = tuple(f"line {number} is damaged" for number in range(3, 10))
    assert lines(resumed, damage=damage) == [
        "resumed although 2 things had changed: kernel is 6.2 and was 6.1; ab is b and was a",
        "7 lines of the log are damaged and ignored: line 3 is damaged; line 4 is damaged; line 5 is damaged; "
        "line 6 is damaged; line 7 is damaged and 2 more",
    ]
    assert lines(resumed, resumed, everything=True) == [
        "resumed although 4 things had changed: "
        + "; ".join(2 * ["kernel is 6.2 and was 6.1 (2026-11-20 12:00)", "ab is b and was a (2026-11-20 12:00)"])
    ]
    assert lines(ResumeRecord(at=NOON, differences=("ab is b and was a",))) == [
        "resumed at 2026-11-20 12:00 although ab is b and was a"
    ]


def test_of_many_servers_that_were_not_steady_some_are_named() -> None:
    records = [
        WarmUpRecord(block=block, server=f"s-{number}", start=block, at=NOON, steady=block > 1)
        for number in range(7)
        for block in (1, 2)
    ]
    assert lines(*records) == [
        "7 of 14 warm-ups ended before the server was steady: s-0, s-1, s-2, s-3, s-4 and 2 more"
    ]
    assert lines(*records, everything=True)[0].endswith("s-5 (1 of 2); s-6 (1 of 2)")


@pytest.mark.parametrize(
    ("id", "kind", "version", "same", "other"),
    [
        ("nginx-1.26", "debian", "1.26.3", "nginx 1.26.3-3+deb13u1", "nginx 1.22.1-9"),
        ("go-1.24", "go", "1.24.4", "go 1.24.4", "go 1.26.8"),
    ],
)
def test_a_package_of_another_release_is_told(id: str, kind: str, version: str, same: str, other: str) -> None:
    listed = server(id, kind=kind, version=version)
    started = [
        StartRecord(block=block, server=listed.id, start=block, at=NOON, seconds=0.1, environment={"version": package})
        for block, package in enumerate((same, other), 1)
    ]
    ours = Stored(sweep(listed, reference=server("ceiling")), (started[0], FINISHED))
    assert warning_lines(analyse(ours).warnings) == ()
    another = Stored(sweep(listed, reference=server("ceiling")), (started[1], FINISHED))
    assert warning_lines(analyse(another).warnings) == (
        f"the host's packages are of other releases than those listed: {id} ran as {other}",
    )
