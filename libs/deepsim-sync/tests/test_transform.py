# SPDX-License-Identifier: Apache-2.0
"""The transform of a model or link: a handle on its rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_math import Color, Euler, Material, Pose, Quaternion, Twist
from deepsim_sync import (
    LinkState,
    LinkTransform,
    ModelState,
    SpawnRequest,
    Transform,
    UnknownEntityError,
    World,
)
from deepsim_sync.testing import TableModel, TableSimulator

RED, BLUE = Material(diffuse=Color(1, 0, 0)), Material(diffuse=Color(0, 0, 1))
BASE, ARM = "robot::base::visual", "robot::arm::visual"
DIRECTIONS = ("forward", "back", "left", "right", "up", "down")


def test_pose_and_twist_read_back_at_once(world: World) -> None:
    """They are independent of each other, and are sent with the tick."""
    ball = Transform(world, "ball")
    ball.pose = Pose((1, 2, 3), Quaternion(0, 0, 1, 0))
    assert ball.twist == Twist()
    ball.twist = Twist((1, 0, 0), (0, 0, 1))
    assert ball.state == ModelState(
        "ball", Pose((1, 2, 3), Quaternion(0, 0, 1, 0)), Twist((1, 0, 0), (0, 0, 1))
    )
    world.tick()
    assert ball.pose.position.isclose((1.01, 2, 3))


def test_state_sets_both(world: World) -> None:
    """A state may be given in a reference frame; it reads back in the world."""
    ball = Transform(world, "ball")
    ball.state = ModelState("ball", Pose((1, 0, 0)), Twist((0, 0, 2)), "robot")
    assert ball.state == ModelState("ball", Pose((6, 0, 0)), Twist((0, 0, 2)))


@pytest.mark.parametrize(
    ("orientation", "axes"),
    [
        (Euler(0, 0, 0), "x -x y -y z -z"),
        (Euler(0, 0, np.pi / 2), "y -y -x x z -z"),
        (Euler(np.pi / 2, 0, 0), "x -x z -z -y y"),
        (Euler(0, np.pi / 2, 0), "-z z y -y x -x"),
    ],
)
def test_directions(world: World, orientation: Euler, axes: str) -> None:
    """Quarter turns about each axis take the six directions where they should be."""
    ball = Transform(world, "ball")
    ball.pose = Pose((7, 8, 9), orientation)
    for direction, axis in zip(DIRECTIONS, axes.split()):
        expected = np.eye(3)["xyz".index(axis[-1])] * (-1 if axis[0] == "-" else 1)
        np.testing.assert_allclose(getattr(ball, direction), expected, atol=1e-12)


angles = st.floats(-3, 3)


@given(angles, angles, angles)
def test_directions_are_a_right_handed_frame(roll: float, pitch: float, yaw: float) -> None:
    """Forward x left = up, all of unit length; opposites are opposite."""
    simulator = TableSimulator()
    simulator.spawn(
        [
            SpawnRequest(
                TableModel(), "ball", Pose((0, 0, 0), Quaternion.from_euler(roll, pitch, yaw))
            )
        ]
    )
    ball = Transform(World(simulator), "ball")
    assert ball.forward.cross(ball.left).isclose(ball.up)
    assert ball.forward.length == pytest.approx(1)
    assert ball.back.isclose(-ball.forward)
    assert ball.right.isclose(-ball.left)
    assert ball.down.isclose(-ball.up)


def test_a_link_has_a_transform_too(world: World) -> None:
    """It is found by the name that the model gives it."""
    base = Transform(world, "robot").link("base")
    assert isinstance(base, LinkTransform)
    assert base.name == "robot::base"
    base.pose = Pose((0, 0, 0), Euler(0, 0, np.pi / 2))
    base.twist = Twist((0, 1, 0))
    assert base.state == LinkState("robot::base", base.pose, Twist((0, 1, 0)))
    assert base.forward.isclose((0, 1, 0))
    world.flush()
    assert Transform(world, "robot").twist == Twist((0, 1, 0))
    base.state = LinkState("robot::base", Pose((2, 0, 0)))
    assert base.pose == Pose((2, 0, 0))


def test_link_names_include_those_of_nested_scopes(world: World) -> None:
    world.spawn(TableModel(links=("base", "arm::hand")), "arm", Pose())
    assert Transform(world, "arm").link_names == ("arm::base", "arm::arm::hand")
    assert Transform(world, "arm").link("arm::hand").pose == Pose()


def test_materials_are_by_visual(world: World) -> None:
    """One for all visuals, or some by name; those that are not named stay."""
    robot = Transform(world, "robot")
    assert robot.visual_names == (BASE, ARM)
    robot.material = RED
    assert robot.material == {BASE: RED, ARM: RED}
    robot.material = {ARM: BLUE}
    assert robot.material == {BASE: RED, ARM: BLUE}
    robot.link("base").material = BLUE
    assert robot.material == {BASE: BLUE, ARM: BLUE}
    assert robot.link("arm").material == {ARM: BLUE}


def test_transparency_and_visibility_are_by_visual(world: World) -> None:
    """Integers and NumPy's own booleans are as good as floats and bools."""
    robot = Transform(world, "robot")
    robot.transparency = 1
    robot.visible = np.bool_(False)
    assert robot.transparency == {BASE: 1.0, ARM: 1.0}
    assert robot.visible == {BASE: False, ARM: False}
    robot.transparency = {BASE: 0.5}
    robot.link("arm").visible = True
    world.tick()
    assert robot.transparency == {BASE: 0.5, ARM: 1.0}
    assert robot.visible == {BASE: False, ARM: True}


def test_a_transform_reaches_its_own_visuals_only(world: World) -> None:
    """Those of another model are not changed through it."""
    with pytest.raises(UnknownEntityError, match="no visual of 'ball' is named 'robot::arm::visu"):
        Transform(world, "ball").material = {"ball::link::visual": RED, ARM: RED}
    assert Transform(world, "ball").material != {"ball::link::visual": RED}


def test_a_transform_without_a_model_says_so(world: World) -> None:
    """The name is looked up at each use: it works as soon as the model is there."""
    late = Transform(world, "late")
    for use in (
        lambda: late.pose,
        lambda: setattr(late, "twist", Twist()),
        lambda: late.state,
        lambda: late.visual_names,
        lambda: late.link_names,
        lambda: late.material,
        lambda: setattr(late, "transparency", 0.5),
        lambda: late.link("link"),
    ):
        with pytest.raises(UnknownEntityError, match="'late"):
            use()
    world.spawn(TableModel(), "late", Pose((1, 1, 1)))
    assert late.pose == Pose((1, 1, 1))


def test_a_transform_follows_its_model_to_another_row(world: World) -> None:
    """Names are what it holds, not rows."""
    wall = Transform(world, "wall")
    assert wall.pose == Pose((9, 0, 0))
    world.delete("ball")
    assert wall.pose == Pose((9, 0, 0))
