# SPDX-License-Identifier: Apache-2.0
"""Runs the checkers of Stable-Baselines3, RLlib and TorchRL, if they are installed."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial

from deepsim_envs import JoinedEnvironment
from deepsim_envs.checks.checks import NamedCheck, own_warnings, require, single_view
from deepsim_envs.checks.own_checks import Make, SkippedCheckError

# ruff: noqa: PLC0415 (they are extras, and take seconds to import)


def trainer_checks(id: str, make: Make, agents: Sequence[str]) -> list[NamedCheck]:
    """Returns the checks of trainers by name, for `deepsim_envs.checks.checks_of`.

    Args:
        id: The id of a registered `GymnasiumEnv` of the task.
        make: Function that makes equal environments of the task.
        agents: The names of its agents.
    """
    return [
        *(
            (f"check_env of {agent} (stable-baselines3)", partial(_sb3, id, agent))
            for agent in agents
        ),
        ("check_multiagent_environments (rllib)", partial(_rllib, make)),
        ("check_env_specs (torchrl)", partial(_torchrl, make)),
    ]


def _sb3(id: str, agent: str) -> None:
    """Runs Stable-Baselines3's checker on one agent."""
    require("stable_baselines3", "deepsim-train[sb3]")
    with own_warnings():
        from stable_baselines3.common.env_checker import check_env
    with contextlib.closing(single_view(id, agent=agent)) as view:
        check_env(view, warn=True)


def _rllib(make: Make) -> None:
    """Runs RLlib's checker on all agents."""
    require("ray.rllib", "deepsim-train[rllib]")
    with own_warnings():
        from ray.rllib.utils.pre_checks.env import check_multiagent_environments

        from .rllib import RLlibEnv
    with contextlib.closing(RLlibEnv(make())) as view:
        check_multiagent_environments(view)


def _torchrl(make: Make) -> None:
    """Runs TorchRL's checker on two worlds; skips spaces that have no tensor."""
    require("torchrl", "deepsim-train[torchrl]")
    with own_warnings():
        from torchrl.envs.utils import check_env_specs

        from .torchrl import TorchRLEnv
    environment = JoinedEnvironment([make, make])
    try:
        worlds = TorchRLEnv(environment)
    except ValueError as error:
        environment.close()
        raise SkippedCheckError(str(error)) from None
    with contextlib.closing(worlds):
        check_env_specs(worlds, seed=7)
