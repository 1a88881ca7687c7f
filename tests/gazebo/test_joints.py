# SPDX-License-Identifier: Apache-2.0
"""Joints on Gazebo beyond the conformance suite: stiff gains, turns, both engines, neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_conformance.models import (
    HINGED,
    PENDULUM,
    PENDULUM_INERTIA,
    SINKER,
)
from deepsim_gazebo import GazeboSimulator
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, WorldDescription
from deepsim_sync import JointRows, Simulator, Tables, World

UPRIGHT = (0, 0, 3, 0, 0, 0, 1)
NAMES = ["arm::j1", "arm::j2", "arm::j3"]


def _link(number: int) -> str:
    inertia = "<ixx>0.001</ixx><iyy>0.004</iyy><izz>0.004</izz>"
    axis = "0 1 0" if number % 2 else "0 0 1"
    return (
        f'<link name="l{number}"><pose>{0.3 * number} 0 0 0 0 0</pose><inertial>'
        f"<pose>0.15 0 0 0 0 0</pose><mass>0.5</mass><inertia>{inertia}</inertia></inertial></link>"
        f'<joint name="j{number}" type="revolute"><parent>l{number - 1}</parent>'
        f"<child>l{number}</child><axis><xyz>{axis}</xyz><limit><lower>-2.5</lower>"
        "<upper>2.5</upper><effort>50</effort></limit></axis></joint>"
    )


ARM = (
    '<sdf version="1.7"><model name="arm"><link name="l0"/><joint name="mount" type="fixed">'
    f"<parent>world</parent><child>l0</child></joint>{''.join(map(_link, (1, 2, 3)))}</model></sdf>"
)
"""Three hinges in a row, alternately along y and z, limits of effort 50 N m."""

_FINGER = (
    '<link name="{name}_link"><pose>0 {y} 0 0 0 0</pose><inertial><mass>0.1</mass><inertia>'
    "<ixx>1e-4</ixx><iyy>1e-4</iyy><izz>1e-4</izz></inertia></inertial></link>"
    '<joint name="{name}" type="prismatic"><parent>palm</parent><child>{name}_link</child><axis>'
    "<xyz>0 1 0</xyz>{mimic}</axis></joint>"
)
_MIMIC = '<mimic joint="left"><multiplier>-1</multiplier><offset>0.01</offset></mimic>'
GRIPPER = (
    '<sdf version="1.7"><model name="gripper"><link name="palm"/><joint name="mount" type="fixed">'
    "<parent>world</parent><child>palm</child></joint>"
    f"{_FINGER.format(name='left', y=0.1, mimic='')}"
    f"{_FINGER.format(name='right', y=-0.1, mimic=_MIMIC)}</model></sdf>"
)
"""Two fingers on rails; the right one mimics the left one."""

UNIVERSAL = (
    '<sdf version="1.7"><model name="cross"><link name="a"/><link name="b"/>'
    '<joint name="mount" type="fixed"><parent>world</parent><child>a</child></joint>'
    '<joint name="joint" type="universal"><parent>a</parent><child>b</child>'
    "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint></model></sdf>"
)


SLIDE = (
    '<sdf version="1.7"><model name="slide"><link name="a"/><link name="b"><inertial>'
    "<mass>2</mass></inertial></link>"
    '<joint name="mount" type="fixed"><parent>world</parent><child>a</child></joint>'
    '<joint name="joint" type="prismatic"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>'
    "<limit><lower>-3</lower><upper>3</upper></limit>"
    "<dynamics><damping>10</damping></dynamics></axis></joint></model></sdf>"
)


def _spawned(simulator: Simulator, sdf: str, name: str, steps: int = 10) -> tuple[World, JointRows]:
    world = World(simulator, steps_per_tick=steps)
    model = sdf if isinstance(simulator, GazeboSimulator) else GazeboXMLLoader().load_model(sdf)
    world.spawn(model, name, UPRIGHT)
    return world, world.joints.select(list(world.joints.names))


def _run(world: World, ticks: int) -> None:
    for _ in range(ticks):
        world.tick()


def test_an_effort_at_its_limit_stays_bounded(gazebo: GazeboSimulator) -> None:
    """The stiffest command moves no faster than its limit of effort allows."""
    world, joint = _spawned(gazebo, PENDULUM, "pendulum")
    joint.put(stiffness=1e6, damping=1e3, target_position=1.0, effort_limit=5.0)
    world.tick()
    assert joint.effort[0, 0] == 5.0
    assert joint.velocity[0, 0] < 0.01 * (5.0 + 0.3 * 9.8) / PENDULUM_INERTIA + 1e-9


def test_whole_turns_are_counted(gazebo: GazeboSimulator) -> None:
    """Positions go on beyond pi, are taken as written, and begin anew after a reset."""
    world, joint = _spawned(gazebo, PENDULUM, "pendulum")
    joint.put(position=20.0)
    _run(world, 1)
    assert joint.position[0, 0] == pytest.approx(20.0, abs=0.01)
    joint.put(damping=1e3, target_velocity=10.0)
    _run(world, 100)
    assert joint.position[0, 0] == pytest.approx(30.0, abs=0.1)
    world.reset()
    assert joint.position[0, 0] == 0.0


def test_both_engines_track_alike(gazebo: GazeboSimulator) -> None:
    """The same command moves the same arm on MuJoCo and on Gazebo."""
    ways = []
    for simulator in (MujocoSimulator(WorldDescription(gravity=(0, 0, -9.8))), gazebo):
        world, joints = _spawned(simulator, ARM, "arm")
        assert list(world.joints.names) == NAMES
        np.testing.assert_array_equal(joints.effort_limit, [[50.0] * 3])
        joints.put(stiffness=300.0, damping=20.0)
        way = []
        for tick in range(100):
            target = 0.5 * np.sin(0.06 * tick + np.arange(3))
            joints.put(target_position=[target])
            world.tick()
            way.append(np.concatenate([joints.position[0], joints.velocity[0]]))
        ways.append(np.array(way))
    np.testing.assert_allclose(ways[0][:, :3], ways[1][:, :3], atol=2e-3)
    np.testing.assert_allclose(ways[0][:, 3:], ways[1][:, 3:], atol=3e-2)


@pytest.mark.parametrize(("stiffness", "damping"), [(300.0, 20.0), (2000.0, 200.0)])
def test_limited_servos_of_both_engines_move_alike(
    gazebo: GazeboSimulator, stiffness: float, damping: float
) -> None:
    """Each axis reaches its limit, and none exceeds it or alternates afterwards."""
    limits = np.array([50.0, 20.0, 5.0])
    ways = []
    for simulator in (MujocoSimulator(WorldDescription(gravity=(0, 0, -9.8))), gazebo):
        world, joints = _spawned(simulator, ARM, "arm", steps=1)
        joints.put(stiffness=stiffness, damping=damping, effort_limit=[limits])
        joints.put(target_position=[[0.5, -0.8, 1.2]])
        way = []
        for _ in range(1000):
            world.tick()
            way.append(np.stack([joints.position[0], joints.velocity[0], joints.effort[0]]))
        ways.append(np.array(way))
    np.testing.assert_allclose(ways[0][:, 0], ways[1][:, 0], atol=1e-3)
    np.testing.assert_allclose(ways[0][:, 1], ways[1][:, 1], atol=0.03)
    for each in ways:
        assert (np.abs(each[:, 2]).max(axis=0) == limits).all()
        assert np.ptp(each[-50:, 1], axis=0).max() < 1e-3


def test_a_limited_servo_acts_beside_damping_of_the_joint_and_at_its_end(
    gazebo: GazeboSimulator,
) -> None:
    """A slide of 10 N s/m driven by 20 N moves at 2 m/s, stands still at its end, and leaves it."""
    world, joint = _spawned(gazebo, SLIDE, "slide")
    joint.put(damping=2000.0, target_velocity=10.0, effort_limit=20.0)
    _run(world, 150)
    assert joint.velocity[0, 0] == pytest.approx(2.0 * (1.0 - np.exp(-10.0 / 2.0 * 1.5)), abs=0.01)
    assert joint.effort[0, 0] == 20.0
    _run(world, 150)
    assert joint.position[0, 0] == pytest.approx(3.0, abs=0.005)
    assert joint.velocity[0, 0] == pytest.approx(0.0, abs=1e-6)
    assert joint.effort[0, 0] == 20.0
    joint.put(target_velocity=-1.0)
    _run(world, 50)
    assert joint.velocity[0, 0] == pytest.approx(-1.0 / (1.0 + 10.0 / 2000.0), abs=1e-6)
    assert joint.effort[0, 0] == pytest.approx(10.0 * joint.velocity[0, 0], abs=1e-6)


def test_all_axes_can_be_set_at_once(gazebo: GazeboSimulator) -> None:
    """Positions and velocities of a chain read back as they were written."""
    world, joints = _spawned(gazebo, ARM, "arm")
    position, velocity = [0.5, -1.2, 2.0], [1.0, -2.0, 3.0]
    joints.put(position=[position], velocity=[velocity])
    world.flush()
    tables = Tables(gazebo.entities)
    gazebo.read(tables)
    np.testing.assert_allclose(tables.joints.position[0], position, atol=1e-12)
    np.testing.assert_allclose(tables.joints.velocity[0], velocity, atol=1e-12)


def test_a_universal_joint_has_two_rows(gazebo: GazeboSimulator) -> None:
    world, axes = _spawned(gazebo, UNIVERSAL, "cross")
    assert list(world.joints.names) == ["cross::joint", "cross::joint::2"]
    axes.put(position=[[0.4, -0.7]], velocity=[[1.0, 2.0]])
    world.flush()
    tables = Tables(gazebo.entities)
    gazebo.read(tables)
    np.testing.assert_allclose(tables.joints.position, [[0.4, -0.7]], atol=1e-12)
    np.testing.assert_allclose(tables.joints.velocity, [[1.0, 2.0]], atol=1e-12)
    turn = tables.links.pose[0, gazebo.entities.links.row("cross::b"), 3:]
    x, y = np.sin(0.2), np.sin(-0.35)
    c, d = np.cos(0.2), np.cos(0.35)
    np.testing.assert_allclose(turn, [x * d, c * y, x * y, c * d], atol=1e-12)
    axes.put(stiffness=100.0, damping=10.0, target_position=[[0.5, -0.5]])
    _run(world, 200)
    np.testing.assert_allclose(axes.position, [[0.5, -0.5]], atol=1e-3)


def test_a_mimic_joint_follows(gazebo: GazeboSimulator) -> None:
    """Within 0.1 mm while its leader is driven, 1 mm pushed by 5 N, and at once where it is put."""
    world, fingers = _spawned(gazebo, GRIPPER, "gripper")
    assert list(world.joints.names) == ["gripper::left", "gripper::right"]
    left = world.joints.select(["gripper::left"])
    right = world.joints.select(["gripper::right"])
    left.put(stiffness=100.0, damping=10.0)
    for tick in range(100):
        left.put(target_position=0.05 * np.sin(0.1 * tick))
        right.put(feedforward=5.0 if tick > 50 else 0.0)
        world.tick()
        if tick > 3:  # it began off its offset
            error = 1e-4 if tick <= 50 else 1e-3
            assert right.position[0, 0] == pytest.approx(0.01 - left.position[0, 0], abs=error)
    left.put(position=0.03, velocity=0.2)
    world.flush()
    tables = Tables(gazebo.entities)
    gazebo.read(tables)
    np.testing.assert_allclose(tables.joints.position, [[0.03, -0.02]], atol=1e-12)
    np.testing.assert_allclose(tables.joints.velocity, [[0.2, -0.2]], atol=1e-12)
    assert fingers.position.shape == (1, 2)


def test_others_that_come_and_go_leave_a_command(gazebo: GazeboSimulator) -> None:
    """A held pendulum stays where it is while other jointed models are spawned and deleted."""
    world, joint = _spawned(gazebo, PENDULUM, "pendulum")
    joint.put(stiffness=1e4, damping=500.0, target_position=0.3)
    _run(world, 50)
    before = joint.position[0, 0]
    for sdf, name in ((HINGED, "gate"), (SINKER, "sinker")):
        world.spawn(sdf, name, (3, 0, 5, 0, 0, 0, 1))
    _run(world, 5)
    world.delete("gate")
    _run(world, 5)
    assert list(world.joints.names) == ["pendulum::joint", "sinker::joint"]
    held = world.joints.select(["pendulum::joint"])
    assert held.position[0, 0] == pytest.approx(before, abs=1e-4)
    assert held.stiffness[0, 0] == 1e4
