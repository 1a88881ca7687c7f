# SPDX-License-Identifier: Apache-2.0
"""Dynamic scenarios: behaviours, monitors and requirements act in a running world."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_scenes import ScenarioError, SceneError, load_scenario, run_scenario
from deepsim_scenes.world import EMPTY
from deepsim_spawn import (
    Box,
    CollisionDescription,
    GazeboXMLLoader,
    Inertial,
    LinkDescription,
    ModelDescription,
    Surface,
)
from deepsim_sync import World

pytestmark = pytest.mark.usefixtures("scenic")

DRIVE = """\
ego = DemoCube at 0 @ 0, facing 0 deg, with behavior DriveTo(2 @ 1)
other = Crate at -1 @ -3, with width 0.4, with length 0.6, with height 0.3
record ego.position as where
terminate when (distance from ego to 2 @ 1) < 0.1
"""
SMOOTH = Surface(0.0, 0.0)


@pytest.fixture
def world():
    with World(MujocoSimulator(EMPTY), steps_per_tick=5) as made:
        yield made


@pytest.fixture
def run(kitchen, models, world):
    """Runs the text of a scenario."""

    def run_text(text, number=0, **options):
        file = kitchen / "dynamic.scenic"
        file.write_text(text)
        scenario = load_scenario(file, models)
        return run_scenario(scenario, scenario.sample(number=number), world, **options)

    return run_text


def test_a_behaviour_drives_its_agent_until_a_condition_is_met(run):
    """The cube is where its behaviour goes, and the run says which line ended it."""
    done = run(DRIVE)
    assert (done.reason, done.is_rejected) == ("termination condition on line 4", False)
    assert done.poses.shape == (len(done.times), 2, 7)
    assert math.dist(done.poses[-1, 0, :2], (2, 1)) < 0.1
    assert np.allclose(done.poses[:, 1, :3], (-1, -3, 0), atol=2e-3)
    assert 2.2 < done.times[-1] < 3.5  # 2.2 m at 1 m/s, and what friction costs
    recorded = np.array([tuple(place)[:2] for _, place in done.records["where"]])
    assert np.allclose(recorded, done.poses[:, 0, :2], atol=0.04)  # centre of a cube, and its frame


def test_the_same_scene_gives_the_same_run_again(run):
    """Also where a behaviour draws random numbers, and in a world that was used before."""
    text = (
        "behavior Wander():\n"
        "    while True:\n"
        "        take Drive(ahead=Range(0, 1), turn=Range(-2, 2))\n"
        "ego = DemoCube at 0 @ 0, with behavior Wander()\n"
    )
    first, second = run(text, seconds=2.0), run(text, seconds=2.0)
    assert first.reason == "reached time limit (20 steps)"
    assert np.array_equal(first.poses, second.poses)
    assert not np.array_equal(first.poses, run(text, number=1, seconds=2.0).poses)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("require always ego.position.x < 1\n", "requirement on line 5"),
        ("require eventually ego.position.x > 9\n", "requirement on line 5"),
    ],
)
def test_a_requirement_that_fails_ends_the_run_with_its_line(run, rule, reason):
    done = run(DRIVE + rule)
    assert done.is_rejected
    assert reason in done.reason
    assert len(done.records["where"]) == len(done.times)


def test_a_monitor_ends_the_run(run):
    text = DRIVE + (
        "monitor Late():\n"
        "    while simulation().currentRealTime < 0.5:\n"
        "        wait\n"
        "    terminate\n"
        "require monitor Late()\n"
    )
    done = run(text)
    assert not done.is_rejected
    assert done.times[-1] == pytest.approx(0.5)


def test_a_robot_of_the_world_acts_as_a_place_of_the_mission(run, world):
    """Its +x axis is where the object looks: north, and then to where it drives."""
    link = LinkDescription(
        "base",
        inertial=Inertial(5.0, Pose(), 0.1, 0.1, 0.1),
        collisions=(CollisionDescription("box", Box((0.4, 0.3, 0.2)), surface=SMOOTH),),
    )
    world.spawn(ModelDescription("robot", links=(link,)), "robot", Pose((5, 5, 0.1)))
    done = run(
        "ego = Fetch at 1 @ 0, facing 0 deg, with behavior DriveTo(1 @ 2)\n"
        "terminate when (distance from ego to 1 @ 2) < 0.1\n",
        robots={"fetch_0": "robot"},
    )
    assert done.reason == "termination condition on line 2"
    first, last = Pose.from_array(done.poses[0, 0]), Pose.from_array(done.poses[-1, 0])
    assert tuple(first.position) == pytest.approx((1, 0, 0.1), abs=1e-9)
    assert first.yaw == pytest.approx(math.pi / 2)
    assert tuple(last.position) == pytest.approx((1, 1.95, 0.1), abs=0.06)
    assert last.yaw == pytest.approx(math.pi / 2, abs=0.05)


def test_pushes_and_own_actions_reach_the_world(run, world):
    """4 N for half a second on a cube of 2 kg in the air; another is lifted by an own action."""
    done = run(
        "from scenic.core.dynamics.actions import Action\n"
        "class Lift(Action):\n"
        "    def applyTo(self, agent, simulation):\n"
        "        rows = simulation.world.models.select([simulation.model_of(agent)])\n"
        "        rows.twist = [0, 0, 3, 0, 0, 0]\n"
        "behavior Once(action):\n"
        "    take action\n"
        "    while True:\n"
        "        wait\n"
        "behavior Steady(action):\n"
        "    while True:\n"
        "        take action\n"
        "ego = DemoCube at 0 @ 0, with z 50, with behavior Steady(Push((4, 0, 0)))\n"
        "DemoCube at 0 @ 3, with behavior Once(Lift())\n",
        seconds=0.5,
    )
    assert done.poses[-1, 0, 0] - done.poses[0, 0, 0] == pytest.approx(0.25, abs=1e-2)
    assert done.poses[1, 1, 2] == pytest.approx(3 * 0.1 - 0.5 * 9.8 * 0.1**2, abs=5e-3)


def test_joints_of_a_robot_take_targets(run, world, tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(
        "<robot name='arm'><link name='world'/><link name='tip'><inertial><mass value='1'/><inertia"
        " ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<joint name='hinge' type='revolute'><parent link='world'/><child link='tip'/>"
        "<axis xyz='0 0 1'/><limit lower='-3' upper='3' effort='50' velocity='9'/></joint></robot>"
    )
    world.spawn(GazeboXMLLoader([tmp_path]).load_model(file), "arm", Pose())
    joints = world.joints.select(["arm::hinge"])
    joints.put(stiffness=20.0, damping=3.0)
    run(
        "behavior Wave():\n"
        "    take SetJoints(position={'hinge': 0.7})\n"
        "    while True:\n"
        "        wait\n"
        "ego = Fetch at 0 @ 0, facing 0 deg, with behavior Wave()\n",
        robots={"fetch_0": "arm"},
        seconds=3.0,
    )
    assert joints.position[0, 0] == pytest.approx(0.7, abs=1e-2)


def test_objects_that_come_during_a_run_go_with_it(run, world):
    """A scenario may drop a cube; the world ends with the models that the scene began with."""
    done = run(
        "scenario Main():\n"
        "    setup:\n"
        "        ego = DemoCube at 0 @ 0\n"
        "    compose:\n"
        "        do Drop() for 1 seconds\n"
        "scenario Drop():\n"
        "    setup:\n"
        "        cube = DemoCube at 1 @ 0, with z 1\n"
        "        record cube.position.x as east\n"
        "        terminate after 0.5 seconds\n"
    )
    assert not done.is_rejected
    assert [*world.entities.names("models")] == ["ground_plane", "demo_cube_0"]
    assert done.poses.shape[1] == 1


def test_what_a_behaviour_raises_names_its_line(run):
    with pytest.raises(ScenarioError, match=r"dynamic\.scenic:2: ZeroDivisionError"):
        run(
            "behavior Wrong():\n"
            "    take Drive(1 / 0)\n"
            "ego = DemoCube at 0 @ 0, with behavior Wrong()\n"
        )
    with pytest.raises(ScenarioError, match="mission-only object"):
        run("ego = Fetch at 0 @ 0, with behavior DriveTo(1 @ 0)\n")


def test_wrong_arguments_are_refused_before_anything_moves(run, world):
    before = [*world.entities.names("models")]
    for options, error, message in (
        ({"interval": 0.0123}, ValueError, "multiple of the tick, 0.005 s"),
        ({"seconds": 0.0}, ValueError, "seconds must be > 0"),
        ({"robots": {"fetch_9": "robot"}}, SceneError, "no mission-only object 'fetch_9'"),
    ):
        with pytest.raises(error, match=message):
            run(DRIVE, **options)
    assert [*world.entities.names("models")] == before


def test_heights_count_in_space(kitchen, models, world):
    """In three dimensions a place is the centre of an object, and a fall is seen."""
    file = kitchen / "space.scenic"
    file.write_text(
        "from deepsim_scenes.model import *\n"
        "ego = new DemoCube at (0, 0, 2)\n"
        "record ego.position.z as height\n"
        "record ego.speed as speed\n"
        "terminate when ego.position.z < 1\n"
    )
    scenario = load_scenario(file, models)
    done = run_scenario(scenario, scenario.sample(), world, interval=0.01)
    heights = np.array([height for _, height in done.records["height"]])
    speeds = np.array([speed for _, speed in done.records["speed"]])
    assert heights[0] == pytest.approx(2.0)
    assert np.allclose(heights, 2.0 - 0.5 * 9.8 * done.times**2, atol=5e-3)
    assert np.allclose(speeds, 9.8 * done.times, atol=2e-2)
    assert heights[-1] < 1.0 <= heights[-2]
