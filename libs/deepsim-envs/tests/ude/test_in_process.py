# SPDX-License-Identifier: Apache-2.0
"""The interface of a remote environment, directly over an environment."""

from __future__ import annotations

import pytest

from deepsim_envs import ClosedEnvironmentError
from deepsim_envs.ude import GameOver, ResetMode, UDEEnvironment


def test_without_automatic_resets_an_episode_stays_over(make_count):
    view = UDEEnvironment(make_count(), reset_mode=ResetMode.MANUAL)
    view.reset(1)
    assert view.step({"a": [200], "b": [1]}).done == {"a": True, "b": False}
    assert view.live_agents == ("b",)


@pytest.mark.parametrize(("game_over", "episodes"), [(GameOver.ANY, 2), ("all", 1)])
def test_an_episode_ends_with_its_first_or_its_last_agent(make_count, game_over, episodes):
    view = UDEEnvironment(make_count(), reset_mode=ResetMode.AUTO, game_over=game_over)
    view.reset(1)
    for _ in range(2):
        result = view.step({"a": [200], "b": [1]})
    ends = ["final_observation" in result.info["deepsim"], view.live_agents]
    assert ends == ([True, ("a", "b")] if episodes == 2 else [False, ("b",)])


def test_the_end_of_an_episode_is_not_lost(make_count):
    environment = make_count()
    environment.area.on_info = lambda: {"note": environment.steps}
    view = UDEEnvironment(environment, reset_mode="auto", game_over="all")
    view.reset(1)
    view.step({"a": [200], "b": [1]})
    result = view.step({"b": [200]})
    assert result.done == {"b": True}
    assert result.info["note"] == 0
    assert result.observation["a"][1] == 0.0
    ends = result.info["deepsim"]
    assert ends["final_observation"]["b"][1] == 2.0
    assert ends["final_info"] == {"note": 2}
    assert ends["terminated"] == {"b": True}


def test_closing_closes_the_environment(make_count):
    view = UDEEnvironment(make_count())
    view.close()
    with pytest.raises(ClosedEnvironmentError):
        view.reset()


def test_what_is_no_environment_is_refused():
    with pytest.raises(TypeError, match="must be an Environment"):
        UDEEnvironment("racetrack")
