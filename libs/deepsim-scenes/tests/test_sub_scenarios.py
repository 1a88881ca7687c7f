# SPDX-License-Identifier: Apache-2.0
"""Scenarios that others start during a run, and runs after each other in one process."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from deepsim_mujoco import MujocoSimulator
from deepsim_scenes import ScenarioError, run_scenario
from deepsim_scenes.world import EMPTY
from deepsim_sync import World

pytestmark = pytest.mark.usefixtures("scenic")

GO = """\
workspace = Workspace(RectangularRegion(0 @ 0, 0, 12, 12))
behavior Go():
    do DriveTo(3 @ 0, speed=0.5)
"""
MAIN = """
scenario Main():
    setup:
        ego = DemoCube at 0 @ 0{behavior}
    compose:
        wait
        wait
        do Sub(ego)
        wait
        wait
"""
DRIVING, RESTING = MAIN.format(behavior=", with behavior Go()"), MAIN.format(behavior="")


@pytest.fixture
def run(load):
    """Runs the scenario `Main` of a text in a new world."""

    def run_text(text, scenario=None):
        scenario = scenario or load(text, scenario="Main")
        with World(MujocoSimulator(EMPTY), steps_per_tick=5) as world:
            return run_scenario(scenario, scenario.sample(), world, seconds=4.0)

    return run_text


def sub(*statements):
    """The scenario `Sub` with statements on lines 6, 7, ..."""
    lines = "".join(f"        {each}\n" for each in statements)
    return f"{GO}scenario Sub(target):\n    setup:\n{lines}"


@pytest.mark.parametrize("main", [DRIVING, RESTING])
def test_an_override_leaves_nothing_to_the_next_load(load, run, main):
    """The collection of a suspended behaviour in the middle of what follows has no effect."""
    text = sub("override target with behavior Go()", "terminate after 0.5 seconds") + main
    scenario = load(text, scenario="Main")
    first = run(text, scenario)
    gc.collect()
    assert len(load("ego = DemoCube at 1 @ 2\nCrate at 0 @ 0\n").sample().objects) == 2
    again = run(text, scenario)
    assert np.array_equal(first.poses, again.poses)
    assert not first.is_rejected


def test_state_that_scenic_was_left_with_is_no_obstacle(load):
    """Another program of the process may have left a behaviour or a requirement unfinished."""
    from scenic.syntax import veneer  # noqa: PLC0415 (of an extra)

    veneer.currentBehavior, veneer.evaluatingRequirement = object(), True
    try:
        assert len(load("ego = DemoCube at 1 @ 2\n").sample().objects) == 1
    finally:
        veneer.currentBehavior, veneer.evaluatingRequirement = None, False


def test_a_sub_scenario_records_while_it_runs(run):
    """Values, also false ones, from its start in step 2 to its end after half a second."""
    done = run(
        sub(
            "record target.position.x as east",
            "record initial target.position.x as first",
            "record final target.position.x as last",
            "record False as never",
            "terminate after 0.5 seconds",
        )
        + DRIVING
    )
    assert (done.reason, done.is_rejected) == ("finished compose block", False)
    assert [step for step, _ in done.records["east"]] == [2, 3, 4, 5, 6, 7]
    values = [value for _, value in done.records["east"]]
    assert values == pytest.approx(done.poses[2:8, 0, 0], abs=1e-9)
    assert done.records["first"] == values[0]
    assert done.records["last"] == values[-1]
    assert {value for _, value in done.records["never"]} == {False}


def test_a_sub_scenario_ends_alone_by_its_condition(run):
    """The scenario that started it goes on for two steps."""
    done = run(sub("terminate when target.position.x > 0.5") + DRIVING)
    assert (done.reason, done.is_rejected) == ("finished compose block", False)
    east = done.poses[:, 0, 0]
    assert east[-3] > 0.5 >= east[-4]


def test_a_sub_scenario_can_end_the_run(run):
    done = run(sub("terminate simulation when target.position.x > 0.5") + DRIVING)
    assert (done.reason, done.is_rejected) == ("termination condition on line 6", False)
    assert done.poses[-1, 0, 0] > 0.5 >= done.poses[-2, 0, 0]


def test_its_conditions_end_with_it(run):
    """After its end, a scenario cannot end the run any more."""
    done = run(
        sub("terminate simulation when target.position.x > 0.2", "terminate after 0.2 seconds")
        + DRIVING
    )
    assert done.reason == "finished compose block"


def test_a_requirement_of_a_sub_scenario_still_rejects(run):
    done = run(sub("require always target.position.x < 0.5") + DRIVING)
    assert (done.reason, done.is_rejected) == ("requirement on line 6", True)


def test_recording_options_of_a_sub_scenario_are_refused(run):
    with pytest.raises(ScenarioError, match=r"text\.scenic.*line 6 has a period, delay or file"):
        run(sub("record target.position.x every 2 steps as east") + RESTING)
