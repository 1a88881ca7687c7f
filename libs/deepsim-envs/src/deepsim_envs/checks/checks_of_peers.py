# SPDX-License-Identifier: Apache-2.0
"""Runs the checkers of Gymnasium, and of PettingZoo if it is installed."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import gymnasium
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match

from deepsim_envs.gymnasium import GymnasiumEnv

from .own_checks import Make, SkippedCheckError

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
