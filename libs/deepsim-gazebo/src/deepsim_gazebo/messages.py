# SPDX-License-Identifier: Apache-2.0
"""ROS messages to values and back.

Messages are known by their type name and read by their field names, so that ROS is not imported
and need not be installed.

====================  ==========================================
value                 message
====================  ==========================================
Vector3               geometry_msgs/Vector3
Point                 geometry_msgs/Point
Quaternion            geometry_msgs/Quaternion
Pose                  geometry_msgs/Pose
Twist                 geometry_msgs/Twist
Color                 std_msgs/ColorRGBA
ModelState            gazebo_msgs/ModelState
LinkState             gazebo_msgs/LinkState
====================  ==========================================
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar, Union

from deepsim_math import Color, Point, Pose, Quaternion, Twist, Vector3
from deepsim_sync import LinkState, ModelState

Value = Union[Vector3, Point, Quaternion, Pose, Twist, Color, ModelState, LinkState]
M = TypeVar("M")


class _Shape(NamedTuple):
    message: str
    """Name of the message type, without its package."""
    fields: dict[str, type[Value] | None]
    """Kind of value in each field, called the same on both sides; None for numbers and text."""


_SHAPES: dict[type[Value], _Shape] = {
    Vector3: _Shape("Vector3", dict.fromkeys("xyz")),
    Point: _Shape("Point", dict.fromkeys("xyz")),
    Quaternion: _Shape("Quaternion", dict.fromkeys("xyzw")),
    Pose: _Shape("Pose", {"position": Point, "orientation": Quaternion}),
    Twist: _Shape("Twist", {"linear": Vector3, "angular": Vector3}),
    Color: _Shape("ColorRGBA", dict.fromkeys("rgba")),
    ModelState: _Shape(
        "ModelState", {"model_name": None, "pose": Pose, "twist": Twist, "reference_frame": None}
    ),
    LinkState: _Shape(
        "LinkState", {"link_name": None, "pose": Pose, "twist": Twist, "reference_frame": None}
    ),
}
_VALUES = {shape.message: value for value, shape in _SHAPES.items()}


def to_ros(value: Value, message: M | type[M]) -> M:
    """Writes a value into a message.

    Args:
        value: One of the values in the table above.
        message: The message class, of which a new message is made, or a message to be filled.

    Returns:
        The message.

    Raises:
        TypeError: There is no message for such a value, or the message is of another type.
    """
    shape = _SHAPES.get(type(value))
    if shape is None:
        known = ", ".join(kind.__name__ for kind in _SHAPES)
        raise TypeError(f"no message for {value!r}: there are messages for {known}")
    filled: Any = message() if isinstance(message, type) else message
    name = _type_name(filled)
    if name.rpartition("/")[2] != shape.message:
        kind = type(value).__name__
        raise TypeError(f"a {kind} goes into a {shape.message} message, got one of type {name}")
    _fill(filled, value, shape)
    return filled  # type: ignore[no-any-return]  # it is an M, read by its field names


def from_ros(message: object) -> Value:
    """Reads a message as a value; numbers are kept as they are.

    Nothing is normalised: the quaternion of a new geometry_msgs/Pose is (0, 0, 0, 0), which a
    `World` refuses.

    Raises:
        TypeError: No value is known for such a message, or it lacks a field.
        ValueError: A colour lies outside 0..1.
    """
    name = _type_name(message)
    kind = _VALUES.get(name.rpartition("/")[2])
    if kind is None:
        known = ", ".join(_VALUES)
        raise TypeError(f"no value for a message of type {name}: there are values for {known}")
    return _read(message, kind, name)


def _fill(message: Any, value: Value, shape: _Shape) -> None:
    for field, kind in shape.fields.items():
        part = getattr(value, field)
        if kind is None:
            setattr(message, field, part)
        else:
            _fill(getattr(message, field), part, _SHAPES[kind])


def _read(message: object, kind: type[Value], name: str) -> Value:
    parts: dict[str, Any] = {}
    for field, inner in _SHAPES[kind].fields.items():
        try:
            part = getattr(message, field)
        except AttributeError:
            raise TypeError(f"a message of type {name} has no field {field!r}") from None
        parts[field] = part if inner is None else _read(part, inner, f"{name}.{field}")
    return kind(**parts)


def _type_name(message: object) -> str:
    """As ROS says it, ``package/Type``; or else the name of the class."""
    return str(getattr(message, "_type", type(message).__name__))
