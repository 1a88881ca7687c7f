# SPDX-License-Identifier: Apache-2.0
"""Runs episodes of a task and keeps what happened."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs import Environment

from .task import Policy, called

COLUMNS = ("episode", "step", "time", "agent", "x", "y", "z", "qx", "qy", "qz", "qw", "reward")
"""The columns of a trajectory file; metres, seconds, unit quaternion."""


@dataclass(slots=True)
class Episode:
    """What happened in one episode.

    Attributes:
        number: Number of the episode, from 1.
        steps: Number of environment steps.
        duration: Simulated time [s].
        wall_time: Real time of the simulation, without pictures [s].
        rewards: Sum of rewards by agent.
        info: The environment's last info.
        rows: One tuple of `COLUMNS` per step and agent that is also a model.
    """

    number: int
    steps: int = 0
    duration: float = 0.0
    wall_time: float = 0.0
    rewards: dict[str, float] = field(default_factory=dict)
    info: dict[str, Any] = field(default_factory=dict)
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    def line(self, agent: str) -> NDArray[np.float64]:
        """Where an agent went, (n, 2) in the ground plane [m]."""
        return np.array([row[4:6] for row in self.rows if row[3] == agent]).reshape(-1, 2)


def run_episode(
    environment: Environment,
    policy: Policy,
    number: int,
    seed: int,
    on_step: Callable[[Episode], object] | None = None,
) -> Episode:
    """Runs one episode to its end.

    Args:
        environment: Environment of the task.
        policy: Policy of every agent.
        number: Number of the episode, from 1.
        seed: Seed of the run; each episode's own seed follows from it and the number.
        on_step: Callback after the reset and after each step; its time does not count.

    Raises:
        TaskCodeError: The reset or a step raised.
    """
    episode = Episode(number)
    own_seed = int(np.random.SeedSequence((seed, number)).generate_state(1)[0])
    observations, episode.info = called("the reset", environment.reset, own_seed)
    if on_step is not None:
        on_step(episode)
    while observations:
        start = perf_counter()
        actions = {agent: policy(agent, seen) for agent, seen in observations.items()}
        observations, rewards, done, _, episode.info = called(
            f"step {episode.steps + 1}", environment.step, actions
        )
        episode.wall_time += perf_counter() - start
        observations = {agent: seen for agent, seen in observations.items() if not done[agent]}
        episode.steps += 1
        episode.duration = environment.world.time
        for agent, reward in rewards.items():
            episode.rewards[agent] = episode.rewards.get(agent, 0.0) + reward
            models = environment.world.models
            if agent not in models.names:  # it has no body of its own: it is nowhere
                continue
            pose = models.pose[0, models.names.row(agent)].tolist()
            episode.rows.append((number, episode.steps, episode.duration, agent, *pose, reward))
        if on_step is not None:
            on_step(episode)
    return episode


def write_trajectory(path: Path, episodes: list[Episode]) -> None:
    """Writes all rows as CSV, every number in full: the same run gives the same bytes."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for episode in episodes:
            writer.writerows(episode.rows)


def facts(episode: Episode) -> dict[str, Any]:
    """What there is to tell of an episode, as plain data for JSON."""
    return {
        "episode": episode.number,
        "steps": episode.steps,
        "duration_s": episode.duration,
        "rewards": episode.rewards,
        "info": _plain({key: value for key, value in episode.info.items() if key != "deepsim"}),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, bool | int | float | str | None) else repr(value)
