# SPDX-License-Identifier: Apache-2.0
"""Checks of tasks by the checkers of trainers, as far as these are installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from deepsim_envs import Environment, GymnasiumEnv
from deepsim_envs.checks import checks_of
from deepsim_train.checks import trainer_checks

ID = "DeepSim/Checked-v0"


def still(environment: Environment, rng: np.random.Generator) -> Any:
    return lambda agent, observation: np.zeros(2, np.float32)


@pytest.fixture
def checked() -> Iterator[Callable[..., dict[str, tuple[str, str]]]]:
    """Checks a task; returns outcome and reason by check."""

    def check(make: Callable[..., Environment]) -> dict[str, tuple[str, str]]:
        def view(agent: str = "a") -> GymnasiumEnv:
            return GymnasiumEnv(make(), agent=agent, others=still)

        gymnasium.registry.pop(ID, None)
        gymnasium.register(ID, entry_point=view)
        return {
            each.name: (each.outcome, each.reason)
            for each in checks_of(ID, make, 40, trainer_checks)
        }

    yield check
    gymnasium.registry.pop(ID, None)


def test_a_task_on_arrays_passes_all(
    checked: Any, make_race_on_arrays: Callable[..., Environment]
) -> None:
    """The checks of trainers come last, one of each agent for Stable-Baselines3."""
    outcomes = checked(make_race_on_arrays)
    assert {name: each for name, each in outcomes.items() if each[0] == "failed"} == {}
    assert [*outcomes][-4:] == [
        "check_env of a (stable-baselines3)",
        "check_env of b (stable-baselines3)",
        "check_multiagent_environments (rllib)",
        "check_env_specs (torchrl)",
    ]


def test_a_trainer_that_is_installed_in_part_is_skipped(
    checked: Any,
    make_race_on_arrays: Callable[..., Environment],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """As Ray is without the packages of RLlib."""
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] == "ray"]:
        monkeypatch.delitem(sys.modules, name)
    outcome, reason = checked(make_race_on_arrays)["check_multiagent_environments (rllib)"]
    assert outcome == "skipped"
    assert reason.startswith(
        "not installed: pip install --find-links dist 'deepsim-train[rllib]' (No module named"
    )
    monkeypatch.delitem(sys.modules, "ray")
