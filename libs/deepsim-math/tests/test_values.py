# SPDX-License-Identifier: Apache-2.0
"""What all value classes share."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import deepsim_math
from deepsim_math import (
    Color,
    Euler,
    Frustum,
    Material,
    Plane,
    Point,
    Pose,
    Quaternion,
    Ray,
    Twist,
    Vector3,
)

ROWS = [
    (Vector3(0.1, -2, 3e-9), [0.1, -2, 3e-9]),
    (Point(0.1, -2, 3e-9), [0.1, -2, 3e-9]),
    (Quaternion(0.1, -2, 3, 4), [0.1, -2, 3, 4]),
    (Euler(0.1, -2, 3), [0.1, -2, 3]),
    (Pose((0.1, 2, 3), (4, 5, 6, 7)), [0.1, 2, 3, 4, 5, 6, 7]),
    (Twist((0.1, 2, 3), (4, 5, 6)), [0.1, 2, 3, 4, 5, 6]),
    (Color(0.1, 0.2, 0.3, 0.4), [0.1, 0.2, 0.3, 0.4]),
    (
        Material(
            ambient=(0.1, 0.2, 0.3),
            diffuse=(0.4, 0.5, 0.6, 0.7),
            specular=Color(0.8),
            emissive=np.array([0.9, 0, 0]),
        ),
        [0.1, 0.2, 0.3, 1, 0.4, 0.5, 0.6, 0.7, 0.8, 0, 0, 1, 0.9, 0, 0, 1],
    ),
    (
        Frustum(0.1, 2, 1.3, 0.75, Pose((0.1, 2, 3), (4, 5, 6, 7))),
        [0.1, 2, 1.3, 0.75, 0.1, 2, 3, 4, 5, 6, 7],
    ),
]
VALUES = [value for value, _ in ROWS] + [
    Ray((0.1, 2, 3), (0.3, 0.1, -0.7)),
    Plane((0.3, 0.1, -0.7), 2),
]
KINDS = [type(value) for value, _ in ROWS]


def kind_of(value):
    return type(value).__name__ if not isinstance(value, (list, type)) else ""


@pytest.mark.parametrize("value", VALUES, ids=kind_of)
def test_copies_are_equal(value):
    """Repr, pickle, copy, deepcopy and an empty replace give an equal value with an equal hash."""
    names = {name: getattr(deepsim_math, name) for name in deepsim_math.__all__}
    copies = [
        eval(repr(value), names),
        pickle.loads(pickle.dumps(value)),
        copy.copy(value),
        copy.deepcopy(value),
        value.replace(),
    ]
    for other in copies:
        assert other == value
        assert hash(other) == hash(value)
        assert type(other) is type(value)


@pytest.mark.parametrize("value", VALUES, ids=kind_of)
def test_no_attribute_can_be_set_or_deleted(value):
    """The message names the way to a changed copy."""
    name = type(value).__slots__[0] if type(value).__slots__ else "x"
    with pytest.raises(AttributeError, match=rf"immutable.*\.replace\({name}="):
        setattr(value, name, 1.0)
    with pytest.raises(AttributeError, match="immutable"):
        delattr(value, name)
    with pytest.raises(AttributeError):
        value.not_a_field = 1.0
    assert not hasattr(value, "__dict__")


V, P, Q, E = Vector3(1, 2, 3), Point(4, 5, 6), Quaternion(0.1, 0.2, 0.3, 0.4), Euler(0.1, 0.2, 0.3)
RESULTS = [
    (V + V, Vector3),
    (V - V, Vector3),
    (-V, Vector3),
    (2 * V, Vector3),
    (V * np.float64(2), Vector3),
    (V / 2, Vector3),
    (V * V, Vector3),
    (V.cross(V), Vector3),
    (V.normalized(), Vector3),
    (V.project(V), Vector3),
    (P - P, Vector3),
    (P + V, Point),
    (P / True, Point),
    (Q.rotate(V), Vector3),
    (Q.rotate(P), Point),
    (Q.rotate((1, 2, 3)), Vector3),
    (Q * Q, Quaternion),
    (-Q, Quaternion),
    (Q.inverse(), Quaternion),
    (Q.conjugate(), Quaternion),
    (Q.normalized(), Quaternion),
    (Q.slerp(-Q, 0.5), Quaternion),
    (E.to_quaternion(), Quaternion),
    (Quaternion.from_euler(1, np.float32(2), True), Quaternion),
    (Quaternion.look_rotation((1, 2, 3)), Quaternion),
    (Quaternion.from_matrix(np.eye(3)), Quaternion),
    (Quaternion.from_axis_angle((1, 2, 3), 4), Quaternion),
    (Q.to_euler(), Euler),
    (Pose(P, Q) @ Pose(P, Q), Pose),
    (Pose(P, Q).inverse(), Pose),
    (Pose(P, Q).transform_point(P), Point),
    (Pose(P, Q).inverse_transform_vector(V), Vector3),
]


@pytest.mark.parametrize(("value", "kind"), RESULTS)
def test_results_of_arithmetic_are_values_too(value, kind):
    """Of the class itself, of Python floats, frozen, hashable, equal to a copy."""
    assert type(value) is kind
    assert all(type(number) is float for number in value)
    assert pickle.loads(pickle.dumps(value)) == value
    assert hash(value) == hash(kind.from_array(list(value)))
    with pytest.raises(AttributeError, match="immutable"):
        setattr(value, kind.__slots__[0] if kind.__slots__ else "x", 1.0)
    with pytest.raises(AttributeError, match="immutable"):
        value.__class__ = list


def test_subclasses_have_no_other_attributes():
    class Force(Vector3):
        __slots__ = ()

        def newtons(self):
            return self.length

    assert (Force(3, 4, 0) * 2).newtons() == 10.0
    with pytest.raises(TypeError, match=r"Torque needs __slots__ = \(\)"):

        class Torque(Vector3):
            pass


def test_replace():
    """One field changes; unknown names are refused with the known ones."""
    assert Vector3(1, 2, 3).replace(y=5) == Vector3(1, 5, 3)
    assert Pose((1, 2, 3)).replace(orientation=Euler(0, 0, 1)).position == Point(1, 2, 3)
    with pytest.raises(TypeError, match="Vector3 has no field 'w'; it has x, y, z"):
        Vector3().replace(w=1)


@pytest.mark.parametrize(("value", "row"), ROWS, ids=kind_of)
def test_rows(value, row):
    """A value is a sequence of Python floats, and an array of float64."""
    assert list(value) == row
    assert len(value) == len(row)
    assert [value[i] for i in range(len(row))] == row
    assert value[-1] == row[-1]
    assert value[1:3] == tuple(row[1:3])
    assert all(type(number) is float for number in value)
    array = np.asarray(value)
    assert array.dtype == np.float64
    assert array.tolist() == row
    assert np.asarray(value, dtype=np.float32).dtype == np.float32
    assert np.array([value, value]).shape == (2, len(row))
    with pytest.raises(IndexError):
        value[len(row)]


@pytest.mark.parametrize(("value", "row"), ROWS, ids=kind_of)
def test_from_array(value, row):
    """Lists, tuples, arrays, iterators and values of the class itself are read."""
    kind = type(value)
    for source in (row, tuple(row), np.array(row), iter(row), value):
        assert kind.from_array(source) == value
    assert kind.from_array(value) is value
    for wrong in ([*row, 0.0], np.array([*row, 0.0]), [], np.zeros((2, 2))):
        with pytest.raises(ValueError, match=rf"{kind.__name__} needs"):
            kind.from_array(wrong)
    for wrong in (3, None, "1234567"):
        with pytest.raises(TypeError, match=rf"{kind.__name__} needs {len(row)} numbers, got "):
            kind.from_array(wrong)


@pytest.mark.parametrize("kind", [Vector3, Point, Quaternion, Euler, Color])
@pytest.mark.parametrize("number", [1, True, 1.0, np.float32(1), np.int64(1), np.array(1.0)])
def test_numbers(kind, number):
    """Any real number is read, and kept as a Python float."""
    value = kind(*[number] * len(kind()))
    assert value[0] == 1.0
    assert type(value[0]) is float


@pytest.mark.parametrize("kind", [Vector3, Point, Quaternion, Euler, Color])
@pytest.mark.parametrize("wrong", ["1", None, 1j, (1, 2, 3), np.array([1.0]), [1.0]])
def test_not_numbers(kind, wrong):
    with pytest.raises(TypeError, match="must be a number"):
        kind(wrong)
    with pytest.raises(TypeError, match="must be a number"):
        kind(*[1.0] * (len(kind()) - 1), wrong)


@pytest.mark.parametrize("given", [(0,), (1,), (1, 2)])
@pytest.mark.parametrize("kind", [Vector3, Point, Quaternion])
def test_some_of_the_numbers_are_refused(kind, given):
    """All or none: a missing one is a mistake more often than a zero."""
    count = len(kind())
    with pytest.raises(
        TypeError, match=rf"{kind.__name__} needs {count} numbers, got {len(given)}"
    ):
        kind(*given)
    with pytest.raises(TypeError, match="x is missing"):
        kind(**dict.fromkeys(kind.__match_args__[1:], 1.0))


def test_sequence_as_first_coordinate_gets_a_hint():
    with pytest.raises(TypeError, match=r"must be a number, got \(1, 2, 3\); unpack"):
        Vector3((1, 2, 3))


def test_equality_is_exact_and_within_one_class():
    assert Vector3(0.1 + 0.2, 0, 0) != Vector3(0.3, 0, 0)
    assert Vector3(1, 2, 3) != Point(1, 2, 3)
    assert Vector3(1, 2, 3) != (1, 2, 3)
    assert Vector3() != None  # noqa: E711  # the comparison itself is the subject
    assert Vector3(-0.0, 0, 0) == Vector3()
    assert len({Vector3(1, 2, 3), Vector3(1.0, 2.0, 3.0)}) == 1


@pytest.mark.parametrize(
    ("a", "near", "far"),
    [
        (Vector3(1, 2, 3), Vector3(1, 2, 3 + 1e-10), Vector3(1, 2, 3.001)),
        (Point(1, 2, 3), Point(1, 2, 3 + 1e-10), Point(1.001, 2, 3)),
        (Quaternion(0, 0, 0, 1), Quaternion(0, 0, 1e-10, -1), Quaternion(0, 0, 0.001, 1)),
        (Euler(0.1, 0.2, 0.3), Euler(0.1, 0.2, 0.3 + 2 * np.pi), Euler(0.1, 0.2, 0.31)),
        (Pose((1, 2, 3)), Pose((1, 2, 3), (0, 0, 0, -1)), Pose((1, 2, 3), Euler(0, 0, 0.01))),
        (Pose((1, 2, 3)), Pose((1, 2, 3 + 1e-10)), Pose((1, 2, 3.01))),
        (Twist((1, 2, 3)), Twist((1, 2, 3), (1e-10, 0, 0)), Twist((1, 2, 3), (0.001, 0, 0))),
        (Color(0.5), Color(0.5 + 1e-10), Color(0.51)),
        (Material((1, 0, 0)), Material((1, 1e-10, 0)), Material((1, 0.01, 0))),
        (Plane((0, 0, 1), 1), Plane((0, 0, 2), 2 + 1e-10), Plane((0, 0, 1), 1.01)),
        (Frustum(1, 2, 1, 1), Frustum(1, 2, 1 + 1e-10, 1), Frustum(1, 2, 1.01, 1)),
    ],
    ids=kind_of,
)
def test_isclose(a, near, far):
    """Small differences, whole turns and the sign of a quaternion are forgiven."""
    assert a.isclose(near)
    assert near.isclose(a)
    assert not a.isclose(far)
    assert a.isclose(far, abs_tol=0.1)


def test_aggregates_take_plain_sequences():
    assert Pose((1, 2, 3)) == Pose(Point(1, 2, 3), Quaternion())
    assert Pose(Vector3(1, 2, 3), np.array([0, 0, 1, 0])) == Pose(
        Point(1, 2, 3), Quaternion(0, 0, 1, 0)
    )
    assert Pose(orientation=Euler(0, 0, 1)).orientation == Quaternion.from_euler(0, 0, 1)
    assert Twist((1, 0, 0)) == Twist(Vector3(1, 0, 0), Vector3())
    assert Pose.from_array(np.arange(7.0)) == Pose((0, 1, 2), (3, 4, 5, 6))
    assert Twist.from_array(range(6)) == Twist((0, 1, 2), (3, 4, 5))
    with pytest.raises(ValueError, match="Quaternion needs 4 numbers, got 3"):
        Pose((1, 2, 3), (0, 0, 1))


def test_an_array_cannot_be_shared():
    with pytest.raises(ValueError, match="a copy is needed"):
        Vector3().__array__(copy=False)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, 300, float("nan")])
def test_colour_channels_lie_between_zero_and_one(wrong):
    with pytest.raises(ValueError, match=r"colour channel g must be in \[0, 1\]"):
        Color(0, wrong, 0)
    with pytest.raises(ValueError, match="colour channel r"):
        Material(diffuse=(wrong, 0, 0))


@pytest.mark.parametrize("kind", [Vector3, Point, Euler, Quaternion])
def test_a_value_with_a_nan_is_found_again(kind):
    """It equals itself and keeps its hash, so that sets and dictionaries may hold it."""
    value = kind.from_array([float("nan"), 1, 2, 3][: len(kind())])
    assert value == value
    assert len({hash(value) for _ in range(5)}) == 1
    assert value in {value}
    pose = Pose((float("nan"), 0, 0))
    assert pose in {pose}
    assert pose == pose
