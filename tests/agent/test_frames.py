from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.agent.frames import CONTENT_AT_MOST, Decoder, Frame, FrameError, Kind, count, encode

FRAMES = st.lists(
    st.builds(Frame, st.sampled_from(Kind), st.integers(0, 2**32 - 1), st.binary(max_size=100)), max_size=10
)


@given(FRAMES, st.integers(1, 50))
def test_what_is_sent_arrives_in_whatever_pieces_it_comes(frames: list[Frame], size: int) -> None:
    sent = b"".join(map(encode, frames))
    decoder = Decoder()
    pieces = [sent[at : at + size] for at in range(0, len(sent), size)]
    assert [frame for piece in pieces for frame in decoder.feed(piece)] == frames


@pytest.mark.parametrize(
    "data",
    [b"HTTP/1.1 200 OK\r\n\r\n", bytes(9), b"\x03\0\0\0\0\xff\xff\xff\xff"],
    ids=["another protocol", "no kind", "too long"],
)
def test_what_is_no_frame_is_refused_before_it_takes_memory(data: bytes) -> None:
    with pytest.raises(FrameError, match="no frame"):
        list(Decoder().feed(data))


def test_a_frame_that_the_other_side_would_refuse_is_not_sent() -> None:
    with pytest.raises(FrameError, match="16,777,217 bytes"):
        encode(Frame(Kind.ANSWER, 1, bytes(CONTENT_AT_MOST + 1)))


@pytest.mark.parametrize("content", [b"", b"-1", b"1 ", b"9" * 10, "²".encode()])
def test_a_count_is_a_small_number(content: bytes) -> None:
    assert count(Frame(Kind.TAKEN, 1, b"65536")) == 65536
    with pytest.raises(FrameError):
        count(Frame(Kind.TAKEN, 1, content))
