# SPDX-License-Identifier: Apache-2.0
"""The example task: it can be driven, it is repeatable, and the command shows what happened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from deepsim_envs import Recorder, replay
from deepsim_train import Task
from deepsim_train.episodes import Episode, run_episodes
from deepsim_train.policies.slot_policy import slot_policy

TOOLS = Path(__file__).parents[1] / "tools"


def drive(task: Task, policy: str, seed: int, number: int = 1) -> Episode:
    with task.make(seed=seed) as environment:
        act = slot_policy(task.policy(policy), environment, seed)
        return run_episodes(environment, act, number, seed)[0]


def test_the_same_seed_gives_the_same_trajectory_bit_for_bit(racetrack: Task) -> None:
    one, again, other = (drive(racetrack, "random", seed) for seed in (3, 3, 4))
    assert repr(one.rows) == repr(again.rows)
    assert repr(one.rows) != repr(other.rows)


def test_pure_pursuit_drives_a_lap_and_random_actions_do_not(racetrack: Task) -> None:
    pursuit, random = drive(racetrack, "pursuit", 0), drive(racetrack, "random", 0)
    for car in ("red_car", "blue_car"):
        assert pursuit.info[car]["outcome"] == "finished"
        assert pursuit.info[car]["success"]
        assert pursuit.rewards[car] > 36.0
        assert random.info[car]["metres"] < 20.0


def test_leaving_the_road_ends_a_cars_episode_but_not_the_others(racetrack: Task) -> None:
    with racetrack.make() as environment:
        environment.reset(seed=0)
        ahead, waiting = np.array([0.0, 1.0]), np.array([0.0, -1.0])
        done = {"red_car": False}
        while not done["red_car"]:
            result = environment.step({"red_car": ahead, "blue_car": waiting})
            done = result.done
        assert result.info["red_car"]["outcome"] == "off track"
        assert result.info["deepsim"]["terminated"] == {"red_car": True, "blue_car": False}
        result = environment.step({"blue_car": waiting})
        assert list(result.reward) == ["blue_car"]


def test_a_touch_costs_reward(racetrack: Task) -> None:
    with racetrack.make() as environment:
        environment.reset(seed=0)
        environment.area.cars.pose = environment.area.cars.pose[:, :1]
        wait = {name: np.array([0.0, -1.0]) for name in environment.agents}
        result = environment.step(wait)
        assert result.info["red_car"]["hits"] == 1
        assert result.reward["red_car"] == pytest.approx(-0.5, abs=0.2)
        environment.reset(seed=1)
        assert environment.step(wait).info["red_car"]["hits"] == 0


def test_the_vans_move_in_every_tick(racetrack: Task) -> None:
    with racetrack.make() as environment:
        environment.reset(seed=0)
        vans = environment.area.vans
        for _ in range(3):
            before = vans.pose
            environment.world.tick()
            assert (np.abs(vans.pose - before)[..., :2].max(axis=-1) > 1e-6).all()


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


def test_the_meshes_follow_the_course() -> None:
    """Run ``python -m racetrack_shapes`` in the folder `tools` after a change of either."""
    script = (
        "from racetrack_shapes.__main__ import meshes\n"
        "print([file.name for file, text in meshes().items() if file.read_text() != text])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script], cwd=TOOLS, capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "[]"
