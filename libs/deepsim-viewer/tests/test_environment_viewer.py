# SPDX-License-Identifier: Apache-2.0
"""Episodes that are played in the browser."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from deepsim_btree import Running, Tree
from deepsim_envs import replay


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


def test_trees_of_the_area_are_listed(play, look):
    """A task names its behaviour trees in an attribute of its area."""
    client = look(play(trees={"pusher": Tree(Running("push"))}).viewer)
    client.read(lambda it: any(each.get("label") == "Tree" for each in it.gui.values()))
    assert client.gui[client.find("Tree")]["options"] == ["none", "pusher"]


def drive(viewer, client):
    """Takes the agent over by hand."""
    client.read(lambda it: any(each.get("label") == "By hand" for each in it.gui.values()))
    client.set("By hand", "pusher")
    client.read(lambda it: any(each.get("label") == "action 0" for each in it.gui.values()))


def step_until(viewer, acted, keep=lambda: None):
    """Steps until the action by hand is as given; something is kept up meanwhile."""
    end = time.monotonic() + 10.0
    while viewer.environment.area.acted != acted:
        assert time.monotonic() < end, viewer.environment.area.acted
        keep()
        viewer.step()


def test_a_button_drives_while_it_is_held(play, look):
    """Its action ends with it, and adds to that of the slider."""
    viewer = play()
    client = look(viewer.viewer)
    drive(viewer, client)
    button = client.find("Hold 0 -")

    def hold():
        client.send("GuiButtonHoldMessage", uuid=button, frequency=20.0)

    step_until(viewer, -1.0, hold)
    step_until(viewer, 0.0)
    client.set("action 0", 0.5)
    step_until(viewer, 0.5)
    step_until(viewer, -0.5, hold)
    step_until(viewer, 0.5)


def test_the_stick_springs_back(play, look):
    """Dragged to the right by half of its way it pushes by half; let go it does nothing."""
    viewer = play()
    client = look(viewer.viewer)
    drive(viewer, client)
    client.read(lambda it: "/stick/knob" in it.props)
    at = (0.1, 0.8)

    def drag(phase, way):
        client.send(
            "SceneNodeDragMessage", phase=phase, name="/stick/knob", instance_index=None,
            start_position=(0, 0, 0), start_screen_pos=at, end_position=(0, 0, 0),
            end_screen_pos=(at[0] + way, at[1]), button="left", modifier=None,
            owner=client.props["/stick/knob"]["owner"],
        )  # fmt: skip

    drag("start", 0.0)
    drag("update", 0.04)
    step_until(viewer, pytest.approx(0.5))
    drag("update", 0.9)
    step_until(viewer, pytest.approx(1.0))
    drag("end", 0.9)
    step_until(viewer, 0.0)
    drag("start", 0.0)
    drag("update", -0.08)
    step_until(viewer, pytest.approx(-1.0))
    client.close()  # with the knob in the hand
    step_until(viewer, 0.0)
