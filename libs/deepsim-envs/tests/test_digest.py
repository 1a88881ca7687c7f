# SPDX-License-Identifier: Apache-2.0
"""Digests tell values apart that are not the same bit for bit."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_envs import digest

DIFFERENT = [
    None, False, True, 0, 1, 0.0, -0.0, 1.0, "", "1", b"", b"1", [], (), {}, [1], (1,), [[1]],
    [1, 1], [[1], 1], ["ab"], ["a", "b"], {"a": 1}, {"a": 2}, {"b": 1}, {"a": 1, "b": 2},
    {"b": 2, "a": 1}, np.float32(1), np.float64(1), np.int64(1), np.array(1.0), np.array([1.0]),
    np.array([[1.0]]), np.array([1.0], np.float32), np.array([1]), np.zeros(0), np.zeros((0, 2)),
    np.array([np.nan]), np.array([True]),
]  # fmt: skip


def test_values_that_differ_have_different_digests():
    for one, other in combinations(DIFFERENT, 2):
        assert digest(one) != digest(other), (one, other)


def test_the_same_value_has_one_digest_whatever_its_memory_looks_like():
    array = np.arange(12.0).reshape(3, 4)
    assert digest(array.T) == digest(array.T.copy())
    assert digest(array) == digest(array.astype(">f8"))
    assert digest({"a": [array]}) == digest({"a": [array.copy()]})


def test_the_digest_of_a_value_never_changes():
    """A file of today is compared with digests of tomorrow."""
    value = {"a": (np.array([1.5, -2.0], np.float32), 0.25, True, None), "b": ["x", 3]}
    assert digest(value) == EXPECTED


EXPECTED = "b0591a6727084b631c52b9b3c4b46f2606a1befba46e9e24b5d6694d8c567a7f"


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=2), parts),
    max_leaves=8,
)


@given(plain, plain)
def test_digests_are_equal_where_reprs_are(one, other):
    assert (digest(one) == digest(other)) == (repr(one) == repr(other))


@pytest.mark.parametrize("value", [object(), [object()], {1, 2}, np.array([object()])])
def test_only_plain_data_has_a_digest(value):
    with pytest.raises(TypeError, match="a digest is of plain data and arrays"):
        digest(value)
