# SPDX-License-Identifier: Apache-2.0
"""Values that travel between processes as bytes come back as they were."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deepsim_envs import digest
from deepsim_train.rollout_pool.fragment import packed, unpacked

DTYPES = ["bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", ">f8"]
LEAVES = (
    st.none()
    | st.integers()
    | st.sampled_from(DTYPES).flatmap(
        lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0))
    )
)
VALUES = st.recursive(
    LEAVES,
    lambda parts: (
        st.lists(parts, max_size=3).map(tuple)
        | st.dictionaries(st.text(), parts | st.text(), max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert digest(unpacked(packed(value))) == digest(value)


def test_arrays_that_come_back_are_ones_own() -> None:
    array = np.arange(6.0).reshape(2, 3)
    found = unpacked(packed((array, array.T)))
    found[0][:] = 0.0
    assert np.array_equal(found[1], array.T)


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, b"bytes", np.array([object()]), np.array(["a"]), np.float32(1.0)]
)
def test_nothing_else_travels(value: Any) -> None:
    with pytest.raises(TypeError, match="only arrays of numbers can be sent"):
        packed([value])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 8,
        pickle.dumps([1, 2, 3]),
        packed([1]) + b"\x00",
        packed(np.zeros(3))[:-1],
        packed(np.zeros(3)).replace(b"<f8", b"|O8"),
        packed(np.zeros(3)).replace(b"[3]", b"[9]"),
    ],
)
def test_other_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="not a packed value"):
        unpacked(content)
