# SPDX-License-Identifier: Apache-2.0
"""Messages keep what they say, and bytes that are none are refused."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_transport import MessageError, messages
from deepsim_transport.messages import decode, encode

KINDS = [
    kind for name in messages.__all__ if dataclasses.is_dataclass(kind := getattr(messages, name))
]
SCALARS = {
    float: st.floats(allow_nan=False),
    int: st.integers(0, 2**32 - 1),
    str: st.text(),
    bool: st.booleans(),
}


def of(kind: Any) -> st.SearchStrategy[Any]:
    """Any values of a field's type."""
    if kind in SCALARS:
        return SCALARS[kind]
    if get_origin(kind) is tuple:
        return st.lists(of(get_args(kind)[0]), max_size=3).map(tuple)
    return st.builds(kind, **{name: of(hint) for name, hint in get_type_hints(kind).items()})


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_message_comes_back_as_it_was(kind, data):
    message = data.draw(of(kind))
    assert decode(kind, encode(message)) == message


def test_the_fields_are_those_of_the_paper():
    """By name and in order, as its listings have them."""
    fields = {kind.__name__: [each.name for each in dataclasses.fields(kind)] for kind in KINDS}
    assert fields["Quaternion"] == ["x", "y", "z", "u"]
    assert fields["Twist"] == ["linear_velocity", "euler_angle_velocity"]
    assert fields["EntityState"] == ["entity_name", "pose", "twist", "wrench"]
    assert fields["WorldState"] == ["entity_states", "stats", "gravity", "time_step"]
    assert fields["JointProp"] == [
        "joint_name", "damping", "offset", "max_force", "lower_limits", "upper_limits",
    ]  # fmt: skip


def test_the_bytes_are_those_of_protocol_buffers():
    """Field 1 as a double, field 3 too; zeros are left out."""
    point = messages.Point(x=1.0, z=-2.0)
    assert encode(point).hex() == "09000000000000f03f" + "1900000000000000c0"


@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_or_are_refused(payload):
    for kind in KINDS:
        with contextlib.suppress(MessageError):
            assert isinstance(decode(kind, payload), kind)


def test_numbers_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"-1|range"):
        encode(messages.Time(seconds=-1))
