# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics by hand; tests/test_forward_kinematics.py compares with MuJoCo."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_math import Pose, Quaternion
from deepsim_spawn import (
    Box,
    CollisionDescription,
    GazeboXMLLoader,
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicDescription,
    ModelDescription,
)

FLAT = JointAxis((0, 0, 1), lower=-1.0, upper=2.0, effort=5.0, velocity=3.0)


def arm(*joints, links=("base", "upper", "fore")):
    """Links of one metre in a row along x, each with a joint at its own origin."""
    joints = joints or (
        JointDescription("shoulder", "revolute", "base", "upper", axis=FLAT),
        JointDescription("elbow", "revolute", "upper", "fore", axis=FLAT),
    )
    tip = CollisionDescription("tip", Box((0.1, 0.1, 0.1)), Pose((1, 0, 0)))
    parts = [LinkDescription(name, Pose((x, 0, 0)), None, (tip,)) for x, name in enumerate(links)]
    return ModelDescription("arm", links=tuple(parts), joints=joints)


def test_two_joints_by_hand():
    """Both at a quarter turn: the forearm points backwards, one metre to the left."""
    found = arm().poses([math.pi / 2, math.pi / 2])
    np.testing.assert_allclose(found.links["upper"][:3], (1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(found.links["fore"][:3], (1, 1, 0), atol=1e-15)
    np.testing.assert_allclose(found.collisions["fore::tip"][:3], (0, 1, 0), atol=1e-15)
    assert found.visuals == {}
    turn = Quaternion(*found.links["fore"][3:])
    assert turn.isclose(Quaternion.from_euler(0, 0, math.pi), abs_tol=1e-15)


def test_the_second_axis_turns_with_the_first():
    """A quarter turn about z, and then one about the x axis that has turned: y points upwards."""
    cross = JointDescription(
        "cross", "universal", "base", "upper", axis=FLAT, axis2=JointAxis((1, 0, 0))
    )
    found = arm(cross, links=("base", "upper")).poses([math.pi / 2, math.pi / 2])
    turn = Quaternion(*found.links["upper"][3:])
    np.testing.assert_allclose(turn.rotate((0, 1, 0)), (0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(turn.rotate((1, 0, 0)), (0, 1, 0), atol=1e-15)


def test_at_zero_all_is_where_it_was_described():
    model = arm()
    for found in (model.poses(), model.poses({}), model.poses([0.0, 0.0])):
        assert list(found.links) == ["base", "upper", "fore"]
        for name, _, pose in model.all_links():
            assert found.links[name].tolist() == list(pose)


def test_names_and_limits():
    """One row for each axis that can be set, in the order of the joints."""
    limits = arm().joint_limits()
    assert limits.names == ("shoulder", "elbow")
    assert limits.lower.tolist() == [-1, -1]
    assert limits.upper.tolist() == [2, 2]
    assert limits.effort.tolist() == [5, 5]
    assert limits.velocity.tolist() == [3, 3]
    still = ModelDescription("m", links=(LinkDescription("l"),))
    assert still.joint_limits().names == ()
    assert still.poses(np.zeros((3, 0))).links["l"].shape == (3, 7)


def test_rows_do_not_depend_on_the_other_rows():
    """A configuration gives the same bits alone and among a thousand; names broadcast."""
    q = np.random.default_rng(0).uniform(-2, 2, (1000, 2))
    many = arm().poses(q).links["fore"]
    assert many.shape == (1000, 7)
    for row in (0, 17, 999):
        np.testing.assert_array_equal(arm().poses(q[row]).links["fore"], many[row])
    named = arm().poses({"shoulder": q[:, :1], "elbow": q[:5, 1]}).links
    assert named["fore"].shape == named["base"].shape == (1000, 5, 7)
    np.testing.assert_array_equal(named["fore"][3, 3], many[3])


def test_a_follower_moves_as_its_leader_says():
    """It is no row of its own, but may be set by name."""
    follower = JointAxis((0, 0, 1), mimic=MimicDescription("shoulder", -2.0, 0.1))
    model = arm(
        JointDescription("elbow", "revolute", "upper", "fore", axis=follower),
        JointDescription("shoulder", "revolute", "base", "upper", axis=FLAT),
    )
    assert model.joint_limits().names == ("shoulder",)
    found = model.poses([0.3]).links["fore"]
    np.testing.assert_allclose(found, arm().poses([0.3, -0.5]).links["fore"], atol=1e-15)
    alone = model.poses({"elbow": 0.4}).links["fore"]
    np.testing.assert_allclose(alone, arm().poses([0, 0.4]).links["fore"], atol=1e-15)


def test_a_urdf_whose_root_is_the_world():
    model = GazeboXMLLoader().load_model(
        "<robot name='r'><link name='world'/><link name='base'/><joint name='j' type='prismatic'>"
        "<parent link='world'/><child link='base'/><origin xyz='0 0 1' rpy='0 1.5707963 0'/>"
        "<limit lower='0' upper='1' effort='1' velocity='1'/></joint></robot>"
    )
    np.testing.assert_allclose(model.poses([0.5]).links["base"][:3], (0, 0, 0.5), atol=1e-7)


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ({"elbo": 1.0}, "model 'arm' has no joint axis 'elbo'; did you mean 'elbow'?"),
        ([1.0], r"positions of shape \(..., 2\), in the order .*, got \(1,\)"),
        (1.0, r"got \(\)"),
        ({"elbow": np.zeros(2), "shoulder": np.zeros(3)}, "broadcast"),
    ],
)
def test_positions_that_do_not_fit_are_refused(positions, message):
    with pytest.raises(ValueError, match=message):
        arm().poses(positions)


def test_loops_have_no_forward_kinematics():
    ring = JointDescription("ring", "revolute", "base", "fore", axis=FLAT)
    with pytest.raises(ValueError, match="'fore' is the child of the joints 'elbow' and 'ring'"):
        arm(*arm().joints, ring).poses()
    back = JointDescription("back", "revolute", "fore", "upper", axis=FLAT)
    with pytest.raises(ValueError, match="the joints 'elbow', 'back' form a cycle"):
        arm(arm().joints[1], back).poses()


@pytest.mark.parametrize("leader", ["gone", "elbow"])
def test_a_follower_without_a_leader_is_refused(leader):
    axis = JointAxis((0, 0, 1), mimic=MimicDescription(leader))
    elbow = JointDescription("elbow", "revolute", "upper", "fore", axis=axis)
    with pytest.raises(ValueError, match=f"elbow mimics {leader}: there is no such axis"):
        arm(elbow).poses()
