# SPDX-License-Identifier: Apache-2.0
"""Servos at their effort limits: light ones repeat their steps on the device, not on the host."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    GazeboXMLLoader,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    ModelDescription,
    ModelSpawner,
    MujocoOptions,
    Physics,
    WorldDescription,
)
from deepsim_sync import World

deepsim_warp = pytest.importorskip("deepsim_warp", reason="make warp installs it")

INERTIA = 0.0025  # of the wheel [kg m^2]
STEP = 0.001  # [s]
WHEEL = ModelDescription(
    "wheel",
    links=(
        LinkDescription("base", inertial=Inertial(1.0, Pose(), 0.01, 0.01, 0.01)),
        LinkDescription("rim", inertial=Inertial(0.5, Pose(), *[INERTIA] * 3)),
    ),
    joints=(
        JointDescription("foot", "fixed", "world", "base"),
        JointDescription("axle", "revolute", "base", "rim", axis=JointAxis((0, 0, 1))),
    ),
)
LIMB = """<link name="{name}"><pose relative_to="{name}_joint">0 0 0 0 0 0</pose><inertial>
    <pose>{reach} 0.02 0 0 0 0</pose><mass>{mass}</mass>
    <inertia><ixx>2e-3</ixx><iyy>3e-3</iyy><izz>4e-3</izz></inertia></inertial></link>
  <joint name="{name}_joint" type="revolute"><pose relative_to="{parent}">0.2 0 0 0.3 0 0</pose>
    <parent>{parent}</parent><child>{name}</child><axis><xyz>0 {side} 1</xyz></axis></joint>"""
LIMBS = [("a", "trunk", 0.1, 0.9, 0.3), ("b", "a", 0.15, 0.5, -0.5), ("c", "b", 0.05, 0.2, 0.8)]
FLOATING = (
    """<sdf version="1.9"><model name="arm"><link name="trunk"><inertial><mass>2</mass>
  <inertia><ixx>.02</ixx><iyy>.03</iyy><izz>.02</izz></inertia></inertial></link>"""
    + "".join(
        LIMB.format(name=name, parent=parent, reach=reach, mass=mass, side=side)
        for name, parent, reach, mass, side in LIMBS
    )
    + "</model></sdf>"
)
LIMITS = np.array([2.7, 0.9, 0.15])  # [N m]; 32 bits round one of them down
RATES = np.random.default_rng(1).uniform(-3.0, 3.0, (30, 33, 3))
"""Target velocities by tick and world [rad/s]."""


def make(worlds, *, on_warp=True, integrator="implicitfast"):
    options = MujocoOptions(integrator)
    described = WorldDescription(physics=Physics(STEP, mujoco=options))
    if on_warp:
        return deepsim_warp.WarpSimulator(described, worlds=worlds, device="cpu")
    return MujocoSimulator(described, worlds=worlds)


def floating(worlds, *, damping=20.0, **options):
    """Returns worlds with the arm, whose servos are too weak for it, and four steps per tick."""
    world = World(make(worlds, **options), steps_per_tick=4)
    ModelSpawner(GazeboXMLLoader().load_model(FLOATING)).spawn(world, "arm", Pose((0, 0, 1)))
    world.joints.put(damping=damping, stiffness=10.0, effort_limit=LIMITS)
    return world


def played(world):
    """Returns positions and efforts after each tick, (ticks, W, 3) each."""
    positions, efforts = [], []
    for rates in RATES:
        world.joints.put(target_velocity=rates[: len(world)])
        world.tick()
        positions.append(world.joints.position.copy())
        efforts.append(world.joints.effort.copy())
    return np.array(positions), np.array(efforts)


@pytest.mark.parametrize("load", [0.0, -0.7])
def test_a_light_limited_servo_settles_as_fast_as_its_limit_allows(load):
    """In I dv / L and a few steps, against a torque.

    Each step obeys I dv / dt = effort + torque.
    """
    cases = [*itertools.product((2.5, 40.0, 900.0), (0.05, 5.0), (0.0, 5.0, -3.3))]
    ratio, limit, start = np.array(cases).T[..., None]
    world = World(make(len(cases)))
    world.spawn(WHEEL, "wheel", Pose((0, 0, 1)))
    axle, rim = world.joints.select(["wheel::axle"]), world.links.select(["wheel::rim"])
    damping = ratio * INERTIA / STEP
    axle.put(damping=damping, effort_limit=limit, velocity=start, target_velocity=2.0 + 0.0 * start)
    torque = np.zeros((len(cases), 1, 3))
    torque[:, 0, 2] = load * limit[:, 0]
    goal = 2.0 + load * limit / damping
    needed = INERTIA * np.abs(goal - start) / (limit * (1.0 - abs(load)))
    settled = needed / STEP + np.log(1e6) / np.log1p(ratio) + 5.0
    for number in range(int(settled.max()) + 20):
        rim.torque = torque
        before = axle.velocity.copy()
        world.tick()
        assert (np.abs(axle.effort) <= limit).all()
        change = INERTIA * (axle.velocity - before) / STEP
        # Velocities of 5 rad/s have 5e-7 rad/s in 32 bits, which the damping multiplies.
        room = 1e-6 * (limit + damping + INERTIA / STEP)
        assert (np.abs(axle.effort + torque[:, :, 2] - change) <= room).all()
        late = number > settled
        np.testing.assert_allclose(axle.velocity[late], goal[late], atol=1e-5)


@pytest.mark.parametrize("integrator", ["implicitfast", "discrete"])
def test_coupled_servos_are_limited_as_on_mujoco(integrator):
    """The same servos are at their limits, and the arm moves as there."""
    found = played(floating(5, integrator=integrator))
    wanted = played(floating(5, integrator=integrator, on_warp=False))
    np.testing.assert_allclose(found[0], wanted[0], rtol=0, atol=1e-5)
    np.testing.assert_allclose(found[1], wanted[1], rtol=0, atol=1e-4)
    limited = np.abs(wanted[1]) == LIMITS
    assert ((np.abs(found[1]) == LIMITS) == limited).mean() > 0.99
    assert (limited.mean(axis=(0, 1)) > 0.1).all()
    assert limited.mean() < 0.9


def test_a_limited_world_has_the_same_bytes_among_any_number():
    """Although the worlds need unequal numbers of tries; also when it steps alone."""
    reference = played(floating(33))
    for worlds in (1, 3):
        for found, wanted in zip(played(floating(worlds)), reference, strict=True):
            assert found.tobytes() == wanted[:, :worlds].tobytes()
    world = floating(3)
    for rates in RATES:
        world.joints.put(target_velocity=rates[:3])
        for number in (2, 0, 1):
            world.tick([number])
    assert world.joints.position.tobytes() == reference[0][-1, :3].tobytes()
    assert world.joints.effort.tobytes() == reference[1][-1, :3].tobytes()


def test_a_tick_at_the_limit_takes_one_upload_and_one_download():
    """However often its steps are repeated."""
    world = floating(3)
    transfers = world.simulator.transfers
    world.tick()
    before = transfers.uploads, transfers.downloads, transfers.models, transfers.tries
    played(world)
    after = transfers.uploads, transfers.downloads, transfers.models, transfers.tries
    changes = np.subtract(after, before).tolist()
    assert changes[:3] == [len(RATES), len(RATES), 0]
    assert changes[3] > 4 * len(RATES)


def test_limits_come_and_go_with_the_gains():
    """As on MuJoCo, for servos that are light, heavy and light again."""
    ends = []
    for on_warp in (True, False):
        world = floating(2, on_warp=on_warp)
        for damping, push in ((20.0, 0.0), (0.05, 5.0), (20.0, 5.0)):
            world.joints.put(damping=damping, feedforward=push)
            for _ in range(5):
                world.tick()
            ends.append((world.joints.velocity.copy(), world.joints.effort.copy()))
    for found, wanted in zip(ends[:3], ends[3:], strict=True):
        np.testing.assert_allclose(found[0], wanted[0], rtol=0, atol=1e-4)
        np.testing.assert_allclose(found[1], wanted[1], rtol=0, atol=1e-4)


def test_a_heavy_servo_at_its_limit_has_the_effort_of_the_limit():
    """With all 64 bits, although the device rounds the limit down or up."""
    world = World(make(2))
    world.spawn(WHEEL, "wheel", Pose((0, 0, 1)))
    world.joints.put(damping=0.1, effort_limit=[[0.7], [0.3]], target_velocity=[[90.0], [-90.0]])
    for _ in range(3):
        world.tick()
        assert world.joints.effort[:, 0].tolist() == [0.7, -0.3]
