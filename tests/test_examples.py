# SPDX-License-Identifier: Apache-2.0
"""The small examples run and print what they should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from deepsim import load_task
from deepsim_train.episodes import run_episodes
from deepsim_train.policies.slot_policy import slot_policy

EXAMPLES = Path(__file__).parents[1] / "examples"
TRAINED = sorted(
    file.parent.name
    for file in EXAMPLES.glob("*/policy.npz")
    if file.parent.name not in ("clutter", "duo", "racetrack")  # which have tests of their own
)


def run(path: Path, *options: str) -> str:
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", str(path), *options],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        encoding="utf-8",
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_appendix_a_sets_and_gets_many_states_at_once() -> None:
    assert run(EXAMPLES / "appendix_a.py").splitlines() == [
        "agent0 is at Point(1.0, 2.0, 3.0)",
        "agent1 is at Point(4.0, 5.0, 6.0)",
    ]


def test_appendix_b_steps_two_agents_by_random_actions() -> None:
    path = EXAMPLES / "appendix_b.py"
    lines = run(path).splitlines()
    assert [line for line in lines if line.endswith(" s")] == [
        "1.25 s",
        "2.50 s",
        "3.75 s",
        "5.00 s",
    ]
    assert sum("agent0: " in line for line in lines) == 4
    assert run(path).splitlines() == lines


def test_the_robot_patrols_and_charges_between() -> None:
    lines = run(EXAMPLES / "patrol.py").splitlines()
    visits = [[float(number) for number in re.findall(r"[\d.]+", line)] for line in lines[:6]]
    times, posts, charge = zip(*visits, strict=True)
    assert posts == (0, 1, 2, 3, 4, 5)
    assert list(times) == sorted(times)
    assert charge[:3] == pytest.approx((80, 60, 40), abs=2)
    assert charge[3] == charge[0]  # it was at its dock
    assert times[3] - times[2] > 2 * (times[2] - times[1])
    assert lines[6:] == [
        "[▶] robot <ReactiveSelector>",
        "├── [▶] recharge <Sequence>",
        "│   ├── (✓) battery_low",
        "│   ├── (✓) drive_to_dock",
        "│   └── [▶] charge",
        "└── [ ] drive_to_next_post",
    ]


def test_doors_and_lamps_of_three_rooms_follow_the_robots() -> None:
    lines = run(EXAMPLES / "rooms", "--seconds", "12").splitlines()
    corners = [int(line.split()[2]) for line in lines if "corners" in line]
    assert len(corners) == 4
    assert min(corners) >= 2  # nobody is stuck at a door
    assert [line for line in lines if "door" in line or "bulb" in line] == [
        "west_door opened 3 times",
        "east_door opened 3 times",
        "hall_bulb is dark",
        "kitchen_bulb shines",
        "study_bulb shines",
    ]
    assert "the arm moved the cup 1 times in 1 tries" in lines


def test_the_pole_is_balanced_in_every_world_and_falls_without() -> None:
    task = load_task(EXAMPLES / "cartpole")
    lengths = {}
    for push in (0.0, 1.0):
        environment = task.make(worlds=32, seed=7, swing_up=False)
        (seen,), steps = environment.reset_worlds(), np.zeros(32)
        while environment.live.any():
            (worlds,) = environment.live[:, 0].nonzero()
            actions = push * task.policies["balance"].act("cart", seen[:, 0], None, [])
            (seen,) = environment.step_worlds((actions[:, None],), worlds).observation
            steps[worlds] += 1
        lengths[push] = steps
    assert (lengths[1.0] == 500).all()
    assert lengths[0.0].mean() < 200


@pytest.mark.parametrize("policy", ["trained", "balance"])
def test_the_pole_is_swung_up_and_held(policy: str) -> None:
    """In at least 90 of 100 episodes it is upright for the last 5 of 10 seconds."""
    assert success_rate(EXAMPLES / "cartpole", policy, 100) >= 0.9


@pytest.mark.parametrize("task", TRAINED)
def test_policies_that_ship_succeed(task: str) -> None:
    """In at least nine of ten worlds."""
    assert success_rate(EXAMPLES / task, "trained", 10) >= 0.9


def success_rate(folder: Path, policy: str, worlds: int) -> float:
    task = load_task(folder)
    with task.environment(seed=5000, worlds=worlds) as environment:
        act = slot_policy(task.policy(policy), environment, 5000)
        episodes = run_episodes(environment, act, number=1, seed=5000)
        agents = environment.agents
        successes = [episode.info[agent]["success"] for episode in episodes for agent in agents]
        return float(np.mean(successes))
