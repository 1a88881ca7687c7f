# SPDX-License-Identifier: Apache-2.0
"""An arm beside the bare engine: its motion, and the forces and accelerations of each step."""

from __future__ import annotations

import numpy as np
import pytest
from arms import JOINTS, arm_world, targets
from engine import Arm, Servo

GRAVITY = np.array([0.0, 0.0, -9.8])
STEPS = (0.001, 0.002, 0.005)
SERVOS = {
    "soft": Servo(20.0, 0.05),
    "stiff": Servo(400.0, 40.0),
    "velocity": Servo(0.0, 5.0),
    "clamped": Servo(20.0, 0.02, limit=0.8),
}


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("name", SERVOS)
def test_a_restless_arm_moves_and_measures_as_the_bare_engine(
    name: str, dt: float, floating: bool
) -> None:
    """Positions and velocities agree, and efforts, forces and accelerations are of the step taken.

    The expected ones follow from the bare engine's states before and after each step.
    """
    bare = Arm(SERVOS[name], dt, floating=floating)
    world = arm_world(SERVOS[name], dt, floating=floating)
    axes = world.joints.select(JOINTS)
    imu, felt = world.sensors["arm::l2::imu"], world.sensors["arm::l2::felt"]
    gravity = bare.model.opt.gravity
    largest, clamped = np.zeros(3), 0
    for number in range(150):
        goal = targets(number * dt)
        for column, values in zip(
            ("target_position", "target_velocity", "feedforward"), goal, strict=True
        ):
            setattr(axes, column, [values])
        before = bare.data.qpos.copy(), bare.data.qvel.copy()
        bare.step(*goal)
        world.tick()
        taken = bare.taken(before, (bare.data.qpos, bare.data.qvel))
        np.testing.assert_allclose(axes.position[0], taken.position, atol=1e-8)
        np.testing.assert_allclose(axes.velocity[0], taken.velocity, atol=1e-7)
        scale = 1.0 + np.abs(taken.effort).max()
        np.testing.assert_allclose(axes.effort[0], taken.effort, atol=1e-7 * scale)
        np.testing.assert_allclose(felt.force[0], taken.force, atol=1e-7 * scale / 0.1)
        np.testing.assert_allclose(felt.torque[0], taken.torque, atol=1e-7 * scale)
        expected = taken.turn.T @ (taken.velocity_change / dt - gravity)
        np.testing.assert_allclose(imu.linear_acceleration[0], expected, atol=1e-5)
        clamped += bool((np.abs(taken.effort) > SERVOS[name].limit - 1e-6).any())
        largest = np.maximum(largest, np.abs(axes.velocity[0]))
    assert largest.min() > 0.3  # all axes move
    assert (clamped > 20) == (name == "clamped")


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("name", SERVOS)
@pytest.mark.parametrize("integrator", ["implicitfast", "discrete"])
def test_efforts_and_forces_balance_the_change_of_velocity(
    integrator: str, name: str, dt: float
) -> None:
    """To 1e-9 of the largest: by the bare engine's inverse dynamics, from states before and after.

    It balances mass times acceleration and bias at the state before the step.
    """
    bare = Arm(SERVOS[name], dt, floating=False)
    world = arm_world(SERVOS[name], dt, floating=False, integrator=integrator)
    axes, felt = world.joints.select(JOINTS), world.sensors["arm::l2::felt"]
    for number in range(150):
        axes.target_position, axes.target_velocity, axes.feedforward = (
            [values] for values in targets(number * dt)
        )
        before = axes.position[0].copy(), axes.velocity[0].copy()
        world.tick()
        taken = bare.taken(before, (axes.position[0], axes.velocity[0]))
        for found, expected in (
            (axes.effort, taken.effort),
            (felt.force, taken.force),
            (felt.torque, taken.torque),
        ):
            np.testing.assert_allclose(found[0], expected, rtol=0, atol=1e-9 * abs(expected).max())


@pytest.mark.parametrize("steps", [1, 7])
def test_the_torque_about_a_hinge_is_its_effort(steps: int) -> None:
    """However many steps a tick has, at the first one and later."""
    world = arm_world(Servo(300.0, 30.0), 0.001, floating=True, steps=steps, worlds=2)
    axes, felt = world.joints.select(JOINTS), world.sensors["arm::l2::felt"]
    axes.target_position = [[0.5, -0.4, 0.3], [-1.0, 0.2, 0.8]]
    for _ in range(60):
        world.tick()
        np.testing.assert_allclose(felt.torque[:, 0], axes.effort[:, 2], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("integrator", ["implicitfast", "implicit", "discrete", "euler", "rk4"])
def test_the_integral_of_an_inertial_unit_is_its_change_of_velocity(integrator: str) -> None:
    """With every integrator, and with the orientation of the same reading."""
    gains = Servo(20.0, 0.02) if integrator in ("euler", "rk4") else Servo(100.0, 20.0)
    world = arm_world(gains, 0.001, floating=True, integrator=integrator)
    axes, imu = world.joints.select(JOINTS), world.sensors["arm::l2::imu"]
    link = world.links.select(["arm::l2"])

    def velocity() -> np.ndarray:
        pose, twist = link.pose[0, 0], link.twist[0, 0]
        return twist[:3] + np.cross(twist[3:], _rotated(pose[3:], (0.25, 0.02, 0.01)))

    world.tick()
    start, total = velocity(), np.zeros(3)
    for number in range(400):
        axes.target_position = [targets(number * 0.001)[0]]
        world.tick()
        felt = _rotated(imu.orientation[0], imu.linear_acceleration[0])
        total += 0.001 * (felt + GRAVITY)
    change = velocity() - start
    assert np.abs(change).max() > 0.5
    np.testing.assert_allclose(total, change, atol=1e-9)


def _rotated(turn: np.ndarray, vector: object) -> np.ndarray:
    axis, w = np.asarray(turn)[:3], turn[3]
    v = np.asarray(vector, dtype=float)
    return v + 2.0 * np.cross(axis, np.cross(axis, v) + w * v)
