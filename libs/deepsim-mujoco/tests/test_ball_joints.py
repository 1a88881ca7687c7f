# SPDX-License-Identifier: Apache-2.0
"""Ball joints beyond the conformance suite: chains, Jacobians, cones of MJCF, neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_conformance.models import GIMBAL
from deepsim_math import Pose, quaternions
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, MjcfModel
from deepsim_sync import SpawnError, World

ROWS = ["arm::hinge", "arm::ball", "arm::ball::2", "arm::ball::3", "arm::rail"]
LINK = "<link name='{0}'><pose>{1} 0 0 0 0 0.4</pose><inertial><mass>1</mass></inertial></link>"
ARM = f"""<sdf version="1.7"><model name="arm">
{LINK.format("a", 0)}{LINK.format("b", 0.3)}{LINK.format("c", 0.6)}
<joint name="hinge" type="revolute"><parent>world</parent><child>a</child>
<axis><xyz>0 1 0</xyz></axis></joint>
<joint name="ball" type="ball"><pose>-0.1 0 0 0 0 0</pose><parent>a</parent><child>b</child></joint>
<joint name="rail" type="prismatic"><parent>b</parent><child>c</child>
<axis><xyz>1 0 0</xyz>{{mimic}}</axis></joint></model></sdf>"""
CONE = """<mujoco><worldbody><body name="base"><joint name="ball" type="ball" limited="true"
range="0 30"/><geom size=".1"/></body></worldbody></mujoco>"""
numbers = st.floats(-1.5, 1.5)
vectors = st.tuples(numbers, numbers, numbers)


def arms(worlds: int = 1) -> World:
    world = World(MujocoSimulator(worlds=worlds), steps_per_tick=10)
    world.spawn(GazeboXMLLoader().load_model(ARM.format(mimic="")), "arm", Pose())
    return world


@settings(max_examples=50, deadline=None)
@given(vectors, vectors)
def test_a_jacobian_has_a_column_for_each_row(turn, rates):
    """It gives the twist that the links have."""
    world = arms()
    assert list(world.joints.names) == ROWS
    position, velocity = [[0.3, *turn, 0.1]], [[0.5, *rates, -0.2]]
    world.put("joints", {"position": position, "velocity": velocity})
    world.flush()
    dynamics = world.simulator.dynamics
    jacobian = dynamics.jacobian("arm::c", ROWS)[0]
    twist = world.links.select(["arm::c"]).twist[0, 0]
    np.testing.assert_allclose(jacobian @ velocity[0], twist, atol=1e-9)
    assert dynamics.bias_forces(ROWS).shape == (1, 5)


@settings(max_examples=50, deadline=None)
@given(st.tuples(*[st.floats(-20.0, 20.0)] * 3))
def test_a_long_rotation_vector_reads_back_as_the_same_turn(vector):
    """The shorter way round: at most pi long."""
    world = arms()
    world.joints.select(ROWS[1:4]).put(position=[vector])
    world.flush()
    read = world.joints.select(ROWS[1:4]).position[0]
    assert np.linalg.norm(read) <= np.pi + 1e-9
    same = quaternions.angle_to(*map(quaternions.from_rotation_vector, (vector, read)))
    assert same < 1e-6


def test_worlds_have_turns_of_their_own_whatever_their_number():
    """World w of 3 is, bit for bit, that world alone; others keep theirs."""
    turns = np.array([[0.1, 0.2, 0.3], [0.4, -0.5, 0.6], [-0.7, 0.8, 0.9]])
    ends = []
    for chosen in (turns, turns[1:2]):
        world = arms(len(chosen))
        ball = world.joints.select(ROWS[1:4])
        ball.put(position=chosen, stiffness=30.0, damping=3.0, target_position=-chosen)
        for _ in range(50):
            world.tick()
        ends.append(np.concatenate([ball.position, ball.velocity, ball.effort], axis=1))
    np.testing.assert_array_equal(ends[0][1:2], ends[1])


def test_a_new_neighbour_leaves_a_ball_joint_alone():
    world = arms()
    ball = world.joints.select(ROWS[1:4])
    ball.put(position=[[0.3, -0.2, 0.1]], stiffness=30.0, target_position=0.1)
    world.tick()
    before = ball.position, ball.velocity, ball.stiffness
    world.spawn(GazeboXMLLoader().load_model(GIMBAL), "gimbal", Pose((3, 0, 0)))
    ball = world.joints.select(ROWS[1:4])
    np.testing.assert_array_equal(before, (ball.position, ball.velocity, ball.stiffness))


def test_a_ball_joint_of_mjcf_keeps_to_its_cone():
    """Pushed about its second axis it stops at 30 degrees."""
    world = World(MujocoSimulator(), steps_per_tick=10)
    world.spawn(MjcfModel(CONE), "robot", Pose())
    rows = world.joints.select(["robot::ball", "robot::ball::2", "robot::ball::3"])
    rows.put(feedforward=[[0.0, 5.0, 0.0]], damping=0.1)
    for _ in range(100):
        world.tick()
    assert np.linalg.norm(rows.position) == pytest.approx(np.deg2rad(30), abs=0.02)


def test_a_joint_cannot_mimic_a_ball_joint():
    mimic = '<mimic joint="ball"><multiplier>1</multiplier></mimic>'
    arm = GazeboXMLLoader().load_model(ARM.format(mimic=mimic).replace("1.7", "1.11"))
    with pytest.raises(SpawnError, match="'rail' mimics 'ball'"):
        World(MujocoSimulator()).spawn(arm, "arm", Pose())
