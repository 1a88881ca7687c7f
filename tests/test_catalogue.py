# SPDX-License-Identifier: Apache-2.0
"""Each robot of the catalogue, from its real package, holds its home and tracks sines.

`make robots` installs the packages first; elsewhere robots whose package is missing are skipped.
"""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import MENAGERIE, ROBOTS, CatalogueEntry, Robot
from deepsim_spawn import GazeboXMLLoader, ModelDescription
from deepsim_sync import World

ANGLE = np.radians(5.0)  # the largest drift [rad]
SLIDE = 0.005  # [m]
HERTZ = 0.5
STEP = 0.002  # [s]

pytestmark = pytest.mark.filterwarnings("ignore::deepsim_spawn.UnsupportedElementWarning")
entries = pytest.mark.parametrize(
    "entry",
    [
        pytest.param(
            entry,
            id=entry.name,
            marks=pytest.mark.skipif(
                not entry.is_installed, reason=f"{entry.name} needs {entry.package}: make robots"
            ),
        )
        for entry in ROBOTS.values()
        if entry.package != MENAGERIE  # tests/test_menagerie_loads.py has these
    ],
)


def make(entry: CatalogueEntry, gravity: bool = True, ground: bool = True) -> Robot:
    """A robot at its own gains, in a world of 1 ms, two steps per tick."""
    plane = (
        '<model name="ground"><static>true</static><link name="link"><collision name="c">'
        "<geometry><plane/></geometry></collision></link></model>"
    )
    world = GazeboXMLLoader().load_world(
        f'<sdf version="1.7"><world name="w"><gravity>0 0 {-9.81 * gravity}</gravity>'
        f"{plane * ground}</world></sdf>"
    )
    return Robot(World(MujocoSimulator(world), steps_per_tick=2), entry.load(), entry.name)


def tolerance(robot: Robot) -> np.ndarray:
    """The largest drift of each joint."""
    source = robot.config.source
    if isinstance(source, ModelDescription):
        slides = {joint.name for joint in source.all_joints() if joint.type == "prismatic"}
    else:
        slides = {name for name in robot.joints.names if "finger" in name}
    return np.where([name in slides for name in robot.joints.names], SLIDE, ANGLE)


@entries
def test_it_holds_its_home(entry):
    """For 2 s no joint drifts by 5 degrees (5 mm), and its base stays level, where it was."""
    robot = make(entry)
    before = robot.model.pose[0, 0]
    for _ in range(1000):
        robot.world.tick()
        off = np.abs(robot.joints.rows.position[0] - robot.joints.traits.home)
        late = off >= tolerance(robot)
        assert not late.any(), np.array(robot.joints.names)[late]
    after = robot.model.pose[0, 0]
    assert np.linalg.norm(after[:3] - before[:3]) < 0.03
    assert 2 * np.linalg.norm(after[3:6] - before[3:6]) < ANGLE


@entries
def test_it_tracks_a_sine_on_every_joint(entry):
    """Held joints follow positions, driven wheels velocities, all at once; arms against gravity.

    Robots that stand or roll are in free space, so that they do not fall over.
    """
    fixed = entry.kind not in ("quadruped", "humanoid", "wheeled", "flying")
    robot = make(entry, gravity=fixed, ground=False)
    traits, rows = robot.joints.traits, robot.joints.rows
    allowed = tolerance(robot)
    rows.put(stiffness=traits.stiffness, damping=traits.damping)  # also where efforts drive
    held = traits.stiffness > 0.0
    driven = (traits.damping > 0.0) & ~held
    assert held.any() or driven.any()
    reach = np.minimum(2 * allowed, 0.45 * (traits.upper - traits.lower))
    middle = np.clip(traits.home, traits.lower + reach, traits.upper - reach)
    start = middle - traits.home
    worst = np.zeros(len(robot.joints))
    for tick in range(2000):
        time = tick * STEP
        blend = min(time, 1.0)  # from home to the middle of the sine
        phase = 2 * np.pi * HERTZ * time
        wave, rate = np.sin(phase), 2 * np.pi * HERTZ * np.cos(phase)
        target = traits.home + blend * start + reach * wave
        speed = np.where(held, reach * rate + start * (blend < 1.0), 3.0 * wave)
        rows.put(target_position=np.where(held, target, 0.0), target_velocity=speed)
        robot.world.tick()
        if time > 1.0:
            off = np.where(held, rows.position[0] - target, (rows.velocity[0] - speed) / 30.0)
            worst = np.maximum(worst, np.abs(off) * (held | driven))
    late = worst >= allowed
    assert not late.any(), dict(zip(robot.joints.names, worst, strict=True))


@pytest.mark.skipif(not ROBOTS["iris"].is_installed, reason="needs its package: make robots")
@pytest.mark.parametrize(("action", "acceleration"), [(0.0, 0.0), (0.5, 9.81 / 2)])
def test_the_quadrotor_hovers_and_climbs(action, acceleration):
    """The thrust of action 0 is its weight, that of .5 half as much again; it does not turn."""
    robot = make(ROBOTS["iris"], ground=False)
    robot.set_action([action] * 4)
    for _ in range(500):
        robot.world.tick()
    twist = robot.model.twist[0, 0]
    np.testing.assert_allclose(twist[:3], [0.0, 0.0, acceleration], atol=0.02)
    np.testing.assert_allclose(twist[3:], 0.0, atol=0.01)


def test_a_robot_may_be_put_anywhere():
    """Its links are where the pose of its model says."""
    world = World(MujocoSimulator())
    robot = Robot(world, ROBOTS["arm"].load(), "arm", Pose((1.0, 2.0, 0.5)))
    world.tick()
    np.testing.assert_allclose(robot.link("base").pose[0, 0, :3], [1.0, 2.0, 0.5], atol=1e-12)
