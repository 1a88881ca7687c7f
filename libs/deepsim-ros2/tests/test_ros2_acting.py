# SPDX-License-Identifier: Apache-2.0
"""Policies on topics of a server in another process, beside the same tasks in this one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from served_worlds import SEED
from simulation_interfaces import srv
from simulation_interfaces.msg import SimulationState

from deepsim_ros2.acting import follow
from deepsim_ros2.client import UnreachableError
from deepsim_sync import UnsupportedError, WriteRefusedError
from deepsim_tasks import cartpole, navigate, racetrack, reach

LONG = 60.0  # until a topic must have been heard [s]


def gap(observation):
    """Returns the action of the task's own policy without parameters."""
    acted = navigate.FollowGap().act("robot", observation["robot"][None], None, [])
    return {"robot": acted[0].astype(np.float32)}


def swing(slot, observation):
    """Returns an action that depends on the observation, and moves every joint."""
    space, phase = slot.shape, float(np.sum(observation))
    return np.sin(phase + np.arange(space[0])).astype(np.float32)


def episode(environment, act, steps=1000):
    """Plays an episode, and returns all observations of the only agent, and the last info."""
    seen, info = environment.reset()
    heard = [*seen.values()]
    while environment.live_agents and steps:
        result = environment.step(act(seen))
        seen, info, steps = result.observation, result.info, steps - 1
        heard += seen.values()
    return np.array(heard), info


def test_a_policy_reaches_goals_through_topics_as_it_does_directly(serve):
    """Scans, odometry and frames are the same observations, and cmd_vel is the same action."""
    serve("navigate")
    with (
        follow(navigate.make, lockstep=True, timeout=LONG) as there,
        navigate.make(seed=SEED) as here,
    ):
        for _ in range(3):
            heard, far = episode(there, gap)
            seen, near = episode(here, gap)
            assert len(heard) == len(seen)
            np.testing.assert_allclose(heard, seen, rtol=1e-5, atol=1e-5)
            assert far["robot"]["success"] == near["robot"]["success"]
        assert near["robot"]["success"]


@pytest.mark.parametrize("task", [reach, cartpole])
def test_joints_are_the_same_through_topics(serve, task):
    """Positions and efforts that a policy commands give the observations of the task itself."""
    serve(task.TASK.name)
    with follow(task.make, lockstep=True, timeout=LONG) as there, task.make(seed=SEED) as here:

        def act(seen):
            return {name: swing(here.action_space[name], each) for name, each in seen.items()}

        for _ in range(2):
            heard, seen = (episode(each, act, 40)[0] for each in (there, here))
            np.testing.assert_allclose(heard, seen, rtol=1e-5, atol=1e-5)
            assert np.ptp(seen, axis=0).max() > 0.1


def test_a_policy_acts_while_the_simulation_runs(serve, client):
    """A robot that is told to drive for a second of simulated time comes as far as it should."""
    serve("navigate")
    ours = client()
    playing = SimulationState(state=SimulationState.STATE_PLAYING)
    ours.call(srv.SetSimulationState, "set_simulation_state", state=playing)
    with follow(navigate.make, timeout=LONG) as environment:
        environment.reset()
        start = environment.area.robot.model.pose[0, 0, :2]
        for _ in range(10):
            environment.step({"robot": np.array([1.0, 0.0], dtype=np.float32)})
        way = np.linalg.norm(environment.area.robot.model.pose[0, 0, :2] - start)
        assert way == pytest.approx(0.6 * environment.world.time[0], abs=0.25)

    def speed():
        state = ours.call(srv.GetEntityState, "get_entity_state", entity="robot").state
        return state.twist.linear.x**2 + state.twist.linear.y**2

    ours.wait(lambda: speed() < 1e-4)  # who leaves stops the base


def test_missing_topics_are_named_with_what_they_are_for(serve):
    """An empty world has a clock, and neither odometry nor a scan."""
    serve("empty")
    with pytest.raises(UnreachableError) as error, follow(navigate.make, timeout=5.0):
        pass
    text = str(error.value)
    assert re.search(r"odom \(nav_msgs/Odometry, for pose and twist of 'robot'\)", text)
    assert re.search(r"scan \(sensor_msgs/LaserScan, for the sensor 'robot::lidar::scan'\)", text)
    assert "clock" not in text


def test_a_simulation_that_does_not_run_is_an_error(serve):
    """Without lock-step, somebody else must let time pass."""
    serve("navigate")
    with follow(navigate.make) as environment:
        environment.reset()
        with pytest.raises(UnreachableError, match="clock of the simulation stands still"):
            environment.step({"robot": np.zeros(2, dtype=np.float32)})


def test_a_task_that_moves_models_itself_is_refused(serve):
    """The cars of the racetrack are moved by their twists, which no topic carries."""
    serve("racetrack")
    with follow(racetrack.make, lockstep=True, timeout=LONG) as environment:
        seen, _ = environment.reset()
        actions = {name: np.zeros(2, dtype=np.float32) for name in seen}
        with pytest.raises(WriteRefusedError, match="twist of model 'red_car': on topics"):
            environment.step(actions)


def test_several_worlds_are_refused():
    """Topics are those of one world."""
    with (
        pytest.raises(UnsupportedError, match="one world, got 2"),
        follow(lambda: navigate.make(worlds=2)),
    ):
        pass


def test_the_example_drives_to_the_goal():
    """Server and policy are processes; the program ends by itself, and says how it went."""
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, root / "examples/ros2_policy.py", "--episodes", "1", "--lockstep"],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert "reached 1 of 1 goals" in done.stdout
