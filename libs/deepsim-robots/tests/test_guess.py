# SPDX-License-Identifier: Apache-2.0
"""What is guessed of a robot's file: the catalogue's configurations of the same files are known."""

from __future__ import annotations

import numpy as np
import pytest
from robots_of_tests import GROUND

from deepsim_math import Euler, Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import (
    DiffDrive,
    JointPosition,
    Part,
    Robot,
    RobotConfig,
    find_robot,
    guess_robot,
)
from deepsim_spawn import ModelSpawner
from deepsim_sync import World


def wheel(name: str, x: float, y: float, axis: str = "0 1 0", rpy: str = "0 0 0") -> str:
    """A sphere of radius 0.1 m as a wheel, at the height of its centre."""
    return f"""<link name="{name}"><inertial><mass value="0.5"/>
      <inertia ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="{name}_joint" type="continuous"><parent link="base"/><child link="{name}"/>
      <origin xyz="{x} {y} 0.1" rpy="{rpy}"/><axis xyz="{axis}"/></joint>"""


def rover(*parts: str) -> str:
    """A box above the ground with the given parts."""
    return f"""<robot name="rover"><link name="base">
      <inertial><origin xyz="0 0 0.1"/><mass value="8"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="0 0 0.15"/><geometry><box size="0.6 0.3 0.1"/></geometry></collision>
    </link>{"".join(parts)}</robot>"""


FOUR = [(0.2, 0.25), (0.2, -0.25), (-0.2, 0.25), (-0.2, -0.25)]


def guess(text: str):
    return guess_robot("rover.urdf", ModelSpawner(text).description)


@pytest.mark.parametrize("name", ["diffbot", "car"])
def test_the_wheels_of_our_own_robots_are_found(name):
    """Joints and lengths are those that the catalogue has by hand."""
    entry = find_robot(name)
    found = guess_robot(f"{name}.xacro", ModelSpawner(entry.load().source).description)
    base, known = found.config.parts["base"].controller, entry.load().parts["base"].controller
    assert type(base) is type(known)
    for field in (
        "left",
        "right",
        "steering",
        "rear",
        "separation",
        "wheelbase",
        "track",
        "radius",
    ):
        if hasattr(known, field):
            assert getattr(base, field) == pytest.approx(getattr(known, field)), field


@pytest.mark.parametrize("axes", [("0 1 0",) * 4, ("0 -1 0",) * 4, ("0 1 0", "0 -1 0") * 2])
@pytest.mark.parametrize("turned", ["0 0 0", "0 0.7 0"])
def test_a_guessed_base_drives_where_it_is_sent(axes, turned):
    """Ahead by v t and to the left by w t, whichever way the axes of the wheels point."""
    places = zip("abcd", FOUR, axes, strict=True)
    text = rover(*(wheel(name, *place, axis, turned) for name, place, axis in places))
    config = guess(text).config
    assert isinstance(config.parts["base"].controller, DiffDrive)
    world = World(MujocoSimulator(GROUND, worlds=3), steps_per_tick=10)
    robot = Robot(world, RobotConfig(text, config.parts, gains=config.gains), "rover")
    robot.set_action([[0.5, 0.0], [-0.25, 0.0], [0.0, 1.0]])
    for _ in range(100):
        world.tick()
    _, _, yaw = Euler(*Pose.from_array(robot.model.pose[2, 0]).orientation.to_euler())
    assert 0.1 < yaw < 1.01  # four wheels slide sideways as they turn
    for _ in range(100):
        world.tick()
    moved = [[1.0, 0.0], [-0.5, 0.0]]
    np.testing.assert_allclose(robot.model.pose[:2, 0, :2], moved, rtol=0, atol=0.04)
    world.close()


def test_a_caster_stays_free():
    """Neither its swivel nor its wheel is driven."""
    caster = """<link name="fork"><inertial><mass value="0.1"/>
      <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="swivel" type="continuous"><parent link="base"/><child link="fork"/>
      <origin xyz="-0.3 0 0.1"/><axis xyz="0 0 1"/></joint>"""
    rear = wheel("rear", -0.02, 0.0).replace('parent link="base"', 'parent link="fork"')
    rear = rear.replace('0.1" rpy', '0" rpy')
    found = guess(rover(wheel("a", 0.2, 0.25), wheel("b", 0.2, -0.25), caster, rear))
    assert list(found.config.parts) == ["base"]
    assert found.config.parts["base"].joints == ("a_joint", "b_joint")
    assert "free, not driven: rear_joint, swivel" in found.remarks


@pytest.mark.filterwarnings("ignore:.*is no limit")
def test_an_arm_is_held_and_fixed():
    """Without effort limits, its gains come from its weight, and the remark says so."""
    text = """<robot name="arm"><link name="base"><inertial><mass value="2"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
    <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.05 0.05"/></geometry></collision>
    </link>
    <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
      <origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="1" effort="0" velocity="0"/>
    </joint></robot>"""
    found = guess(text)
    assert found.config.fixed_base is True
    assert isinstance(found.config.parts["joints"].controller, JointPosition)
    assert any("no effort limit" in remark for remark in found.remarks)
    world = World(MujocoSimulator(), steps_per_tick=10)
    config = RobotConfig(text, found.config.parts, gains=found.config.gains, fixed_base=True)
    robot = Robot(world, config, "arm")
    robot.set_action([-0.5])
    for _ in range(200):
        world.tick()
    assert robot.joints.rows.position[0, 0] == pytest.approx(-0.5, abs=0.05)
    assert robot.model.pose[0, 0, :3] == pytest.approx([0, 0, 0], abs=1e-6)
    world.close()


def test_a_walking_robot_stays_free():
    """Feet touch the ground, so the base is not fixed."""
    quadruped = ModelSpawner(find_robot("quadruped").load().source).description
    assert guess_robot("quadruped.xacro", quadruped).config.fixed_base is None


@pytest.mark.parametrize(
    ("wheels", "reason"),
    [
        (wheel("a", 0, 0.25, axis="1 0 0"), "its axis is (1, 0, 0) in the robot's frame"),
        (wheel("a", 0, 0.25).replace("collision", "visual"), "link a has no collision"),
        (
            wheel("a", 0, 0.25).replace('0.1" rpy', '0.6" rpy'),
            "link a does not touch the ground",
        ),
    ],
)
def test_a_joint_that_is_no_wheel_is_explained(wheels, reason):
    """A joint without limits may be meant as one; the remark names the rule that it breaks."""
    found = guess(rover(wheels))
    assert "base" not in found.config.parts
    (remark,) = [each for each in found.remarks if "no wheel" in each]
    assert remark.startswith("a_joint is no wheel: ")
    assert reason in remark


def test_wheels_on_one_side_are_not_driven():
    """The remark names them."""
    found = guess(rover(wheel("a", 0.2, 0.25)))
    assert "base" not in found.config.parts
    assert any("one side only, a_joint" in remark for remark in found.remarks)


@pytest.mark.parametrize("name", ["diffbot", "car", "arm"])
def test_a_guess_is_the_same_after_yaml(name, tmp_path):
    """Parts, gains and base are read as they were written."""
    described = ModelSpawner(find_robot(name).load().source).description
    config = guess_robot("robot.urdf", described).config
    file = tmp_path / "robot.yaml"
    file.write_text(config.to_yaml())
    read = RobotConfig.from_yaml(file)
    assert dict(read.gains) == dict(config.gains)
    assert read.fixed_base == config.fixed_base
    for part, its in config.parts.items():
        assert read.parts[part].joints == its.joints
        for field in ("radius", "separation", "wheelbase", "lower", "upper", "left", "normalized"):
            ours, theirs = (
                getattr(each.parts[part].controller, field, None) for each in (config, read)
            )
            assert np.array_equal(np.asarray(ours), np.asarray(theirs)), field


def test_what_yaml_cannot_hold_is_refused():
    """The message names the source or the sensors."""
    with pytest.raises(ValueError, match="source must be a file"):
        RobotConfig("<robot/>").to_yaml()
    with pytest.raises(ValueError, match="source must be a file"):
        RobotConfig(parts={"all": Part()}).to_yaml()
