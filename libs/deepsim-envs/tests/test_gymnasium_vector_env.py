# SPDX-License-Identifier: Apache-2.0
"""One agent in many worlds at once; Gymnasium's own SyncVectorEnv is the oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, Text, Tuple
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_envs import (
    ActionError,
    ArrayPolicy,
    Environment,
    GymnasiumEnv,
    GymnasiumVectorEnv,
    JoinedEnvironment,
    ResetNeededError,
    digest,
)
from deepsim_math import Pose
from deepsim_sync import CameraView, UnsupportedError

WORLDS = 3
MODES = [mode.value for mode in AutoresetMode]
STILL = np.zeros((WORLDS, 2), np.float32)


class Ahead(ArrayPolicy):
    """Ahead, so that some arrive before "a" is done."""

    def act(self, agent: str, observations: Any, action_space: Any, rngs: Any) -> Any:
        return np.array([rng.uniform([0.7, -1.0], [1.0, 1.0]) for rng in rngs])


def ahead(environment: Environment, rng: np.random.Generator) -> Any:
    """The same, in one world."""
    low, high = [0.7, -1.0], environment.action_space["b"].high
    return lambda agent, observation: rng.uniform(low, high)


MakeRink = Callable[..., Environment]
MakeVector = Callable[..., GymnasiumVectorEnv]


@pytest.fixture
def vector(make_rink: MakeRink) -> MakeVector:
    """Makes the view of agent "a"."""

    def make(mode: str = "NextStep", worlds: int = WORLDS, **options: Any) -> GymnasiumVectorEnv:
        environment = make_rink(worlds, **options)
        return GymnasiumVectorEnv(environment, agent="a", others=Ahead(), autoreset_mode=mode)

    return make


@pytest.fixture
def joined(make_rink: MakeRink) -> MakeVector:
    """Makes the same view of environments in turn."""

    def make(mode: str) -> GymnasiumVectorEnv:
        environment = JoinedEnvironment([make_rink] * WORLDS)
        return GymnasiumVectorEnv(environment, agent="a", others=ahead, autoreset_mode=mode)

    return make


@pytest.fixture
def single(make_rink: MakeRink) -> Callable[..., GymnasiumEnv]:
    """Makes the view of one world."""
    return lambda others=ahead: GymnasiumEnv(make_rink(), agent="a", others=others)


def plain(infos: dict[str, Any]) -> dict[str, Any]:
    """Infos without the order of their keys, which says nothing."""
    return {
        key: plain(value) if isinstance(value, dict) else (value.dtype.str, repr(value.tolist()))
        for key, value in sorted(infos.items())
    }


def same(one: Any, other: Any) -> None:
    for mine, theirs in zip(one[:-1], other[:-1], strict=True):
        assert digest(mine) == digest(theirs)
    assert plain(one[-1]) == plain(other[-1])


def places(environments: Any) -> bytes:
    """Where all agents are, as "a" does not see the others."""
    return b"".join(each.area.pucks.pose.tobytes() for each in environments)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["vector", "joined"])
def test_it_gives_the_bits_of_gymnasiums_own(
    request: pytest.FixtureRequest, single: Callable[..., GymnasiumEnv], kind: str, mode: str
) -> None:
    """Also of final observations, infos, masks and partial resets."""
    ours, theirs = (
        request.getfixturevalue(kind)(mode),
        SyncVectorEnv([single] * WORLDS, autoreset_mode=mode),
    )
    same(ours.reset(seed=5), theirs.reset(seed=5))
    assert ours.np_random_seed == theirs.np_random_seed == (5, 6, 7)
    rng, ends = np.random.default_rng(1), 0
    for step in range(80):
        actions = rng.uniform([0.1, -1.0], 1.0, (WORLDS, 2)).astype(np.float32)
        one, other = ours.step(actions), theirs.step(actions)
        same(one, other)
        alone = [view.environment for view in theirs.envs]  # type: ignore[attr-defined]
        assert places(getattr(ours.environment, "environments", [ours.environment])) == places(
            alone
        )
        over = one[2] | one[3]
        ends += int(over.sum())
        if mode == "Disabled" and over.any():
            again = {"seed": [step, None, 3], "options": {"reset_mask": over}}
            same(ours.reset(**again), theirs.reset(**again))
    assert ends > 20
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=4), st.integers(0, 99))
def test_each_world_gives_the_bits_it_gives_alone(
    vector: MakeVector, single: Callable[..., GymnasiumEnv], seeds: list[int], actions_seed: int
) -> None:
    worlds, singles = vector(worlds=len(seeds)), [single(Ahead()) for _ in seeds]
    seen, _ = worlds.reset(seed=seeds)
    alone = [view.reset(seed=seed)[0] for view, seed in zip(singles, seeds, strict=True)]
    assert digest(seen) == digest(np.stack(alone))
    rng = np.random.default_rng(actions_seed)
    over = [False] * len(seeds)
    for _ in range(15):
        actions = rng.uniform(0.0, 1.0, (len(seeds), 2)).astype(np.float32)
        seen, rewards, terminated, truncated, _ = worlds.step(actions)
        for number, view in enumerate(singles):
            if over[number]:
                expected = (view.reset()[0], 0.0, False, False)
            else:
                expected = view.step(actions[number])[:4]
            over[number] = expected[2] or expected[3]
            assert digest(seen[number]) == digest(expected[0])
            assert (rewards[number], terminated[number], truncated[number]) == expected[1:]


def test_policies_of_one_world_see_one_world(make_rink: MakeRink) -> None:
    made = []

    def policy(environment: Environment, rng: np.random.Generator) -> Any:
        assert environment.agents == ("a", "b")
        space = environment.action_space["b"]
        made.append((space, rng))

        def act(agent: str, observation: Any) -> Any:
            assert agent == "b"
            assert environment.observation_space["b"].contains(observation)
            return space.sample()

        return act

    worlds = GymnasiumVectorEnv(make_rink(2), agent="a", others=policy)
    worlds.reset(seed=3)
    worlds.step(np.zeros((2, 2)))
    assert made[0][0] is not made[1][0]
    assert [rng for _, rng in made] == list(worlds.np_random)


def test_a_policy_that_acts_wrongly_is_named(make_rink: MakeRink) -> None:
    def policy(environment: Environment, rng: np.random.Generator) -> Any:
        return lambda agent, observation: [0.0, 0.0, 0.0]

    worlds = GymnasiumVectorEnv(make_rink(2), agent="a", others=policy)
    worlds.reset(seed=0)
    with pytest.raises(ActionError, match="action of agent 'b' in world 0 must be a float32 array"):
        worlds.step(np.zeros((2, 2)))


def test_an_array_policy_that_acts_wrongly_is_named(make_rink: MakeRink) -> None:
    class Lazy(ArrayPolicy):
        def act(self, agent: str, observations: Any, action_space: Any, rngs: Any) -> Any:
            return observations[:1, :2]

    worlds = GymnasiumVectorEnv(make_rink(2), agent="a", others=Lazy())
    worlds.reset(seed=0)
    with pytest.raises(ActionError, match=r"Lazy\.act must return 2 actions of agent 'b', got"):
        worlds.step(np.zeros((2, 2)))


def test_nothing_returned_is_used_again(vector: MakeVector) -> None:
    worlds = vector()
    arrays = [worlds.reset(seed=0)[0]]
    for _ in range(3):
        seen, rewards, terminated, truncated, infos = worlds.step(STILL)
        arrays += [seen, rewards, terminated, truncated, infos["laps"], infos["_laps"]]
    for number, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[number + 1 :])


def test_a_mask_resets_only_its_worlds_and_leaves_the_callers_options_alone(
    vector: MakeVector, single: Callable[..., GymnasiumEnv]
) -> None:
    worlds = vector("Disabled")
    worlds.reset(seed=0)
    before = worlds.step(np.full((3, 2), 0.5, np.float32))[0]
    options = {"reset_mask": np.array([False, True, False])}
    after, _ = worlds.reset(seed=4, options=options)
    assert list(options) == ["reset_mask"]
    assert np.array_equal(before[[0, 2]], after[[0, 2]])
    assert after[1][0] == 0.0
    assert digest(after[1]) == digest(single().reset(seed=5)[0])


def test_the_mode_disabled_leaves_resets_to_the_user(vector: MakeVector) -> None:
    worlds = vector("Disabled")
    worlds.reset(seed=0)
    ahead = np.array([[0, 0], [1, 0], [0, 0]], np.float32)
    for _ in range(5):
        worlds.step(ahead)
    worlds.reset(options={"reset_mask": np.array([True, False, False])})  # of another world
    with pytest.raises(ResetNeededError, match=r"episodes of worlds \[1\] are over"):
        worlds.step(ahead)


def test_a_bad_action_moves_no_world(vector: MakeVector) -> None:
    worlds = vector()
    worlds.reset(seed=0)
    for wrong, message in (
        (STILL[:2], "3 worlds take 3 actions, got 2"),
        (0.5, "3 worlds take 3 actions, got 0.5"),
        (np.zeros((WORLDS, 5)), r"action of agent 'a' in world 0 must be a float32 array of"),
        ([[0.0, 0.0], [0.0], [0.0, 0.0]], "action of agent 'a' in world 1 must be a float32"),
    ):
        with pytest.raises(ActionError, match=message):
            worlds.step(wrong)
    assert worlds.environment.steps.tolist() == [0, 0, 0]


def test_actions_beyond_their_bounds_can_be_clipped(vector: MakeVector) -> None:
    """As Gymnasium's wrapper does; a message names both."""
    refusing, plain, at_most = vector(), vector(), vector()
    refusing.reset(seed=3)
    with pytest.raises(ActionError, match=r"ClipAction clips, as does clip_actions=True"):
        refusing.step(STILL + 7.0)
    clipping = GymnasiumVectorEnv(plain.environment, agent="a", others=Ahead(), clip_actions=True)
    for view in (clipping, at_most):
        view.reset(seed=3)
    high = np.broadcast_to(at_most.single_action_space.high, STILL.shape)
    assert digest(clipping.step(STILL + 7.0)) == digest(at_most.step(high))


def test_a_world_that_is_reset_ignores_its_action(vector: MakeVector) -> None:
    worlds = vector()
    worlds.reset(seed=0)
    ahead = np.array([[1, 0], [0, 0], [0, 0]], np.float32)
    for _ in range(5):
        _, _, terminated, _, _ = worlds.step(ahead)
    assert terminated.tolist() == [True, False, False]
    ahead[0] = np.nan
    seen, rewards, *_ = worlds.step(ahead)
    assert (seen[0, 0], rewards[0]) == (0.0, 0.0)
    assert worlds.environment.steps.tolist() == [0, 6, 6]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seed": [1]}, ValueError, "3 worlds take 3 seeds, got 1"),
        ({"options": {"reset_mask": [True] * 3}}, TypeError, "must be an array of bool"),
        ({"options": {"reset_mask": np.ones(3, int)}}, TypeError, "must be an array of bool"),
        ({"options": {"reset_mask": np.ones(2, bool)}}, ValueError, r"must have shape \(3,\)"),
        ({"options": {"reset_mask": np.zeros(3, bool)}}, ValueError, "and a True in it"),
    ],
)
def test_seeds_and_masks_that_do_not_fit_are_refused(
    vector: MakeVector, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        vector().reset(**arguments)


def test_without_a_seed_worlds_and_views_differ(vector: MakeVector) -> None:
    assert len(set(np.concatenate([vector().reset()[0][:, 1] for _ in range(2)]).tolist())) == 6


@pytest.mark.parametrize(
    "space",
    [
        Dict(size=Box(0.0, 1.0, (2,)), parts=Tuple((Discrete(3), Text(5, min_length=0)))),
        Dict(size=Box(0.0, 1.0, (2, 3)), parts=Tuple((Discrete(3), MultiBinary(4)))),
        Box(-1.0, 1.0, (2, 3)),
        Box(-1.0, 1.0, ()),
        Discrete(5, start=-2),
        Text(5, min_length=0),
    ],
    ids=repr,
)
def test_any_space_is_batched_as_gymnasium_does(make_echoes: Any, space: Any) -> None:
    ours = GymnasiumVectorEnv(make_echoes(WORLDS, ("e", space)))
    theirs = SyncVectorEnv([lambda: GymnasiumEnv(make_echoes(1, ("e", space)))] * WORLDS)
    assert ours.observation_space == theirs.observation_space
    assert digest(ours.reset(seed=0)[0]) == digest(theirs.reset(seed=0)[0])
    ours.action_space.seed(0)
    for _ in range(3):
        actions = ours.action_space.sample()
        one, other = ours.step(actions)[0], theirs.step(actions)[0]
        assert digest(one) == digest(other)
        assert ours.observation_space.contains(one)


def test_arrays_of_actions_may_have_any_order_and_a_wider_type(make_echoes: Any) -> None:
    """As lists may; what the area gets is a copy."""
    worlds = GymnasiumVectorEnv(make_echoes(WORLDS, ("e", Box(-1.0, 1.0, (2, 3)))))
    worlds.reset(seed=0)
    drawn = np.random.default_rng(0).uniform(-1.0, 1.0, (WORLDS, 2, 3))
    for actions in (drawn, drawn.tolist(), np.asfortranarray(drawn), drawn.astype(np.float32)):
        seen = worlds.step(actions)[0]
        assert digest(seen) == digest(drawn.astype(np.float32))
    worlds.environment.area.said[:] = 0.5  # type: ignore[union-attr]  # it is not joined
    assert np.array_equal(actions, drawn.astype(np.float32))


def test_a_batch_that_lacks_a_part_is_refused(make_echoes: Any) -> None:
    space = Dict(size=Box(0.0, 1.0, (2,)), parts=Tuple((Discrete(3), Discrete(2))))
    worlds = GymnasiumVectorEnv(make_echoes(WORLDS, ("e", space)))
    worlds.reset(seed=0)
    with pytest.raises(ActionError, match=r"must be a dict of \['size', 'parts'\], got"):
        worlds.step({"size": np.zeros((WORLDS, 2), np.float32)})
    with pytest.raises(ActionError, match="3 worlds take 3 actions, got"):
        worlds.step({"size": np.zeros((2, 2), np.float32), "parts": (np.zeros(2), np.zeros(2))})


class Camera:
    """Draws the number of its world."""

    names = ()

    def render(self, camera: Any, world: int = 0) -> np.ndarray:
        return np.full((2, 2, 3), world, np.uint8)


def test_pictures_are_those_of_each_world(vector: MakeVector, make_rink: MakeRink) -> None:
    view = CameraView(Pose())
    with pytest.raises(UnsupportedError, match="TableSimulator takes no pictures"):
        GymnasiumVectorEnv(
            make_rink(2), agent="a", others=ahead, render_mode="rgb_array", camera=view
        )
    joined = JoinedEnvironment([make_rink] * 2)
    for environment, numbers in ((make_rink(2), [0, 1]), (joined, [0, 0])):
        for member in getattr(environment, "environments", [environment]):
            member.world.simulator.cameras = Camera()
        worlds = GymnasiumVectorEnv(
            environment, agent="a", others=ahead, render_mode="rgb_array", camera=view
        )
        assert worlds.metadata["render_modes"] == ["rgb_array"]
        assert worlds.metadata["render_fps"] == 5
        worlds.reset(seed=0)
        assert [picture[0, 0, 0] for picture in worlds.render()] == numbers  # type: ignore[index]
    assert vector().render() == (None, None, None)


def test_a_world_that_diverges_says_so(vector: MakeVector, rink_area: Any) -> None:
    class Rocket(rink_area):
        """Flies away in world 1."""

        def fixed_update(self, delta_time: float) -> None:
            if self.fly:
                pose = self.pucks.pose
                pose[1, :, 2] = 1e200
                self.pucks.pose = pose

        fly = False

    worlds = vector("SameStep", area=Rocket)
    worlds.reset(seed=0)
    assert "diverged" not in worlds.step(STILL)[4]
    worlds.environment.area.fly = True  # type: ignore[union-attr]
    _, rewards, terminated, truncated, infos = worlds.step(STILL)
    assert (terminated.any(), truncated.tolist()) == (False, [False, True, False])
    assert rewards.tolist() == [0.0, 0.0, 0.0]
    assert infos["final_info"]["diverged"].tolist() == [False, True, False]
