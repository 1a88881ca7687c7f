# SPDX-License-Identifier: Apache-2.0
"""Simulated seconds of soccer per second of one core, beside dm_control's soccer.

Both have an action every 25 ms and random actions; dm_control's players are its box heads, ours
the robots of the task robocup, all of them agents. dm_control steps its physics every 5 ms, we
every 6.25 ms. The cases are timed in turn, in one process; a figure is the least processor time of
a step, or of a reset, over all rounds.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from time import process_time
from typing import Any

os.cpu_count = lambda: 1  # by default a simulator steps its worlds with as many threads
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import mujoco  # noqa: E402 (after the lines above)
import numpy as np  # noqa: E402
from dm_control.locomotion import soccer  # noqa: E402
from report import write  # noqa: E402

from deepsim import load_task  # noqa: E402

PERIOD = 0.025  # of a step [s]
SIZES = (1, 2, 5, 11)
MANY = 256
TIMED = 2.0  # simulated seconds that a round times, of all worlds together [s]

Step = Callable[[], object]


def peer(robots: int) -> tuple[Step, Step]:
    """Returns a step and a reset of dm_control's soccer."""
    walker = soccer.WalkerType.BOXHEAD
    environment = soccer.load(team_size=robots, time_limit=1e6, walker_type=walker, random_state=0)
    rng = np.random.default_rng(0)
    actions = [rng.uniform(spec.minimum, spec.maximum) for spec in environment.action_spec()]
    environment.reset()

    def step() -> None:
        if environment.step(actions).last():
            environment.reset()

    return step, environment.reset


def ours(robots: int, worlds: int) -> tuple[Step, Step, Any]:
    """Returns a step and a reset of the task, and its environment."""
    options = {"robots": robots, "opponents": "agents", "period": PERIOD, "seconds": 1e6}
    environment = load_task("robocup").environment(worlds=worlds, until_goal=False, **options)
    shape = (worlds, 2 * robots, 5)
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, shape).astype(np.float32)
    environment.reset_worlds()
    return (lambda: environment.step_worlds((actions,))), environment.reset_worlds, environment


def seconds(call: Step, count: int) -> float:
    """Returns the processor time of a call [s]."""
    begin = process_time()
    for _ in range(count):
        call()
    return (process_time() - begin) / count


def main() -> None:
    """Times all cases in turn, and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    calls: dict[str, tuple[Step, int, int]] = {}
    for n in SIZES:
        step, reset = peer(n)
        count = max(3, round(0.2 * TIMED / PERIOD / n))
        calls[f"dm_control {n} v {n}"] = step, count, 1
        calls[f"dm_control {n} v {n} reset"] = reset, 1, 1
        for worlds in (1, MANY):
            step, reset, environment = ours(n, worlds)
            count = max(3, round(TIMED / PERIOD / worlds))
            name = f"deepsim {n} v {n}, W = {worlds}"
            calls[name] = step, count, worlds
            calls[f"{name} reset"] = reset, max(3, 30 // worlds), worlds
            physics = environment.world.simulator
            calls[f"{name} physics"] = (lambda s=physics: s.step(4)), count, worlds
    best = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for name, (call, count, worlds) in calls.items():
            best[name] = min(best[name], seconds(call, count) / worlds)
    write("soccer", figures(best))


def figures(best: dict[str, float]) -> dict[str, Any]:
    """Returns speeds, resets, shares of physics, and ratios to dm_control."""
    found: dict[str, Any] = {"mujoco": mujoco.__version__, "numpy": np.__version__}
    for name, time in best.items():
        if name.endswith(" reset"):
            found[f"{name} [ms]"] = 1e3 * time
        elif name.endswith(" physics"):
            found[f"{name}, share"] = time / best[name.removesuffix(" physics")]
        else:
            found[f"{name} [simulated s / s]"] = PERIOD / time
    for n in SIZES:
        for worlds in (1, MANY):
            ratio = best[f"dm_control {n} v {n}"] / best[f"deepsim {n} v {n}, W = {worlds}"]
            found[f"{n} v {n}, W = {worlds} / dm_control"] = f"{ratio:.1f}{_bar(n, worlds, ratio)}"
    least = best[f"deepsim 1 v 1, W = {MANY}"]
    growth = best[f"deepsim 11 v 11, W = {MANY}"] / least
    found[f"11 v 11 / 1 v 1, W = {MANY}, cost"] = f"{growth:.1f} (bar 11: {_met(growth <= 11)})"
    reset = 1e3 * best["deepsim 2 v 2, W = 1 reset"]
    found["reset of 2 v 2, W = 1 [ms]"] = f"{reset:.2f} (bar 0.3: {_met(reset <= 0.3)})"
    return found


def _bar(robots: int, worlds: int, ratio: float) -> str:
    bars = {(2, 1): 10, (2, MANY): 25}
    if (robots, worlds) not in bars:
        return ""
    bar = bars[robots, worlds]
    return f" (bar {bar}: {_met(ratio >= bar)})"


def _met(met: bool) -> str:
    return "met" if met else "MISSED"


if __name__ == "__main__":
    main()
