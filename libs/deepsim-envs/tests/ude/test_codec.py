# SPDX-License-Identifier: Apache-2.0
"""Payloads: what UDE's own encoder wrote is read, and everything comes back as it was sent."""

from __future__ import annotations

import struct
from contextlib import suppress

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from deepsim_envs import digest
from deepsim_envs.ude import PayloadError
from deepsim_envs.ude.codec import Limits, decode, encode
from deepsim_envs.ude.codec.spaces import SPACE_TAGS, space_data

DTYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
f4 = np.float32
GRID = np.arange(6).reshape(2, 3)

#: What the golden files hold.
GOLDEN = {
    "action": {"a": np.array([1, 0], f4), "b": np.array([0.5, -0.25], f4)},
    "step": (
        {"a": np.array([1, 2], f4), "b": {"near": np.array([0.5], f4), "seen": 3}},
        {"a": 1.5, "b": -0.25},
        {"a": False, "b": True},
        {"a": np.array([0], f4), "b": (1, 2)},
        {"note": "ok", "lap": None, "deep": [[1], [], [2.5, b"x"]]},
    ),
    "scalars": [
        *(None, True, False, 0, -(2**63), 2**63 - 1, 0.5, "äöü", b"\x00\xff"),
        *(f4(1.5), np.float16(0.25), -3, "", b""),
    ],
    "empties": [[], (), {}, [[]], {"": []}, np.zeros((0, 3))],
    "arrays": [
        *(GRID.astype(dtype) for dtype in DTYPES),
        *(GRID.T, np.arange(12).reshape(3, 4)[:, ::2], np.array(5.0), np.array([[[1]]], "i2")),
    ],
}

numbers = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.floats(width=32).map(np.float32),
    st.floats(width=16).map(np.float16),
)
texts = st.text(st.characters(exclude_categories=["Cs"]))
keys = st.one_of(texts, st.binary(), st.integers(-(2**63), 2**63 - 1), st.none()).filter(
    lambda key: key != "_pytype_"
)
values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        numbers,
        texts,
        st.binary(),
        arrays.arrays(st.sampled_from(DTYPES), arrays.array_shapes(min_dims=0, min_side=0)),
    ),
    lambda parts: st.one_of(
        st.lists(parts, max_size=4),
        st.lists(parts, max_size=4).map(tuple),
        st.dictionaries(keys, parts, max_size=4),
    ),
    max_leaves=20,
)


def same(one, other):
    return digest([one]) == digest([other])


@pytest.mark.parametrize("name", GOLDEN)
def test_what_pyarrow_wrote_is_read(golden, name):
    assert same(decode(golden(name)), GOLDEN[name])


@pytest.mark.parametrize("name", GOLDEN)
def test_what_pyarrow_read_is_what_we_write(golden, name):
    """The files ending in _ours were decoded by pyarrow 3.0.0 to the values above."""
    assert encode(GOLDEN[name]) == golden(f"{name}_ours")


@given(values)
@settings(deadline=None)
def test_every_value_comes_back(value):
    assert same(decode(encode(value)), value)


def test_arrays_come_back_as_writable_copies():
    array = decode(encode(GRID.T))
    array[0, 0] = 7
    assert array.flags.c_contiguous
    assert decode(encode(np.arange(3, dtype=">i4"))).dtype == np.int32


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({1, 2}, "builtins.set"),
        (object(), "builtins.object"),
        (2**63, "64 bits"),
        (np.array([True]), "use int8"),
        (np.array(["a"]), "array of <U1"),
        (np.array([None]), "array of object"),
        ({(1, 2): 3}, "key of a dict"),
        ({"_pytype_": "Box", "data": 1}, "UDE's own"),
        ("\ud800", "Unicode"),
        (np.zeros((1,) * 9), "8 axes"),
        (np.zeros(3 * 2**20), "bytes"),
    ],
)
def test_what_has_no_place_in_a_payload_is_refused(value, reason):
    with pytest.raises(PayloadError, match=reason):
        encode(value)


def test_a_list_that_holds_itself_is_refused():
    value = []
    value.append(value)
    with pytest.raises(PayloadError, match="16 deep"):
        encode(value)


def test_limits_hold_for_both_directions():
    nested = [[[[1]]]]
    with pytest.raises(PayloadError, match="deep"):
        encode(nested, Limits(depth=3))
    with pytest.raises(PayloadError, match="deep"):
        decode(encode(nested), Limits(depth=3))
    with pytest.raises(PayloadError, match="values"):
        decode(encode(list(range(100))), Limits(values=100))
    with pytest.raises(PayloadError, match="bytes"):
        decode(encode(GRID), Limits(message_bytes=100))
    with pytest.raises(PayloadError, match="at most 2 are"):
        decode(encode(np.zeros((1, 1, 1))), Limits(dimensions=2))


@pytest.mark.parametrize("name", ["pickle", "set"])
def test_what_else_pyarrow_writes_is_refused(golden, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PayloadError):
        decode(golden(name), tags=SPACE_TAGS)
    assert not list(tmp_path.iterdir())


def test_bytes_cannot_unfold_into_more_than_they_hold():
    """Values that share an element, lists that share their parts, and arrays named twice."""
    for value, old, new in [
        ([7, 7, 7, 7, 7], (0, 1, 2, 3, 4), (0, 0, 0, 0, 0)),
        ([[7], [7], [7], [7], [7]], (0, 1, 2, 3, 4, 5), (0, 5, 0, 5, 0, 5)),
        ([GRID] * 5, (0, 1, 2, 3, 4), (0, 0, 0, 0, 0)),
    ]:
        layout = f"<{len(old)}i"
        data = encode(value)
        assert struct.pack(layout, *old) in data
        with pytest.raises(PayloadError):
            decode(data.replace(struct.pack(layout, *old), struct.pack(layout, *new)))


def test_an_empty_array_cannot_be_larger_than_numpy_allows():
    size, huge = struct.pack("<q", 3), struct.pack("<q", 2**31 - 1)
    data = encode(np.zeros((0, 3, 3, 3)))
    assert data.count(size) == 3
    with pytest.raises(PayloadError, match="too large"):
        decode(data.replace(size, huge))


@given(st.data())
@settings(deadline=None, max_examples=300)
def test_damaged_bytes_are_read_or_refused(data):
    """Whatever the bytes, there is a value or a PayloadError, never another error."""
    good = bytearray(encode(data.draw(values)))
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(good) - 1))
        good[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(good)))
    for damaged in (bytes(good), bytes(good[:cut])):
        with suppress(PayloadError):
            decode(damaged, tags=SPACE_TAGS)


@given(st.binary(max_size=400))
@settings(deadline=None)
def test_random_bytes_are_refused(data):
    with pytest.raises(PayloadError):
        decode(data)


WIRE_SPACES = [
    spaces.Box(-1.0, 2.0, (2, 3), np.float32),
    spaces.Box(0, 255, (4, 4, 3), np.uint8),
    spaces.Box(np.array([-np.inf, 0.0]), np.array([np.inf, 1.0]), dtype=np.float64),
    spaces.Discrete(3),
    spaces.MultiBinary(4),
    spaces.MultiBinary([2, 3]),
    spaces.MultiDiscrete([2, 3]),
    spaces.Dict({"p": spaces.Box(-1, 1, (2,)), "t": spaces.Tuple([spaces.Discrete(2)])}),
]


@pytest.mark.parametrize("space", WIRE_SPACES, ids=str)
def test_a_space_comes_back(space):
    assert decode(encode(space_data(space)), tags=SPACE_TAGS) == space


def test_spaces_of_ude_are_read(golden):
    found = decode(golden("spaces"), tags=SPACE_TAGS)
    low = spaces.Box(-1, 1, (2,), np.float32)
    assert found["a"] == spaces.Dict({"p": low, "d": spaces.Discrete(3)})
    assert found["b"] == spaces.Tuple([spaces.MultiBinary(4), spaces.MultiDiscrete([2, 3])])


@pytest.mark.parametrize(
    ("space", "reason"),
    [
        (spaces.Discrete(3, start=1), "start=1"),
        (spaces.MultiDiscrete([2], start=[1]), "start"),
        (spaces.Text(5), "Text"),
        (spaces.Sequence(spaces.Discrete(2)), "Sequence"),
        (spaces.OneOf([spaces.Discrete(2)]), "OneOf"),
        (spaces.Dict({"x": spaces.Text(5)}), "Text"),
    ],
)
def test_a_space_that_ude_lacks_is_refused_by_name(space, reason):
    with pytest.raises(PayloadError, match=reason):
        space_data(space)


@pytest.mark.parametrize(
    "data",
    [
        None,
        {"class": "Text"},
        {"class": ["Box"]},
        {"class": "Discrete", "n": -1},
        {"class": "Discrete", "n": "3"},
        {"class": "MultiBinary", "n": 2**40},
        {"class": "MultiBinary", "n": [2**20, 2**20]},
        {"class": "Box", "low": 0.0, "high": 1.0, "dtype": "float32"},
        {"class": "Box", "low": GRID, "high": GRID[0], "dtype": "float32"},
        {"class": "Box", "low": GRID, "high": GRID, "dtype": "object"},
        {"class": "Tuple", "spaces": [{"class": "Discrete"}]},
        {"class": "Dict", "spaces": 3},
    ],
)
def test_a_space_that_makes_no_sense_is_refused(data):
    payload = encode({"data": data, "tag": "Box"})
    with pytest.raises(PayloadError):
        SPACE_TAGS["Box"](decode(payload)["data"])
