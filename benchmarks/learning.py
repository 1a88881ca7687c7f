# SPDX-License-Identifier: Apache-2.0
"""How fast do learners get steps, beside peers, and how long does it take to solve a task?

    python benchmarks/learning.py ant
    python benchmarks/learning.py [TASK ...] [--seeds 5]

The first steps Gymnasium's ant, the same file: ours, Gymnasium's Ant-v5, envpool where it is
installed (`pip install envpool`, whose newest ant may be v4) and `mujoco.batch` alone take turns in
1, 64 and 1024 worlds. Figures are environment steps, of 5 steps of physics, per CPU second.

The second trains tasks by `deepsim train` with their own settings, in a process for each seed; two
run at a time. One is solved once 90 of its latest 100 episodes succeed; the policy at the end then
plays 100 episodes that it has not seen. Both write the tables of benchmarks/README.md, in which
what is left out keeps its figures.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import gymnasium
import mujoco
import mujoco.batch
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray
from policies import played, success
from report import RESULTS, write, write_table

from deepsim import Agents, Area, Environment, MujocoSimulator, Robot, World
from deepsim_envs import GymnasiumVectorEnv
from deepsim_robots import RobotConfig
from deepsim_spawn import Physics, WorldDescription
from deepsim_train import TrainedPolicy

PAGE = Path(__file__).parent / "README.md"
FILE = Path(gymnasium.__file__).parent / "envs/mujoco/assets/ant.xml"
SKIP, TIMESTEP = 5, 0.01
ROUNDS, STEPS = 5, 2048  # of all worlds in each round
NUMBERS = (1, 64, 1024)
SOLVED = 0.9
UNSEEN = 10_000  # the seed of episodes that no training uses
TASKS = ("cartpole", "reach", "navigate")

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


def gymnasiums(worlds: int) -> Step:
    """Returns a step of Gymnasium's."""
    return _step(gymnasium.make_vec("Ant-v5", worlds, vectorization_mode="sync"))


def envpools(worlds: int) -> Step:
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


def ant() -> dict[str, dict[str, float]]:
    """Returns environment steps per CPU second by way and number of worlds: medians over rounds."""
    makers: dict[str, Callable[[int], Step]] = {"DeepSim": ours, "Gymnasium Ant-v5": gymnasiums}
    if find_spec("envpool"):
        makers["envpool"] = envpools
    makers["mujoco.batch alone"] = bare
    figures: dict[str, dict[str, float]] = {name: {} for name in makers}
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
        for name, values in rates.items():
            figures[name][str(worlds)] = median(values)
    return figures


def learned(task: str, seed: int) -> dict[str, float | None]:
    """Trains with a seed; returns seconds, those until it was solved, steps, and successes."""
    with TemporaryDirectory() as folder:
        out = Path(folder, "run")
        command = [sys.executable, "-m", "deepsim", "train", task, "--no-video"]
        subprocess.run([*command, "--seed", str(seed), "--out", str(out)], check=True)
        times, progress = (_rows(out / name) for name in ("timing.csv", "progress.csv"))
        policy = TrainedPolicy.load(out / "policy.npz")
    share = success(played(task, policy, worlds=100, seed=UNSEEN))
    solved = [
        float(time["seconds"])
        for time, row in zip(times, progress, strict=True)
        if float(row["end/success"] or 0.0) >= SOLVED
    ]
    return {
        "seconds": float(times[-1]["seconds"]),
        "solved": solved[0] if solved else None,
        "steps": int(times[-1]["steps"]),
        "success": share,
    }


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tables(figures: Mapping[str, Any]) -> None:
    """Writes both tables of the page."""
    heads = " | ".join(f"{worlds} world{'s' * (worlds > 1)}" for worlds in NUMBERS)
    lines = [f"| environment steps per CPU second | {heads} |", "|---|" + "---:|" * len(NUMBERS)]
    for name, rates in figures.get("ant", {}).items():
        lines.append(f"| {name} | {' | '.join(f'{rate:.0f}' for rate in rates.values())} |")
    write_table(PAGE, "python benchmarks/learning.py ant", lines)
    lines = [
        "| task | seconds until solved, median (worst) | of training | steps | success, worst |",
        "|---|---:|---:|---:|---:|",
    ]
    for task in TASKS:
        if task in figures:
            runs = figures[task]
            solved = [np.inf if each is None else each for each in runs["solved"]]
            cells = (
                f"{median(solved):.0f} ({max(solved):.0f})",
                f"{median(runs['seconds']):.0f}",
                f"{max(runs['steps']):,}",
                f"{min(runs['success']):.2f}",
            )
            lines.append(f"| {task} | {' | '.join(cells)} |")
    write_table(PAGE, "python benchmarks/learning.py", lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and trains what is named, and writes the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=["ant", *TASKS], metavar="ant|TASK")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args(arguments)
    file = RESULTS / "learning.json"
    figures = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    with ThreadPoolExecutor(2) as pool:
        for name in options.names:
            if name == "ant":
                figures["ant"] = ant()
                continue
            runs = list(pool.map(lambda seed, name=name: learned(name, seed), range(options.seeds)))
            figures[name] = {key: [run[key] for run in runs] for key in runs[0]}
    tables(figures)
    packages = ("deepsim-envs", "gymnasium", "stable-baselines3", "torch", "mujoco", "numpy")
    write("learning", figures, *packages)


if __name__ == "__main__":
    main()
