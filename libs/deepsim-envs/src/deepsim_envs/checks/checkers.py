# SPDX-License-Identifier: Apache-2.0
"""Runs the checkers of Gymnasium, PettingZoo and trainers, if they are installed."""

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
from deepsim_envs.joined_environment import JoinedEnvironment

from .promises import Make, SkippedCheckError

# ruff: noqa: PLC0415 (they are extras, and take seconds to import)


def _single(id: str, **options: Any) -> GymnasiumEnv:
    view = gymnasium.make(id, disable_env_checker=True, **options).unwrapped
    if not isinstance(view, GymnasiumEnv):
        raise TypeError(f"{id} must be registered by deepsim_envs.register, got {view!r}")
    return view


def match(id: str, steps: int) -> None:
    """Runs Gymnasium's comparison of two environments on two views of a task."""
    one, other = _single(id), _single(id)
    with contextlib.closing(one), contextlib.closing(other):
        check_environments_match(one, other, steps, seed=7)


def gymnasium_env(id: str, agent: str) -> None:
    """Runs Gymnasium's checker on one agent."""
    with contextlib.closing(_single(id, agent=agent)) as env:
        check_env(env)


def pettingzoo_test(test: str, make: Make) -> None:
    """Runs one of PettingZoo's tests on all agents."""
    require("pettingzoo", "pettingzoo")
    with _own_warnings():
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
    """Raises SkippedCheckError if a module, which comes with an extra, cannot be imported."""
    try:
        with _own_warnings():
            import_module(module)
    except ImportError as error:
        raise SkippedCheckError(
            f"not installed: pip install 'deepsim-envs[{extra}]' ({error})"
        ) from None


def sb3(id: str, agent: str) -> None:
    """Runs Stable-Baselines3's checker on one agent."""
    require("stable_baselines3", "sb3")
    with _own_warnings():
        from stable_baselines3.common.env_checker import check_env
    with contextlib.closing(_single(id, agent=agent)) as view:
        check_env(view, warn=True)


def rllib(make: Make) -> None:
    """Runs RLlib's checker on all agents."""
    require("ray.rllib", "rllib")
    with _own_warnings():
        from ray.rllib.utils.pre_checks.env import check_multiagent_environments

        from deepsim_envs.rllib import RLlibEnv
    with contextlib.closing(RLlibEnv(make())) as view:
        check_multiagent_environments(view)


def torchrl(make: Make) -> None:
    """Runs TorchRL's checker on two worlds; skips spaces that do not fit into one tensor."""
    require("torchrl", "torchrl")
    with _own_warnings():
        from torchrl.envs.utils import check_env_specs

        from deepsim_envs.torchrl import TorchRLEnv
    environment = JoinedEnvironment([make, make])
    try:
        worlds = TorchRLEnv(environment)
    except ValueError as error:  # spaces that differ, or have no tensor
        environment.close()
        raise SkippedCheckError(str(error)) from None
    with contextlib.closing(worlds):
        check_env_specs(worlds, seed=7)


@contextlib.contextmanager
def _own_warnings() -> Iterator[None]:
    """Ignores warnings that trainers raise while they are imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
