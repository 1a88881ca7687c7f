# SPDX-License-Identifier: Apache-2.0
"""What does an environment step of Gymnasium's ant cost, on the same file, beside peers?

Ours, Gymnasium's Ant-v5 and, where it is installed, envpool's take turns in 1, 64 and 1024 worlds,
with `mujoco.batch` alone on our model. Figures are environment steps per CPU second of the process;
each is 5 steps of physics. `pip install envpool` for envpool, whose newest ant may be v4.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import gymnasium
import mujoco
import mujoco.batch
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray
from report import write

from deepsim import Agents, Area, Environment, MujocoSimulator, Robot, World
from deepsim_envs import GymnasiumVectorEnv
from deepsim_robots import RobotConfig
from deepsim_spawn import Physics, WorldDescription

FILE = Path(gymnasium.__file__).parent / "envs/mujoco/assets/ant.xml"
SKIP, TIMESTEP = 5, 0.01
ROUNDS, STEPS = 5, 2048  # of all worlds in each round
NUMBERS = (1, 64, 1024)

Floats = NDArray[np.float64]
Step = Callable[[], object]


class Ant(Area):
    """Earns its speed along x, 1 for a step that it survives, and less for effort."""

    agents = Agents(["ant"], Box(-np.inf, np.inf, (27,)), Box(-1.0, 1.0, (8,)))

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.robot = Robot(world, RobotConfig(FILE), "ant")
        self.torso, self.joints = world.links.select(["ant::torso"]), self.robot.joints.rows
        self.action, self.before = np.zeros((len(world), 8)), np.zeros(len(world))

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Turns the joints a little."""
        self.joints.put(worlds, position=self.world.uniform(-0.1, 0.1, 8, worlds))

    def act(self, actions: NDArray[np.float32]) -> None:
        """Applies the torques."""
        self.action, self.before = actions[:, 0], self.torso.pose[:, 0, 0]
        self.robot.set_action(self.action)

    def observe(self) -> Floats:
        """Returns height, turn and velocity of the torso, and the joints; (W, 1, 27)."""
        pose, twist = self.torso.pose[:, 0], self.torso.twist[:, 0]
        columns = [pose[:, 2:], twist, self.joints.position, self.joints.velocity]
        return np.concatenate(columns, axis=1)[:, None]

    def reward(self) -> Floats:
        """Returns the rewards, (W, 1)."""
        speed = (self.torso.pose[:, 0, 0] - self.before) / (SKIP * TIMESTEP)
        return (speed + 1.0 - 0.5 * np.square(self.action).sum(axis=1))[:, None]

    def terminated(self) -> NDArray[np.bool_]:
        """Returns whether the torso is too low or too high, (W, 1)."""
        height = self.torso.pose[:, 0, 2]
        return ((height < 0.2) | (height > 1.0))[:, None]


def ours(worlds: int) -> Step:
    """Returns a step of our environment, as Gymnasium's vector environment."""
    simulator = MujocoSimulator(
        WorldDescription("ant", physics=Physics(max_step_size=TIMESTEP)), worlds=worlds
    )
    world = World(simulator, steps_per_tick=SKIP)
    return _step(
        GymnasiumVectorEnv(Environment(Ant(world), frame_skip=SKIP, max_episode_steps=1000))
    )


def theirs(worlds: int) -> Step:
    """Returns a step of Gymnasium's."""
    return _step(gymnasium.make_vec("Ant-v5", worlds, vectorization_mode="sync"))


def pool(worlds: int) -> Step:
    """Returns a step of envpool's."""
    import envpool  # noqa: PLC0415 (an extra)

    names = [name for name in ("Ant-v5", "Ant-v4") if name in envpool.list_all_envs()]
    return _step(envpool.make_gymnasium(names[0], num_envs=worlds), np.float64)


def bare(worlds: int) -> Step:
    """Returns the physics of a step alone."""
    model = mujoco.MjModel.from_xml_path(str(FILE))
    batch = mujoco.batch.Batch(model, worlds)
    return lambda: batch.step(nstep=SKIP)


def _step(envs: Any, dtype: Any = np.float32) -> Step:
    worlds, rng = envs.num_envs, np.random.default_rng(0)
    actions = cycle(rng.uniform(-1.0, 1.0, (16, worlds, 8)).astype(dtype))
    envs.reset()
    return lambda: envs.step(next(actions))


def main() -> None:
    """Prints and writes the medians over rounds."""
    makers: dict[str, Callable[[int], Step]] = {"ours": ours, "gymnasium": theirs, "bare": bare}
    if find_spec("envpool"):
        makers["envpool"] = pool
    figures: dict[str, float] = {}
    for worlds in NUMBERS:
        steps = {name: maker(worlds) for name, maker in makers.items()}
        rates: dict[str, list[float]] = {name: [] for name in steps}
        for _ in range(ROUNDS):
            for name, step in steps.items():
                step()
                calls = max(2, STEPS // worlds)
                start = process_time()
                for _ in range(calls):
                    step()
                rates[name].append(calls * worlds / (process_time() - start))
        figures |= {f"{name}_{worlds}": median(values) for name, values in rates.items()}
    write("ant", figures, "deepsim-envs", "mujoco", "gymnasium")


if __name__ == "__main__":
    main()
