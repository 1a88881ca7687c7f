# SPDX-License-Identifier: Apache-2.0
"""Dynamic scenarios in several worlds of one simulator."""

from __future__ import annotations

import random

import numpy as np
import pytest

from deepsim_mujoco import MujocoSimulator
from deepsim_scenes import ScenarioError, SceneError, run_scenario
from deepsim_scenes.world import EMPTY
from deepsim_sync import World

pytestmark = pytest.mark.usefixtures("scenic")

WANDER = """\
pace = Range(0.3, 1)
behavior Wander():
    try:
        while True:
            take Drive(ahead=pace * Range(0.5, 1), turn=Range(-1, 1))
    interrupt when self.position.y > 1:
        take Drive(ahead=-1)
behavior Fixed():
    do DriveTo(2 @ 1, speed=0.7)
ego = DemoCube at 0 @ 0, facing 0 deg, with behavior Wander()
DemoCube at -2 @ -2, facing 0 deg, with behavior Fixed()
DemoCube at Range(-2, -1) @ 3
monitor Far():
    while (distance from ego to 0 @ 0) < 0.9:
        wait
    terminate
require monitor Far()
require always ego.position.x < 1.5
record ego.position.x as east
record initial pace as pace
"""


def same(one, other):
    """Whether two runs are equal, bit for bit."""
    return (
        (one.reason, one.is_rejected, dict(one.records))
        == (other.reason, other.is_rejected, dict(other.records))
        and np.array_equal(one.times, other.times)
        and np.array_equal(one.poses, other.poses)
    )


def test_each_world_has_the_run_that_its_scene_has_alone(load):
    """Bit for bit: behaviours, monitors, random numbers, records; also in a second episode."""
    scenario = load(WANDER)
    scenes = [scenario.sample(seed=1, number=number) for number in range(4)]
    alone = []
    for scene in scenes:
        with World(MujocoSimulator(EMPTY), steps_per_tick=5) as world:
            alone.append(run_scenario(scenario, scene, world, seconds=3.0))
    assert len({len(each.times) for each in alone}) > 1  # they end at different times
    with World(MujocoSimulator(EMPTY, worlds=4), steps_per_tick=5) as world:
        together = run_scenario(scenario, scenes, world, seconds=3.0)
        second = run_scenario(scenario, scenes[::-1], world, seconds=3.0)
    for one, both, later in zip(alone, together, second[::-1], strict=True):
        assert same(one, both)
        np.testing.assert_allclose(one.poses[0], later.poses[0], atol=1e-12)
        assert later.records["pace"] == one.records["pace"]


def test_global_generators_and_scenics_state_are_left_as_they_were(load):
    from scenic.syntax import veneer  # noqa: PLC0415 (of an extra)

    scenario = load(WANDER)
    random.seed(3)
    before = random.getstate()
    with World(MujocoSimulator(EMPTY, worlds=2), steps_per_tick=5) as world:
        run_scenario(scenario, [scenario.sample(number=n) for n in range(2)], world, seconds=0.5)
    assert random.getstate() == before
    assert veneer.currentSimulation is None
    assert veneer.currentBehavior is None


def test_an_error_in_one_world_ends_all_and_leaves_nothing(load):
    """The world whose second draw is negative divides by zero; later loads and runs work."""
    wrong = load(
        "rate = Range(-1, 1)\n"
        "behavior Wrong():\n"
        "    take Drive(1)\n"
        "    take Drive(1 / (0 if rate < 0 else 1))\n"
        "    while True:\n"
        "        wait\n"
        "ego = DemoCube at 0 @ 0, with behavior Wrong()\n"
        "record initial rate as rate\n"
    )
    scenes = [wrong.sample(number=number) for number in range(6)]
    with World(MujocoSimulator(EMPTY, worlds=6), steps_per_tick=5) as world:
        with pytest.raises(ScenarioError, match=r"text\.scenic:4: ZeroDivisionError"):
            run_scenario(wrong, scenes, world, seconds=1.0)
        right = load("ego = DemoCube at 0 @ 0\nterminate after 0.3 seconds\n")
        done = run_scenario(right, [right.sample(number=n) for n in range(6)], world, seconds=1.0)
    assert {each.reason for each in done} == {"reached time limit"}


def test_what_several_worlds_cannot_do_is_refused(load):
    scenario = load(
        "scenario Main():\n"
        "    setup:\n"
        "        ego = DemoCube at 0 @ 0\n"
        "    compose:\n"
        "        do Drop() for 1 seconds\n"
        "scenario Drop():\n"
        "    setup:\n"
        "        cube = DemoCube at 1 @ 0, with z 1\n",
        scenario="Main",
    )
    scene = scenario.sample()
    with World(MujocoSimulator(EMPTY, worlds=2), steps_per_tick=5) as world:
        with pytest.raises(SceneError, match="demo_cube_1 appears during the run: all of 2 worlds"):
            run_scenario(scenario, [scene, scene], world)
        with pytest.raises(SceneError, match="2 worlds need as many scenes, got 1"):
            run_scenario(scenario, scene, world)
