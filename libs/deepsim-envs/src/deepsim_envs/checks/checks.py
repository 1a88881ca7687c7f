# SPDX-License-Identifier: Apache-2.0
"""Runs all checks of a task, and lists each warning once."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias

import gymnasium
from gymnasium.spaces import Dict
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match

from deepsim_envs.gymnasium import GymnasiumEnv
from deepsim_envs.spaces import GOALS, MASK

from . import own_checks
from .own_checks import BrokenPromiseError, Make, RemarkError, SkippedCheckError

# ruff: noqa: PLC0415 (PettingZoo is an extra, and takes seconds to import)


def single_view(id: str, **options: Any) -> GymnasiumEnv:
    """Makes the view of one agent by its id."""
    view = gymnasium.make(id, disable_env_checker=True, **options).unwrapped
    if not isinstance(view, GymnasiumEnv):
        raise TypeError(f"{id} must be registered by deepsim_envs.register, got {view!r}")
    return view


def match(id: str, steps: int) -> None:
    """Runs Gymnasium's comparison of two environments on two views of a task."""
    one, other = single_view(id), single_view(id)
    with contextlib.closing(one), contextlib.closing(other):
        check_environments_match(one, other, steps, seed=7)


def gymnasium_env(id: str, agent: str) -> None:
    """Runs Gymnasium's checker on one agent."""
    with contextlib.closing(single_view(id, agent=agent)) as env:
        check_env(env)


def pettingzoo_test(test: str, make: Make) -> None:
    """Runs one of PettingZoo's tests on all agents."""
    require("pettingzoo", "deepsim-envs[pettingzoo]")
    with own_warnings():
        import pettingzoo.test

    from deepsim_envs.pettingzoo import PettingZooEnv, aec_env

    def make_view() -> Any:
        view = PettingZooEnv(make())
        return view if test.startswith("parallel") else aec_env(view)

    if test.endswith("seed_test"):
        getattr(pettingzoo.test, test)(make_view, 50)
    else:
        with contextlib.closing(make_view()) as env:
            getattr(pettingzoo.test, test)(env, 100)


def require(module: str, extra: str) -> None:
    """Imports a module; raises SkippedCheckError if the extra that brings it is not installed."""
    try:
        with own_warnings():
            import_module(module)
    except ImportError as error:
        raise SkippedCheckError(
            f"not installed: pip install --find-links dist '{extra}' ({error})"
        ) from None


@contextlib.contextmanager
def own_warnings() -> Iterator[None]:
    """Ignores warnings that other packages raise while they are imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


_TASTE = (  # PettingZoo's warnings about spaces that are valid nevertheless
    "We recommend agents to be named",
    "Observation is a single number",
    "Observation is not a NumPy array",
    "Observation numpy array is all zeros",
    "Observation space for each agent probably should be",
    "Action space for each agent probably should be",
    "The class of observation spaces is different",
    "Agents have different observation space sizes",
)
_OF_PARTS = (  # checks of tasks with these parts in their observations
    ("action masks allow an action", own_checks.masks, {MASK}),
    ("goals earn rewards", own_checks.goals, GOALS),
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # colour codes of terminals, in Gymnasium's warnings


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check."""

    name: str
    outcome: str
    """``"passed"``, ``"warned"``, ``"failed"``, ``"skipped"``, or ``"remark"``: likely a mistake.

    A check that passed with a warning has warned, unless an earlier check gave the same warning.
    """
    reason: str = ""
    """The warnings, or the reason why the check did not pass."""


NamedCheck: TypeAlias = tuple[str, Callable[[], object]]
"""A name, and a function that raises an error if the check does not pass."""


def checks_of(
    id: str,
    make: Make,
    steps: int = 300,
    further: Callable[[str, Make, Sequence[str]], Sequence[NamedCheck]] | None = None,
) -> Iterator[Check]:
    """Checks a task; yields each outcome as soon as it is known.

    Args:
        id: The id of a registered `GymnasiumEnv` of the task, which takes ``agent=`` and has a
            policy for all other agents; see `register`.
        make: Function that makes equal environments of the task, and may take ``worlds=``.
        steps: Environment steps in each of DeepSim's own checks.
        further: Function that returns further checks of the id, the function `make` and the names
            of the agents, such as `deepsim_train.checks.trainer_checks`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the first check shows them
        with make() as environment:
            agents = list(environment.agents)
            seen = [group.observation_space for group in environment.groups]
    parts = {key for space in seen if isinstance(space, Dict) for key in space.spaces}
    checks: list[NamedCheck] = [
        ("the same seed gives the same bits", partial(own_checks.same_seed, make, steps)),
        ("a reset leaves nothing behind", partial(own_checks.fresh_reset, make, steps)),
        ("a snapshot continues equally", partial(own_checks.snapshots, make, steps)),
        (
            "each of 3 and of 33 worlds gives its bits alone",
            partial(own_checks.any_number_of_worlds, make, steps // 4),
        ),
        ("random actions earn rewards", partial(own_checks.rewards, make, steps)),
        *(
            (name, partial(check, make, steps))
            for name, check, needed in _OF_PARTS
            if parts >= needed
        ),
        ("two worlds match (gymnasium)", partial(match, id, steps)),
        *(
            (f"check_env of {agent} (gymnasium)", partial(gymnasium_env, id, agent))
            for agent in agents
        ),
        *(
            (f"{test} (pettingzoo)", partial(pettingzoo_test, test, make))
            for test in ("parallel_api_test", "parallel_seed_test", "api_test", "seed_test")
        ),
        *(further(id, make, agents) if further is not None else ()),
    ]
    known: set[str] = set()
    for name, check in checks:
        yield _outcome(name, check, known)


def _outcome(name: str, check: Callable[[], object], known: set[str]) -> Check:
    """Runs a check; adds its warnings to those that are known."""
    try:
        with (
            warnings.catch_warnings(record=True) as caught,
            contextlib.redirect_stdout(io.StringIO()),
        ):
            warnings.simplefilter("always")
            for message in _TASTE:
                warnings.filterwarnings("ignore", message)
            check()
    except SkippedCheckError as reason:
        return Check(name, "skipped", str(reason))
    except RemarkError as reason:
        return Check(name, "remark", str(reason))
    except BrokenPromiseError as reason:
        return Check(name, "failed", str(reason))
    except Exception as error:  # raised by a checker or by the task
        return Check(name, "failed", _COLOURS.sub("", f"{type(error).__name__}: {error}"))
    found = dict.fromkeys(_COLOURS.sub("", f"{w.category.__name__}: {w.message}") for w in caught)
    new = [warning for warning in found if warning not in known]
    known.update(new)
    return Check(name, "warned" if new else "passed", "; ".join(new))
