# SPDX-License-Identifier: Apache-2.0
"""The checkers of Stable-Baselines3, RLlib and TorchRL, where these are installed."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec

from .environment import Environment
from .gymnasium_env import GymnasiumEnv

# ruff: noqa: PLC0415 (they are extras, and take seconds to import)


class SkippedCheckError(Exception):
    """A check that cannot be done here."""


def require(module: str, extra: str) -> None:
    """Skips a check whose extra is not installed.

    Raises:
        SkippedCheckError: There is no such module.
    """
    if find_spec(module) is None:
        raise SkippedCheckError(f"not installed: pip install 'deepsim-envs[{extra}]'")


def check_sb3(make: Callable[[], GymnasiumEnv]) -> None:
    """Runs SB3's checker on one agent."""
    require("stable_baselines3", "sb3")
    with _own_warnings():
        from stable_baselines3.common.env_checker import check_env
    with contextlib.closing(make()) as view:
        check_env(view, warn=True)


def check_rllib(make: Callable[[], Environment]) -> None:
    """Runs RLlib's checker on all agents."""
    require("ray", "rllib")
    with _own_warnings():
        from ray.rllib.utils.pre_checks.env import check_multiagent_environments

        from .rllib import RLlibEnv
    with contextlib.closing(RLlibEnv(make())) as view:
        check_multiagent_environments(view)


def check_torchrl(make: Callable[[], Environment]) -> None:
    """Runs TorchRL's checker on two worlds; skips agents that have no tensor in common."""
    require("torchrl", "torchrl")
    with _own_warnings():
        from torchrl.envs.utils import check_env_specs

        from .torchrl import TorchRLEnv
    with make() as environment:
        for spaces in (environment.observation_space, environment.action_space):
            first, *others = spaces.values()
            if any(space != first for space in others):
                raise SkippedCheckError("agents whose spaces differ have no tensor in common")
    with contextlib.closing(TorchRLEnv([make, make])) as worlds:
        check_env_specs(worlds, seed=7)


@contextlib.contextmanager
def _own_warnings() -> Iterator[None]:
    """What trainers warn of while they are imported is no finding about a task."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
