# SPDX-License-Identifier: Apache-2.0
"""What views add to the step of an environment: all drive the same race, step by step in turn."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from report import write

from deepsim import load_task
from deepsim_envs import Act, Environment, GymnasiumEnv
from deepsim_envs.pettingzoo import PettingZooEnv

AGENT = "red_car"
BARE = "Environment"
ROUNDS, STEPS = 60, 50  # of each in a round, which is too short for anybody to be done
COAST = np.zeros(2, dtype=np.float32)


def coast(_environment: Environment, _rng: np.random.Generator) -> Act:
    """A policy that takes no time, so that only the view is measured."""
    return lambda _agent, _seen: COAST


def main() -> None:
    """Steps the bare environment and each view of it in turn."""
    task = load_task(Path(__file__).parents[1] / "examples" / "racetrack")
    bare = task.make(0)
    both = dict.fromkeys(bare.agents, COAST)
    view = GymnasiumEnv(task.make(0), agent=AGENT, others=coast)
    made = gymnasium.make(
        EnvSpec(
            "Racetrack-v0",
            entry_point=lambda **_: GymnasiumEnv(task.make(0), agent=AGENT, others=coast),
            disable_env_checker=True,
        )
    )
    parallel = PettingZooEnv(task.make(0), name=task.name)
    resets: dict[str, Callable[[int], Any]] = {
        BARE: bare.reset,
        "GymnasiumEnv": lambda seed: view.reset(seed=seed),
        "gymnasium.make": lambda seed: made.reset(seed=seed),
        "PettingZooEnv": lambda seed: parallel.reset(seed=seed),
    }
    steps: dict[str, Callable[[], Any]] = {
        BARE: lambda: bare.step(both),
        "GymnasiumEnv": lambda: view.step(COAST),
        "gymnasium.make": lambda: made.step(COAST),
        "PettingZooEnv": lambda: parallel.step(both),
    }
    times: dict[str, list[float]] = {name: [] for name in steps}
    turns = cycle([list(steps)[turn:] + list(steps)[:turn] for turn in range(len(steps))])
    for seed in range(ROUNDS):
        for reset in resets.values():
            reset(seed)
        for _ in range(STEPS):
            for name in next(turns):
                start = perf_counter()
                steps[name]()
                times[name].append(1e6 * (perf_counter() - start))
    medians = {name: median(values) for name, values in times.items()}
    figures: dict[str, Any] = {f"{name}, step [us]": each for name, each in medians.items()}
    for name in list(steps)[1:]:
        figures[f"{name}, added [%]"] = 100 * (medians[name] / medians[BARE] - 1)
    write("views", figures, "mujoco", "numpy", "gymnasium", "pettingzoo")


if __name__ == "__main__":
    main()
