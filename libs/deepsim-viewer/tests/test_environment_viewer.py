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
    client.wait_for("Reset")
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


def drive(client):
    """Takes the agent over by hand."""
    client.wait_for("By hand")
    client.set("By hand", "pusher")
    client.wait_for("action 0")


def step_until(viewer, acted, keep=lambda: None):
    """Steps until the action by hand is as given; something is kept up meanwhile."""
    end = time.monotonic() + 10.0
    while viewer.environment.area.acted != acted:
        assert time.monotonic() < end, viewer.environment.area.acted
        keep()
        viewer.step()


def test_an_agent_is_driven_by_hand(play, look):
    """The slider is the action of the agent; without its browser it is zero."""
    viewer = play()
    client = look(viewer.viewer)
    drive(client)
    client.set("action 0", -0.5)
    step_until(viewer, -0.5)
    client.close()
    step_until(viewer, 0.0)


def plot(viewer, client, title):
    """Switches a plot on, and returns it as soon as it is drawn; there is none before."""

    def drawn(it):
        return [each for each in it.gui.values() if each.get("title") == title]

    client.wait_for(f"Plot the {title}")
    viewer.step()
    assert not drawn(client)
    client.set(f"Plot the {title}", True)
    client.read(lambda it: viewer.step() or drawn(it))
    (found,) = drawn(client)
    return found


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("rewards", ["t [s]", "pusher"]),
        ("observations", ["t [s]", "[0]"]),
        ("performance", ["t [s]", "callbacks [ms]", "physics and all else [ms]", "x real time"]),
    ],
)
def test_plots_are_drawn_when_asked_for(play, look, title, lines):
    """Over simulated time; milliseconds of a tick are above zero."""
    viewer = play()
    found = plot(viewer, look(viewer.viewer), title)
    assert [each["label"] for each in found["series"]] == lines
    if title == "performance":
        _, callbacks, physics, factor = map(np.asarray, found["data"])
        assert min(callbacks.min(), physics.min()) > 0.0
        assert factor.min() >= 0.0


def test_demonstrations_run_again(play, look, tmp_path):
    """Episodes that somebody drove run again, to the same results, without the viewer."""
    path = tmp_path / "shown.jsonl"
    viewer = play(demonstrations=path)
    client = look(viewer.viewer)
    drive(client)
    client.set("action 0", -0.5)
    steps = 0
    while viewer.environment.area.acted != -0.5 or viewer.episodes < 3:
        viewer.step()
        steps += 1
    viewer.close()
    results = list(replay(play().environment, path))
    assert len(results) == steps


def test_trees_of_the_area_are_listed(play, look):
    """A task names its behaviour trees in an attribute of its area."""
    client = look(play(trees={"pusher": Tree(Running("push"))}).viewer)
    client.wait_for("Tree")
    assert client.gui[client.find("Tree")]["options"] == ["none", "pusher"]


def test_a_button_drives_while_it_is_held(play, look):
    """Its action ends with it, and adds to that of the slider."""
    viewer = play()
    client = look(viewer.viewer)
    drive(client)
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
    drive(client)
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
