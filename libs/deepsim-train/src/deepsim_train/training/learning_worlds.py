# SPDX-License-Identifier: Apache-2.0
"""The worlds of a training run, with a view for each policy that learns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deepsim_envs import Environment, JoinedEnvironment
from deepsim_envs.viewing import equal_spaces, only_group
from deepsim_sync import call_all
from deepsim_train.sb3 import AgentsVecEnv, SharedWorlds
from deepsim_train.sb3.vec_env import SlotsVecEnv
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.task import Task

from .config import TrainingConfig
from .learner import require_suitable
from .teams import League, owners_of, teams_of


@dataclass(frozen=True, slots=True)
class LearningWorlds:
    """All worlds of a training run, with a view for each policy that learns.

    Attributes:
        agents: The agents of each policy, by the policy's name, which is empty for a single policy.
        views: The view of each policy, by the policy's name.
        shared: The worlds in which several policies act together, or None for a single policy.
        past: In self-play with named policies, the name of each agent's policy; else empty.
    """

    agents: Mapping[str, Sequence[str]]
    views: Mapping[str, SlotsVecEnv]
    shared: SharedWorlds | None = None
    past: Mapping[str, str] = field(default_factory=dict)

    def run(self, functions: Mapping[str, Callable[[], object]]) -> None:
        """Runs each policy's function; several functions take turns, each in its own thread."""
        if self.shared is not None:
            self.shared.run(functions)
        else:
            functions[""]()

    def meet(self, name: str, function: Callable[[], object]) -> None:
        """Waits until all policies call this; then only the function of the first one is called."""
        if self.shared is not None:
            self.shared.views[name].meet(function)
        else:
            function()

    def seed(self, seed: int) -> None:
        """Seeds the episodes that begin at the next reset."""
        for seeded in (self.shared,) if self.shared is not None else self.views.values():
            seeded.seed(seed)

    def close(self) -> None:
        """Closes all views and their worlds."""
        call_all(view.close for view in self.views.values())

    def get_state(self) -> dict[str, Any]:
        """Returns the state of the worlds and of all views between two steps.

        Raises:
            UnsupportedError: The simulator has no snapshots.
        """
        return {
            "shared": None if self.shared is None else self.shared.get_state(),
            "views": {name: view.get_state() for name, view in self.views.items()},
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores a state returned by `get_state`.

        Raises:
            ValueError, KeyError: The state belongs to another task or to other policies.
        """
        for name, view in self.views.items():
            view.set_state(state["views"][name])
        if self.shared is not None:
            self.shared.set_state(state["shared"])


def learning_worlds(task: Task, config: TrainingConfig, league: League | None) -> LearningWorlds:
    """Makes the worlds of a training run.

    Args:
        task: The task.
        config: The settings.
        league: Past policies for the agents that do not learn, or None.

    Raises:
        TaskError: The task's agents or spaces do not allow training with these settings.
    """
    environment = task.environments(config.worlds, config.seed, **config.make)
    try:
        worlds = _views(environment, task, config, league)
        for view in worlds.views.values():
            require_suitable(view.observation_space, view.action_space, view.privileged)
    except (TaskError, ValueError) as error:
        environment.close()
        if isinstance(error, TaskError):
            raise
        raise TaskError(f"{task.name} cannot be trained with these settings: {error}") from error
    return worlds


def _views(
    environment: Environment | JoinedEnvironment,
    task: Task,
    config: TrainingConfig,
    league: League | None,
) -> LearningWorlds:
    others = league if config.others is None else task.policy(config.others)
    agents = environment.agents
    if config.policies != "one":
        teams = teams_of(environment, config.policies)
        past = owners_of(teams, agents, past=True) if league is not None else {}
        if past:
            _require_equal_spaces(environment, teams, past)
        shared = SharedWorlds(
            environment, teams, others=others, game_over=config.game_over, seed=config.seed
        )
        return LearningWorlds(teams, shared.views, shared, past)
    if config.agent is None:
        view = AgentsVecEnv(environment, game_over=config.game_over)
        return LearningWorlds({"": agents}, {"": view})
    if config.agent not in agents:
        raise TaskError(f"agent must be one of {list(agents)}, got {config.agent!r}")
    if others is None and len(agents) > 1:
        raise TaskError(f"--agent {config.agent} needs --others, the policy of all other agents")
    if league is not None:
        only_group(environment, "self-play has one policy for all agents")
        if len(agents) == 1:
            raise TaskError(f"self_play needs other agents than {agents[0]!r}")
    view = AgentsVecEnv(environment, agents=[config.agent], others=others)
    return LearningWorlds({"": [config.agent]}, {"": view})


def _require_equal_spaces(
    environment: Environment | JoinedEnvironment,
    teams: Mapping[str, Sequence[str]],
    owners: Mapping[str, str],
) -> None:
    """Checks that agents with past policies have the same spaces as the agents that learn."""
    groups = {name: group for group in environment.groups for name in group.names}
    learning = {agent for own in teams.values() for agent in own}
    if len(learning) == len(owners):
        raise TaskError("self_play needs agents that do not learn, but all belong to policies")
    for agent, policy in owners.items():
        learner = teams[policy][0]
        why = f"in self-play {agent!r} acts by past policies of {learner!r}"
        equal_spaces({learner: groups[learner], agent: groups[agent]}, why)
