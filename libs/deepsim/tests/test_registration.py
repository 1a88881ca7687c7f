# SPDX-License-Identifier: Apache-2.0
"""Task folders as environments of Gymnasium and PettingZoo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from deepsim import Environment, GymnasiumEnv, GymnasiumVectorEnv, TaskError, register_task


@pytest.fixture
def pucks(write_task: Callable[..., Path]) -> Iterator[str]:
    """The id of a task that was registered."""
    yield register_task(write_task())
    for registry in (gymnasium.registry, pettingzoo.parallel_registry, pettingzoo.aec_registry):
        registry.pop("DeepSim/Pucks-v0", None)


def test_registering_runs_nothing(pucks: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert pucks == "DeepSim/Pucks-v0"
    assert "made" not in capsys.readouterr().out
    gymnasium.make(pucks)
    assert "made" in capsys.readouterr().out


def test_gymnasium_makes_single_and_vector_environments(pucks: str) -> None:
    env = gymnasium.make(pucks)
    assert isinstance(env.unwrapped, GymnasiumEnv)
    env.reset(seed=0)
    ends = [env.step(np.zeros(1, np.float32))[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]
    worlds = gymnasium.make_vec(pucks, num_envs=3)
    assert isinstance(worlds, GymnasiumVectorEnv)
    assert worlds.reset(seed=0)[0].shape == (3, 1)


def test_make_vec_steps_the_worlds_of_one_environment(array_task: Path) -> None:
    """Each world gives what it gives alone, with a policy of the task for the other agent."""
    id = register_task(array_task)
    try:
        many: Any = gymnasium.make_vec(id, num_envs=3, agent="disc", others="chase")
        assert isinstance(many.environment, Environment)
        alone: Any = gymnasium.make(id, agent="disc", others="chase")
        seen, _ = many.reset(seed=4)
        assert seen[2].tobytes() == alone.reset(seed=6)[0].tobytes()
        action = np.full(1, 0.25, np.float32)
        seen, rewards, *_ = many.step(np.tile(action, (3, 1)))
        expected = alone.step(action)
        assert seen[2].tobytes() == expected[0].tobytes()
        assert rewards[2] == expected[1]
    finally:
        for registry in (gymnasium.registry, pettingzoo.parallel_registry, pettingzoo.aec_registry):
            registry.pop(id, None)


def test_pettingzoo_makes_both_kinds(pucks: str) -> None:
    env = pettingzoo.make("parallel", pucks)
    env.reset(seed=0)
    assert env.metadata["name"] == "pucks"
    assert pettingzoo.make("aec", pucks).possible_agents == ["puck"]


def test_arguments_of_make_are_passed_on(pucks: str, tmp_path: Path) -> None:
    """To Gymnasium's single and vector environments, and to PettingZoo."""
    init = tmp_path / "pucks" / "__init__.py"
    text = init.read_text().replace("def make(seed=0):", "def make(seed=0, limit=3):")
    init.write_text(text.replace("max_episode_steps=3", "max_episode_steps=limit"))
    env: Any = gymnasium.make(pucks, limit=7).unwrapped
    assert env.environment.max_episode_steps == 7
    worlds: Any = gymnasium.make_vec(pucks, num_envs=2, limit=8)
    assert [each.max_episode_steps for each in worlds.environment.environments] == [8, 8]
    assert pettingzoo.make("parallel", pucks, limit=9).environment.max_episode_steps == 9
    with pytest.raises(TaskError, match=r"make of pucks raised TypeError: .* 'looks'"):
        gymnasium.make(pucks, looks=False)
