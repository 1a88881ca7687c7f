# SPDX-License-Identifier: Apache-2.0
"""The speed at which trainers of all agents collect steps of the racetrack, in many worlds.

The worlds of one environment are stepped at once; those of as many environments one after the
other, as those of a task for one world are. It is processor time, of one thread for the physics;
learning does not count.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from peers import installed
from report import write

from deepsim import Environment, Task, load_task

os.cpu_count = lambda: 1  # by default a simulator steps its worlds with as many threads

ROOT = Path(__file__).resolve().parents[1]
STEPS = 16  # of all worlds in a turn

Collect = Callable[[Task, int], float]
"""Collects steps of a task in so many worlds, and returns the seconds of processor time."""


def sb3(task: Task, worlds: int) -> float:
    """Steps `AgentsVecEnv`, with random actions."""
    from deepsim_train.sb3 import AgentsVecEnv  # noqa: PLC0415 (may not be installed)

    environment = AgentsVecEnv(task.environments(worlds, looks=False))
    environment.reset()
    shape = (STEPS, environment.num_envs, *environment.action_space.shape)
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, shape).astype(np.float32)
    environment.step(actions[0])
    start = process_time()
    for each in actions:
        environment.step(each)
    spent = process_time() - start
    environment.close()
    return spent


def torchrl(task: Task, worlds: int) -> float:
    """Rolls `TorchRLEnv` out, with random actions."""
    from deepsim_train.torchrl import TorchRLEnv  # noqa: PLC0415 (may not be installed)

    environment = TorchRLEnv(task.environments(worlds, looks=False))
    begun = environment.rollout(1, break_when_any_done=False)[:, -1]["next"]
    start = process_time()
    environment.rollout(STEPS, auto_reset=False, tensordict=begun, break_when_any_done=False)
    spent = process_time() - start
    environment.close()
    return spent


def train(task: Task, worlds: int) -> float:
    """Trains by `deepsim train`'s PPO for one rollout."""
    from deepsim_train.training.config import TrainingConfig  # noqa: PLC0415 (as the next)
    from deepsim_train.training.ppo import train as learn  # noqa: PLC0415 (may not be installed)

    times: list[float] = []

    def on_step(_steps: int, _rewards: Mapping[str, float]) -> None:
        times.append(process_time())

    settings = {"envs": worlds, "rollout": STEPS + 1, "steps": 1, "epochs": 1, "minibatch": 128}
    with TemporaryDirectory() as folder:
        learn(task, TrainingConfig().changed({**task.training, **settings}), Path(folder), on_step)
    return times[-1] - times[0]


def main() -> None:
    """Measures all trainers that are installed, in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    task = load_task(ROOT / "examples" / "racetrack")

    def make(seed: int = 0, *, looks: bool = True) -> Environment:
        return task.environment(seed, looks=looks)

    ways = {"at once": task, "one by one": replace(task, make=make)}
    trainers: dict[str, Collect] = {}
    if installed("stable_baselines3"):
        trainers |= {"AgentsVecEnv": sb3, "deepsim train": train}
    if installed("torchrl"):
        trainers["TorchRLEnv"] = torchrl
    figures: dict[str, Any] = {"worlds": options.worlds}
    least: dict[str, float] = {}
    for _ in range(options.rounds):
        for trainer, collect in trainers.items():
            for way, each in ways.items():
                spent = collect(each, options.worlds)
                least[f"{trainer}, {way}"] = min(least.get(f"{trainer}, {way}", spent), spent)
    agents = STEPS * options.worlds * 2
    for name, spent in least.items():
        figures[f"{name}, steps of agents per second"] = agents / spent
    for trainer in trainers:
        ratio = least[f"{trainer}, one by one"] / least[f"{trainer}, at once"]
        figures[f"{trainer}, at once / one by one"] = ratio
    write("collection", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
