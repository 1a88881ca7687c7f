# SPDX-License-Identifier: Apache-2.0
"""Racetracks stepped as one batch beside as many stepped in turn through Python objects.

Both are Gymnasium's `VectorEnv`, with the same seeds and actions, and give the same bits; that is
checked here too. It says what bounds them: of each, the part that is the engine's own physics.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from report import write

from deepsim import load_task
from deepsim_envs import BatchVectorEnv, GymnasiumEnv, GymnasiumVectorEnv, digest

AGENT, OTHERS = "red_car", "random"
STEPS = 4  # of each in a round


class Clock:
    """Wall and processor time [s] spent in calls, all together."""

    def __init__(self) -> None:
        self.wall = self.processor = 0.0

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, with its time added here."""

        def timed(*args: Any, **kwargs: Any) -> Any:
            wall, processor = perf_counter(), process_time()
            try:
                return call(*args, **kwargs)
            finally:
                self.wall += perf_counter() - wall
                self.processor += process_time() - processor

        return timed


def main() -> None:
    """Steps both in turn, some steps each, until a number of rounds is done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()
    worlds: int = options.worlds
    task = load_task(Path(__file__).parents[1] / "examples" / "racetrack")
    assert task.make_batch is not None

    def one() -> GymnasiumEnv:
        return GymnasiumEnv(task.make(0, looks=False), agent=AGENT, others=task.policy(OTHERS))

    in_turn = GymnasiumVectorEnv([one] * worlds)
    batch = BatchVectorEnv(task.make_batch(worlds), agent=AGENT, others=task.batch_policies[OTHERS])
    clocks = {
        name: Clock() for name in ("in turn", "physics in turn", "batch", "physics of the batch")
    }
    for env in in_turn.envs:
        physics: Any = env.environment.world.simulator
        physics.step = clocks["physics in turn"].around(physics.step)
    physics = batch.environment.worlds.simulator
    physics.step = clocks["physics of the batch"].around(physics.step)

    def run(env: Any, actions: Any) -> list[Any]:
        return [env.step(each)[:4] for each in actions]

    calls = {
        "in turn": clocks["in turn"].around(partial(run, in_turn)),
        "batch": clocks["batch"].around(partial(run, batch)),
    }
    same(in_turn.reset(seed=0)[:1], batch.reset(seed=0)[:1])
    rng = np.random.default_rng(0)
    rounds: list[dict[str, tuple[float, float]]] = []
    for _ in range(options.rounds + 1):
        before = {name: (clock.wall, clock.processor) for name, clock in clocks.items()}
        actions = rng.uniform(-1.0, 1.0, (STEPS, worlds, 2)).astype(np.float32)
        same(calls["in turn"](actions), calls["batch"](actions))
        per_step = 1e6 / worlds / STEPS
        rounds.append(
            {
                name: (
                    per_step * (clock.wall - before[name][0]),
                    per_step * (clock.processor - before[name][1]),
                )
                for name, clock in clocks.items()
            }
        )
    rounds = rounds[1:]  # from here on caches and threads are warm

    def ratio(of: str, to: str, which: int) -> float:
        return median(each[of][which] / each[to][which] for each in rounds)

    figures: dict[str, Any] = {"worlds": worlds, "processors": os.cpu_count()}
    for name in clocks:
        figures[f"{name}, us"] = median(each[name][0] for each in rounds)
        figures[f"{name}, processor us"] = median(each[name][1] for each in rounds)
    figures["times as fast, median of rounds"] = ratio("in turn", "batch", 0)
    figures["times as fast, best round"] = max(
        each["in turn"][0] / each["batch"][0] for each in rounds
    )
    figures["times less processor time"] = ratio("in turn", "batch", 1)
    figures["times as fast, if only physics took time"] = ratio(
        "in turn", "physics of the batch", 0
    )
    figures["part of the batch's processor time that is physics"] = ratio(
        "physics of the batch", "batch", 1
    )
    write("vector_env", figures, "mujoco", "numpy", "gymnasium")


def same(one: Any, other: Any) -> None:
    """Stops where the two differ in a bit."""
    if digest(one) != digest(other):
        raise SystemExit("a batch and worlds in turn differ")


if __name__ == "__main__":
    main()
