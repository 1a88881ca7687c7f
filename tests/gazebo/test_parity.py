# SPDX-License-Identifier: Apache-2.0
"""The same SDF on the embedded engine and on Gazebo: differences and their reasons.

docs/embedded-and-gazebo.md shows the differences that were measured; the tolerances here are its.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_conformance.bench import Bench
from deepsim_conformance.models import BOX, GROUND
from deepsim_gazebo import GazeboSimulator
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import Simulator

BALL = """<?xml version="1.0"?>
<sdf version="1.6"><model name="ball"><link name="link">
  <inertial>
    <mass>0.5</mass><inertia><ixx>0.002</ixx><iyy>0.002</iyy><izz>0.002</izz></inertia>
  </inertial>
  <collision name="skin">
    <geometry><sphere><radius>0.1</radius></sphere></geometry>
    <surface><friction><ode><mu>1</mu><mu2>1</mu2></ode></friction></surface>
  </collision>
</link></model></sdf>"""
"""A solid ball of 0.1 m."""


@dataclass(frozen=True)
class Scene:
    """The motion of one body, and the allowed differences between two engines.

    Attributes:
        body: SDF of the body.
        start: Where it begins, x y z [m].
        twist: Its velocity once it lies still [m/s, rad/s].
        ground: Whether there is a ground plane.
        settle: Time before it is set in motion [s].
        seconds: Time from then on [s].
        position: Allowed difference at the end [m].
        angle: Allowed difference at the end [rad].
        why: The reason for the tolerance.
    """

    body: str
    start: tuple[float, float, float]
    twist: tuple[float, ...] = (0.0,) * 6
    ground: bool = False
    settle: float = 0.0
    seconds: float = 1.0
    position: float = 1e-9
    angle: float = 1e-9
    why: str = field(default="", repr=False)


SCENES = {
    "free fall": Scene(
        BOX,
        (0.0, 0.0, 10.0),
        why="both integrate velocity before position with the same step: rounding only",
    ),
    "thrown ball": Scene(
        BALL,
        (0.0, 0.0, 1.0),
        (3.0, 1.0, 4.0, 2.0, -3.0, 1.0),
        seconds=0.8,
        angle=1e-5,
        why="ODE turns by a first-order step, which lags by (w dt)^2 / 12 of the angle: 3.5e-6 rad",
    ),
    "sliding box": Scene(
        BOX,
        (0.0, 0.0, 0.1),
        (2.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        ground=True,
        settle=0.2,
        seconds=1.5,
        position=0.002,
        angle=1e-4,
        why="contacts are softer on one side, so that the last millimetres differ",
    ),
    "rolling ball": Scene(
        BALL,
        (0.0, 0.0, 0.1),
        (1.0, 0.0, 0.0, 0.0, 10.0, 0.0),
        ground=True,
        settle=0.2,
        position=0.002,
        angle=0.03,
        why="contacts take or give 0.1 % of the way, which is 1 mm and 0.01 rad on a ball of 0.1 m",
    ),
}


def run(simulator: Simulator, scene: Scene) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Plays a scene; returns the pose (7,) before the motion and at the end."""
    bench = Bench(simulator, GazeboXMLLoader().load_model)
    if scene.ground:
        bench.spawn(GROUND, "ground")
    bench.spawn(scene.body, "body", scene.start)
    if scene.settle:
        bench.run(scene.settle)
    before = bench.pose("body")
    assert bench.write({("models", "twist"): {"body": scene.twist}}) == ()
    bench.run(scene.seconds)
    return before, bench.pose("body")


def angle_between(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Returns the angle between two unit quaternions [rad]."""
    return float(2.0 * np.arccos(np.clip(abs(a @ b), 0.0, 1.0)))


@pytest.mark.parametrize("name", SCENES)
def test_both_engines_move_it_alike(name: str, gazebo: GazeboSimulator) -> None:
    """A body ends at the same place on both engines, within the tolerance of the scene."""
    scene = SCENES[name]
    start, end = run(gazebo, scene)
    expected_start, expected_end = run(MujocoSimulator(), scene)
    moved, expected = end[:3] - start[:3], expected_end[:3] - expected_start[:3]
    distance = float(np.linalg.norm(moved - expected))
    angle = angle_between(end[3:], expected_end[3:])
    print(f"{name}: way {np.linalg.norm(moved):.4g} m, {distance:.2g} m and {angle:.2g} rad apart")
    assert distance <= scene.position, scene.why
    assert angle <= scene.angle + 2e-8, scene.why  # arccos near 1 has no more digits


def test_a_teleported_body_is_where_it_was_put(gazebo: GazeboSimulator) -> None:
    """A pose reads back bit for bit on both engines, and the next step starts from there."""
    target = (1.5, -2.5, 3.0, 0.5, -0.5, 0.5, 0.5)
    poses = []
    for simulator in (gazebo, MujocoSimulator()):
        bench = Bench(simulator, GazeboXMLLoader().load_model)
        bench.spawn(BOX, "body", (0.0, 0.0, 9.0))
        bench.run(0.1)
        assert bench.write({("models", "pose"): {"body": target}}) == ()
        np.testing.assert_array_equal(bench.pose("body"), target)
        bench.run(0.001)
        poses.append(bench.pose("body"))
    np.testing.assert_allclose(poses[0], poses[1], rtol=0, atol=1e-12)
