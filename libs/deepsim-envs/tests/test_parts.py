# SPDX-License-Identifier: Apache-2.0
"""Parts of a task: histories, delays, noise, commands and pushes, per world."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box

from deepsim_envs import (
    ActionDelay,
    Agents,
    Area,
    Command,
    Environment,
    History,
    Interval,
    Observations,
    Push,
    TaskPart,
    digest,
)
from deepsim_math import Pose
from deepsim_sync import CallbackError, Noise, World
from deepsim_sync.testing import TableModel, TableSimulator

TICK = 0.125  # [s]
WORLDS = 5


def make_world(worlds: int = WORLDS, seed: int = 0) -> World:
    return World(TableSimulator(worlds=worlds, timestep=TICK), seed=seed)


@pytest.fixture
def world() -> World:
    return make_world()


class AllParts(Area):
    """A puck that sees and acts through every part."""

    agents = Agents(["puck"], Box(-np.inf, np.inf, (15,)), Box(-1.0, 1.0, (2,)))

    def __init__(self, world: World) -> None:
        super().__init__(world)
        world.spawn(TableModel(gravity=False), "puck", Pose())
        self.pucks = world.models.select(["puck"])
        self.delay = ActionDelay(world, (0, 3))
        self.command = Command(world, [-1.0, -1.0], [1.0, 1.0], (0.5, 1.0), zero=0.25)
        self.push = Push(world, "puck", (0.5, 1.5), linear=(0.5, 0.5, 0.0))
        noise = Noise(stddev=0.01, bias_stddev=0.1, drift_stddev=0.1, drift_time=1.0)
        self.sense = Observations(
            world, noise={"position": noise}, delay={"position": (0, 2)}, history=3
        )

    def reset(self, worlds: Any) -> None:
        pass

    def act(self, actions: Any) -> None:
        twist = self.pucks.twist
        twist[..., :2] = self.delay(actions)
        self.pucks.twist = twist

    def update(self) -> None:
        self.command.update()
        self.push.update()

    def observe(self) -> Any:
        command = self.command.value[:, None]
        pose, twist = self.pucks.pose, self.pucks.twist
        return self.sense({
            "position": pose[..., :2], "speed": twist[..., :1], "command": command
        })  # fmt: skip

    def reward(self) -> Any:
        return -np.abs(self.pucks.twist[..., :2] - self.command.value[:, None]).sum(axis=2)


def make(worlds: int, limit: int = 40) -> Environment:
    return Environment(AllParts(make_world(worlds)), max_episode_steps=limit)


def test_worlds_give_the_bits_of_one_world_alone(drive: Any) -> None:
    """World w of 33 observes and earns the same as alone, with noise, delays and pushes."""
    together = drive(make(33, 12), list(range(33)))
    for seed in (0, 7, 32):
        assert drive(make(1, 12), [seed]) == {seed: together[seed]}


def test_snapshots_continue_bit_for_bit() -> None:
    """A pickled snapshot continues in a new environment that has never been reset."""
    env, rng = make(WORLDS), np.random.default_rng(0)
    env.reset_worlds(3)
    actions = rng.uniform(-1.0, 1.0, (20, WORLDS, 1, 2)).astype(np.float32)
    for action in actions[:7]:
        env.step_worlds((action,))
    state = pickle.dumps(env.get_state())

    def rest(each: Environment) -> list[str]:
        return [digest(tuple(each.step_worlds((action,)))) for action in actions[7:]]

    expected, fresh = rest(env), make(WORLDS)
    fresh.set_state(pickle.loads(state))
    assert rest(fresh) == expected
    env.set_state(pickle.loads(state))
    assert rest(env) == expected


def test_a_reset_of_some_worlds_leaves_the_others() -> None:
    """Worlds that are not reset continue as if nothing happened."""
    alone, mixed = make(3), make(3)
    rng = np.random.default_rng(0)
    for env in (alone, mixed):
        env.reset_worlds(0)
    for number in range(12):
        action = rng.uniform(-1.0, 1.0, (3, 1, 2)).astype(np.float32)
        if number == 5:
            mixed.reset_worlds(worlds=np.array([1]))
        expected, got = alone.step_worlds((action,)), mixed.step_worlds((action,))
        for world in (0, 2):
            assert digest(got.observation[0][world]) == digest(expected.observation[0][world])
        differs = digest(got.observation[0][1]) != digest(expected.observation[0][1])
        assert differs == (number >= 5)


def test_a_history_holds_what_was_seen_steps_ago(world: World) -> None:
    """Column k of n holds the values of n - 1 - k steps ago; first values stand in before."""
    history, seen = History(world, 3), np.random.default_rng(0).normal(size=(9, WORLDS, 2, 4))
    world.reset()
    for number, values in enumerate(seen):
        result = history(values)
        assert result.shape == (WORLDS, 2, 12)
        for back in range(3):
            part = result[..., 4 * (2 - back) : 4 * (3 - back)]
            np.testing.assert_array_equal(part, seen[max(number - back, 0)])
        np.testing.assert_array_equal(history(values + 1.0), result)  # the same tick
        world.tick()


def test_a_history_begins_anew_where_a_world_is_reset(world: World) -> None:
    history = History(world, 2)
    world.reset()
    history(np.full((WORLDS, 1), 1.0))
    world.tick()
    history(np.full((WORLDS, 1), 2.0))
    world.reset(worlds=np.array([3]))
    got = history(np.full((WORLDS, 1), 5.0))
    assert got.tolist() == [[1.0, 2.0]] * 3 + [[5.0, 5.0]] + [[1.0, 2.0]]


def test_worlds_that_do_not_tick_keep_their_history(world: World) -> None:
    history = History(world, 2)
    world.reset()
    history(np.full((WORLDS, 1), 1.0))
    world.tick(np.array([0, 4]))
    got = history(np.full((WORLDS, 1), 2.0))
    assert got.tolist() == [[1.0, 2.0]] + [[1.0, 1.0]] * 3 + [[1.0, 2.0]]


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_a_delay_of_n_steps_shifts_by_n_steps(world: World, steps: int) -> None:
    delay, actions = ActionDelay(world, steps), np.random.default_rng(0).normal(size=(9, WORLDS, 3))
    world.reset()
    for number, action in enumerate(actions):
        np.testing.assert_array_equal(delay(action), actions[max(number - steps, 0)])
        world.tick()


def test_delays_are_drawn_per_world_and_episode() -> None:
    """Each number of the range occurs, and each world shifts by its own."""
    world = make_world(200)
    delay = ActionDelay(world, (1, 3))
    world.reset(seed=0)
    first = delay.steps.copy()
    assert set(first.tolist()) == {1, 2, 3}
    for number in range(6):
        got = delay(np.full((200, 1), float(number)))
        np.testing.assert_array_equal(got[:, 0], np.maximum(number - first, 0.0))
        world.tick()
    world.reset(worlds=np.arange(100))
    assert (delay.steps[:100] != first[:100]).any()
    assert (delay.steps[100:] == first[100:]).all()
    delay.steps[:] = 2
    assert np.array_equal(delay.steps, np.full(200, 2))


def test_noise_has_the_declared_mean_and_deviation() -> None:
    """Deviates are normal, and independent between numbers, worlds and steps."""
    world = make_world(40)
    sense = Observations(world, noise={"a": 0.5, "b": Noise(mean=1.0, stddev=0.1)})
    world.reset(seed=1)
    values = []
    for _ in range(250):
        values.append(
            sense({"exact": np.ones((40, 1)), "a": np.zeros((40, 2)), "b": np.ones((40, 1))})
        )
        world.tick()
    seen = np.array(values)  # (steps, worlds, 4)
    assert (seen[..., 0] == 1.0).all()
    flat = seen.reshape(-1, 4)
    np.testing.assert_allclose(flat.mean(axis=0)[1:], [0.0, 0.0, 2.0], atol=0.02)
    np.testing.assert_allclose(flat.std(axis=0)[1:], [0.5, 0.5, 0.1], rtol=0.03)
    between = [
        np.corrcoef(seen[:, 0, 1], seen[:, 0, 2])[0, 1],  # numbers
        np.corrcoef(seen[:, 0, 1], seen[:, 1, 1])[0, 1],  # worlds
        np.corrcoef(seen[1:, :, 1].ravel(), seen[:-1, :, 1].ravel())[0, 1],  # steps
    ]
    assert np.abs(between).max() < 0.2


def test_a_bias_stays_for_an_episode_and_differs_by_number_and_world(world: World) -> None:
    """An encoder has one bias in all steps of an episode."""
    sense = Observations(world, noise={"q": Noise(bias_stddev=0.1)})
    world.reset(seed=1)
    first = sense({"q": np.zeros((WORLDS, 3))})
    assert len(set(first.ravel().tolist())) == 3 * WORLDS
    world.tick()
    np.testing.assert_array_equal(sense({"q": np.ones((WORLDS, 3))}), 1.0 + first)
    world.reset(worlds=np.array([2]))
    again = sense({"q": np.zeros((WORLDS, 3))})
    assert (again[2] != first[2]).all()
    np.testing.assert_array_equal(again[[0, 1, 3, 4]], (1.0 + first)[[0, 1, 3, 4]])


def test_delay_and_history_of_observations_go_by_name(world: World) -> None:
    """Delayed names lag the others by their steps, in every part of the history."""
    sense = Observations(world, delay={"late": 2}, history=2)
    world.reset()
    for number in range(6):
        now = np.full((WORLDS, 1, 1), float(number))
        got = sense({"late": now, "now": 10.0 * now})
        assert got.shape == (WORLDS, 1, 4)
        before = max(number - 1, 0)
        expected = [max(before - 2, 0), 10 * before, max(number - 2, 0), 10 * number]
        np.testing.assert_array_equal(got, np.broadcast_to(expected, got.shape))
        world.tick()


def test_intervals_are_due_after_their_time() -> None:
    """Drawn times lie in the range and differ between worlds; a reset starts anew."""
    world = make_world(50)
    interval = Interval(world, (1.0, 2.0))
    world.reset(seed=0)
    last, waits = np.zeros(50), []
    for _ in range(200):
        world.tick()
        due = interval.due()
        waits += (world.time[due] - last[due]).tolist()
        last[due] = world.time[due]
    assert set(waits) == set(np.arange(1.0, 2.0 + TICK, TICK).tolist())
    assert np.mean(waits) == pytest.approx(1.5, abs=0.05)
    world.reset(worlds=np.array([4]))
    for _ in range(7):
        world.tick()
        assert 4 not in interval.due()


def test_commands_last_for_their_interval_and_fill_their_range() -> None:
    world = make_world(400)
    command = Command(world, [-1.0, 2.0], [1.0, 3.0], every=1.0, zero=0.25)
    world.reset(seed=0)
    first = command.value.copy()
    for _ in range(7):
        world.tick()
        assert not len(command.update())
    np.testing.assert_array_equal(command.value, first)
    world.tick()
    assert len(command.update()) == 400
    moving = command.value[command.value.any(axis=1)]
    assert len(moving) == pytest.approx(300, abs=40)
    assert (moving >= [-1.0, 2.0]).all()
    assert (moving <= [1.0, 3.0]).all()
    np.testing.assert_allclose(moving.mean(axis=0), [0.0, 2.5], atol=0.15)
    assert not (command.value == first)[first.any(axis=1)].any()


def test_pushes_are_uniform_and_leave_other_axes() -> None:
    world = make_world(500)
    world.spawn(TableModel(gravity=False), "puck", Pose())
    push = Push(world, "puck", every=TICK, linear=(1.0, 2.0, 0.0))
    world.reset(seed=0)
    world.models.twist = (0.0, 0.0, 0.5, 0.0, 0.0, 0.25)
    world.tick()
    assert len(push.update()) == 500
    twist = world.models.twist[:, 0]
    assert (twist[:, 2:] == [0.5, 0.0, 0.0, 0.25]).all()
    np.testing.assert_allclose(twist[:, :2].std(axis=0), np.array([2.0, 4.0]) / 12**0.5, rtol=0.1)
    assert (np.abs(twist[:, :2]) <= [1.0, 2.0]).all()


def test_a_part_of_ones_own_is_reset_and_restored(world: World) -> None:
    """A subclass keeps plain attributes, which resets and snapshots of the world cover."""

    class Count(TaskPart):
        def __init__(self, world: World) -> None:
            super().__init__(world)
            self.value = np.zeros(len(world))

        def reset(self, worlds: Any) -> None:
            self.value[worlds] = 0.0

    count = Count(world)
    count.value += 2.0
    state = world.get_state()
    world.reset(worlds=np.array([1]))
    assert count.value.tolist() == [2.0, 0.0, 2.0, 2.0, 2.0]
    world.set_state(state)
    assert count.value.tolist() == [2.0] * WORLDS
    History(world, 2)
    with pytest.raises(CallbackError, match=r"the state has the parts \['Count'\]"):
        world.set_state(state)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (lambda world: History(world, 0), "steps of a History must be >= 1, got 0"),
        (lambda world: ActionDelay(world, -1), r"must be a whole number >= 0.*got -1"),
        (lambda world: ActionDelay(world, (3, 1)), r"ascending order, got \(3, 1\)"),
        (lambda world: Observations(world, delay={"q": 0.5}), "delay of 'q'.*got 0.5"),
        (lambda world: Interval(world, 0.0), "must be > 0 s.*got 0.0"),
        (lambda world: Interval(world, (1.0, np.inf)), "must be > 0 s"),
        (lambda world: Command(world, [1.0], [0.0]), "low <= high"),
        (lambda world: Command(world, [0.0], [1.0], zero=2.0), "must be a probability, got 2.0"),
        (lambda world: Push(world, "puck", 1.0), "one of them > 0"),
        (lambda world: History(world, 2)(np.zeros(3)), r"takes arrays \(5, ..., n\)"),
        (
            lambda world: Observations(world, noise={"speed": 1.0})({"q": np.zeros((5, 1))}),
            "noise is declared for 'speed', but the observations are q",
        ),
        (
            lambda world: Observations(world, noise={"q": [1.0]})({"q": np.zeros((5, 2))}),
            "one for each of its 2 numbers, got 1",
        ),
    ],
)
def test_wrong_settings_are_refused_in_words(world: World, part: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        part(world)


def test_shapes_must_stay(world: World) -> None:
    history, sense = History(world, 2), Observations(world)
    history(np.zeros((WORLDS, 2)))
    with pytest.raises(ValueError, match=r"got \(5, 2\) before, and now \(5, 3\)"):
        history(np.zeros((WORLDS, 3)))
    sense({"a": np.zeros((WORLDS, 1))})
    with pytest.raises(ValueError, match="before, and now"):
        sense({"b": np.zeros((WORLDS, 1))})


def test_weights_multiply_reward_terms() -> None:
    """The reward is the weighted sum of the terms, and the info has the weighted terms."""

    class Weighted(AllParts):
        reward_terms = {"pace": 2.0, "effort": -0.5}  # noqa: RUF012

        def reward(self) -> Any:
            shape = (len(self.world), 1)
            return {"effort": np.full(shape, 3.0), "pace": np.full(shape, 1.0)}

    env = Environment(Weighted(make_world(2)))
    env.reset_worlds(0)
    for number in (1, 2):
        step = env.step_worlds((np.zeros((2, 1, 2), np.float32),))
        assert step.reward.tolist() == [[0.5], [0.5]]
        own = env.info("puck")
        assert own["reward/pace"].tolist() == [2.0, 2.0]
        assert own["return/effort"].tolist() == [-1.5 * number] * 2


@pytest.mark.parametrize("weight", [np.nan, np.inf, "much", None])
def test_weights_are_finite_numbers(weight: Any) -> None:
    class Weighted(AllParts):
        reward_terms = {"pace": weight}  # noqa: RUF012

    with pytest.raises(ValueError, match="weight of 'pace' in Weighted"):
        Environment(Weighted(make_world(2)))
