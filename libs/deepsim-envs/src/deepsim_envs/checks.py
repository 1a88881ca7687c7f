# SPDX-License-Identifier: Apache-2.0
"""Whether a task keeps what environments promise: our own checks, and those of others."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match
from gymnasium.vector.utils import concatenate, create_empty_array, iterate

from deepsim_sync import UnsupportedError

from .digests import digest
from .environment import Environment
from .gymnasium_env import GymnasiumEnv
from .gymnasium_vector_env import GymnasiumVectorEnv
from .trainer_checks import SkippedCheckError, check_rllib, check_sb3, check_torchrl, require

_SEED = 7
_TASTE = (  # what PettingZoo warns of, and is right all the same
    "We recommend agents to be named",
    "Observation is a single number",
    "Observation numpy array is all zeros",
    "Observation space for each agent probably should be",
    "Action space for each agent probably should be",
    "The class of observation spaces is different",
    "Agents have different observation space sizes",
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # of terminals; Gymnasium writes its warnings in them


class _BrokenPromiseError(Exception):
    """A promise that was not kept."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check's outcome.

    Attributes:
        name: What was checked.
        outcome: ``"passed"``, ``"failed"`` or ``"skipped"``.
        reason: Why it failed or was skipped; empty if it passed.
    """

    name: str
    outcome: str
    reason: str = ""


def checks_of(id: str, make: Callable[[], Environment], steps: int = 300) -> Iterator[Check]:
    """Checks a task, with warnings as errors; each outcome comes when it is known.

    Args:
        id: The name under which `register` registered a view of the task, which takes ``agent=``.
        make: Makes an environment of the task, each time alike.
        steps: Environment steps of each of our own checks.
    """
    with make() as environment:
        agents = list(environment.agents)
    checks: list[tuple[str, Callable[[], object]]] = [
        ("the same seed gives the same bits", partial(_repeats, make, steps)),
        ("a reset leaves nothing behind", partial(_forgets, make, steps)),
        ("a snapshot continues equally", partial(_continues, make, steps)),
        ("vector worlds give the bits of single ones", partial(_batches, id, steps)),
        ("two worlds match (gymnasium)", partial(_match, id, steps)),
        *(
            (f"check_env of {agent} (gymnasium)", partial(_gymnasium, id, agent))
            for agent in agents
        ),
        ("parallel_api_test (pettingzoo)", partial(_pettingzoo, "parallel_api_test", make)),
        ("parallel_seed_test (pettingzoo)", partial(_pettingzoo, "parallel_seed_test", make)),
        ("api_test (pettingzoo)", partial(_pettingzoo, "api_test", make)),
        ("seed_test (pettingzoo)", partial(_pettingzoo, "seed_test", make)),
        *(
            (
                f"check_env of {agent} (stable-baselines3)",
                partial(check_sb3, partial(_single, id, agent=agent)),
            )
            for agent in agents
        ),
        ("check_multiagent_environments (rllib)", partial(check_rllib, make)),
        ("check_env_specs (torchrl)", partial(check_torchrl, make)),
    ]
    for name, check in checks:
        yield _outcome(name, check)


def _outcome(name: str, check: Callable[[], object]) -> Check:
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("error")
            for message in _TASTE:
                warnings.filterwarnings("ignore", message)
            check()
    except SkippedCheckError as reason:
        return Check(name, "skipped", str(reason))
    except _BrokenPromiseError as reason:
        return Check(name, "failed", str(reason))
    except Exception as error:  # whatever a checker or the task raises is the finding
        return Check(name, "failed", _COLOURS.sub("", f"{type(error).__name__}: {error}"))
    return Check(name, "passed")


class _Drive:
    """Steps an environment by random actions, episode after episode, and keeps digests."""

    def __init__(self, environment: Environment, seed: int) -> None:
        self.environment = environment
        self.rng = np.random.default_rng(seed)
        self.digests = [digest(environment.reset(seed))]

    def step(self, steps: int) -> list[str]:
        """The digests of some steps."""
        environment, first = self.environment, len(self.digests)
        for _ in range(steps):
            if environment.live_agents:
                result: Any = environment.step(random_actions(environment, self.rng))
            else:
                result = environment.reset()
            self.digests.append(digest(tuple(result)))
        return self.digests[first:]


def random_actions(environment: Environment, rng: np.random.Generator) -> dict[str, Any]:
    """A sample of the action space of every live agent."""
    actions = {}
    for name in environment.live_agents:
        space = environment.action_space[name]
        space.seed(int(rng.integers(2**31)))
        actions[name] = space.sample()
    return actions


def _repeats(make: Callable[[], Environment], steps: int) -> None:
    with make() as one, make() as other:
        first, second = _Drive(one, _SEED), _Drive(other, _SEED)
        _require_equal(first.digests + first.step(steps), second.digests + second.step(steps))


def _forgets(make: Callable[[], Environment], steps: int) -> None:
    with make() as used, make() as fresh:
        _Drive(used, _SEED + 1).step(steps // 2)
        first, second = _Drive(used, _SEED), _Drive(fresh, _SEED)
        half = steps // 2
        _require_equal(first.digests + first.step(half), second.digests + second.step(half))


def _continues(make: Callable[[], Environment], steps: int) -> None:
    with make() as one, make() as other:
        drive = _Drive(one, _SEED)
        drive.step(steps // 2)
        try:
            state = one.get_state()
        except UnsupportedError as error:
            raise SkippedCheckError(str(error)) from error
        rng = drive.rng.bit_generator.state
        expected = drive.step(steps // 2)
        for environment in (one, other):
            resumed = _Drive(environment, _SEED + 1)
            environment.set_state(state)
            resumed.rng.bit_generator.state = rng
            _require_equal(expected, resumed.step(steps // 2))


def _single(id: str, **options: Any) -> GymnasiumEnv:
    view = gymnasium.make(id, disable_env_checker=True, **options).unwrapped
    if not isinstance(view, GymnasiumEnv):
        raise TypeError(f"{id} must be registered by deepsim_envs.register, got {view!r}")
    return view


def _batches(id: str, steps: int) -> None:
    worlds = GymnasiumVectorEnv([partial(_single, id)] * 2)
    singles = [_single(id) for _ in worlds.envs]
    with contextlib.closing(worlds), contextlib.ExitStack() as stack:
        for single in singles:
            stack.enter_context(contextlib.closing(single))
        seen, _ = worlds.reset(seed=_SEED)
        alone = [single.reset(seed=_SEED + n)[0] for n, single in enumerate(singles)]
        _require_equal([digest(seen)], [digest(_batch(worlds, alone))])
        worlds.action_space.seed(_SEED)
        for _ in range(steps // 4):
            actions = worlds.action_space.sample()
            seen, rewards, terminated, truncated, _ = worlds.step(actions)
            own = iterate(worlds.action_space, actions)
            results = [one.step(action) for one, action in zip(singles, own, strict=True)]
            batch = _batch(worlds, [result[0] for result in results])
            rest = [[result[n] for result in results] for n in (1, 2, 3)]
            _require_equal(
                [digest(seen), *map(digest, (rewards, terminated, truncated))],
                [digest(batch), *(digest(np.array(values)) for values in rest)],
            )
            if terminated.any() or truncated.any():
                return


def _batch(worlds: GymnasiumVectorEnv, observations: list[Any]) -> Any:
    space = worlds.single_observation_space
    empty: Any = create_empty_array(space, worlds.num_envs)
    return concatenate(space, observations, empty)


def _match(id: str, steps: int) -> None:
    one, other = _single(id), _single(id)
    with contextlib.closing(one), contextlib.closing(other):
        check_environments_match(one, other, steps, seed=_SEED)


def _gymnasium(id: str, agent: str) -> None:
    with contextlib.closing(_single(id, agent=agent)) as env:
        check_env(env)


def _pettingzoo(test: str, make: Callable[[], Environment]) -> None:
    require("pettingzoo", "pettingzoo")
    # An extra, which the other checks do without.
    import pettingzoo.test  # noqa: PLC0415 (see above)

    from .pettingzoo import PettingZooEnv, aec_env  # noqa: PLC0415 (see above)

    def make_view() -> Any:
        view = PettingZooEnv(make())
        return view if test.startswith("parallel") else aec_env(view)

    if test.endswith("seed_test"):
        getattr(pettingzoo.test, test)(make_view, 50)
    else:
        with contextlib.closing(make_view()) as env:
            getattr(pettingzoo.test, test)(env, 100)


def _require_equal(expected: list[str], found: list[str]) -> None:
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one != other:
            raise _BrokenPromiseError(f"result {number} of {len(expected)} differs")
