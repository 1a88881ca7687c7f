# SPDX-License-Identifier: Apache-2.0
"""A task on generated terrain: its levels follow the distance walked."""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim import Agents, Area, Environment, Pose, World
from deepsim_envs import GymnasiumVectorEnv
from deepsim_spawn import HeightScan, Terrain, TerrainKind
from deepsim_spawn.terrain_kinds import rubble, slopes
from deepsim_sync.testing import TableModel, TableSimulator

STEPS = 4
KINDS: list[TerrainKind] = [slopes, rubble]


class Walk(Area):
    """A puck whose action is its velocity along x [m/s], for a second a step."""

    agents = Agents(["puck"], Box(-99.0, 99.0, (9,)), Box(-9.0, 9.0, (1,)))

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.terrain = Terrain.generate(KINDS, rows=4, patch=(4.0, 4.0), resolution=0.5, seed=2)
        world.spawn(TableModel(), "puck", Pose())
        self.puck = world.models.select(["puck"])
        self.scan = HeightScan(self.terrain, self.puck, size=(1.0, 1.0), resolution=0.5)
        self.kind = np.arange(len(world)) % len(KINDS)

    def begin(self, worlds: NDArray[np.intp]) -> NDArray[np.float64]:
        return self.terrain.origins[self.level[worlds], self.kind[worlds]]

    def reset(self, worlds: NDArray[np.intp]) -> None:
        pose = self.puck.pose[worlds]
        pose[:, 0, :3] = self.begin(worlds)
        self.puck.put(worlds, pose=pose, twist=np.zeros(6))

    def act(self, actions: NDArray[np.float64]) -> None:
        twist = np.zeros((len(self.world), 1, 6))
        twist[..., :1] = actions
        self.puck.twist = twist

    def observe(self) -> NDArray[np.float64]:
        return self.scan.read()[:, None]

    def reward(self) -> NDArray[np.float64]:
        return self.puck.pose[:, :, 0]

    def next_level(self, worlds: NDArray[np.intp]) -> NDArray[np.int64]:
        walked = self.puck.pose[worlds, 0, 0] - self.begin(worlds)[:, 0]
        draws = self.world.uniform(0.0, 1.0, worlds=worlds)
        return self.terrain.next_levels(
            self.level[worlds], walked, np.full(len(walked), 3.0), draws
        )


def make(worlds: int) -> Environment:
    world = World(TableSimulator(worlds=worlds, timestep=0.25))
    return Environment(Walk(world), frame_skip=4, max_episode_steps=STEPS, seed=5)


def levels(view: GymnasiumVectorEnv, speeds: list[float], episodes: int) -> list[list[int]]:
    found = []
    for _ in range(episodes):
        for _ in range(STEPS):
            *_, infos = view.step(np.array(speeds, dtype=np.float32)[:, None])
        found.append(infos["level"].tolist())
    return found


def test_levels_follow_the_distance_and_the_robot_begins_on_their_patch() -> None:
    """Half a patch is 2 m: 2.4 m moves up, 1.6 m stays, 1.2 m moves down."""
    environment = make(3)
    view = GymnasiumVectorEnv(environment, autoreset_mode="SameStep")
    view.reset(seed=1)
    assert levels(view, [0.6, 0.4, 0.3], 2) == [[1, 0, 0], [2, 0, 0]]
    assert levels(view, [0.3, 0.6, 0.6], 1) == [[1, 1, 1]]
    place = environment.world.models.select(["puck"]).pose[:, 0, :3]
    # Rows of 4 m along y around 0, columns along x.
    np.testing.assert_allclose(place[:, :2], [[-2, -2], [2, -2], [-2, -2]])
    assert (place[:, 2] >= 0.0).all()
    (middle,) = {round(float(each), 9) for each in view.step(np.zeros((3, 1)))[0][[0, 2], 4]}
    assert middle == 0.0
