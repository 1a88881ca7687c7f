# SPDX-License-Identifier: Apache-2.0
"""Worlds that several policies share, each of which learns with its own trainer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from deepsim_envs.area import Agents
from deepsim_envs.environment import Environment
from deepsim_envs.joined_environment import JoinedEnvironment
from deepsim_envs.other_agents import OtherAgents
from deepsim_envs.policy import PolicyMaker
from deepsim_envs.spaces import batch_of, leafwise
from deepsim_sync import call_all

from .agent_slots import AgentSlots
from .auto_reset import AutoReset, Infos, Outcome
from .slots_vec_env import Steps
from .turns import FINISHED, Turn

_RESET, _STEP, _MEET = "reset", "step", "meet"


class SharedWorlds:
    """One `VecEnv` for each of several policies, which act and learn in the same worlds.

    A step of all worlds needs the actions of all policies, but a trainer of Stable-Baselines3
    only steps its own `VecEnv`. `run` therefore runs each trainer in its own thread, and only one
    thread at a time: the first trainer runs until its next step, then the second, and so on; when
    all have reached their step, the worlds advance. As this order is fixed, equal seeds lead to
    equal bits.

    Slots, ends of episodes and infos are as in `AgentsVecEnv`.

    Args:
        environment: The task; closing any of the views closes it.
        policies: The agents of each policy, by the policy's name; the agents of a policy must have
            equal spaces.
        others: Makes the policy of all other agents for each episode; optional if there are none.
        game_over: Whether an episode is over when all agents are done, or when any is.
        seed: Seed of the first reset: world w, and its generator for `others`, get ``seed + w``.

    Attributes:
        views: The `VecEnv` of each policy, by the policy's name.

    Raises:
        ValueError: There are no policies; an agent is unknown, belongs to two policies or to none;
            agents of one policy differ in their spaces; or `game_over` is unknown.

    Example:
        Two networks, one for each team::

            worlds = SharedWorlds(environment, {"red": ["red_1", "red_2"], "blue": ["blue_1"]})
            models = {name: PPO("MlpPolicy", view) for name, view in worlds.views.items()}
            steps = {name: 1000 * view.num_envs for name, view in worlds.views.items()}
            worlds.run({name: partial(models[name].learn, steps[name]) for name in models})
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        policies: Mapping[str, Sequence[str]],
        *,
        others: PolicyMaker | None = None,
        game_over: Literal["all", "any"] = "all",
        seed: int = 0,
    ) -> None:
        self._environment = environment
        self._worlds = AutoReset(environment, game_over)
        _require_agents(environment.agents, policies, others)
        self._places = {
            name: (number, row)
            for number, group in enumerate(environment.groups)
            for row, name in enumerate(group.names)
        }
        self.views = {
            name: PolicyVecEnv(self, agents, self._spaces_of(name, agents))
            for name, agents in policies.items()
        }
        self._seeds: list[int | None] = []
        self._rngs: list[np.random.Generator] = []
        self.seed(seed)
        self._others = None if others is None else OtherAgents(environment, others, self._rngs)
        learning = {agent for agents in policies.values() for agent in agents}
        self._left = [agent for agent in environment.agents if agent not in learning]
        self._voids = [batch_of(group.action_space, 1, 1).void for group in environment.groups]
        self._seen: Sequence[Any] = ()
        self._turns: dict[PolicyVecEnv, Turn] = {}

    @property
    def environment(self) -> Environment | JoinedEnvironment:
        """The task."""
        return self._environment

    def seed(self, seed: int) -> None:
        """Seeds the next reset, like `seed` of the constructor."""
        worlds = range(len(self._environment))
        self._seeds = [seed + world for world in worlds]
        self._rngs[:] = [np.random.default_rng(seed + world) for world in worlds]

    def run(self, trainers: Mapping[str, Callable[[], object]]) -> None:
        """Runs a trainer for each policy, until all have returned.

        The calling thread steps the worlds. Any exception, even one from Ctrl-C, ends all trainers.

        Args:
            trainers: The trainer of each policy, by the policy's name. A trainer steps its
                `VecEnv` in `views`; all trainers must do the same number of steps.

        Raises:
            ValueError: The names differ from those of the policies.
            RuntimeError: A trainer returned, reset its `VecEnv` or called `meet` while another one
                did not.
        """
        if trainers.keys() != self.views.keys():
            raise ValueError(f"expected trainers of {list(self.views)}, got {list(trainers)}")
        self._turns = {view: Turn(trainers[name]) for name, view in self.views.items()}
        try:
            answers: list[Any] = [None] * len(self._turns)
            while True:
                turns = self._turns.values()
                requests = [
                    turn.resume(answer) for turn, answer in zip(turns, answers, strict=True)
                ]
                if all(request is FINISHED for request in requests):
                    return
                answers = self._answers(requests)
        finally:
            turns = self._turns.values()
            self._turns = {}
            call_all(turn.stop for turn in turns)

    def get_state(self) -> dict[str, Any]:
        """Returns the state of worlds, generators and `others` between two steps.

        The state of the slots comes from `get_state` of each view.

        Raises:
            UnsupportedError: The simulator has no snapshots.
        """
        return {
            "environment": self._environment.get_state(),
            "others": None if self._others is None else self._others.get_state(),
            "rngs": [rng.bit_generator.state for rng in self._rngs],
            "seen": self._seen,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores the state of worlds, generators and `others`.

        Raises:
            ValueError: The state comes from another task.
            UnsupportedError: The simulator has no snapshots.
        """
        self._environment.set_state(state["environment"])
        if self._others is not None:
            self._others.set_state(state["others"])
        for rng, own in zip(self._rngs, state["rngs"], strict=True):
            rng.bit_generator.state = own
        self._seen = state["seen"]

    def request(self, view: PolicyVecEnv, kind: str, value: Any = None) -> Any:
        """Waits until all trainers make the same kind of request; returns the answer for a view."""
        if view not in self._turns:
            raise RuntimeError(
                "the worlds are shared: step them by trainers that SharedWorlds.run runs"
            )
        return self._turns[view].ask((kind, value))

    def _answers(self, requests: Sequence[Any]) -> list[Any]:
        kinds = {None if request is FINISHED else request[0] for request in requests}
        if len(kinds) > 1:
            did = ["returned" if each is FINISHED else f"wants to {each[0]}" for each in requests]
            raise RuntimeError(
                "trainers that share worlds must do as many steps: "
                + ", ".join(f"{name} {each}" for name, each in zip(self.views, did, strict=True))
            )
        values = [value for _, value in requests]
        (kind,) = kinds
        if kind == _MEET:
            values[0]()
            return [None] * len(values)
        if kind == _STEP:
            return [self._step(values)] * len(values)
        seen, infos = self._worlds.reset(self._seeds)
        self._seeds = [None] * len(self._seeds)
        self._begin(range(len(self._environment)), seen)
        return [(seen, infos)] * len(values)

    def _step(self, values: Sequence[Any]) -> Outcome:
        own = {
            agent: leafwise(lambda part, row=row: part[:, row], batch)
            for view, batch in zip(self.views.values(), values, strict=True)
            for row, agent in enumerate(view.agents)
        }
        if self._left:
            own.update(self._left_actions())
        batches = [
            leafwise(lambda *rows: np.stack(rows, axis=1), *(own[name] for name in group.names))
            for group in self._environment.groups
        ]
        outcome = self._worlds.step(batches)
        self._seen = outcome.seen
        if outcome.over.any():
            self._begin(np.flatnonzero(outcome.over).tolist(), outcome.seen)
        return outcome

    def _begin(self, worlds: Iterable[int], seen: Sequence[Any]) -> None:
        self._seen = seen
        if self._others is not None:
            self._others.begin([*worlds])

    def _left_actions(self) -> dict[str, Any]:
        """Returns the actions of the agents that do not learn, (W, ...) each."""
        assert self._others is not None  # for mypy: the constructor requires them
        live = self._environment.live
        actions = {}
        for agent in self._left:
            number, row = self._places[agent]
            worlds = np.flatnonzero(live[:, self._environment.agents.index(agent)]).tolist()
            acted = self._others.actions(number, row, self._seen[number], worlds)
            rows = [self._voids[number]] * len(live)
            for world, action in zip(worlds, acted, strict=True):
                rows[world] = action
            actions[agent] = leafwise(lambda *parts: np.stack(parts), *rows)
        return actions

    def _spaces_of(self, policy: str, agents: Sequence[str]) -> Agents:
        groups = [self._environment.groups[self._places[agent][0]] for agent in agents]
        first = groups[0]
        for agent, group in zip(agents, groups, strict=True):
            for what in ("observation_space", "action_space"):
                if getattr(group, what) != getattr(first, what):
                    raise ValueError(
                        f"policy {policy!r} acts for {agents[0]!r} and {agent!r}, so their spaces "
                        f"must be equal: {what} is {getattr(first, what)} and "
                        f"{getattr(group, what)}"
                    )
        return first


class PolicyVecEnv(AgentSlots):
    """The agents of one policy in worlds that it shares with other policies; see `SharedWorlds`.

    Attributes:
        agents: The agents of the policy.
    """

    def __init__(self, shared: SharedWorlds, agents: Sequence[str], spaces: Agents) -> None:
        self._shared = shared
        self.agents = tuple(agents)
        super().__init__(shared.environment, self.agents, spaces)

    def meet(self, function: Callable[[], object]) -> None:
        """Waits until all trainers call this, then calls the first policy's function.

        It is called in the thread of `SharedWorlds.run`, so it may use the worlds.
        """
        self._shared.request(self, _MEET, function)

    def get_state(self) -> dict[str, Any]:
        """Returns the returns and lengths of the current episodes; see `SharedWorlds.get_state`."""
        return self._slots_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores the returns and lengths of the current episodes.

        Raises:
            ValueError: The state has a different number of slots.
        """
        self._set_slots_state(state)

    def _reset_slots(self, seeds: list[int | None]) -> Any:
        seen: Sequence[Any]
        infos: Infos
        seen, infos = self._shared.request(self, _RESET)
        self._keep_infos(np.arange(self._shape[0]), infos)
        return self._flat(seen)

    def _step_slots(self, actions: Any) -> Steps:
        batch = leafwise(lambda part: part.reshape(*self._shape, *part.shape[1:]), actions)
        return self._finish(self._shared.request(self, _STEP, batch))


def _require_agents(
    agents: Sequence[str], policies: Mapping[str, Sequence[str]], others: PolicyMaker | None
) -> None:
    """Checks that each agent belongs to exactly one policy, or to `others`.

    Raises:
        ValueError: An agent is unknown, or belongs to two policies or to none.
    """
    if not policies or not all(policies.values()):
        raise ValueError(f"expected at least one policy with at least one agent, got {policies!r}")
    owners: dict[str, str] = {}
    for policy, own in policies.items():
        for agent in own:
            if agent not in agents:
                raise ValueError(f"policy {policy!r} names {agent!r}: agents are {list(agents)}")
            if agent in owners:
                raise ValueError(
                    f"agent {agent!r} belongs to the policies {owners[agent]!r} and {policy!r}"
                )
            owners[agent] = policy
    left = [agent for agent in agents if agent not in owners]
    if left and others is None:
        raise ValueError(f"agents {left} belong to no policy: name one, or others=")
