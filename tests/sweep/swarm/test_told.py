"""What a job tells arrives once, whatever becomes of the connection to its log."""

from __future__ import annotations

import pytest
from support.builders import trial

from ab_runner.sweep.events import PhaseStarted
from ab_runner.sweep.swarm.told import EndTold, FileTold, Hearing, PhaseTold, RecordTold, Told, lines_of

NOISE = bytes(range(256)) * 400
MESSAGES: list[Told] = [
    PhaseTold(PhaseStarted("start", "a-1")),
    FileTold("1-a-1.txt", NOISE + b"".join(str(each**7).encode() for each in range(9_000))),
    RecordTold(trial("a-1", "small", 100)),
    EndTold("finished"),
]
LINES = [line for number, told in enumerate(MESSAGES, 1) for line in lines_of(number, told)]


def heard(hearing: Hearing, lines: list[str]) -> list[Told]:
    return [told for line in lines if (told := hearing.hear(line)) is not None]


def test_messages_of_any_length_go_over_short_lines() -> None:
    assert heard(Hearing(), LINES) == MESSAGES
    assert len(LINES) > len(MESSAGES) + 3
    assert max(map(len, LINES)) < 16_000, "a log driver would cut it"


@pytest.mark.parametrize("at", range(len(LINES)))
def test_a_log_that_begins_anew_at_any_line_repeats_nothing(at: int) -> None:
    hearing = Hearing()
    assert heard(hearing, LINES[:at]) + heard(hearing, LINES) == MESSAGES


def test_a_message_that_is_missing_is_no_silence() -> None:
    hearing = Hearing()
    heard(hearing, lines_of(1, MESSAGES[0]))
    with pytest.raises(ValueError, match="message 2 of its log is missing"):
        heard(hearing, lines_of(3, MESSAGES[2]))


def test_other_lines_are_the_last_words_of_a_job() -> None:
    hearing = Hearing()
    assert heard(hearing, ["Traceback …", *lines_of(1, MESSAGES[0]), "  OSError: no space  ", ""]) == MESSAGES[:1]
    assert hearing.said == "OSError: no space"


@pytest.mark.parametrize("text", ["!", "eJw=", "eJyrVkosLcnIL1KyUkpUqgUAJ3kFFg=="])
def test_what_is_no_message_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="tells what it should not"):
        Hearing().hear(f"ab-runner 1 0 {text}")
