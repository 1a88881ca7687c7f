# SPDX-License-Identifier: Apache-2.0
"""The worlds of a training run, and the agents for which each policy acts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import cycle
from typing import Any

import numpy as np

from deepsim_envs import Environment, JoinedEnvironment, Policy, PolicyMaker
from deepsim_envs.viewing import equal_spaces, only_group
from deepsim_sync import call_all
from deepsim_train.sb3 import AgentsVecEnv, SharedWorlds
from deepsim_train.sb3.vec_env import SlotsVecEnv
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.task import Task

from .config import Policies, TrainingConfig
from .learner import require_suitable

_FIT_FOR_A_FILE = re.compile(r"\w[\w.-]*")


def teams_of(
    environment: Environment | JoinedEnvironment, policies: Policies
) -> dict[str, tuple[str, ...]]:
    """Returns the agents of each policy, by the policy's name.

    A policy of one agent is named after the agent, a policy of a group after its first agent.

    Raises:
        TaskError: A pattern matches no agent, a policy has the name of an agent of another policy,
            or a name is not fit for a file name.
    """
    agents = environment.agents
    teams: dict[str, tuple[str, ...]]
    if policies == "agent":
        teams = {agent: (agent,) for agent in agents}
    elif policies == "group":
        teams = {group.names[0]: tuple(group.names) for group in environment.groups}
    elif isinstance(policies, str):
        teams = {"all": agents}
    else:
        teams = {name: _fitting(name, own, agents) for name, own in policies.items()}
    for name, own in teams.items():
        if not _FIT_FOR_A_FILE.fullmatch(name):
            raise TaskError(
                "the name of a policy must be fit for a file name (letters, digits, _ - .), "
                f"got {name!r}: name policies by --policies NAME=AGENT"
            )
        if name in agents and name not in own:
            raise TaskError(f"policy {name!r} has the name of an agent that is not its own")
    return teams


def owners_of(
    teams: Mapping[str, Sequence[str]], agents: Sequence[str], *, past: bool
) -> dict[str, str]:
    """Returns the name of the policy of each learning agent, and with `past` of the others too.

    Args:
        teams: The agents of each policy.
        agents: All agents.
        past: Whether the agents that do not learn also get a policy: the first gets that of the
            first learning agent, and so on in turn.
    """
    learning = {agent: name for name, own in teams.items() for agent in own}
    owners = {agent: learning[agent] for agent in agents if agent in learning}
    if past:
        left = [agent for agent in agents if agent not in learning]
        owners |= dict(zip(left, cycle([*owners.values()])))
    return owners


class League:
    """The past policies of the learners; each episode of each world draws one.

    Calling the league makes the policy of an episode for all agents that do not learn.

    Args:
        size: The number of policies to keep; the oldest are dropped.
        every: Updates between two policies.
    """

    def __init__(self, size: int, every: int) -> None:
        self._size, self._every = size, every
        self._policies: list[PolicyMaker] = []
        self._next = 0  # the update at which to add the next policy

    def wants(self, update: int) -> bool:
        """Returns whether the policy of this update should be added."""
        return update >= self._next

    def add(self, policy: PolicyMaker, update: int) -> None:
        """Adds the learners' policy after a number of updates."""
        self._policies = [*self._policies, policy][-self._size :]
        self._next = update + self._every

    def __call__(self, environment: Environment, rng: np.random.Generator) -> Policy:
        """Returns a policy, drawn with equal probability."""
        return self._policies[int(rng.integers(len(self._policies)))](environment, rng)

    def get_state(self) -> dict[str, Any]:
        """Returns all policies as a state that can be pickled, for `set_state`."""
        return {"policies": list(self._policies), "next": self._next}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores the policies returned by `get_state`."""
        self._policies, self._next = list(state["policies"]), state["next"]


def _fitting(name: str, patterns: Sequence[str], agents: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for pattern in patterns:
        fitting = [agent for agent in agents if fnmatchcase(agent, pattern)]
        if not fitting:
            raise TaskError(
                f"policy {name!r} names {pattern!r}, but agents are {', '.join(agents)}"
            )
        found |= dict.fromkeys(fitting)
    return tuple(found)


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
