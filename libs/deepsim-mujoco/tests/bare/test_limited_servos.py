# SPDX-License-Identifier: Apache-2.0
"""Servos with effort limits settle as the laws of motion say, for any gain."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np
import pytest
from arms import JOINTS, arm_world
from engine import Arm, Servo
from servo_scenes import INERTIA, wheel_world

RATIOS = (1.0, 2.5, 4.0, 8.0, 40.0, 900.0)
"""Damping times time step over inertia; 2 is the limit of explicit damping."""
LIMITS = (0.05, 0.5, 5.0, 100.0)
STARTS = (0.0, 0.7, 5.0, -3.3)


@pytest.mark.parametrize("load", [0.0, 0.5, -0.7])
@pytest.mark.parametrize("dt", [0.001, 0.005])
def test_every_limited_velocity_servo_settles(dt: float, load: float) -> None:
    """Where an external torque of `load` times the limit is balanced; the effort never exceeds it.

    It gets there as fast as the limit allows: in I dv / L, plus a few steps.
    """
    cases = [*itertools.product(RATIOS, LIMITS, STARTS)]
    ratio, limit, start = np.array(cases).T[..., None]
    world = wheel_world(len(cases), dt)
    axle = world.joints.select(["wheel::axle"])
    damping = ratio * INERTIA / dt
    axle.put(damping=damping, effort_limit=limit, velocity=start, target_velocity=2.0 + 0 * start)
    rim = world.links.select(["wheel::rim"])
    torque = np.zeros((len(cases), 1, 3))
    torque[:, 0, 2] = load * limit[:, 0]
    goal = 2.0 + load * limit / damping
    # The slowest servos decelerate by limit / inertia, or approach by 1 / (1 + ratio) per step.
    needed = INERTIA * np.abs(goal - start) / (limit * (1.0 - abs(load)))
    settled = needed / dt + np.log(1e9) / np.log1p(ratio) + 5.0
    for number in range(int(settled.max()) + 20):
        if load:
            rim.torque = torque
        before = axle.velocity.copy()
        world.tick()
        effort = axle.effort
        assert (np.abs(effort) <= limit).all()
        change = INERTIA * (axle.velocity - before) / dt
        np.testing.assert_allclose(effort + torque[:, :, 2], change, atol=1e-9 * limit.max())
        late = number > settled
        np.testing.assert_allclose(axle.velocity[late], goal[late], atol=1e-6)


def test_a_limited_position_servo_comes_to_rest() -> None:
    """After a kick, with gains that would alternate at their limits for ever."""
    dt = 0.001
    cases = [*itertools.product((8.0, 40.0, 900.0), (0.1, 1.0, 10.0, 100.0), (0.5, 5.0, 50.0))]
    ratio, share, limit = np.array(cases).T[..., None]
    world = wheel_world(len(cases), dt)
    axle = world.joints.select(["wheel::axle"])
    damping = ratio * INERTIA / dt
    axle.put(
        stiffness=share * damping, damping=damping, effort_limit=limit, velocity=20.0 + 0 * ratio
    )
    for _ in range(1500):
        world.tick()
    for _ in range(60):
        before = axle.velocity.copy()
        world.tick()
        alternates = (np.sign(before) != np.sign(axle.velocity)) & (np.abs(before) > 1e-3)
        assert not alternates.any()


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize(
    "servo",
    [Servo(0.0, 20.0, 1.0), Servo(0.0, 200.0, 5.0), Servo(2000.0, 200.0, 1.0)],
    ids=["velocity", "stiff velocity", "position"],
)
def test_coupled_limited_servos_do_not_alternate(servo: Servo, floating: bool) -> None:
    """An arm of unequal links whose servos are too weak for its weight, kicked on the way.

    Each step obeys the laws of motion: the efforts are those that MuJoCo's inverse dynamics finds.
    """
    gravity = 0.0 if floating else -9.8
    world = arm_world(servo, 0.001, floating=floating, gravity=gravity)
    axes = world.joints.select(JOINTS)
    if servo.stiffness:
        axes.target_position = [[0.5, -0.4, 0.3]]
    else:
        axes.target_velocity = [[2.0, -1.5, 1.0]]
    rates = []
    for number in range(1500):
        if number == 700:
            axes.velocity = axes.velocity + np.array([5.0, -5.0, 5.0])
        world.tick()
        rates.append(axes.velocity[0].copy())
        assert (np.abs(axes.effort) <= servo.limit).all()
    changes = np.diff(rates[-100:], axis=0)
    reversals = (np.sign(changes[1:]) != np.sign(changes[:-1])) & (np.abs(changes[1:]) > 1e-2)
    assert reversals.sum(axis=0).max() <= 2


def test_a_limited_arm_moves_as_the_bare_engine_in_small_steps() -> None:
    """With steps that are 100 times smaller, MuJoCo's own limits do not alternate."""
    servo, goal = Servo(0.0, 60.0, 0.6), np.array([1.0, -1.5, 2.0])
    none = np.zeros(3)
    world = arm_world(servo, 0.001, floating=True, gravity=0.0)
    axes = world.joints.select(JOINTS)
    axes.target_velocity = [goal]
    bare = Arm(servo, 1e-5, floating=True, gravity=0.0)
    for _ in range(200):
        world.tick()
        for _ in range(100):
            bare.step(none, goal, none)
    assert bare.model.opt.timestep * 60.0 * bare.model.dof_invweight0[-3:].max() < 2.0
    assert world.simulator.timestep * 60.0 * bare.model.dof_invweight0[-3:].min() > 2.0
    np.testing.assert_allclose(axes.velocity[0], bare.data.qvel[-3:], atol=2e-3)
    np.testing.assert_allclose(axes.position[0], bare.data.qpos[-3:], atol=2e-3)


@pytest.mark.parametrize("watched", ["", "wheel::rim::imu", "wheel::rim::touch"])
def test_a_limited_servo_has_the_same_bits_for_any_worlds_and_calls(watched: str) -> None:
    """For one world and three, and for ten steps in one call, in ten, and with reads between."""

    def play(worlds: int, steps: int, *, reads: bool = False) -> list[bytes]:
        world = wheel_world(worlds, steps=steps)
        axle = world.joints.select(["wheel::axle"])
        sensor = world.sensors[watched] if watched else None
        rates = [[3.0], [2.0], [0.5]][-worlds:]
        axle.put(damping=[[20.0]] * worlds, effort_limit=[[0.4]] * worlds)
        found = []
        for tick in range(12):
            axle.target_velocity = rates if tick % 4 < 2 else [[-each[0]] for each in rates]
            for number in range(10 // steps):
                world.tick()
                if reads and number % 3 == 0:
                    assert np.abs(axle.effort).max() <= 0.4
                    assert sensor is None or sensor.time.all()
            found.append(axle.velocity[-1].tobytes() + axle.effort[-1].tobytes())
        return found

    expected = play(1, 1)
    assert len(set(expected)) > 3
    for other in (play(1, 10), play(3, 1), play(3, 10), play(3, 1, reads=True)):
        assert other == expected


def test_a_servo_that_stays_within_its_limit_has_the_bits_of_one_without() -> None:
    """Also for gains whose limited steps would be tried."""
    found = []
    for limit in (1e9, 60.0):
        world = arm_world(Servo(400.0, 40.0, limit), 0.001, floating=True)
        axes = world.joints.select(JOINTS)
        axes.target_position = [[0.02, -0.03, 0.01]]
        for _ in range(100):
            world.tick()
        assert np.abs(axes.effort).max() < 60.0
        found.append(axes.position.tobytes() + axes.velocity.tobytes() + axes.effort.tobytes())
    assert found[0] == found[1]


def test_worlds_with_limits_step_alone_and_restore_their_bits() -> None:
    """Stepping some worlds, snapshots and resets change nothing about the others."""
    world = wheel_world(3, steps=5)
    axle = world.joints.select(["wheel::axle"])
    axle.put(damping=[[20.0]] * 3, effort_limit=[[0.4]] * 3, target_velocity=[[2.0]] * 3)
    world.tick()
    kept = world.get_state()
    effort = axle.effort.copy()
    for _ in range(20):
        world.tick()
    last = axle.velocity.tobytes(), axle.effort.tobytes()
    world.set_state(kept)
    np.testing.assert_array_equal(axle.effort, effort)
    for _ in range(20):
        world.tick()
    assert (axle.velocity.tobytes(), axle.effort.tobytes()) == last
    world.reset(worlds=[1])
    assert axle.effort[:, 0].tolist() == [axle.effort[0, 0], 0.0, axle.effort[2, 0]]


def test_masses_and_gains_that_change_make_a_servo_settle_again() -> None:
    """A rim that becomes ten times lighter, and gains that grow, while it runs."""
    world = wheel_world(2, kind="prismatic")
    axle = world.joints.select(["wheel::axle"])
    axle.put(damping=[[0.5]] * 2, effort_limit=[[0.4]] * 2)
    world.simulator.physics.scale("mass", ["wheel::rim"], [[1.0], [0.1]])
    for damping in (0.5, 20.0):
        axle.damping = [[damping]] * 2
        for target in (2.0, -2.0):
            axle.target_velocity = [[target]] * 2
            for _ in range(600):
                world.tick()
            np.testing.assert_allclose(axle.velocity, target, atol=1e-6)


def test_bare_mujoco_alternates_where_this_does_not() -> None:
    """The reason of these tests; when MuJoCo settles by itself, its limits can be used as given."""
    moments = " ".join([str(INERTIA)] * 3)
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.001" integrator="implicitfast"/><worldbody><body>
        <joint name="j"/><inertial mass="1" pos="0 0 0" diaginertia="{moments}"/>
        </body></worldbody><actuator><velocity joint="j" kv="20" forcerange="-20 20"/></actuator>
        </mujoco>"""
    )
    data = mujoco.MjData(model)
    data.ctrl[:] = 2.0
    mujoco.mj_step(model, data, 1000)
    assert abs(data.qvel[0] - 2.0) > 1.0
