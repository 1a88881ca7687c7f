# SPDX-License-Identifier: Apache-2.0
"""Resized models have the size that was asked for, and the inertia of their density."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_scenes import ResizeError
from deepsim_scenes.models.resizing import resized
from deepsim_spawn import (
    Bounds,
    Box,
    Capsule,
    CollisionDescription,
    Cylinder,
    Geometry,
    Inertial,
    LinkDescription,
    ModelDescription,
    Sphere,
)

length = st.floats(0.05, 3.0)
place = st.tuples(*3 * [st.floats(-2.0, 2.0)])
turn = st.tuples(*3 * [st.floats(-1.0, 1.0)]).map(lambda angles: Quaternion.from_euler(*angles))


def one_link(*collisions: CollisionDescription, link: Pose | None = None) -> ModelDescription:
    return ModelDescription(
        "m", links=(LinkDescription("l", link or Pose(), collisions=collisions),)
    )


@given(length, length, length, place, st.integers(0, 3), place)
def test_a_box_fills_the_size_that_was_asked_for(x, y, z, position, quarters, link_place):
    """Whatever quarter it is turned by, and wherever it is in the model."""
    orientation = Quaternion.from_euler(0.0, 0.0, quarters * math.pi / 2)
    part = CollisionDescription("c", Box((0.4, 0.6, 0.3)), Pose(position, orientation))
    model = one_link(part, link=Pose(link_place, Quaternion.from_euler(math.pi / 2, 0, 0)))
    before = Bounds.of(model)
    factors = Vector3(*(new / own for new, own in zip((x, y, z), before.size, strict=True)))
    after = Bounds.of(resized(model, factors))
    assert np.allclose(after.size, (x, y, z), rtol=1e-9)
    assert np.allclose(after.center, np.array(before.center) * np.array(factors), atol=1e-9)


@given(length, length, length, turn)
def test_inertia_is_that_of_the_scaled_body(x, y, z, orientation):
    """A box of even density keeps its density, and has the inertia of the new box."""
    own = Vector3(0.4, 0.6, 0.3)

    def box(size: Vector3) -> ModelDescription:
        mass = 10.0 * size.x * size.y * size.z
        squares = np.array(size) ** 2
        moments = np.diag((squares.sum() - squares) * mass / 12)
        axes = np.array(orientation.to_matrix())
        (ixx, ixy, ixz), (_, iyy, iyz), (*_, izz) = (axes.T @ moments @ axes).tolist()
        middle = Pose((0.0, 0.0, size.z / 2), orientation)
        inertial = Inertial(mass, middle, ixx, iyy, izz, ixy, ixz, iyz)
        part = CollisionDescription("c", Box(size), Pose((0.0, 0.0, size.z / 2)))
        return ModelDescription("m", links=(LinkDescription("l", Pose(), inertial, (part,)),))

    size = Vector3(x, y, z)
    factors = Vector3(*(new / old for new, old in zip(size, own, strict=True)))
    (got,), (wanted,) = resized(box(own), factors).links, box(size).links
    for name in ("mass", "ixx", "iyy", "izz", "ixy", "ixz", "iyz"):
        value, expected = getattr(got.inertial, name), getattr(wanted.inertial, name)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9), name
    assert got.inertial.pose.isclose(wanted.inertial.pose)


@pytest.mark.parametrize(
    ("shape", "orientation", "factors"),
    [
        (Cylinder(0.2, 1.0), (0, 0, 0), (1, 2, 1)),
        (Cylinder(0.2, 1.0), (math.pi / 2, 0, 0), (1, 1, 2)),
        (Sphere(0.2), (0, 0, 0), (1, 1, 2)),
        (Capsule(0.2, 1.0), (0, 0, 0), (1, 1, 2)),
        (Box((1, 1, 1)), (0, 0, 0.3), (1, 2, 1)),
        (Box((1, 1, 1)), (0, 0, 0), (0, 1, 1)),
        (Box((1, 1, 1)), (0, 0, 0), (1, math.nan, 1)),
    ],
)
def test_what_would_be_another_shape_is_refused(shape: Geometry, orientation, factors):
    part = CollisionDescription("c", shape, Pose((0, 0, 0), Quaternion.from_euler(*orientation)))
    with pytest.raises(ResizeError):
        resized(one_link(part), Vector3(*factors))


def test_a_lying_cylinder_grows_along_its_axis():
    lying = Pose((0, 0, 0.2), Quaternion.from_euler(math.pi / 2, 0, 0))
    model = one_link(CollisionDescription("c", Cylinder(0.2, 1.0), lying))
    grown = resized(model, Vector3(2.0, 3.0, 2.0))
    (link,) = grown.links
    assert link.collisions[0].geometry.length == pytest.approx(3.0)
    assert tuple(Bounds.of(grown).size) == pytest.approx((0.8, 3.0, 0.8))
