# SPDX-License-Identifier: Apache-2.0
"""Tasks run on Gazebo as they are."""

from __future__ import annotations

import numpy as np
import pytest


from deepsim import Backend, Task, open_simulator
from deepsim_gazebo import GazeboSimulator
from deepsim_spawn import GazeboXMLLoader

pytestmark = pytest.mark.usefixtures("gazebo")

WORLD = GazeboXMLLoader().load_world("""<sdf version="1.7"><world name="w">
  <physics type="ode"><max_step_size>0.004</max_step_size></physics>
  <gravity>0 0 -2</gravity>
  <light name="lamp" type="point"><pose>0 0 3 0 0 0</pose></light>
  <model name="outer">
    <pose>1 2 3 0 0 0.5</pose>
    <link name="l"/>
    <model name="inner"><pose>0 0 1 0 0 0</pose><link name="l"/></model>
  </model>
</world></sdf>""")


def test_a_described_world_takes_the_place_of_the_one_before() -> None:
    with Backend("gazebo"):
        for _ in range(2):
            simulator = open_simulator(WORLD)
            assert isinstance(simulator, GazeboSimulator)
            assert list(simulator.entities.models) == ["outer", "outer::inner"]
            assert list(simulator.entities.links) == ["outer::l", "outer::inner::l"]
            assert list(simulator.entities.lights) == ["lamp"]
            assert (simulator.time.tolist(), simulator.timestep) == ([0.0], 0.004)
            simulator.close()


def test_a_task_is_built_again_and_again_under_the_same_names(racetrack: Task) -> None:
    """What Gazebo still has to say of the models before must not touch the new ones."""
    for seed in range(10):
        with Backend("gazebo"), racetrack.make(seed) as environment:
            environment.reset(seed=seed)
            simulator = environment.world.simulator
            simulator.step(5)
            assert set(simulator.entities.models) == {
                "ground", "track", "van_0", "van_1", "red_car", "blue_car",
            }  # fmt: skip


def test_pure_pursuit_drives_a_lap_on_gazebo_too(racetrack: Task) -> None:
    with Backend("gazebo") as backend, racetrack.make(0) as environment:
        assert backend.opened == 1
        assert isinstance(environment.world.simulator, GazeboSimulator)
        act = racetrack.policy("pursuit")(environment, np.random.default_rng(0))
        episode = run_episode(environment, act, 1, 0)
    for car in ("red_car", "blue_car"):
        assert episode.info[car]["outcome"] == "finished"
        assert episode.rewards[car] > 36.0


def test_traffic_and_looks_are_the_same_on_gazebo(racetrack: Task) -> None:
    """Vans are where their behaviour trees drove them, cars blink, and a seed draws its looks."""
    wait = {name: np.array([0.0, -1.0]) for name in ("red_car", "blue_car")}
    seen = []
    for name in ("gazebo", "mujoco"):
        with Backend(name), racetrack.make(0) as environment:
            environment.reset(seed=3)
            for _ in range(40):
                environment.step(wait)
            red, blue = environment.area.cars
            places = [(van.at, van.transform.pose.position) for van in environment.area.vans]
            for at, position in places:
                assert red.course.locate((position.x, position.y)) == pytest.approx(at, abs=1e-3)
            visuals = environment.world.visuals
            paint = {each: visuals.diffuse[0, visuals.names.row(each)] for each in visuals.names}
            seen.append(([at for at, _ in places], paint))
            blue.transform.pose = red.transform.pose
            for _ in range(2):  # a blink begins opaque
                environment.step(wait)
            assert any(red.transform.transparency.values())
            environment.reset()
            assert not any(red.transform.transparency.values())
    np.testing.assert_allclose(seen[0][0], seen[1][0])
    assert seen[0][1].keys() == seen[1][1].keys()
    for each, color in seen[0][1].items():
        np.testing.assert_allclose(color, seen[1][1][each], atol=1e-6)
