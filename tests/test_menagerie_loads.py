# SPDX-License-Identifier: Apache-2.0
"""Each robot of MuJoCo Menagerie that is on disk loads whole, and some stand.

`make menagerie MENAGERIE_ROOT=...` runs this; robots whose files are missing are skipped by name.
"""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest

from deepsim_mujoco import MujocoSimulator
from deepsim_robots import ROBOTS, Robot
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import World

GROUND = """<sdf version="1.9"><world name="ground"><model name="ground"><static>true</static>
<link name="link"><collision name="plane"><geometry><plane/></geometry></collision></link></model>
</world></sdf>"""
MOTORS = ("unitree_go2", "unitree_h1", "agility_cassie", "fourier_n1", "pndbotics_adam_lite")
"""Robots whose files have motors with limits only."""
STANDING = (
    *("unitree_go2", "unitree_g1", "fourier_n1", "pndbotics_adam_lite"),
    *("toddlerbot_2xc", "toddlerbot_2xm"),
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::deepsim_spawn.UnsupportedElementWarning"),
    pytest.mark.filterwarnings("ignore::deepsim_spawn.ModelFormatWarning"),
]


def here(names: list[str]) -> list[object]:
    """Parameters for robots; those whose files are missing are skipped."""
    return [
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                not ROBOTS[f"menagerie/{name}"].is_installed, reason=f"{name} is not on disk"
            ),
        )
        for name in names
    ]


ALL = [name.partition("/")[2] for name in ROBOTS if name.startswith("menagerie/")]


def load(name: str, controllers: str | None = None) -> Robot:
    world = World(MujocoSimulator(GazeboXMLLoader().load_world(GROUND)), steps_per_tick=10)
    return Robot.load(world, f"menagerie/{name}", controllers=controllers)


@pytest.mark.parametrize("name", here(ALL))
def test_a_robot_has_an_action_for_each_control_of_its_file(name: str) -> None:
    """MuJoCo alone counts as many controls and axes of joints."""
    try:
        plain = mujoco.MjModel.from_xml_path(str(ROBOTS[f"menagerie/{name}"].path))
    except ValueError as error:
        pytest.skip(f"{name}: MuJoCo itself refuses its files: {str(error)[:80]}")
    robot = load(name)
    assert robot.action_size == plain.nu
    moving = plain.jnt_type != mujoco.mjtJoint.mjJNT_FREE
    three = plain.jnt_type == mujoco.mjtJoint.mjJNT_BALL
    assert len(robot.joints) == moving.sum() + 2 * three.sum()


@pytest.mark.parametrize("name", here(list(STANDING)))
def test_a_legged_robot_stands_by_position_control(name: str) -> None:
    """For 10 s it stays level and where it was, its joints within 0.1 rad of home."""
    robot = load(name, "position")
    start = robot.model.pose[0, 0]
    for _ in range(1000):
        robot.world.tick()
    end = robot.model.pose[0, 0]
    np.testing.assert_allclose(end[:3], start[:3], atol=0.03)
    assert 2.0 * np.linalg.norm(end[3:6] - start[3:6]) < 0.05
    home = robot.joints.traits.home
    np.testing.assert_allclose(robot.joints.rows.position[0], home, atol=0.1)
    assert np.abs(robot.joints.rows.velocity).max() < 0.05


@pytest.mark.parametrize("name", here(list(MOTORS)))
def test_motors_become_servos_with_the_limits_of_their_file(name: str) -> None:
    """Each has an action in rad, and exerts the largest effort of its file at 0.1 rad."""
    robot = load(name, "position")
    assert list(robot.slices) == ["joints"]
    plain = mujoco.MjModel.from_xml_path(str(ROBOTS[f"menagerie/{name}"].path))
    assert robot.action_size == plain.nu
    largest: dict[str, float] = {}
    for motor in range(plain.nu):
        joint = plain.joint(plain.actuator_trnid[motor, 0])
        gear = abs(plain.actuator_gear[motor, 0])
        force = np.inf
        if plain.actuator_forcelimited[motor]:
            force = abs(plain.actuator_forcerange[motor]).max()
        elif plain.actuator_ctrllimited[motor]:
            force = abs(plain.actuator_ctrlrange[motor]).max()
        own = (
            abs(plain.jnt_actfrcrange[joint.id]).max()
            if plain.jnt_actfrclimited[joint.id]
            else np.inf
        )
        largest[joint.name] = min(force * gear, own)
    limit = np.array([largest[each] for each in robot.parts["joints"].joints.names])
    rows = robot.parts["joints"].joints.rows
    np.testing.assert_allclose(rows.effort_limit[0], limit)
    own = ROBOTS[f"menagerie/{name}"].position_gains
    joints = robot.parts["joints"].joints.names
    free = [not any(re.fullmatch(pattern, joint) for pattern in own) for joint in joints]
    reach = rows.effort_limit[0] / rows.stiffness[0]
    np.testing.assert_allclose(reach[free], 0.1)  # [rad]
