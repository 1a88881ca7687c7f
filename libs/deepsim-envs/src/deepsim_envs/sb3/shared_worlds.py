# SPDX-License-Identifier: Apache-2.0
"""Worlds that several policies share, each learning by its own trainer."""

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
    steps its `VecEnv` alone. `run` therefore runs each trainer in its own thread, one after
    the other: the first goes on until its next step, then the second, and when all have come to
    their step, the worlds advance. The order is fixed, so that the same seeds give the same bits.

    Slots, ends of episodes and infos are those of `AgentsVecEnv`.

    Args:
        environment: The task; closed with any of the views.
        policies: The agents of each policy, which must have equal spaces, by the policy's name.
        others: The policy of all other agents, if there are some; made for each episode.
        game_over: Whether an episode is over when all agents are done, or when any is.
        seed: Of the first reset: world w has ``seed + w``, and so has the generator that `others`
            draws from.

    Attributes:
        views: The `VecEnv` of each policy, by its name.

    Raises:
        ValueError: There are no policies; an agent is unknown, belongs to two policies or to none;
            agents of one policy differ in their spaces; or `game_over` is neither.

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
        """Seeds the next reset, as `seed` of the constructor."""
        worlds = range(len(self._environment))
        self._seeds = [seed + world for world in worlds]
        self._rngs[:] = [np.random.default_rng(seed + world) for world in worlds]

    def run(self, trainers: Mapping[str, Callable[[], object]]) -> None:
        """Runs a trainer for each policy, until all have returned.

        Worlds are stepped in the thread that calls this. An exception, as of Ctrl-C, ends all.

        Args:
            trainers: By the policy's name; each steps its view of `views`, as often as the others.

        Raises:
            ValueError: A policy has no trainer.
            RuntimeError: A trainer returned, reset or met before the others did.
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

        That of the slots is `get_state` of the views.

        Raises:
            UnsupportedError: The simulator cannot go back.
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
            ValueError: The state is one of another task.
            UnsupportedError: The simulator cannot go back.
        """
        self._environment.set_state(state["environment"])
        if self._others is not None:
            self._others.set_state(state["others"])
        for rng, own in zip(self._rngs, state["rngs"], strict=True):
            rng.bit_generator.state = own
        self._seen = state["seen"]

    def request(self, view: PolicyVecEnv, kind: str, value: Any = None) -> Any:
        """Waits until all trainers have the same request; returns the answer to that of a view."""
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
    """The agents of one policy in worlds that it shares with others; see `SharedWorlds`.

    Attributes:
        agents: The agents of the policy.
    """

    def __init__(self, shared: SharedWorlds, agents: Sequence[str], spaces: Agents) -> None:
        self._shared = shared
        self.agents = tuple(agents)
        super().__init__(shared.environment, self.agents, spaces)

    def meet(self, function: Callable[[], object]) -> None:
        """Waits until the trainers of all policies call this; then the first one's is called.

        It is called in the thread of `SharedWorlds.run`, where the worlds may be used.
        """
        self._shared.request(self, _MEET, function)

    def get_state(self) -> dict[str, Any]:
        """Returns the sums of the episodes under way; worlds are in `SharedWorlds.get_state`."""
        return self._slots_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores the sums of the episodes under way.

        Raises:
            ValueError: The state is one of another number of slots.
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
    """Refuses policies that do not share out the agents.

    Raises:
        ValueError: They do not.
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
