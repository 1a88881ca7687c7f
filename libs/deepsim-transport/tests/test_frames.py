# SPDX-License-Identifier: Apache-2.0
"""Frames keep every bit, and bytes that are none are refused."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deepsim_transport import MessageError
from deepsim_transport.rows import pack, unpack

ARRAYS = st.one_of(
    *(hnp.arrays(kind, hnp.array_shapes(min_dims=0, min_side=0)) for kind in ("f8", "i8", "?"))
)
HEADERS = st.dictionaries(
    st.text().filter(lambda key: key != "arrays"), st.integers() | st.text() | st.none(), max_size=3
)


@given(HEADERS, st.dictionaries(st.text(), ARRAYS, max_size=3))
def test_a_frame_comes_back_bit_for_bit(header, arrays):
    """Also NaNs, and arrays without numbers."""
    frame = unpack(pack(header, arrays))
    assert frame.header == header
    assert list(frame.arrays) == list(arrays)
    for name, array in arrays.items():
        assert frame.arrays[name].shape == array.shape
        assert frame.arrays[name].dtype == array.dtype
        assert frame.arrays[name].tobytes() == array.tobytes()


@given(st.binary(max_size=80))
def test_bytes_are_a_frame_or_are_refused(payload):
    for text in (payload, b"DSF1" + payload, b"DSF1\x02\0\0\0" + payload):
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


@pytest.mark.parametrize(
    "header",
    [
        b'{"arrays":[["x","<f8",[1000000000,1000000000]]]}',
        b'{"arrays":[["x","<f8",[-1]]]}',
        b'{"arrays":[["x","<f8",[true]]]}',
        b'{"arrays":[["x","O",[0]]]}',
        b'{"arrays":[[3,"<f8",[0]]]}',
        b'{"arrays":3}',
        b"[]",
        b"{}",
        b"[" * 100_000,
    ],
)
def test_a_header_cannot_ask_for_anything_else(header):
    """Not for much memory, objects, or negative sizes."""
    with pytest.raises(MessageError):
        unpack(b"DSF1" + len(header).to_bytes(4, "little") + header)
