# SPDX-License-Identifier: Apache-2.0
"""The example task through every view: same bits, snapshots and replay."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from deepsim_envs import Environment, Recorder, digest, replay
from deepsim_envs.checks import random_actions
from deepsim_train import Task


def drive(environment: Environment, rng: np.random.Generator, steps: int) -> list[str]:
    digests = []
    for _ in range(steps):
        if environment.live_agents:
            result = environment.step(random_actions(environment, rng))
        else:
            result = environment.reset()
        digests.append(digest(tuple(result)))
    return digests


def test_steps_repeat_and_continue_from_a_snapshot(racetrack: Task) -> None:
    with racetrack.make(seed=1) as one, racetrack.make(seed=2) as other:
        one.reset(7)
        rng = np.random.default_rng(0)
        drive(one, rng, 200)
        state, drawn = one.get_state(), rng.bit_generator.state
        expected = drive(one, rng, 200)
        other.set_state(state)
        rng.bit_generator.state = drawn
        assert drive(other, rng, 200) == expected
        other.reset(7)
        assert drive(other, np.random.default_rng(0), 400)[200:] == expected


def test_a_replay_of_one_environment_runs_in_another(racetrack: Task, tmp_path: Path) -> None:
    with racetrack.make(seed=1) as one, racetrack.make(seed=2) as other:
        act = racetrack.policy("pursuit")(one, np.random.default_rng(0))
        with Recorder(one, tmp_path / "race.jsonl") as recorder:
            seen, _ = recorder.reset(3)
            for _ in range(100):
                seen = recorder.step({name: act(name, it) for name, it in seen.items()}).observation
        assert sum(1 for _ in replay(other, tmp_path / "race.jsonl")) == 100


def test_observations_stay_within_their_space_whatever_happens(racetrack: Task) -> None:
    with racetrack.make() as environment:
        environment.reset(0)
        environment.area.cars.twist = (50.0, 0.0, 0.0, 0.0, 0.0, 90.0)
        seen = environment.area.observe()[0, 0]
        assert environment.observation_space["red_car"].contains(seen)
        assert seen[1] == 20.0
