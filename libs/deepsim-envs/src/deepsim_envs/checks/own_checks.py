# SPDX-License-Identifier: Apache-2.0
"""Checks the promises of every environment: equal bits for seeds, resets, snapshots and worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from deepsim_envs.construction import takes_worlds
from deepsim_envs.digests import digest
from deepsim_envs.environment import Environment, info_of
from deepsim_envs.environment.info import entries_of, own_info
from deepsim_envs.results import StepResult
from deepsim_envs.spaces import has_action_mask, leafwise, sample_allowed
from deepsim_sync import UnsupportedError

Make = Callable[..., Environment]
_SEED = 7


class SkippedCheckError(Exception):
    """A check cannot be run for this task or on this machine."""


class RemarkError(Exception):
    """A task does something that is allowed, but is probably a mistake."""


class BrokenPromiseError(Exception):
    """An environment breaks one of the promises."""


def same_seed(make: Make, steps: int) -> None:
    """Checks that the same seed gives the same bits."""
    with make() as one, make() as other:
        first, second = _Drive(one, _SEED), _Drive(other, _SEED)
        _require_equal(first.digests + first.step(steps), second.digests + second.step(steps))


def fresh_reset(make: Make, steps: int) -> None:
    """Checks that nothing of earlier episodes remains after a reset."""
    with make() as used, make() as fresh:
        _Drive(used, _SEED + 1).step(steps // 2)
        first, second = _Drive(used, _SEED), _Drive(fresh, _SEED)
        half = steps // 2
        _require_equal(first.digests + first.step(half), second.digests + second.step(half))


def snapshots(make: Make, steps: int) -> None:
    """Checks that a restored snapshot gives the same steps, even in another environment."""
    with make() as one, make() as other:
        drive = _Drive(one, _SEED)
        drive.step(steps // 2)
        try:
            state = one.get_state()
        except UnsupportedError as error:
            raise SkippedCheckError(str(error)) from error
        rng, seen = drive.rng.bit_generator.state, dict(drive.seen)
        expected = drive.step(steps // 2)
        for environment in (one, other):
            resumed = _Drive(environment, _SEED + 1)
            environment.set_state(state)
            resumed.rng.bit_generator.state, resumed.seen = rng, dict(seen)
            _require_equal(expected, resumed.step(steps // 2))


def rewards(make: Make, steps: int) -> None:
    """Checks that some agent earns a reward other than 0 with random actions."""
    with make() as environment:
        drive = _Drive(environment, _SEED)
        if any(any(result.reward.values()) for result in drive.results(steps)):
            return
    raise RemarkError(
        f"no agent earned a reward in {steps} steps of random actions: where does the task give "
        "one? (an agent by add_reward, an Area by its hook reward)"
    )


def masks(make: Make, steps: int) -> None:
    """Checks that action masks fit the action spaces, and always allow an action."""
    with make() as environment:
        for name, space in environment.observation_space.items():
            has_action_mask(space, environment.action_space[name])
        _Drive(environment, _SEED).step(steps)


def goals(make: Make, steps: int) -> None:
    """Checks that `compute_reward` returns the rewards of steps for the observed goals."""
    with make() as environment:
        for number, result in enumerate(_Drive(environment, _SEED).results(steps)):
            for name, own in result.observation.items():
                info = info_of(name, environment, result.info)
                if "diverged" in info or "achieved_goal" not in own:
                    continue
                earned = environment.compute_reward(own["achieved_goal"], own["desired_goal"], info)
                if not np.allclose(earned, result.reward[name], rtol=1e-4, atol=1e-6):
                    raise BrokenPromiseError(
                        f"agent {name!r} earned {result.reward[name]} in step {number}, but "
                        f"compute_reward of its goals there is {earned}"
                    )


def any_number_of_worlds(make: Make, steps: int) -> None:
    """Checks that world w of W gives the same bits as a single world, in every tick and step."""
    if not takes_worlds(make):
        raise SkippedCheckError("the task is for one world: its function does not take worlds=")
    for worlds in (3, 33):
        try:
            many = make(worlds=worlds)
        except UnsupportedError as error:
            raise SkippedCheckError(str(error)) from error
        with many:
            recorded = _recorded(many, _SEED, steps)
        for world in (0, worlds // 2, worlds - 1):
            with make(worlds=1) as alone:
                (expected,) = _recorded(alone, _SEED + world, steps)
            for number, (one, other) in enumerate(zip(expected, recorded[world], strict=True)):
                if one != other:
                    raise BrokenPromiseError(
                        f"world {world} of {worlds} differs from the world alone, with seed "
                        f"{_SEED + world}, first in {one[0]} ({number} of {len(expected)})"
                    )


class _Drive:
    """Steps an environment with random actions, episode after episode, and keeps digests."""

    def __init__(self, environment: Environment, seed: int) -> None:
        self.environment = environment
        self.rng = np.random.default_rng(seed)
        self.seen: dict[str, Any] = {}
        self.digests = [self._noted(environment.reset(seed))]

    def step(self, steps: int) -> list[str]:
        """Makes some steps or resets; returns their digests."""
        first = len(self.digests)
        for _ in self.results(steps):
            pass
        return self.digests[first:]

    def results(self, steps: int) -> Iterator[StepResult]:
        """Makes some steps or resets; yields the results of the steps."""
        environment = self.environment
        for _ in range(steps):
            if environment.live_agents:
                actions = random_actions(environment, self.rng, self.seen)
                result = environment.step(actions)
                self.digests.append(self._noted(result))
                yield result
            else:
                self.digests.append(self._noted(environment.reset()))

    def _noted(self, result: tuple[Any, ...]) -> str:
        self.seen.update(result[0])
        return digest(tuple(result))


def random_actions(
    environment: Environment,
    rng: np.random.Generator,
    observations: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Returns a random action for every live agent, by slot.

    Args:
        environment: The environment.
        rng: The generator from which the actions are drawn.
        observations: The latest observations by slot; actions obey the action masks in them.

    Raises:
        ValueError: A mask forbids all values of an agent's choice.
    """
    actions = {}
    for name in environment.live_agents:
        space = environment.action_space[name]
        space.seed(int(rng.integers(2**31)))
        try:
            actions[name] = sample_allowed(space, observations.get(name))
        except ValueError as error:
            raise ValueError(f"agent {name!r} cannot act: {error}") from None
    return actions


class _Ticks:
    """A tracker that records digests of each world's models in every tick."""

    def __init__(self, environment: Environment) -> None:
        self.records: list[list[tuple[str, str]]] = [[] for _ in range(len(environment))]
        self._models = environment.world.models
        environment.world.trackers.add(self)

    def update_tracker(self, delta_time: float, sim_time: Any) -> None:
        pose, twist = self._models.pose, self._models.twist
        for world, record in enumerate(self.records):
            record.append(("a tick", digest([sim_time[world], pose[world], twist[world]])))


def _recorded(environment: Environment, seed: int, steps: int) -> list[list[tuple[str, str]]]:
    """Steps all worlds with random actions; returns digests of the ticks and steps of each."""
    ticks, agents = _Ticks(environment), environment.agents
    every = range(len(environment))
    rngs = [np.random.default_rng(seed + world) for world in every]

    def record(what: str, worlds: Iterable[int], values: Sequence[Any]) -> None:
        info = environment.info()
        for world in worlds:
            infos = [entries_of(own_info(info, agents, agent), world) for agent in agents]
            own = [leafwise(lambda part, world=world: part[world], value) for value in values]
            ticks.records[world].append((what, digest([own, infos])))

    observation: Sequence[Any] = environment.reset_worlds(seed)
    record("a reset", every, observation)
    for _ in range(steps):
        actions = _sampled(environment, rngs, observation)
        observation, *rest = environment.step_worlds(actions)
        record("a step", every, [*observation, *rest])
        over = np.flatnonzero(~environment.live.any(axis=1))
        if len(over):
            observation = environment.reset_worlds(worlds=over)
            record("a reset", over.tolist(), observation)
    return ticks.records


def _sampled(
    environment: Environment, rngs: Sequence[np.random.Generator], observations: Sequence[Any]
) -> list[Any]:
    """Returns random actions, by group, world and agent; live agents obey their masks."""
    actions: list[Any] = []
    column = 0
    for group, seen in zip(environment.groups, observations, strict=True):
        actions.append([[] for _ in rngs])
        for row in range(len(group)):
            for world, rng in enumerate(rngs):
                group.action_space.seed(int(rng.integers(2**31)))
                own = leafwise(lambda part, at=(world, row): part[at], seen)
                live = environment.live[world, column + row]
                actions[-1][world].append(sample_allowed(group.action_space, own if live else None))
        column += len(group)
    return actions


def _require_equal(expected: list[str], found: list[str]) -> None:
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one != other:
            raise BrokenPromiseError(f"result {number} of {len(expected)} differs")
