# SPDX-License-Identifier: Apache-2.0
"""Several environments as one with all their worlds; one environment of as many is the oracle."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from deepsim_envs import (
    ActionError,
    ClosedEnvironmentError,
    Environment,
    JoinedEnvironment,
    ResetNeededError,
    digest,
)
from deepsim_sync import CallbackError, World
from deepsim_sync.testing import TableSimulator

MakeRink = Callable[..., Environment]


@pytest.fixture
def joined(make_rink: MakeRink) -> JoinedEnvironment:
    """Four worlds."""
    return JoinedEnvironment([make_rink] * 4)


def told(environment: Any) -> str:
    return digest([environment.live, environment.diverged, environment.info()])


def test_it_gives_the_bits_of_one_environment(
    joined: JoinedEnvironment, make_rink: MakeRink
) -> None:
    one = make_rink(4)
    assert len(joined) == len(one) == 4
    assert (joined.agents, joined.groups) == (one.agents, one.groups)
    assert digest(joined.reset_worlds(7)) == digest(one.reset_worlds(7))
    rng = np.random.default_rng(0)
    for step in range(40):
        actions = (rng.uniform([0.0, -1.0], 1.0, (4, 2, 2)),)
        live = one.live.any(axis=1)
        chosen = np.flatnonzero(live & (rng.random(4) < 0.8))
        if len(chosen):
            results = [each.step_worlds(actions, chosen) for each in (joined, one)]
            assert digest(tuple(results[0])) == digest(tuple(results[1]))
            assert told(joined) == told(one)
        over = np.flatnonzero(~one.live.any(axis=1))
        if len(over):
            seeds = [step] * len(over) if step % 2 else None
            assert digest(joined.reset_worlds(seeds, over)) == digest(one.reset_worlds(seeds, over))


def test_it_goes_back_to_a_snapshot(joined: JoinedEnvironment, make_rink: MakeRink) -> None:
    """Also another one does, in which no episode has begun."""
    actions = (np.full((4, 2, 2), 0.1),)
    joined.reset_worlds(3)
    joined.step_worlds(actions, [0, 2])
    state, some = joined.get_state(), ([0], [1, 3], None)
    expected = [digest(tuple(joined.step_worlds(actions, worlds))) for worlds in some]
    for each in (joined, JoinedEnvironment([make_rink] * 4)):
        each.set_state(state)
        assert [digest(tuple(each.step_worlds(actions, worlds))) for worlds in some] == expected


def test_all_actions_are_checked_before_any_world_moves(joined: JoinedEnvironment) -> None:
    joined.reset_worlds(0)
    actions = np.zeros((4, 2, 2))
    actions[3, 1] = 9.0
    with pytest.raises(ActionError, match="action of agent 'b' in world 3 must lie in"):
        joined.step_worlds((actions,))
    assert [member.steps.tolist() for member in joined.environments] == [[0]] * 4


def test_after_a_step_that_failed_halfway_all_worlds_need_a_reset(
    make_rink: MakeRink, rink_area: Any
) -> None:
    class Fragile(rink_area):  # type: ignore[misc]  # a fixture's class
        broken = False

        def reward(self) -> Any:
            return 1 / 0 if self.broken else super().reward()

    joined = JoinedEnvironment([make_rink, partial(make_rink, area=Fragile)])
    still = (np.zeros((2, 2, 2)),)
    with pytest.raises(ResetNeededError, match="no episode has begun"):
        joined.step_worlds(still)
    joined.reset_worlds(0)
    area: Any = joined.environments[1].area
    area.broken = True
    with pytest.raises(CallbackError):
        joined.step_worlds(still)
    area.broken = False
    with pytest.raises(ResetNeededError, match="the last step failed halfway"):
        joined.step_worlds(still)
    with pytest.raises(ResetNeededError, match="the last step failed halfway"):
        joined.reset_worlds(worlds=[0])
    joined.reset_worlds(0)
    joined.step_worlds(still)


def test_what_a_world_does_not_tell_is_none(make_env: Any, puck: Any) -> None:
    def make(info: dict[str, Any]) -> Environment:
        with World(TableSimulator()):
            environment: Environment = make_env(puck("a"))
        environment.area.info = info  # type: ignore[assignment]  # of the tests' own area
        return environment

    infos = [{"lap": 1, "a": {"gate": "north"}, "seen": [1, 2]}, {"seen": [1], "wind": 0.5}]
    told = JoinedEnvironment([partial(make, info) for info in infos]).info()
    assert told["lap"].tolist() == [1, None]
    assert told["wind"].tolist() == [None, 0.5]
    assert told["a"]["gate"].tolist() == ["north", None]
    assert [list(each) for each in told["seen"]] == [[1, 2], [1]]


def test_environments_that_do_not_fit_are_closed(make_rink: MakeRink, make_env: Any) -> None:
    made = []

    def make(**options: Any) -> Environment:
        made.append(make_rink(**options))
        return made[-1]

    def other() -> Environment:
        made.append(make_env(frame_skip=4))
        return made[-1]

    with pytest.raises(ValueError, match=r"environment 1 has .*'frame_skip': 4}, instead of "):
        JoinedEnvironment([make, other])
    with pytest.raises(ZeroDivisionError):
        JoinedEnvironment([make, lambda: 1 / 0])  # type: ignore[list-item, return-value]
    assert len(made) == 3
    for environment in made:
        with pytest.raises(ClosedEnvironmentError):
            environment.reset()
    with pytest.raises(
        ValueError, match=r"environment 0 has {'worlds': 2, .*, instead of {'worlds'"
    ):
        JoinedEnvironment([partial(make_rink, 2)])
    with pytest.raises(ValueError, match="at least one environment is needed"):
        JoinedEnvironment([])


def test_all_close_even_if_one_fails_to(make_rink: MakeRink, rink_area: Any) -> None:
    class Stuck(rink_area):  # type: ignore[misc]  # a fixture's class
        def close(self) -> None:
            raise OSError("stuck")

    joined = JoinedEnvironment([make_rink, partial(make_rink, area=Stuck), make_rink])
    with pytest.raises(CallbackError, match="stuck"):
        joined.close()
    for environment in joined.environments:
        with pytest.raises(ClosedEnvironmentError):
            environment.reset()
