from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.model.compact import Compact

WHOLE = st.integers(-(10**18), 10**18)


@given(st.dictionaries(WHOLE, WHOLE))
def test_it_is_the_mapping_that_it_was_made_of(pairs: dict[int, int]) -> None:
    made = Compact(pairs)
    assert made == pairs
    assert list(made) == sorted(pairs)
    assert (len(made), bool(made)) == (len(pairs), bool(pairs))


@given(st.dictionaries(st.integers(0, 100), WHOLE), st.integers(-1, 101))
def test_it_has_the_keys_of_the_mapping_and_no_others(pairs: dict[int, int], key: int) -> None:
    made = Compact(pairs)
    assert (key in made) == (key in pairs)
    if key not in pairs:
        with pytest.raises(KeyError):
            made[key]
