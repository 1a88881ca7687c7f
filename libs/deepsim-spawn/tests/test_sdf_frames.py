# SPDX-License-Identifier: Apache-2.0
"""Joints at massless frames are written at the links with mass that bear the frames."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_spawn import (
    ForceTorque,
    GazeboXMLLoader,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    ModelDescription,
    SensorDescription,
)

ROD = Inertial(mass=1.0, ixx=0.1, iyy=0.1, izz=0.1)
WRIST = SensorDescription("wrist", measurement=ForceTorque())
coordinates = st.floats(-1.0, 1.0)
places = st.builds(
    Pose,
    st.builds(Vector3, coordinates, coordinates, coordinates),
    st.builds(Quaternion.from_euler, coordinates, coordinates, coordinates),
)


@st.composite
def trees(draw):
    """Models of up to eight links, half of them frames, on fixed and moving joints."""
    links, joints = [], []
    for number in range(draw(st.integers(2, 8))):
        inertial = draw(st.sampled_from([None, ROD]))
        sensors = draw(st.sampled_from([(), (), (WRIST,)]))
        links.append(
            LinkDescription(f"l{number}", draw(places), inertial=inertial, sensors=sensors)
        )
        parents = [f"l{parent}" for parent in range(number)]
        parent = draw(st.sampled_from([*parents, "world"]))
        kind = draw(st.sampled_from(["fixed", "fixed", "fixed", "revolute", "prismatic"]))
        axis = None if kind == "fixed" else JointAxis(Vector3(0.0, 1.0, 0.0))
        if number:
            joint = JointDescription(
                f"j{number}", kind, parent, f"l{number}", draw(places), axis=axis
            )
            joints.append(joint)
    return ModelDescription("tree", links=tuple(links), joints=tuple(joints))


def written(model):
    """Returns the model that Gazebo would read."""
    return GazeboXMLLoader().load_model(model.to_sdf())


def frame(name, *sensors):
    return LinkDescription(name, Pose((0.4, 0, 0), (0, 0, 0, 1)), sensors=sensors)


def rod(name, x):
    return LinkDescription(name, Pose((x, 0, 0)), inertial=ROD)


def hinge(name, parent, child):
    return JointDescription(name, "revolute", parent, child, axis=JointAxis((0, 1, 0)))


def fixed(name, parent, child):
    return JointDescription(name, "fixed", parent, child)


def ends(model):
    return {joint.name: (joint.parent, joint.child) for joint in written(model).joints}


@settings(max_examples=100)
@given(trees(), st.lists(coordinates, min_size=7, max_size=7))
def test_all_links_move_as_described(model, positions):
    limits = model.joint_limits()
    numbers = dict(zip(limits.names, positions, strict=False))
    expected, found = model.poses(numbers), written(model).poses(numbers)
    for name, pose in expected.links.items():
        np.testing.assert_allclose(np.abs(pose), np.abs(found.links[name]), atol=1e-9)


@settings(max_examples=100)
@given(trees())
def test_a_frame_carries_nothing_that_its_bearer_could_carry(model):
    """Links are in a group if fixed joints without a sensor connect them; a measured top stays."""
    group = {link.name: link.name for link in model.links}
    measured = {link.name for link in model.links if link.sensors}
    for joint in model.joints:  # parents come before children
        if joint.type == "fixed" and joint.parent != "world" and joint.child not in measured:
            group[joint.child] = group[joint.parent]
    heavy = {group[link.name] for link in model.links if link.inertial}
    frames = {link.name for link in model.links if not link.inertial}
    heavy -= frames & measured
    held = {"world"}
    for joint in model.joints:
        if joint.type == "fixed" and joint.parent in held:
            held.add(joint.child)
    for joint in written(model).joints:
        bears_load = joint.type != "fixed" and joint.child not in measured
        for end in (joint.parent, *[joint.child] * bears_load):
            assert end not in frames - held or group[end] not in heavy


def test_a_tool_on_a_flange_is_joined_to_the_arm():
    model = ModelDescription(
        "arm",
        links=(rod("arm", 0.0), frame("flange"), rod("tool", 0.4)),
        joints=(fixed("flange_fix", "arm", "flange"), hinge("wrist", "flange", "tool")),
    )
    assert ends(model) == {"flange_fix": ("arm", "flange"), "wrist": ("arm", "tool")}


def test_a_frame_on_a_hinge_hangs_on_what_bears_it():
    model = ModelDescription(
        "arm",
        links=(rod("arm", 0.0), frame("hub"), rod("wheel", 0.4)),
        joints=(hinge("axle", "arm", "hub"), fixed("hub_fix", "hub", "wheel")),
    )
    assert ends(model) == {"axle": ("arm", "wheel"), "hub_fix": ("wheel", "hub")}


def test_a_sensor_still_measures_all_that_its_joint_carries():
    model = ModelDescription(
        "arm",
        links=(rod("arm", 0.0), frame("wrist", WRIST), rod("tool", 0.4)),
        joints=(fixed("measured", "arm", "wrist"), fixed("tool_fix", "wrist", "tool")),
    )
    assert ends(model) == {"measured": ("arm", "wrist"), "tool_fix": ("wrist", "tool")}
