# SPDX-License-Identifier: Apache-2.0
"""Conversion of messages to values and back."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_gazebo import from_ros, to_ros
from deepsim_math import Color, Point, Pose, Quaternion, Twist, Vector3
from deepsim_sync import LinkState, ModelState

POSE = Pose(Point(1, 2, 3), Quaternion(0.5, -0.5, 0.5, 0.5))
TWIST = Twist(Vector3(4, 5, 6), Vector3(7, 8, 9))
VALUES = {
    "Vector3": Vector3(1, 2, 3),
    "Point": Point(1, 2, 3),
    "Quaternion": Quaternion(0.1, 0.2, 0.3, 0.4),
    "Pose": POSE,
    "Twist": TWIST,
    "ColorRGBA": Color(0.1, 0.2, 0.3, 0.4),
    "ModelState": ModelState("ball", POSE, TWIST, "robot"),
    "LinkState": LinkState("robot::arm", POSE, TWIST, "world"),
}


@pytest.mark.parametrize("name", VALUES)
def test_there_and_back(msgs: Any, name: str) -> None:
    """A value written to a new message and read again is equal."""
    message = to_ros(VALUES[name], getattr(msgs, name))
    assert type(message) is getattr(msgs, name)
    assert from_ros(message) == VALUES[name]
    assert type(from_ros(message)) is type(VALUES[name])


def test_every_field_is_where_it_belongs(msgs: Any) -> None:
    """Against a message written out by hand."""
    assert to_ros(VALUES["ModelState"], msgs.ModelState) == msgs.ModelState(
        "ball",
        msgs.Pose(msgs.Point(1.0, 2.0, 3.0), msgs.Quaternion(0.5, -0.5, 0.5, 0.5)),
        msgs.Twist(msgs.Vector3(4.0, 5.0, 6.0), msgs.Vector3(7.0, 8.0, 9.0)),
        "robot",
    )
    assert to_ros(VALUES["ColorRGBA"], msgs.ColorRGBA) == msgs.ColorRGBA(0.1, 0.2, 0.3, 0.4)


def test_a_message_is_filled_in_place(msgs: Any) -> None:
    """The parts of a given message stay the same objects."""
    message = msgs.Pose()
    position = message.position
    assert to_ros(POSE, message) is message
    assert message.position is position
    assert (position.x, position.y, position.z) == (1.0, 2.0, 3.0)


def test_a_new_message_reads_as_it_is(msgs: Any) -> None:
    """Its quaternion of zeros is not changed."""
    assert from_ros(msgs.Pose()) == Pose((0, 0, 0), Quaternion(0, 0, 0, 0))
    assert from_ros(msgs.ModelState()).model_name == ""


def test_classes_that_ros_did_not_make_go_by_their_name(msgs: Any) -> None:
    """ROS 2 messages and users' own records have no ``_type``."""

    class Point:
        def __init__(self) -> None:
            self.x = self.y = self.z = 0.0

    assert from_ros(to_ros(VALUES["Point"], Point)) == VALUES["Point"]


@pytest.mark.parametrize(
    ("value", "message", "text"),
    [
        (
            Vector3(),
            "Point",
            "a Vector3 goes into a Vector3 message, got one of type geometry",
        ),
        (POSE, "Twist", "a Pose goes into a Pose message, got one of type geometry_msgs/Twist"),
        ((1, 2, 3), "Point", r"no message for \(1, 2, 3\): there are messages for Vector3, Point"),
        (None, "Pose", "no message for None"),
    ],
)
def test_a_mismatch_is_refused(msgs: Any, value: Any, message: str, text: str) -> None:
    """The message stays as it was."""
    target = getattr(msgs, message)()
    with pytest.raises(TypeError, match=text):
        to_ros(value, target)
    assert target == getattr(msgs, message)()


def test_unknown_messages_are_refused(msgs: Any) -> None:
    """With their type, or the missing field."""
    with pytest.raises(TypeError, match="no value for a message of type sensor_msgs/Imu"):
        from_ros(msgs.Imu())
    with pytest.raises(TypeError, match="of type turtlesim/Pose has no field 'position'"):
        from_ros(msgs.TurtlePose())
    with pytest.raises(TypeError, match="no value for a message of type int"):
        from_ros(3)


def test_a_colour_outside_its_range_is_refused(msgs: Any) -> None:
    """ROS itself does not check."""
    with pytest.raises(ValueError, match="colour channel r"):
        from_ros(msgs.ColorRGBA(1.5, 0.0, 0.0, 1.0))


numbers = st.floats(allow_nan=False)
vectors = st.builds(Vector3, numbers, numbers, numbers)
poses = st.builds(
    Pose,
    st.builds(Point, numbers, numbers, numbers),
    st.builds(Quaternion, numbers, numbers, numbers, numbers),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the classes stay as is
@given(st.builds(ModelState, st.text(), poses, st.builds(Twist, vectors, vectors), st.text()))
def test_no_bit_is_lost(msgs: Any, state: ModelState) -> None:
    """Any numbers and any names are unchanged."""
    assert from_ros(to_ros(state, msgs.ModelState)) == state


def test_with_the_messages_of_ros() -> None:
    """With the classes of ROS, through serialisation, if it is installed."""
    geometry = pytest.importorskip("geometry_msgs.msg", reason="ROS is not installed")
    for name in ("Vector3", "Point", "Quaternion", "Pose", "Twist"):
        message = to_ros(VALUES[name], getattr(geometry, name))
        assert from_ros(_over_the_wire(message)) == VALUES[name]
    standard = pytest.importorskip("std_msgs.msg", reason="ROS is not installed")
    colour = from_ros(_over_the_wire(to_ros(VALUES["ColorRGBA"], standard.ColorRGBA)))
    assert colour.isclose(VALUES["ColorRGBA"], abs_tol=1e-7)  # ROS has colours in float32


def _over_the_wire(message: Any) -> Any:
    buffer = BytesIO()
    message.serialize(buffer)
    received = type(message)()
    received.deserialize(buffer.getvalue())
    return received
