# SPDX-License-Identifier: Apache-2.0
"""Conservation of momentum by what sensors and efforts say, and symmetry of whole scenes."""

from __future__ import annotations

import numpy as np
import pytest
from arms import JOINTS, arm_world, targets
from engine import Floats, Servo

from deepsim_math import Pose, Quaternion
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    ForceTorque,
    Imu,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    ModelDescription,
    Physics,
    SensorDescription,
    WorldDescription,
)
from deepsim_sync import World

HEAVY, LIGHT = 5.0, 0.1  # [kg]
MIRROR = np.array([1.0, -1.0, 1.0])


def partners(worlds: int, dt: float) -> World:
    """Returns a heavy and a light body on a rail, floating freely and without gravity."""
    sensors = tuple(
        SensorDescription(name, measurement=measured)
        for name, measured in (("felt", ForceTorque()), ("imu", Imu()))
    )
    inertias = (0.1, 0.1, 0.1)
    cart = LinkDescription("cart", inertial=Inertial(LIGHT, Pose(), *inertias), sensors=sensors)
    model = ModelDescription(
        "train",
        links=(LinkDescription("base", inertial=Inertial(HEAVY, Pose(), *inertias)), cart),
        joints=(JointDescription("rail", "prismatic", "base", "cart", axis=JointAxis((1, 0, 0))),),
    )
    described = WorldDescription(gravity=(0, 0, 0), physics=Physics(max_step_size=dt))
    world = World(MujocoSimulator(described, worlds=worlds))
    world.spawn(model, "train", Pose())
    return world


@pytest.mark.parametrize("limit", [np.inf, 0.7], ids=["free", "limited"])
@pytest.mark.parametrize("dt", [0.001, 0.002, 0.005])
def test_impulses_are_momenta_of_unequal_partners(dt: float, limit: float) -> None:
    """The cart gains what the effort, the force sensor and the inertial unit add up to.

    The base gains the opposite, for damping times step over mass from .01 to 900.
    """
    ratio = np.array([[0.01], [0.1], [1.0], [10.0], [900.0]])
    world = partners(len(ratio), dt)
    rail, links = world.joints.select(["train::rail"]), world.links
    mass = HEAVY * LIGHT / (HEAVY + LIGHT)
    rail.put(damping=ratio * mass / dt, effort_limit=limit + 0.0 * ratio)
    rail.target_velocity = 1.0 + 0.0 * ratio
    felt, imu = world.sensors["train::cart::felt"], world.sensors["train::cart::imu"]
    impulses, gained = np.zeros((2, len(ratio))), np.zeros(len(ratio))
    for _ in range(120):
        world.tick()
        impulses += dt * np.stack([rail.effort[:, 0], felt.force[:, 0]])
        gained += dt * imu.linear_acceleration[:, 0]
        velocity = links.twist[:, :, 0]
        np.testing.assert_allclose(HEAVY * velocity[:, 0], -LIGHT * velocity[:, 1], atol=1e-9)
        np.testing.assert_allclose(impulses, [LIGHT * velocity[:, 1]] * 2, atol=1e-9)
        np.testing.assert_allclose(gained, velocity[:, 1], atol=1e-9)
        assert (np.abs(rail.effort) <= limit).all()
    reached = min(1.0, limit * 120 * dt / mass)  # as fast as the limit allows
    np.testing.assert_allclose(rail.velocity[3:], reached, atol=1e-6)


def play(
    pose: Pose, *, mirrored: bool = False, steps: int = 250, speed: Floats | None = None
) -> dict[str, Floats]:
    """Returns the readings of a floating arm whose strong servos reach their limits."""
    servo = Servo(0.0, 60.0, 0.6)
    world = arm_world(servo, 0.001, floating=True, gravity=0.0, mirrored=mirrored, pose=pose)
    axes = world.joints.select(JOINTS)
    imu, felt = world.sensors["arm::l2::imu"], world.sensors["arm::l2::felt"]
    found: dict[str, list[Floats]] = {}
    for number in range(steps):
        axes.target_velocity = [targets(0.01 * (number // 50))[1]]
        world.tick()
        for name, values in (
            ("position", axes.position),
            ("velocity", axes.velocity),
            ("effort", axes.effort),
            ("force", felt.force),
            ("torque", felt.torque),
            ("acceleration", imu.linear_acceleration),
            ("rate", imu.angular_velocity),
        ):
            found.setdefault(name, []).append(values[0].copy())
    readings = {name: np.array(values) for name, values in found.items()}
    assert (np.abs(readings["effort"]) == servo.limit).any(axis=0).sum() >= 2
    assert np.abs(readings["effort"]).max() <= servo.limit
    # Each axis comes to rest at its target velocity between the changes of the target.
    late = np.abs(readings["velocity"] - targets(0.04)[1])[-5:]
    assert late.max() < 0.05, late
    return readings


def test_a_mirrored_arm_moves_like_the_arm_in_a_mirror() -> None:
    """Vectors are mirrored, and axial ones as well, with the opposite sign."""
    plain, mirrored = play(Pose((0, 0, 1))), play(Pose((0, 0, 1)), mirrored=True)
    signs = {"force": MIRROR, "acceleration": MIRROR, "torque": -MIRROR, "rate": -MIRROR}
    for name, values in plain.items():
        expected = values * signs.get(name, 1.0)
        np.testing.assert_allclose(mirrored[name], expected, atol=1e-5 * (1 + np.abs(values).max()))


def test_a_turned_and_shifted_arm_measures_the_same() -> None:
    """All readings are in axes of the robot."""
    turned = Pose((30.0, -20.0, 5.0), Quaternion.from_euler(0.3, -1.1, 2.0))
    plain, moved = play(Pose((0, 0, 1))), play(turned)
    for name, values in plain.items():
        np.testing.assert_allclose(moved[name], values, atol=1e-5 * (1 + np.abs(values).max()))
