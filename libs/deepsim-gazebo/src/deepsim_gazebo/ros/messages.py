# SPDX-License-Identifier: Apache-2.0
"""Conversion of ROS messages to values and back.

Messages are identified by their type name and read by their field names, so ROS is not imported
and need not be installed.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar, Union

from deepsim_math import Color, Point, Pose, Quaternion, Twist, Vector3
from deepsim_sync import LinkState, ModelState

Value = Union[Vector3, Point, Quaternion, Pose, Twist, Color, ModelState, LinkState]
"""The values that `to_ros` writes into messages and `from_ros` reads from them."""

M = TypeVar("M")


class _Shape(NamedTuple):
    message: str
    """Name of the message type, without its package."""
    fields: dict[str, type[Value] | None]
    """Type of the value in each field, None for numbers and text; both sides use the same names."""


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

    >>> from types import SimpleNamespace
    >>> message = SimpleNamespace(_type="geometry_msgs/Point", x=0.0, y=0.0, z=0.0)
    >>> to_ros(Point(1, 2, 3), message).z
    3.0

    Args:
        value: A value of one of the types in `Value`.
        message: A message class, which is instantiated, or a message to be filled.

    Returns:
        The message.

    Raises:
        TypeError: The value has no message type, or the message has another type.
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
    """Reads a message as a value; numbers are not changed.

    >>> from types import SimpleNamespace
    >>> from_ros(SimpleNamespace(_type="std_msgs/ColorRGBA", r=1.0, g=0.5, b=0.0, a=1.0))
    Color(1.0, 0.5, 0.0, 1.0)

    Nothing is normalised: the quaternion of a new geometry_msgs/Pose is (0, 0, 0, 0), which a
    `World` refuses.

    Raises:
        TypeError: The message has an unknown type, or lacks a field.
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
    """Returns the ROS type, ``package/Type``, or else the name of the class."""
    return str(getattr(message, "_type", type(message).__name__))
