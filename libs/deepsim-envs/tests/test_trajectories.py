# SPDX-License-Identifier: Apache-2.0
"""A collector of trajectories keeps what each agent saw, did and earned, episode by episode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, Tuple

from deepsim_envs import (
    ActionError,
    Environment,
    Recorder,
    TrajectoryCollector,
    digest,
    replay,
)

MakeRink = Callable[..., Environment]


def actions_of(collector: TrajectoryCollector, seen: Mapping[str, Any]) -> dict[str, Any]:
    """Agents "a" go ahead twice as fast as "b", and are done first."""
    return {slot: [1.0 if slot[0] == "a" else 0.5, 0.0] for slot in seen}


def play(collector: TrajectoryCollector, seen: Mapping[str, Any]) -> None:
    """Steps until all agents are done."""
    while seen:
        result = collector.step(actions_of(collector, seen))
        seen = {slot: value for slot, value in seen.items() if not result.done.get(slot, True)}


@pytest.mark.parametrize("worlds", [1, 3])
def test_it_collects_what_the_environment_returns(make_rink: MakeRink, worlds: int) -> None:
    collector = TrajectoryCollector(make_rink(worlds))
    seen, _ = collector.reset(seed=4)
    expected = {slot: ([value.copy()], [], [], []) for slot, value in seen.items()}
    while seen:
        result = collector.step(actions_of(collector, seen))
        for slot, value in result.observation.items():
            observations, rewards, terminations, truncations = expected[slot]
            observations.append(value.copy())
            rewards.append(result.reward[slot])
            terminations.append(result.info["deepsim"]["terminated"][slot])
            truncations.append(result.info["deepsim"]["truncated"][slot])
        seen = {slot: value for slot, value in result.observation.items() if not result.done[slot]}
    assert len(collector.trajectories) == 2 * worlds
    for episode in collector.trajectories:
        slot = episode.agent if worlds == 1 else f"{episode.agent}/{episode.world}"
        observations, rewards, terminations, truncations = expected[slot]
        assert episode.seed == 4 + episode.world
        assert episode.observations.dtype == np.float32
        np.testing.assert_array_equal(episode.observations, observations)
        assert episode.actions.dtype == np.float32
        speed = 1.0 if episode.agent == "a" else 0.5
        assert episode.actions.tolist() == [[speed, 0.0]] * len(rewards)
        assert episode.rewards.tolist() == rewards
        assert episode.terminations.tolist() == terminations
        assert episode.truncations.tolist() == truncations
        assert terminations[-1] or truncations[-1]


def test_a_world_of_many_gives_the_trajectories_that_it_gives_alone(make_rink: MakeRink) -> None:
    def collected(worlds: int, seed: int) -> dict[tuple[str, int], str]:
        collector = TrajectoryCollector(make_rink(worlds))
        seen, _ = collector.reset(seed=seed)
        play(collector, seen)
        return {(e.agent, e.world): digest(tuple(e[3:])) for e in collector.trajectories}

    many = collected(3, 4)
    for world in range(3):
        alone = collected(1, 4 + world)
        assert [many["a", world], many["b", world]] == [alone["a", 0], alone["b", 0]]


def test_an_episode_that_a_reset_breaks_off_is_left_out(make_rink: MakeRink) -> None:
    collector = TrajectoryCollector(make_rink())
    seen, _ = collector.reset(seed=1)
    collector.step(actions_of(collector, seen))
    seen, _ = collector.reset()
    play(collector, seen)
    assert [episode.seed for episode in collector.trajectories] == [None, None]
    for episode in collector.trajectories:
        assert len(episode.observations) == len(episode.rewards) + 1


def test_a_refused_action_collects_nothing(make_rink: MakeRink) -> None:
    collector = TrajectoryCollector(make_rink())
    seen, _ = collector.reset(seed=1)
    with pytest.raises(ActionError):
        collector.step({"a": [9.0, 0.0], "b": [0.0, 0.0]})
    play(collector, seen)
    assert {episode.actions.max() for episode in collector.trajectories} == {1.0, 0.5}


def test_nested_spaces_are_nested_arrays(make_echo: Callable[..., Environment]) -> None:
    space = Dict({"n": Discrete(5), "parts": Tuple([Box(-1.0, 1.0, (2,)), Discrete(3)])})
    space.seed(2)
    environment = make_echo(space)
    environment.area.agents[0].on_update = environment.area.agents[0].end_episode
    collector = TrajectoryCollector(environment)
    collector.reset(seed=1)
    said = {"n": np.int64(4), "parts": (np.array([0.25, 0.5], np.float32), np.int64(2))}
    collector.step({"a": said})
    (episode,) = collector.trajectories
    assert episode.actions["n"].tolist() == [4]
    assert episode.actions["parts"][0].tolist() == [[0.25, 0.5]]
    assert episode.observations["n"].shape == (2,)
    assert episode.observations["parts"][1].tolist()[1] == 2


def test_recorded_episodes_are_collected_from_their_file(
    make_rink: MakeRink, tmp_path: Path
) -> None:
    file = tmp_path / "episodes.jsonl"
    played = TrajectoryCollector(make_rink(2))
    with Recorder(make_rink(2), file) as recorder:
        for seed in (3, 8):
            seen, _ = recorder.reset(seed)
            played.reset(seed)
            while seen:
                actions = actions_of(played, seen)
                result = recorder.step(actions)
                played.step(actions)
                seen = {s: value for s, value in seen.items() if not result.done.get(s, True)}
    again = TrajectoryCollector(make_rink(2))
    assert len(list(replay(again, file))) > 2
    assert [digest(tuple(e)) for e in again.trajectories] == [
        digest(tuple(e)) for e in played.trajectories
    ]
    assert [episode.seed for episode in again.trajectories if episode.world == 1] == [4, 4, 9, 9]
