# SPDX-License-Identifier: Apache-2.0
"""Episodes that are played in the browser."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from gymnasium.spaces import Box

from deepsim_btree import Running, Tree
from deepsim_envs import Agents, Area, Environment, replay
from deepsim_mujoco import MujocoSimulator
from deepsim_sync import World
from deepsim_viewer import EnvironmentViewer


class Push(Area):
    """A ball that is pushed along x, and seen by its place."""

    acted = None

    def __init__(self, world):
        super().__init__(world)
        self.ball = world.models.select(["ball"])
        unit = Box(-1.0, 1.0, (1,), np.float64)
        self.agents = Agents(["pusher"], Box(-np.inf, np.inf, (1,), np.float64), unit)

    def reset(self, worlds):
        """Everything begins where the models begin."""

    def act(self, actions):
        self.acted = float(actions[0, 0, 0])
        twist = np.zeros((len(self.world), 1, 6))
        twist[:, 0, 0] = actions[:, 0, 0]
        self.ball.put(twist=twist)

    def observe(self):
        return self.ball.pose[:, :, :1]

    def reward(self):
        return self.ball.pose[:, :, 0]


@pytest.fixture
def play(scenes):
    """Opens viewers of a task; closes them and their tasks."""
    made = []

    def play(worlds=1, **settings):
        world = World(MujocoSimulator(scenes.falling(), worlds=worlds, threads=1))
        environment = Environment(Push(world), frame_skip=10, max_episode_steps=5)
        viewer = EnvironmentViewer(
            environment,
            lambda seen: dict.fromkeys(seen, np.ones(1)),
            port=0,
            speed=None,
            **settings,
        )
        made.extend([environment, viewer])
        return viewer

    yield play
    for each in reversed(made):
        each.close()


@pytest.mark.parametrize("worlds", [1, 3])
def test_episodes_follow_each_other(play, worlds):
    """After five steps all agents are truncated, and the next episode begins."""
    viewer = play(worlds)
    viewer.run(12)
    assert viewer.episodes == 3
    assert viewer.environment.steps.tolist() == [2] * worlds


def test_a_reset_begins_an_episode(play, look):
    """The button begins an episode with its seed, even while a step is held halfway."""
    viewer = play()
    client = look(viewer.viewer)
    client.read(lambda it: any(each.get("label") == "Reset" for each in it.gui.values()))
    viewer.run(2)
    viewer.viewer.control.pause()
    helper = threading.Thread(target=resume_after, args=(viewer, 2))
    helper.start()
    client.press("Reset")
    while viewer.episodes == 1:
        viewer.step()  # held halfway, until the reset or the helper comes
    helper.join()
    assert viewer.environment.steps.tolist() == [1]


def resume_after(viewer, episodes):
    """Resumes once so many episodes have begun."""
    end = time.monotonic() + 10.0
    while viewer.episodes < episodes and time.monotonic() < end:
        time.sleep(0.001)
    viewer.viewer.control.resume()


def test_an_agent_is_driven_by_hand(play, look):
    """The slider is the action of the agent; without its browser it is zero."""
    viewer = play()
    area = viewer.environment.area
    client = look(viewer.viewer)
    client.read(lambda it: any(each.get("label") == "By hand" for each in it.gui.values()))
    client.set("By hand", "pusher")
    client.read(lambda it: any(each.get("label") == "action 0" for each in it.gui.values()))
    client.set("action 0", -0.5)
    end = time.monotonic() + 10.0
    while area.acted != -0.5:
        assert time.monotonic() < end
        viewer.step()
    client.close()
    while area.acted != 0.0:
        assert time.monotonic() < end
        viewer.step()


def test_rewards_are_plotted_when_asked_for(play, look):
    """There is a plot of the rewards as soon as it is switched on, and none before."""
    viewer = play()
    client = look(viewer.viewer)
    client.read(lambda it: any(each.get("label") == "Plot the rewards" for each in it.gui.values()))
    viewer.run(5)
    client.set("Plot the rewards", True)
    client.read(
        lambda it: (
            viewer.step() or any("reward" in str(each.get("title")) for each in it.gui.values())
        )
    )


def test_observations_are_plotted_from_a_number_on(play, look):
    """The plot has the numbers that the agent has seen, over simulated time."""
    viewer = play()
    client = look(viewer.viewer)
    client.read(lambda it: any(each.get("label") == "Observer" for each in it.gui.values()))
    client.set("Plot the observations", True)
    client.read(
        lambda it: (
            viewer.step() or any(each.get("title") == "observations" for each in it.gui.values())
        )
    )
    (plot,) = [each for each in client.gui.values() if each.get("title") == "observations"]
    assert [each["label"] for each in plot["series"]][:2] == ["t [s]", "[0]"]


def test_the_performance_is_plotted(play, look):
    """Milliseconds per tick and the real-time factor are measured while the plot is on."""
    viewer = play()
    client = look(viewer.viewer)
    client.read(lambda it: any("performance" in str(e.get("label")) for e in it.gui.values()))
    client.set("Plot the performance", True)
    client.read(
        lambda it: (
            viewer.step() or any(each.get("title") == "performance" for each in it.gui.values())
        )
    )
    (plot,) = [each for each in client.gui.values() if each.get("title") == "performance"]
    _, callbacks, physics, factor = (np.asarray(each) for each in plot["data"])
    assert np.all(callbacks > 0)
    assert np.all(physics > 0)
    assert np.all(factor >= 0)


def test_demonstrations_run_again(play, look, tmp_path):
    """Episodes that somebody drove run again, to the same results, without the viewer."""
    path = tmp_path / "shown.jsonl"
    viewer = play(demonstrations=path)
    area = viewer.environment.area
    client = look(viewer.viewer)
    client.read(lambda it: any(each.get("label") == "By hand" for each in it.gui.values()))
    client.set("By hand", "pusher")
    client.read(lambda it: any(each.get("label") == "action 0" for each in it.gui.values()))
    client.set("action 0", -0.5)
    steps = 0
    while area.acted != -0.5 or viewer.episodes < 3:
        viewer.step()
        steps += 1
    viewer.close()
    results = list(replay(play().environment, path))
    assert len(results) == steps


def test_trees_of_the_area_are_listed(play, look, monkeypatch):
    """A task names its behaviour trees in an attribute of its area."""
    trees = {"pusher": Tree(Running("push"))}
    monkeypatch.setattr(Push, "trees", trees, raising=False)
    client = look(play().viewer)
    client.read(lambda it: any(each.get("label") == "Tree" for each in it.gui.values()))
    assert client.gui[client.find("Tree")]["options"] == ["none", "pusher"]
