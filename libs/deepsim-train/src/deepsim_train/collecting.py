# SPDX-License-Identifier: Apache-2.0
"""Collects trajectories of a task, for `deepsim dataset`."""

from __future__ import annotations

from collections.abc import Sequence

from deepsim_envs import Environment, Trajectory, TrajectoryCollector

from .episodes import episode_seed
from .policies.slot_policy import SlotPolicy
from .task_code import TaskError, call_task_code


def collect_episodes(
    environment: Environment, policy: SlotPolicy, episodes: int, seed: int
) -> list[Trajectory]:
    """Plays the same episodes as `deepsim run`, and returns their trajectories.

    Args:
        environment: Environment of the task.
        policy: Policy of all slots, from `slot_policy`.
        episodes: The number of episodes in each world.
        seed: Seed of the run.

    Raises:
        TaskCodeError: A reset or step of the task's code raised an error.
    """
    collector = TrajectoryCollector(environment)
    for number in range(1, episodes + 1):
        seeds = [episode_seed(seed + world, number) for world in range(len(environment))]
        seen, _ = call_task_code("the reset", collector.reset, seeds)
        while seen:
            actions = policy(seen)
            result = call_task_code(f"a step of episode {number}", collector.step, actions)
            seen = {
                slot: each for slot, each in result.observation.items() if not result.done[slot]
            }
    return collector.trajectories


def learnable(
    environment: Environment, trajectories: Sequence[Trajectory], agent: str | None
) -> list[Trajectory]:
    """Returns the trajectories of one agent, or of all, which must then have equal spaces.

    Raises:
        TaskError: The agent does not exist, the agents' spaces differ, or no episode has ended.
    """
    agents = environment.agents
    if agent is not None and agent not in agents:
        raise TaskError(f"agent must be one of {list(agents)}, got {agent!r}")
    if agent is None and len(environment.groups) > 1:
        raise TaskError(
            f"agents {', '.join(agents)} differ in their spaces, and a dataset has one of each: "
            "choose by --agent"
        )
    chosen = [each for each in trajectories if agent in (None, each.agent)]
    if not chosen:
        raise TaskError("no episode has ended, so that there is nothing to write")
    return chosen
