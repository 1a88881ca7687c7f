# SPDX-License-Identifier: Apache-2.0
"""Tasks run on Gazebo unchanged."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim import Backend, Task, load_task, open_simulator
from deepsim_gazebo import GazeboSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_train.episodes import run_episodes
from deepsim_train.policies.slot_policy import slot_policy

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
    """Late messages of Gazebo about earlier models do not affect the new ones."""
    for seed in range(10):
        with Backend("gazebo"), racetrack.environment(seed) as environment:
            environment.reset(seed=seed)
            simulator = environment.world.simulator
            simulator.step(5)
            assert set(simulator.entities.models) == {
                "ground", "track", "van_0", "van_1", "red_car", "blue_car",
            }  # fmt: skip


def test_pure_pursuit_drives_a_lap_on_gazebo_too(racetrack: Task) -> None:
    with Backend("gazebo") as backend, racetrack.environment() as environment:
        assert backend.opened == 1
        assert isinstance(environment.world.simulator, GazeboSimulator)
        policy = racetrack.policy("pursuit")(environment, np.random.default_rng(0))
        observations, info = environment.reset(seed=0)
        rewards = dict.fromkeys(observations, 0.0)
        while observations:
            step = environment.step({car: policy(car, observations[car]) for car in observations})
            info.update(step.info)
            for car in step.observation:
                rewards[car] += step.reward[car]
            observations = {car: o for car, o in step.observation.items() if not step.done[car]}
    for car in ("red_car", "blue_car"):
        assert info[car]["outcome"] == "finished"
        assert rewards[car] > 36.0


def test_traffic_and_looks_are_the_same_on_gazebo(racetrack: Task) -> None:
    """Vans are where the traffic drove them, cars blink, and a seed draws the same colours."""
    wait = {name: np.array([0.0, -1.0]) for name in ("red_car", "blue_car")}
    seen = []
    for name in ("gazebo", "mujoco"):
        with Backend(name), racetrack.environment() as environment:
            environment.reset(seed=3)
            for _ in range(40):
                environment.step(wait)
            world, area = environment.world, environment.area
            vans = world.models.select(["van_0", "van_1"])
            expected = area.course.pose(area.traffic.distance, area.traffic.offset)
            np.testing.assert_allclose(vans.pose[..., :2], expected[..., :2], atol=1e-3)
            seen.append((area.traffic.distance.copy(), world.visuals.names, world.visuals.diffuse))
            red = world.visuals.select(world.visuals.names.within("red_car"))
            cars = world.models.select(["red_car", "blue_car"])
            cars.pose = cars.pose[:, :1]
            for _ in range(2):  # a blink begins opaque
                environment.step(wait)
            assert red.transparency.any()
            environment.reset()
            assert not red.transparency.any()
    (gazebo, names, colours), (mujoco, expected_names, expected_colours) = seen
    np.testing.assert_allclose(gazebo, mujoco)
    assert set(names) == set(expected_names)
    colours = colours[:, names.rows(expected_names)]
    np.testing.assert_allclose(colours, expected_colours, atol=1e-6)


@pytest.mark.parametrize("name", ["push", "reach"])
def test_policies_that_were_trained_on_mujoco_succeed(name: str) -> None:
    """In at least three of four episodes."""
    task = load_task(name)
    with Backend("gazebo"), task.environment(7000) as environment:
        act = slot_policy(task.policy("trained"), environment, 7000)
        plays = [run_episodes(environment, act, number, 7000) for number in range(1, 13)]
    assert sum(episode.info["arm"]["success"] for (episode,) in plays) >= 9
