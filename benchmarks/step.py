# SPDX-License-Identifier: Apache-2.0
"""The cost of a step of an environment, beside bare physics, composer and Gymnasium.

All run in turns in one process; a figure is the least processor time of its turns, per step and
world. One thread steps all worlds.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time_ns
from typing import Any

os.cpu_count = lambda: 1  # by default a simulator steps its worlds with as many threads

import numpy as np  # noqa: E402 (after the line above)
import step_peers  # noqa: E402
import step_tasks  # noqa: E402
from peers import installed  # noqa: E402
from report import write  # noqa: E402

from deepsim import Environment, GymnasiumEnv, GymnasiumVectorEnv, load_task  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = str(ROOT / "libs")
MANY = (16, 256)
TURN = 30e6  # duration of a turn of a short step, about [ns]

Step = Callable[[], object]

BARS = {
    "ball, arrays, GymnasiumEnv / composer": 2.1,
    "ball, objects, Environment / composer": 2.9,
    "boxes, objects / physics alone": 10.5,
    "boxes, arrays, W = 1 / physics alone": 3.8,
    "boxes, arrays, W = 16 / physics alone": 1.45,
    "boxes, arrays, W = 256 / physics alone": 1.2,
    "racetrack, W = 16 / its physics": 1.45,
    "racetrack, W = 256 / its physics": 1.1,
}


class Repeated:
    """A step that costs the same each time.

    Args:
        step: What is measured.
        worlds: The number of worlds that it steps.
    """

    def __init__(self, step: Step, worlds: int = 1) -> None:
        self._step, self._worlds = step, worlds
        times = []
        for _ in range(20):
            start = process_time_ns()
            step()
            times.append(process_time_ns() - start)
        self._count = max(1, int(TURN / min(times)))  # many, so that a short step runs warm

    def turn(self) -> list[float]:
        """Returns the time of a step, per world [ns]."""
        start = process_time_ns()
        for _ in range(self._count):
            self._step()
        return [(process_time_ns() - start) / self._count / self._worlds]


class Racetrack:
    """Both cars drive by pure pursuit, in each turn from the same instant on.

    Args:
        worlds: The number of worlds.
    """

    WARM, STEPS = 40, 4

    def __init__(self, worlds: int) -> None:
        task = load_task("racetrack")
        self._environment = task.environment(0, worlds, looks=False)
        self._policy: Any = task.policies["pursuit"]
        simulator: Any = self._environment.world.simulator
        step = simulator.step
        self._physics = 0

        def timed(*args: Any) -> None:
            start = process_time_ns()
            step(*args)
            self._physics += process_time_ns() - start

        simulator.step = timed
        seen = self._environment.reset_worlds(0)
        for _ in range(self.WARM):
            seen = self._environment.step_worlds(self._actions(seen)).observation
        self._start, self._seen = self._environment.get_state(), seen

    def turn(self) -> list[float]:
        """Returns the time of a step, and of the physics within it, per world [ns]."""
        self._environment.set_state(self._start)
        seen, spent, self._physics = self._seen, 0, 0
        for _ in range(self.STEPS):
            actions = self._actions(seen)
            start = process_time_ns()
            seen = self._environment.step_worlds(actions).observation
            spent += process_time_ns() - start
        count = self.STEPS * len(self._environment)
        return [spent / count, self._physics / count]

    def _actions(self, seen: tuple[Any, ...]) -> tuple[Any, ...]:
        (group,) = self._environment.groups
        acted = [
            self._policy.act(name, seen[0][:, row], group.action_space, ())
            for row, name in enumerate(group.names)
        ]
        return (np.stack(acted, axis=1),)


def steps_of_balls() -> dict[str, tuple[Step, int]]:
    """Returns steps of the ball's task by name, and the numbers of worlds."""
    action = np.array([0.3, -0.2, 0.5], np.float32)
    arrays, objects = GymnasiumEnv(step_tasks.ball()), step_tasks.ball(objects=True)
    arrays.reset()
    objects.reset()
    found: dict[str, tuple[Step, int]] = {
        "ball, physics alone": (step_peers.bare(step_peers.BALL, 1), 1),
        "ball, arrays, GymnasiumEnv": (lambda: arrays.step(action), 1),
        "ball, objects, Environment": (lambda: objects.step({"ball": action}), 1),
    }
    if installed("dm_control"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it looks for a display
            composer = step_peers.composer()
        composer.reset()
        found["ball, composer"] = (lambda: composer.step(action), 1)
    for worlds in MANY:
        for name, view in {
            "GymnasiumVectorEnv": GymnasiumVectorEnv(step_tasks.ball(worlds)),
            "SyncVectorEnv of GymnasiumEnv": step_peers.in_turn(
                [lambda: GymnasiumEnv(step_tasks.ball())] * worlds
            ),
            "SyncVectorEnv of plain MuJoCo": step_peers.in_turn([step_peers.PlainBall] * worlds),
        }.items():
            view.reset()
            found[f"ball, {name}, W = {worlds}"] = (_vector_step(view, action, worlds), worlds)
    return found


def steps_of_boxes() -> dict[str, tuple[Step, int]]:
    """Returns steps of the boxes' task by name, and the numbers of worlds."""
    rng = np.random.default_rng(0)
    drawn = rng.uniform(-0.5, 0.5, (max(MANY), len(step_tasks.BOXES), 2)).astype(np.float32)
    drawn[..., 1] = 1.0  # in circles, so that they never meet
    objects, by_name = (
        step_tasks.boxes(objects=True),
        dict(zip(step_tasks.BOXES, drawn[0], strict=True)),
    )
    objects.reset()
    found: dict[str, tuple[Step, int]] = {
        "boxes, physics alone": (step_peers.bare(step_peers.BOXES, 25), 1),
        "boxes, objects": (lambda: objects.step(by_name), 1),
    }
    for worlds in (1, *MANY):
        environment = step_tasks.boxes(worlds)
        environment.reset_worlds(0)
        found[f"boxes, arrays, W = {worlds}"] = (_step(environment, drawn[:worlds]), worlds)
    return found


def _step(environment: Environment, actions: Any) -> Step:
    return lambda: environment.step_worlds((actions,))


def _vector_step(view: Any, action: Any, worlds: int) -> Step:
    actions = np.tile(action, (worlds, 1))
    return lambda: view.step(actions)


def entered(step: Step) -> dict[str, int]:
    """Counts the Python functions of DeepSim or dm_control that one step calls, and their files."""
    step()
    files: list[str] = []

    def note(frame: Any, event: str, _argument: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and (file.startswith(LIBRARIES) or "dm_control" in file):
            files.append(file)

    sys.setprofile(note)
    try:
        step()
    finally:
        sys.setprofile(None)
    return {"calls": len(files), "files": len(set(files))}


def main() -> None:
    """Measures all in turns, prints times, ratios and bars, and writes them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds: int = parser.parse_args().rounds
    steps = {**steps_of_balls(), **steps_of_boxes()}
    counted = {
        f"{name}, {what}": count
        for name in ("ball, arrays, GymnasiumEnv", "ball, objects, Environment", "ball, composer")
        if name in steps
        for what, count in entered(steps[name][0]).items()
    }
    turns: dict[str, Repeated | Racetrack] = {name: Repeated(*step) for name, step in steps.items()}
    turns |= {f"racetrack, W = {worlds}": Racetrack(worlds) for worlds in (1, *MANY)}
    least: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, each in turns.items():
            times = each.turn()
            least[name] = list(map(min, least.get(name, times), times))
    figures: dict[str, Any] = {f"{name} [us]": times[0] / 1e3 for name, times in least.items()}
    for name, times in least.items():
        if len(times) > 1:
            figures[f"{name}, its physics [us]"] = times[1] / 1e3
    figures |= counted
    for name, ratio in ratios(least).items():
        bar = BARS.get(name)
        verdict = "" if bar is None else f" (bar {bar:g}: {'met' if ratio <= bar else 'MISSED'})"
        figures[name] = f"{ratio:.3g}{verdict}"
    write("step", figures, "mujoco", "numpy", "gymnasium")


def ratios(least: dict[str, list[float]]) -> dict[str, float]:
    """Returns the ratios of times by name."""
    found: dict[str, float] = {}
    for name in least:
        task, _, way = name.partition(", ")
        base = f"{task}, composer" if task == "ball" and "W =" not in way else ""
        if way in ("physics alone", "composer"):
            continue
        if task == "racetrack":
            found[f"{name} / its physics"] = least[name][0] / least[name][1]
            continue
        if base in least:
            found[f"{name} / composer"] = least[name][0] / least[base][0]
        found[f"{name} / physics alone"] = least[name][0] / least[f"{task}, physics alone"][0]
    return found


if __name__ == "__main__":
    main()
