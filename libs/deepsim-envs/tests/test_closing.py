# SPDX-License-Identifier: Apache-2.0
"""Closing frees the area and the simulator, and ends all else."""

from __future__ import annotations

from functools import partial

import pytest

from deepsim_envs import ClosedEnvironmentError, GymnasiumEnv, GymnasiumVectorEnv
from deepsim_envs.pettingzoo import PettingZooEnv
from deepsim_math import Pose
from deepsim_sync import CallbackError, World
from deepsim_sync.testing import TableModel, TableSimulator


class Counting(TableSimulator):
    """Counts how often it was closed."""

    closed = 0

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def env(make_env, puck):
    """An environment in a world of its own, whose simulator counts."""
    world = World(Counting())
    world.spawn(TableModel(), "a", Pose())
    return make_env(puck("a", world=world))


def test_closing_closes_area_and_simulator_once(env):
    closed = []
    env.area.close = lambda: closed.append(World.current())
    env.close()
    env.close()
    assert closed == [env.world]
    assert env.world.simulator.closed == 1


def test_leaving_the_context_closes(env):
    with env as entered:
        entered.reset()
    assert env.world.simulator.closed == 1


def test_a_closed_environment_neither_steps_nor_resets(env):
    env.reset()
    env.close()
    with pytest.raises(ClosedEnvironmentError, match="make a new one"):
        env.step({"a": [0, 0]})
    with pytest.raises(ClosedEnvironmentError, match="make a new one"):
        env.reset()


def test_the_simulator_is_closed_even_if_the_area_fails_to(env):
    def close():
        raise OSError("stuck")

    env.area.close = close
    with pytest.raises(CallbackError, match=r"Rink\.close raised OSError in tick 0: stuck"):
        env.close()
    assert env.world.simulator.closed == 1


@pytest.mark.parametrize(
    "view",
    [
        partial(GymnasiumEnv, agent="a", others=lambda *_: None),
        partial(GymnasiumVectorEnv, agent="a", others=lambda *_: None),
        PettingZooEnv,
    ],
)
def test_closing_a_view_closes_the_environment(make_rink, view):
    shown = view(make_rink())
    shown.close()
    shown.close()
    with pytest.raises(ClosedEnvironmentError):
        shown.environment.reset()
