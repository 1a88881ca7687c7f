# SPDX-License-Identifier: Apache-2.0
"""Frames keep every bit, and bytes that are none are refused."""

from __future__ import annotations

import contextlib

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deepsim_transport import MessageError
from deepsim_transport.rows import pack, unpack

KINDS = ("f8", "i8", "?", "u1")
ARRAYS = st.one_of(*(hnp.arrays(kind, hnp.array_shapes(min_dims=0, min_side=0)) for kind in KINDS))
VALUES = st.one_of(
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False),
    st.text(),
    st.booleans(),
    st.none(),
)
HEADERS = st.dictionaries(st.text(), VALUES | st.lists(VALUES, max_size=3), max_size=3)


@given(HEADERS, st.dictionaries(st.text(), ARRAYS, max_size=3))
def test_a_frame_comes_back_bit_for_bit(header, arrays):
    """Also infinities and NaNs, and arrays without numbers."""
    frame = unpack(pack(header, arrays))
    assert frame.header == header
    assert list(frame.arrays) == list(arrays)
    for name, array in arrays.items():
        assert frame.arrays[name].shape == array.shape
        assert frame.arrays[name].dtype == array.dtype
        assert frame.arrays[name].tobytes() == array.tobytes()


@given(st.dictionaries(st.text(), ARRAYS, min_size=1, max_size=3))
def test_arrays_are_read_where_they_are(arrays):
    """They are copied nowhere, and begin where their numbers are aligned."""
    payload = pack({}, arrays)
    whole = np.frombuffer(payload, np.uint8)
    for array in unpack(payload).arrays.values():
        assert array.flags.aligned
        assert not array.flags.writeable
        assert np.shares_memory(array, whole) or not array.size


def test_numbers_of_numpy_are_numbers_of_a_header():
    header = {"n": np.int64(3), "limits": (np.float64(-np.inf), np.float32(0.5)), "on": np.True_}
    assert unpack(pack(header)).header == {"n": 3, "limits": [-np.inf, 0.5], "on": True}


@given(st.binary(max_size=80))
def test_bytes_are_a_frame_or_are_refused(payload):
    for text in (payload, b"DSF2" + payload, b"DSF2\x02\0\0\0" + payload):
        with pytest.raises(MessageError):
            unpack(text)


@given(st.data())
def test_a_damaged_frame_is_refused_or_read(data):
    """No damage does worse than that; what is cut off is always refused."""
    whole = pack({"call": "step", "n": 3}, {"worlds": np.arange(4), "x": np.ones((2, 3))})
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = bytearray(whole)
    damaged[at] = data.draw(st.integers(0, 255))
    with contextlib.suppress(MessageError):
        unpack(bytes(damaged))
    with pytest.raises(MessageError):
        unpack(whole[:at])


def _packed(*head):
    return msgspec.msgpack.encode(head)


@pytest.mark.parametrize(
    "head",
    [
        _packed({}, [["x", "<f8", [1_000_000_000, 1_000_000_000]]]),
        _packed({}, [["x", "<f8", [0, 2**40]]]),
        _packed({}, [["x", "<f8", [-1]]]),
        _packed({}, [["x", "<f8", [True]]]),
        _packed({}, [["x", "<f8", [1] * 9]]),
        _packed({}, [["x", "|O", [0]]]),
        _packed({}, [["x", "<f4", [0]]]),
        _packed({}, [[3, "<f8", [0]]]),
        _packed({}, [["x", "<f8"]]),
        _packed({}, 3),
        _packed([], []),
        _packed({3: 4}, []),
        _packed({}),
        _packed(),
        msgspec.msgpack.encode({}),
        b"\x91" * 100_000,
    ],
)
def test_a_header_cannot_ask_for_anything_else(head):
    """Not for much memory, objects, or negative sizes."""
    padding = bytes(-len(head) % 8)
    with pytest.raises(MessageError):
        unpack(b"DSF2" + len(head).to_bytes(4, "little") + head + padding)


def test_a_bool_is_0_or_1():
    whole = bytearray(pack({}, {"on": np.array([True, False])}))
    assert unpack(bytes(whole)).arrays["on"].tolist() == [True, False]
    whole[-7] = 2
    with pytest.raises(MessageError, match="array 'on' has bools that are neither 0 nor 1"):
        unpack(bytes(whole))
