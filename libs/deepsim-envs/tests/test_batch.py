# SPDX-License-Identifier: Apache-2.0
"""A rink in many worlds at once; the same rink in worlds that are stepped in turn is the oracle."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AutoresetMode

from deepsim_envs import (
    ActionError,
    BatchArea,
    BatchEnvironment,
    BatchVectorEnv,
    ClosedEnvironmentError,
    GymnasiumEnv,
    GymnasiumVectorEnv,
    Judgement,
    ObservationError,
    ResetNeededError,
    digest,
    in_each_world,
)
from deepsim_math import Pose
from deepsim_sync import CallbackError, SimulatorsInTurn, World, Worlds
from deepsim_sync.testing import TableModel, TableSimulator

WORLDS = 3
SPACES = {name: Box(-10.0, 10.0, (2,)) for name in "ab"}
ACTIONS = {name: Box(-1.0, 1.0, (2,)) for name in "ab"}
BUTTONS = {"a": Discrete(2), "b": Discrete(3, start=-1)}


class BatchRink(BatchArea):
    """The rink of conftest.py, on arrays."""

    agents = ("a", "b")
    observation_space: Any = SPACES
    action_space: Any = ACTIONS

    def __init__(self, worlds: Worlds) -> None:
        super().__init__(worlds)
        self.earned = np.zeros((len(worlds), 2))

    def reset(self, chosen: np.ndarray) -> None:
        pose = np.tile(np.asarray(Pose()), (len(chosen), 2, 1))
        for row, number in enumerate(chosen.tolist()):
            for agent in range(2):
                pose[row, agent, 1] = self.worlds.rngs[number].uniform(-1.0, 1.0)
        self.worlds.put("models", {"pose": pose}, [0, 1], chosen)

    def act(self, actions: dict[str, np.ndarray], live: np.ndarray) -> None:
        for row, name in enumerate(self.agents):
            worlds = np.flatnonzero(live[:, row])
            twist = np.zeros((len(worlds), 1, 6))
            twist[:, 0, :2] = actions[name][worlds]
            self.worlds.put("models", {"twist": twist}, [row], worlds)

    def fixed_update(self, delta_time: np.ndarray, sim_time: np.ndarray, live: np.ndarray) -> None:
        self.earned += self.worlds.models.twist[..., 0] * delta_time[:, None]

    def judge(self, live: np.ndarray) -> Judgement:
        earned, self.earned = self.earned, np.zeros_like(self.earned)
        return Judgement(earned, self.worlds.models.pose[..., 0] >= 1.0 - 1e-9)

    def observe(self) -> dict[str, Any]:
        return {name: self.worlds.models.pose[:, row, :2] for row, name in enumerate(self.agents)}

    def get_info(self) -> dict[str, Any]:
        count = len(self.worlds)
        names = np.array(["north", "south", "east", "west"][:count])
        return {"a": {"laps": np.full(count, 2), "name": names}, "wind": np.full(count, 0.5)}


def make_simulator() -> TableSimulator:
    simulator = TableSimulator(timestep=0.1)
    for name in "ab":
        simulator.spawn(TableModel(), name, Pose())
    return simulator


def random_policy(environment: Any, rng: np.random.Generator) -> Callable[[str, Any], Any]:
    """Anywhere, but forward."""
    space = environment.action_space["b"]
    return lambda agent, seen: rng.uniform([0.3, -1.0], space.high).astype(np.float32)


@pytest.fixture
def make() -> Callable[..., BatchEnvironment]:
    """Makes the environment of a rink, or of an area derived from it."""

    def made(area: type[BatchRink] = BatchRink, **options: Any) -> BatchEnvironment:
        worlds = Worlds(SimulatorsInTurn(make_simulator() for _ in range(WORLDS)))
        return BatchEnvironment(area(worlds), **{"frame_skip": 2, **options})

    return made


@pytest.fixture
def vector(make: Callable[..., BatchEnvironment]) -> Callable[..., BatchVectorEnv]:
    """Makes the view of agent "a"."""

    def made(mode: str = "NextStep", **options: Any) -> BatchVectorEnv:
        environment = make(max_episode_steps=7, **options)
        others = in_each_world(random_policy)
        return BatchVectorEnv(environment, agent="a", others=others, autoreset_mode=mode)

    return made


@pytest.fixture
def in_turn(make_env: Any, puck: Any) -> Callable[..., GymnasiumVectorEnv]:
    """Makes the same worlds as objects."""

    def one(number: int) -> GymnasiumEnv:
        with World(make_simulator()):
            env = make_env(puck("a"), puck("b"), frame_skip=2, max_episode_steps=7)
        name = ["north", "south", "east"][number]
        env.area.info = {"a": {"laps": 2, "name": name}, "wind": 0.5}
        return GymnasiumEnv(env, agent="a", others=random_policy)

    def made(mode: str) -> GymnasiumVectorEnv:
        makers = [lambda number=number: one(number) for number in range(WORLDS)]
        return GymnasiumVectorEnv(makers, autoreset_mode=mode)

    return made


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


@pytest.mark.parametrize("mode", [mode.value for mode in AutoresetMode])
def test_it_gives_the_bits_of_worlds_stepped_in_turn(
    vector: Callable[..., BatchVectorEnv], in_turn: Callable[..., GymnasiumVectorEnv], mode: str
) -> None:
    """Also of final observations, infos, masks and partial resets."""
    ours, theirs = vector(mode), in_turn(mode)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    same(ours.reset(seed=5), theirs.reset(seed=5))
    assert ours.np_random_seed == theirs.np_random_seed == (5, 6, 7)
    rng, ends = np.random.default_rng(1), 0
    for step in range(80):
        actions = rng.uniform([0.1, -1.0], 1.0, (WORLDS, 2)).astype(np.float32)
        one, other = ours.step(actions), theirs.step(actions)
        same(one, other)
        over = one[2] | one[3]
        ends += int(over.sum())
        if mode == "Disabled" and over.any():
            options = {"reset_mask": over}
            seeds = [step, None, 3]
            same(
                ours.reset(seed=seeds, options=options),
                theirs.reset(seed=seeds, options=options),
            )
    assert ends > 20


def test_nothing_returned_is_used_again(vector: Callable[..., BatchVectorEnv]) -> None:
    worlds = vector()
    arrays = [worlds.reset(seed=0)[0]]
    for _ in range(3):
        seen, rewards, terminated, truncated, infos = worlds.step(np.zeros((WORLDS, 2)))
        arrays += [seen, rewards, terminated, truncated, infos["laps"], infos["_laps"]]
    for number, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[number + 1 :])


def test_a_bad_action_moves_no_world(vector: Callable[..., BatchVectorEnv]) -> None:
    worlds = vector()
    worlds.reset(seed=0)
    actions = np.zeros((WORLDS, 2), np.float32)
    for bad, message in (
        (9.0, "action of world 1 must lie in"),
        (np.nan, "action of world 1 must not hold NaN"),
    ):
        actions[1, 0] = bad
        with pytest.raises(ActionError, match=message):
            worlds.step(actions)
    with pytest.raises(ActionError, match="3 worlds take 3 actions, got 2"):
        worlds.step(actions[:2])
    with pytest.raises(ActionError, match="action of world 0 must be a float32 array"):
        worlds.step(np.zeros((WORLDS, 5), np.float32))
    assert worlds.environment.steps.tolist() == [0, 0, 0]


def test_a_world_that_is_reset_ignores_its_action(vector: Callable[..., BatchVectorEnv]) -> None:
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


def test_agents_end_at_different_times(make: Callable[..., BatchEnvironment]) -> None:
    environment = make()
    environment.reset(seeds=[0, 1, 2])
    ahead, still = np.tile([1.0, 0.0], (WORLDS, 1)), np.zeros((WORLDS, 2))
    for _ in range(5):
        result = environment.step({"a": ahead, "b": still})
    assert result.terminated["a"].all()
    assert not environment.live("a").any()
    result = environment.step({"a": np.full((WORLDS, 2), np.nan), "b": ahead})
    assert not result.terminated["a"].any()
    assert (result.reward["a"] == 0.0).all()
    assert (result.reward["b"] > 0.0).all()


def test_only_chosen_worlds_step(make: Callable[..., BatchEnvironment]) -> None:
    environment = make()
    environment.reset(seeds=[0, 1, 2])
    ahead = np.tile([1.0, 0.0], (WORLDS, 1))
    result = environment.step({"a": ahead, "b": ahead}, np.array([0, 2]))
    assert result.observation["a"][:, 0] == pytest.approx([0.2, 0.0, 0.2])
    assert result.reward["a"][1] == 0.0
    assert environment.steps.tolist() == [1, 0, 1]


def test_a_snapshot_continues_bit_for_bit(make: Callable[..., BatchEnvironment]) -> None:
    one, other = make(max_episode_steps=9), make(max_episode_steps=9)
    one.reset(seeds=[1, 2, 3])
    actions = {name: np.random.default_rng(0).uniform(-0.2, 0.2, (WORLDS, 2)) for name in "ab"}
    for _ in range(4):
        one.step(actions)
    state = pickle.loads(pickle.dumps(one.get_state()))
    expected = [digest(tuple(one.step(actions))) for _ in range(5)]
    other.set_state(state)
    assert [digest(tuple(other.step(actions))) for _ in range(5)] == expected
    with pytest.raises(ResetNeededError, match=r"all agents of worlds \[0, 1, 2\] are done"):
        other.step(actions)


def test_a_hook_without_a_name_keeps_its_error(make: Callable[..., BatchEnvironment]) -> None:
    environment = make()
    environment.reset()
    environment.area.judge = partial(int, "three")
    still = {name: np.zeros((WORLDS, 2)) for name in "ab"}
    with pytest.raises(CallbackError, match=r"^BatchRink\.int raised TypeError in tick 2: "):
        environment.step(still)


def test_after_a_step_that_failed_halfway_all_worlds_need_a_reset(
    vector: Callable[..., BatchVectorEnv],
) -> None:
    worlds = vector()
    still = np.zeros((WORLDS, 2), np.float32)
    with pytest.raises(ResetNeededError, match="no episode has begun"):
        worlds.step(still)
    worlds.reset(seed=0)
    area: Any = worlds.environment.area

    def judge(live: np.ndarray) -> Judgement:
        raise ZeroDivisionError("by hand")

    area.judge = judge
    with pytest.raises(CallbackError, match=r"BatchRink\.judge raised ZeroDivisionError"):
        worlds.step(still)
    del area.judge
    mask = {"reset_mask": np.array([True, False, False])}
    with pytest.raises(ResetNeededError, match="failed halfway"):
        worlds.step(still)
    with pytest.raises(ResetNeededError, match="failed halfway"):
        worlds.reset(options=mask)
    worlds.reset(seed=0)
    worlds.step(still)


class Blind(BatchRink):
    """Sees nothing."""

    def observe(self) -> dict[str, Any]:
        return {}


class Dazed(BatchRink):
    """Sees the wrong number of things."""

    def observe(self) -> dict[str, Any]:
        return {name: np.zeros((len(self.worlds), 3)) for name in self.agents}


class Listing(BatchRink):
    """Judges by lists."""

    def judge(self, live: np.ndarray) -> Judgement:
        reward, terminated = super().judge(live)
        return Judgement(reward.tolist(), terminated.tolist())  # type: ignore[arg-type]


def test_a_judgement_may_be_of_lists(make: Callable[..., BatchEnvironment]) -> None:
    one, other = make(), make(Listing)
    for environment in (one, other):
        environment.reset(seeds=[0, 1, 2])
    ahead = {name: np.tile([1.0, 0.0], (WORLDS, 1)) for name in "ab"}
    for chosen in (None, np.array([1])):
        assert digest(tuple(one.step(ahead, chosen))) == digest(tuple(other.step(ahead, chosen)))


@pytest.mark.parametrize(
    ("judged", "error", "message"),
    [
        (None, TypeError, r"BatchRink\.judge\(\) must return a Judgement, got None"),
        ((0.0, False), ValueError, r"reward of BatchRink\.judge must have shape \(3, 2\), got 0"),
        (([[0.0], [0.0, 1.0]], False), ValueError, r"reward .* must have shape \(3, 2\)"),
        ((np.zeros((3, 2)), False), ValueError, r"terminated of BatchRink\.judge must have shape"),
    ],
)
def test_what_is_no_judgement_is_named(
    make: Callable[..., BatchEnvironment], judged: Any, error: type[Exception], message: str
) -> None:
    environment = make()
    environment.reset()
    environment.area.judge = lambda live: judged  # type: ignore[method-assign]
    with pytest.raises(error, match=message):
        environment.step({name: np.zeros((WORLDS, 2)) for name in "ab"})


class Greedy(BatchRink):
    """Earns more than there is."""

    def judge(self, live: np.ndarray) -> Judgement:
        reward = np.zeros(live.shape)
        reward[1, 0] = np.inf
        return Judgement(reward, np.zeros(live.shape, np.bool_))


def test_what_an_area_gets_wrong_is_named(make: Callable[..., BatchEnvironment]) -> None:
    with pytest.raises(ObservationError, match="agent 'a' has no observation"):
        make(Blind).reset()
    with pytest.raises(ObservationError, match="observation of agent 'a' in all worlds must be"):
        make(Dazed).reset()
    environment = make(Greedy)
    environment.reset()
    still = {name: np.zeros((WORLDS, 2)) for name in "ab"}
    with pytest.raises(ValueError, match="agent 'a' in world 1 must be finite, got inf"):
        environment.step(still)


def test_what_cannot_be_an_environment_is_refused(make: Callable[..., BatchEnvironment]) -> None:
    class Parts(BatchRink):
        action_space: Any = dict.fromkeys("ab", Dict({"x": Discrete(2)}))

    with pytest.raises(TypeError, match="must be a Box, Discrete"):
        make(Parts)
    with pytest.raises(TypeError, match="must be an instance of BatchArea"):
        BatchEnvironment(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_episode_steps must be >= 1"):
        make(max_episode_steps=0)
    with pytest.raises(ValueError, match="frame_skip"):
        make(frame_skip=0)
    with pytest.raises(ValueError, match="say which agent"):
        BatchVectorEnv(make())
    with pytest.raises(ValueError, match="2 agents need a policy for all but one"):
        BatchVectorEnv(make(), agent="a")


def test_actions_may_be_discrete(make: Callable[..., BatchEnvironment]) -> None:
    class Buttons(BatchRink):
        action_space: Any = BUTTONS

        def act(self, actions: dict[str, np.ndarray], live: np.ndarray) -> None:
            moved = {name: np.stack([each, 0 * each], axis=1) for name, each in actions.items()}
            super().act(moved, live)

    environment = make(Buttons)
    environment.reset()
    result = environment.step({"a": [0, 1, 0], "b": np.array([-1, 0, 1])})
    assert result.observation["a"][:, 0] == pytest.approx([0.0, 0.2, 0.0])
    assert result.observation["b"][:, 0] == pytest.approx([-0.2, 0.0, 0.2])
    with pytest.raises(ActionError, match="action of world 2 must lie in Discrete"):
        environment.step({"a": [0, 1, 2], "b": [0, 0, 0]})
    with pytest.raises(ActionError, match="no agent is named 'c'"):
        environment.step({"c": [0, 1, 2]})


def test_a_closed_environment_says_so(vector: Callable[..., BatchVectorEnv]) -> None:
    worlds = vector()
    worlds.close()
    worlds.close()
    with pytest.raises(ClosedEnvironmentError):
        worlds.environment.reset()
