# SPDX-License-Identifier: Apache-2.0
"""Joints that close loops hold as joints of trees do."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import ModelDescription, UnsupportedElementWarning
from deepsim_sync import SpawnError, Tables, Transform, World

Load = Callable[[str], ModelDescription]

START = 0.5  # [rad] of the cranks of a swing from the vertical
SWING = math.sin(START), -math.cos(START)


def link(name: str, pose: str, mass: float = 1.0, moment: float = 0.01) -> str:
    return f"""<link name="{name}"><pose>{pose}</pose><inertial><mass>{mass}</mass><inertia>
        <ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz></inertia></inertial></link>"""


def joint(name: str, kind: str, parent: str, child: str, pose: str = "", limit: str = "") -> str:
    axis = "" if kind in ("fixed", "ball") else f"<axis><xyz>0 1 0</xyz>{limit}</axis>"
    return f"""<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>
        <pose>{pose or "0 0 0 0 0 0"}</pose>{axis}</joint>"""


def swing(last: str = "revolute") -> str:
    """A seat of 4 kg between two light cranks of 1 m, 2 m apart, which start aslant."""
    x, z = SWING
    return "".join(
        [
            link("left", "0 0 0 0 0 0", 1e-3, 1e-6),
            link("right", "2 0 0 0 0 0", 1e-3, 1e-6),
            link("seat", f"{1 + x} 0 {z} 0 0 0", 4.0),
            joint("a", "revolute", "world", "left"),
            joint("b", "revolute", "world", "right"),
            joint("c", "revolute", "left", "seat", "-1 0 0 0 0 0"),
            joint("d", last, "right", "seat", "1 0 0 0 0 0"),
        ]
    )


def pendulum(duration: float) -> float:
    """The angle of a pendulum of 1 m that starts aslant at rest, by small explicit steps."""
    angle, speed, step = START, 0.0, 1e-5
    for _ in range(round(duration / step)):
        speed -= 9.8 * math.sin(angle) * step
        angle += speed * step
    return angle


@pytest.mark.parametrize("last", ["revolute", "ball"])
def test_a_seat_on_two_cranks_swings_as_a_pendulum_and_stays_level(load: Load, last: str) -> None:
    """As all its points move on circles; in every world, wherever it is spawned."""
    world = World(MujocoSimulator(worlds=3))
    world.spawn(load(swing(last)), "m", np.array([[w, 0, 5, 0, 0, 0, 1] for w in range(3)]))
    for _ in range(700):
        world.tick()
    tables = Tables(world.entities, 3)
    world.simulator.read(tables)
    pose = tables.links.pose[:, world.entities.links.row("m::seat")]
    angle = pendulum(0.7)
    expected = [1 + math.sin(angle), 0, 5 - math.cos(angle)]
    for w in range(3):
        np.testing.assert_allclose(pose[w, :3] - [w, 0, 0], expected, atol=3e-3)
        np.testing.assert_allclose(pose[w, 3:], [0, 0, 0, 1], atol=2e-3)


LOCKED = "<limit><lower>0</lower><upper>0</upper></limit>"


@pytest.mark.parametrize(
    "second",
    [
        joint("two", "revolute", "base", "plate", "0 0.3 0 0 0 0", LOCKED),
        joint("two", "prismatic", "base", "plate", "0 0.3 0 0 0 0", LOCKED),
        joint("two", "fixed", "plate", "base"),
        joint("two", "fixed", "base", "plate"),
    ],
)
def test_a_second_joint_that_is_fixed_or_locked_is_a_weld(
    load: Load, ground: ModelDescription, second: str
) -> None:
    ball = """<collision name="c"><geometry><sphere><radius>0.2</radius></sphere></geometry>
        </collision></link>"""
    base = link("base", "0 0 1 0 0 0").replace("</link>", ball)
    one = joint("one", "revolute", "base", "plate", "0 -0.3 0 0 0 0", LOCKED)
    world = World(MujocoSimulator())
    world.spawn(ground, "ground", Pose())
    world.spawn(load(base + link("plate", "0.5 0 1 0 0 0") + one + second), "m", Pose())
    body = Transform(world, "m")
    for _ in range(1500):
        world.tick()
    base_pose, plate = body.link("base").pose, body.link("plate").pose
    assert base_pose.position.z < 0.3  # it fell and turned
    between = base_pose.inverse() @ plate
    assert np.asarray(between.position) == pytest.approx([0.5, 0, 0], abs=1e-3)
    assert abs(between.orientation.w) == pytest.approx(1, abs=1e-5)


def test_a_second_joint_to_the_world_holds_too(load: Load) -> None:
    """And a model that hangs so can be put elsewhere, and taken away."""
    bar = link("bar", "0 0 0 0 0 0")
    held = joint("a", "ball", "world", "bar", "-1 0 0 0 0 0") + joint(
        "b", "ball", "world", "bar", "1 0 0 0 0 0"
    )
    world = World(MujocoSimulator())
    for name, x in (("m", 0.0), ("n", 5.0)):
        world.spawn(load(bar + held), name, Pose((x, 0, 2)))
    Transform(world, "m").pose = Pose((0, 3, 4))
    for _ in range(500):
        world.tick()
    found = [np.asarray(Transform(world, name).pose.position) for name in "mn"]
    np.testing.assert_allclose(found, [(0, 3, 4), (5, 0, 2)], atol=1e-3)
    world.delete("m")
    world.tick()
    assert list(world.entities.models) == ["n"]


def test_a_revolute_joint_that_closes_a_loop_keeps_its_axis(load: Load) -> None:
    """Its weight would turn the bar about x, and the axis is along y."""
    bar = link("bar", "0 0 0 0 0 0").replace("<mass>", "<pose>0 0.5 0 0 0 0</pose><mass>")
    both = joint("a", "ball", "world", "bar") + joint("b", "revolute", "world", "bar")
    world = World(MujocoSimulator())
    world.spawn(load(bar + both), "m", Pose())
    for _ in range(500):
        world.tick()
    turn = Transform(world, "m").link("bar").pose.orientation
    assert np.asarray(turn) == pytest.approx([0, 0, 0, 1], abs=0.01)


def test_a_joint_that_cannot_close_a_loop_is_named(load: Load) -> None:
    slide = swing("prismatic")
    world = World(MujocoSimulator())
    with pytest.raises(SpawnError, match="'d' closes a loop, which a prismatic joint cannot"):
        world.spawn(load(slide), "m", Pose())
    assert list(world.entities.models) == []
    world.tick()


def test_what_a_joint_loses_that_closes_a_loop_is_told(load: Load) -> None:
    limited = swing().replace(
        joint("d", "revolute", "right", "seat", "1 0 0 0 0 0"),
        joint("d", "revolute", "right", "seat", "1 0 0 0 0 0", LOCKED.replace("0<", "1<")),
    )
    with pytest.warns(UnsupportedElementWarning, match=r"\(it closes a loop\) of joint d not"):
        World(MujocoSimulator()).spawn(load(limited), "m", Pose())
