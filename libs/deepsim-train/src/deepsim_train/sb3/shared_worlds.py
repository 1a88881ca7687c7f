# SPDX-License-Identifier: Apache-2.0
"""Worlds that several policies share, each of which learns with its own trainer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any

from deepsim_envs.construction import JoinedEnvironment
from deepsim_envs.environment import Environment
from deepsim_envs.policy import PolicyMaker
from deepsim_sync import call_all
from deepsim_train.auto_reset import AutoReset, GameOver, Infos, Outcome

from .vec_env import SlotsVecEnv

_RESET, _STEP, _MEET = "reset", "step", "meet"
_FINISHED = object()
"""The request of a trainer that has returned."""


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
        game_over: Whether an episode is over when all agents of policies are done, or when any is.
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
        game_over: GameOver = "all",
        seed: int = 0,
    ) -> None:
        _require_agents(environment.agents, policies)
        learning = [agent for agents in policies.values() for agent in agents]
        self._worlds = AutoReset(environment, learning, others, game_over)
        self.views = {
            name: PolicyVecEnv(self, environment, agents, f"policy {name!r}")
            for name, agents in policies.items()
        }
        self._seeds: list[int | None] = []
        self.seed(seed)
        self._turns: dict[PolicyVecEnv, _Turn] = {}

    def seed(self, seed: int) -> None:
        """Seeds the next reset, like `seed` of the constructor."""
        self._seeds = [seed + world for world in range(len(self._worlds.environment))]

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
        self._turns = {view: _Turn(trainers[name]) for name, view in self.views.items()}
        try:
            answers: list[Any] = [None] * len(self._turns)
            while True:
                turns = self._turns.values()
                requests = [
                    turn.resume(answer) for turn, answer in zip(turns, answers, strict=True)
                ]
                if all(request is _FINISHED for request in requests):
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
        return self._worlds.get_state()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores the state of worlds, generators and `others`.

        Raises:
            ValueError: The state comes from another task.
            UnsupportedError: The simulator has no snapshots.
        """
        self._worlds.set_state(state)

    def request(self, view: PolicyVecEnv, kind: str, value: Any = None) -> Any:
        """Waits until all trainers make the same kind of request; returns the answer for a view."""
        if view not in self._turns:
            raise RuntimeError(
                "the worlds are shared: step them by trainers that SharedWorlds.run runs"
            )
        return self._turns[view].ask((kind, value))

    def _answers(self, requests: Sequence[Any]) -> list[Any]:
        kinds = {None if request is _FINISHED else request[0] for request in requests}
        if len(kinds) > 1:
            did = ["returned" if each is _FINISHED else f"wants to {each[0]}" for each in requests]
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
            actions = {agent: own for value in values for agent, own in value.items()}
            return [self._worlds.step(actions)] * len(values)
        begun = self._worlds.reset(self._seeds)
        self._seeds = [None] * len(self._seeds)
        return [begun] * len(values)


class PolicyVecEnv(SlotsVecEnv):
    """The agents of one policy in worlds that it shares with other policies; see `SharedWorlds`.

    Its state holds no worlds: it belongs to that of `SharedWorlds.get_state`.

    Args:
        shared: The worlds.
        environment: The task.
        agents: The agents of the policy.
        whose: The policy, for error messages.
    """

    def __init__(
        self,
        shared: SharedWorlds,
        environment: Environment | JoinedEnvironment,
        agents: Sequence[str],
        whose: str,
    ) -> None:
        self._shared = shared
        super().__init__(environment, agents, whose)

    def meet(self, function: Callable[[], object]) -> None:
        """Waits until all trainers call this, then calls the first policy's function.

        It is called in the thread of `SharedWorlds.run`, so it may use the worlds.
        """
        self._shared.request(self, _MEET, function)

    def _reset_worlds(self, seeds: list[int | None]) -> tuple[Sequence[Any], Infos]:
        begun: tuple[Sequence[Any], Infos] = self._shared.request(self, _RESET)
        return begun

    def _step_worlds(self, actions: Mapping[str, Any]) -> Outcome:
        outcome: Outcome = self._shared.request(self, _STEP, actions)
        return outcome


def _require_agents(agents: Sequence[str], policies: Mapping[str, Sequence[str]]) -> None:
    """Checks that each policy has agents, which belong to no other policy.

    Raises:
        ValueError: An agent is unknown, or belongs to two policies.
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


class _Stopped(BaseException):
    """Ends the function of a stopped `_Turn`; no Exception, so ``except Exception`` misses it."""


class _Turn:
    """Runs a function in a thread, from one request to the next.

    The caller's thread waits while the function runs, and the function waits while the caller runs.
    They can therefore share all data without locks, and their order is fixed. The function is
    ordinary blocking code, such as a training loop: it calls `ask` where a generator would yield.

    Args:
        function: The function, without arguments.
    """

    def __init__(self, function: Callable[[], object]) -> None:
        self._requests: SimpleQueue[Any] = SimpleQueue()
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._thread = Thread(target=self._run, args=(function,), daemon=True)

    def resume(self, answer: Any = None) -> Any:
        """Lets the function run until its next request, or its end.

        Args:
            answer: The answer to its latest request.

        Returns:
            The next request, or `_FINISHED`.

        Raises:
            Exception: The exception that the function raised.
        """
        if self._thread.ident is None:
            self._thread.start()
        else:
            self._answers.put(answer)
        request = self._requests.get()
        if isinstance(request, BaseException):
            raise request
        return request

    def ask(self, request: Any) -> Any:
        """Passes a request to the caller, waits, and returns the answer; for the function only."""
        self._requests.put(request)
        answer = self._answers.get()
        if answer is _Stopped:
            raise _Stopped
        return answer

    def stop(self) -> None:
        """Ends the function at its latest or next request, if it still runs."""
        if self._thread.ident is not None:
            self._answers.put(_Stopped)
            self._thread.join()

    def _run(self, function: Callable[[], object]) -> None:
        end: object = _FINISHED
        try:
            function()
        except _Stopped:
            pass
        except BaseException as error:  # it is raised in the caller's thread
            end = error
        self._requests.put(end)
