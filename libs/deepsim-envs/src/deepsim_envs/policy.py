# SPDX-License-Identifier: Apache-2.0
"""The interfaces of policies: for one world, and on arrays for many; and others' agents by them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from types import SimpleNamespace
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
from gymnasium.spaces import Space

from .area import Bools
from .construction import JoinedEnvironment, located
from .environment import Environment
from .errors import ActionError
from .spaces import batch_of, leafwise, shown

Policy: TypeAlias = Callable[[str, Any], Any]
"""Takes an agent's name and its observation, and returns its action."""
PolicyMaker: TypeAlias = Callable[[Environment, np.random.Generator], Policy]
"""Makes the policy of an environment's agents for one episode; it draws from the generator."""


@runtime_checkable
class KeptPolicy(Protocol):
    """A policy of one world with a memory that snapshots of a view contain.

    A restored snapshot makes all other policies again, without their memory.
    """

    @property
    def policy(self) -> PolicyMaker:
        """The function that made this policy."""

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the agent's action."""

    def get_state(self) -> Any:
        """Returns the memory of the episode, for `set_state`; it can be pickled."""

    def set_state(self, state: Any) -> None:
        """Restores a memory returned by `get_state`."""


class ArrayPolicy(ABC):
    """A policy without memory that acts in many worlds at once.

    It is also a `PolicyMaker`, so it can be used wherever a function that makes policies can.

    Example:
        >>> class Uniform(ArrayPolicy):
        ...     def act(self, agent, observations, action_space, rngs):
        ...         drawn = np.array([rng.random(action_space.shape) for rng in rngs])
        ...         return action_space.low + (action_space.high - action_space.low) * drawn
        >>> rngs = [np.random.default_rng(seed) for seed in (0, 1)]
        >>> Uniform().act("car", np.zeros((2, 8)), Box(-1.0, 1.0, (1,)), rngs).round(2)
        array([[0.27],
               [0.02]])
    """

    @abstractmethod
    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Space[Any],
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        """Returns the actions of one agent in k worlds, (k, ...).

        Args:
            agent: The agent's name.
            observations: One for each world, (k, ...); for nested observation spaces, dicts or
                tuples of such arrays.
            action_space: The space of one action.
            rngs: The generator of each world.
        """

    def __call__(self, environment: Environment, rng: np.random.Generator) -> Policy:
        """Returns this policy for an environment of one world."""
        return OneWorldPolicy(self, environment, rng)


class OneWorldPolicy:
    """The policy of one world that an `ArrayPolicy` makes.

    Attributes:
        policy: The `ArrayPolicy`; worlds with the same one can act together.
    """

    def __init__(
        self, policy: ArrayPolicy, environment: Environment, rng: np.random.Generator
    ) -> None:
        self.policy = policy
        self._environment, self._rng = environment, rng

    def get_state(self) -> None:
        """Returns None, because the policy has no memory."""

    def set_state(self, state: None) -> None:
        """Does nothing, because the policy has no memory."""

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the agent's action."""
        batch = leafwise(lambda part: np.asarray(part)[None], observation)
        space = self._environment.action_space[agent]
        actions = self.policy.act(agent, batch, space, [self._rng])
        return leafwise(lambda part: part[0], actions)


def one_world(environment: Environment | JoinedEnvironment, world: int) -> Environment:
    """Returns the environment to pass to a `PolicyMaker` for one world.

    If the world's environment has several worlds, this is another object, which only has the same
    agents and spaces.
    """
    found, _ = located(environment, world)
    if len(found) == 1:
        return found
    groups = {name: group for group in found.groups for name in group.names}
    task = SimpleNamespace(
        groups=found.groups,
        agents=found.agents,
        slots=found.agents,
        observation_space={n: deepcopy(group.observation_space) for n, group in groups.items()},
        action_space={n: deepcopy(group.action_space) for n, group in groups.items()},
    )
    return cast("Environment", task)


class OtherAgents:
    """Acts for agents in all worlds, with a policy that is made for each episode of each world.

    Args:
        environment: The task.
        policy: Makes the policy of one world; or an `ArrayPolicy`, which acts in all worlds.
        rngs: The generator of each world; the caller may replace generators in this list.
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        policy: PolicyMaker,
        rngs: Sequence[np.random.Generator],
    ) -> None:
        worlds = len(environment)
        self._groups = environment.groups
        self._batches = [batch_of(g.observation_space, worlds, len(g)) for g in self._groups]
        self._voids = [batch_of(group.action_space, 1, 1).void for group in self._groups]
        self._policy, self._rngs = policy, rngs
        self._made: dict[int, Policy] = {}
        self._began: dict[int, Any] = {}
        on_arrays = isinstance(policy, ArrayPolicy)
        self._tasks = [] if on_arrays else [one_world(environment, w) for w in range(worlds)]

    def begin(self, worlds: Sequence[int]) -> None:
        """Makes the policies of new episodes in some worlds."""
        if self._tasks:
            for world in worlds:
                self._began[world] = self._rngs[world].bit_generator.state
                self._made[world] = self._policy(self._tasks[world], self._rngs[world])

    def get_state(self) -> tuple[dict[int, Any], dict[int, tuple[PolicyMaker, Any]]]:
        """Returns the states that the generators had when the policies were made, by world.

        For each `KeptPolicy`, the result also has its maker and its memory.
        """
        made = self._made.items()
        kept = {w: (own.policy, own.get_state()) for w, own in made if isinstance(own, KeptPolicy)}
        return dict(self._began), kept

    def set_state(self, state: tuple[dict[int, Any], dict[int, tuple[PolicyMaker, Any]]]) -> None:
        """Makes the policies again from the kept generator states; this changes the generators."""
        began, kept = state
        for world, then in began.items():
            self._rngs[world].bit_generator.state = then
            if world not in kept:
                self.begin([world])
                continue
            policy, memory = kept[world]
            made = policy(self._tasks[world], self._rngs[world])
            if isinstance(made, KeptPolicy):
                made.set_state(memory)
            self._began[world], self._made[world] = then, made

    def completed(
        self, own: Mapping[str, Sequence[Any]], live: Bools, seen: Sequence[Any]
    ) -> list[list[list[Any]]]:
        """Returns the actions of all agents, by group, world and agent.

        Args:
            own: The actions of all agents for which the policy does not act, one for each world.
            live: Whether each agent acts, (W, A).
            seen: The latest observations, a batch (W, A_g, ...) for each group.
        """
        columns = iter(live.T.tolist())
        groups = []
        for number, group in enumerate(self._groups):
            rows = [[self._voids[number]] * len(group) for _ in range(len(live))]
            for row, (name, acts) in enumerate(zip(group.names, columns)):  # noqa: B905 (shared iterator)
                worlds = [world for world, here in enumerate(acts) if here]
                if name in own:
                    acted = [own[name][world] for world in worlds]
                else:
                    acted = self._actions(number, row, seen[number], worlds)
                for world, action in zip(worlds, acted, strict=True):
                    rows[world][row] = action
            groups.append(rows)
        return groups

    def _actions(self, number: int, row: int, observations: Any, worlds: list[int]) -> list[Any]:
        """Returns the actions of one agent in some worlds.

        Args:
            number: The number of the agent's group.
            row: The number of the agent within its group.
            observations: The latest observations of the group.
            worlds: The worlds in which the agent acts.

        Raises:
            ActionError: An `ArrayPolicy` returned too few actions.
        """
        if not self._tasks:
            return self._on_arrays(self._policy, number, row, observations, worlds)
        acted: dict[int, Any] = {}
        name, get = self._groups[number].names[row], self._batches[number].get
        together: dict[int, tuple[ArrayPolicy, list[int]]] = {}
        for world in worlds:
            made = self._made[world]
            if isinstance(made, OneWorldPolicy):
                together.setdefault(id(made.policy), (made.policy, []))[1].append(world)
            else:
                acted[world] = made(name, get(observations, world, row))
        for policy, own in together.values():
            actions = self._on_arrays(policy, number, row, observations, own)
            acted.update(zip(own, actions, strict=True))
        return [acted[world] for world in worlds]

    def _on_arrays(
        self, policy: Any, number: int, row: int, observations: Any, worlds: list[int]
    ) -> list[Any]:
        group, rngs = self._groups[number], [self._rngs[world] for world in worlds]
        seen = leafwise(lambda part: part[worlds, row], observations)
        acted = policy.act(group.names[row], seen, group.action_space, rngs)
        try:
            return [leafwise(lambda part, n=n: part[n], acted) for n in range(len(worlds))]
        except (IndexError, TypeError):
            raise ActionError(
                group.names[row],
                f"{type(policy).__name__}.act must return {len(worlds)} actions of agent "
                f"{group.names[row]!r}, got {shown(acted)}",
            ) from None
