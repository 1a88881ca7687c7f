# SPDX-License-Identifier: Apache-2.0
"""The joints table: the formula of the command and a point mass on paper are the oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, ModelSpawner
from deepsim_sync import SimulationError, UnknownEntityError, World

INERTIA = 0.05
ARM = f"""<sdf version="1.7"><model name="arm"><link name="base"/>
<link name="bar"><gravity>false</gravity><inertial><mass>1</mass><inertia><ixx>{INERTIA}</ixx>
<iyy>{INERTIA}</iyy><izz>{INERTIA}</izz></inertia></inertial></link>
<joint name="held" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="hinge" type="revolute"><parent>base</parent><child>bar</child><axis><xyz>0 1 0</xyz>
{{limit}}</axis></joint></model></sdf>"""
CROSS = """<sdf version="1.7"><model name="cross"><link name="base"/>
<link name="bob"><inertial><mass>1</mass></inertial></link>
<joint name="held" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="u" type="universal"><parent>base</parent><child>bob</child>
<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint></model></sdf>"""
numbers = st.floats(-3.0, 3.0)
gains = st.floats(0.0, 5.0)


def arms(worlds: int = 1, limit: str = "", names: tuple[str, ...] = ("arm",)) -> World:
    world = World(MujocoSimulator(GazeboXMLLoader().load_world(WORLD), worlds=worlds))
    for name in names:
        ModelSpawner(ARM.format(limit=limit)).spawn(world, name, Pose())
    return world


WORLD = """<sdf version="1.7"><world name="w"><physics type="ode">
<max_step_size>0.001</max_step_size></physics></world></sdf>"""


def ticks(world: World, n: int) -> None:
    for _ in range(n):
        world.tick()


@settings(max_examples=60, deadline=None)
@given(numbers, numbers, numbers, numbers, numbers, gains, gains, st.floats(0.1, 10.0))
def test_the_effort_is_that_of_the_command(q, v, target, target_v, forward, kp, kd, limit):
    """It accelerates the bar, and its damping counts the velocity after the step."""
    world = arms()
    joints = world.joints
    joints.put(position=q, velocity=v, target_position=target, target_velocity=target_v)
    joints.put(feedforward=forward, stiffness=kp, damping=kd, effort_limit=limit)
    world.tick()
    effort, after = joints.effort[0, 0], joints.velocity[0, 0]
    assert effort == pytest.approx(INERTIA * (after - v) / 0.001, abs=1e-9)
    assert abs(effort) <= limit
    pull = kp * (target - q) + kd * target_v + forward
    if max(abs(pull - kd * v), abs(pull - kd * after)) < limit:
        assert effort == pytest.approx(pull - kd * after, abs=1e-9)
    else:
        assert abs(effort) == pytest.approx(limit, rel=kd * 0.001 / INERTIA)


def test_limits_are_as_described_until_they_are_put() -> None:
    limit = "<limit><effort>2</effort><velocity>1</velocity></limit>"
    world = arms(limit=limit)
    joints = world.joints
    assert joints.effort_limit[0, 0] == 2.0
    assert joints.velocity_limit[0, 0] == 1.0
    joints.put(stiffness=1000.0, target_position=1.0)
    world.tick()
    joints.put(effort_limit=0.25, velocity_limit=np.inf)
    ticks(world, 2)
    assert joints.effort[0, 0] == pytest.approx(0.25)
    world.reset()
    assert joints.effort_limit[0, 0] == 2.0
    assert joints.velocity_limit[0, 0] == 1.0


def test_a_joint_that_begins_beyond_its_limits_is_not_thrown_back() -> None:
    """As in files of arms whose limits leave out 0: it comes back within a second."""
    world = arms(limit="<limit><lower>0.82</lower><upper>5.4</upper></limit>")
    fastest = 0.0
    for _ in range(1000):
        world.tick()
        fastest = max(fastest, abs(world.joints.velocity[0, 0]))
    assert 0.8 < world.joints.position[0, 0] < 5.4
    assert fastest < 50.0


def test_a_joint_whose_effort_limit_is_zero_gives_none() -> None:
    """As some robots' files have it."""
    joints = (world := arms(limit="<limit><effort>0</effort></limit>")).joints
    joints.put(stiffness=1000.0, target_position=1.0)
    ticks(world, 2)
    assert abs(joints.effort[0, 0]) < 1e-9
    assert joints.effort_limit[0, 0] == 0.0


def test_a_joint_follows_from_where_it_is() -> None:
    """Neither from 0, when it gets its first gains, nor from where it was before it was put."""
    world = arms(limit="<limit><velocity>0.1</velocity></limit>")
    joints = world.joints
    joints.put(velocity=1.0)
    ticks(world, 500)
    joints.put(velocity=0.0, stiffness=100.0, damping=10.0, target_position=0.5)
    ticks(world, 10)
    assert joints.position[0, 0] == pytest.approx(0.5, abs=0.01)
    joints.put(position=-1.0, velocity=0.0, target_position=-1.0)
    ticks(world, 10)
    assert joints.position[0, 0] == pytest.approx(-1.0, abs=0.01)


def test_a_universal_joint_has_two_rows() -> None:
    world = arms(names=())
    ModelSpawner(CROSS).spawn(world, "cross", Pose())
    assert tuple(world.entities.joints) == ("cross::u", "cross::u::2")
    world.joints.position = [[0.3, -0.2]]
    assert world.joints.position.tolist() == [[0.3, -0.2]]
    world.joints.put(stiffness=100.0, damping=10.0, target_position=[0.1, 0.4])
    ticks(world, 2000)
    assert world.joints.position[0] == pytest.approx([0.1, 0.4], abs=1e-2)


def test_commands_outlive_the_spawn_and_the_delete_of_others() -> None:
    lonely, busy = arms(2), arms(2)
    for world in (lonely, busy):
        arm = world.joints.select(["arm::hinge"])
        arm.put(stiffness=50.0, damping=5.0, target_position=1.0, velocity_limit=0.5)
        ticks(world, 50)
        if world is busy:
            ModelSpawner(ARM.format(limit="")).spawn(world, "other", Pose((1.0, 0.0, 0.0)))
            assert not world.joints.select(["other::hinge"]).stiffness.any()
        ticks(world, 50)
        if world is busy:
            world.delete("other")
        ticks(world, 50)
        effort = arm.effort
    assert busy.joints.position.tobytes() == lonely.joints.position.tobytes()
    assert effort.tobytes() == lonely.joints.effort.tobytes()
    lonely.delete("arm")
    with pytest.raises(UnknownEntityError, match="no joint is named 'arm::hinge'"):
        lonely.joints.select(["arm::hinge"])


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("effort", 1.0, "effort of joints is measured and cannot be put"),
        ("stiffness", -1.0, "stiffness of joint 'arm::hinge' must be >= 0, got -1"),
        ("damping", np.nan, "damping of joint 'arm::hinge' must be finite"),
        ("position", np.inf, "position of joint 'arm::hinge' must be finite"),
        ("target_position", [1.0, 2.0], "must have shape"),
    ],
)
def test_what_does_not_fit_is_refused(column: str, value: object, why: str) -> None:
    world = arms()
    with pytest.raises(ValueError, match=why):
        world.joints.put(**{"feedforward": 1.0, column: value})
    world.tick()
    assert not world.joints.effort.any()


@pytest.mark.parametrize(
    "bad",
    [{"feedforward": 1e300}, {"target_position": 1e11, "stiffness": 1.0}, {"velocity": 1e200}],
)
def test_a_joint_that_diverges_is_named_and_stops_no_other_world(bad: dict[str, float]) -> None:
    many, one = arms(3), arms()
    for world in (many, one):
        world.joints.put(np.arange(len(world)), velocity=0.3)
    many.joints.put([1], **bad)
    with pytest.raises(SimulationError, match=r"in worlds \[1\], at joint 'arm::hinge'") as caught:
        ticks(many, 5)
    assert caught.value.worlds == (1,)
    for _ in range(4):
        with pytest.raises(SimulationError):
            many.tick()
    ticks(one, 5)
    assert many.joints.position[[0, 2], 0].tolist() == one.joints.position[0].tolist() * 2
    many.reset(worlds=np.array([1]))
    many.tick()


def test_limits_are_hard() -> None:
    """What hits one at 5 rad/s passes by at most 2 mrad; pushed by 2 N m it rests 0.1 mrad off."""
    world = arms(limit="<limit><lower>-1</lower><upper>0.4</upper></limit>")
    world.joints.put(velocity=5.0)
    farthest = 0.0
    for _ in range(150):
        world.tick()
        farthest = max(farthest, float(world.joints.position[0, 0]))
    assert 0.4 < farthest < 0.402
    world.joints.feedforward = 2.0
    ticks(world, 1000)
    assert world.joints.position[0, 0] == pytest.approx(0.4, abs=1e-4)
