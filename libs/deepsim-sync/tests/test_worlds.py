# SPDX-License-Identifier: Apache-2.0
"""Many worlds as tables with a row of worlds, on simulators that are asked in turn."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from deepsim_math import Pose, Twist
from deepsim_sync import (
    SimulationError,
    SimulatorsInTurn,
    UnsupportedError,
    World,
    Worlds,
    WriteRefusedError,
)
from deepsim_sync.testing import TableModel, TableSimulator


def make_simulator() -> TableSimulator:
    """A ball, which moves freely, and a wall, which stands still."""
    simulator = TableSimulator(timestep=0.01)
    simulator.spawn(TableModel(), "ball", Pose((0.0, 0.0, 1.0)))
    simulator.spawn(TableModel(static=True), "wall", Pose((9.0, 0.0, 0.0)))
    return simulator


@pytest.fixture
def worlds() -> Worlds:
    """Three of them."""
    return Worlds(SimulatorsInTurn(make_simulator() for _ in range(3)), steps_per_tick=2)


def push(worlds: Worlds) -> None:
    """Ball w flies at w + 1 m/s along x."""
    twist = np.zeros((3, 1, 6))
    twist[:, 0, 0] = [1.0, 2.0, 3.0]
    worlds.put("models", {"twist": twist}, [0])


def nothing(delta: object, now: object) -> None:
    """No update."""


def test_a_tick_reads_updates_writes_and_steps_all_worlds(worlds: Worlds) -> None:
    times = []

    def update(delta: np.ndarray, now: np.ndarray) -> None:
        times.append((delta.tolist(), now.tolist()))
        push(worlds)
        assert worlds.models.twist[:, 0, 0].tolist() == [1.0, 2.0, 3.0]

    worlds.tick(update)
    worlds.tick(update)
    assert worlds.models.pose[:, 0, 0] == pytest.approx([0.04, 0.08, 0.12])
    assert times[0] == ([0.0] * 3, [0.0] * 3)
    assert times[1][0] == pytest.approx([0.02] * 3)
    assert worlds.time == pytest.approx(0.04)
    assert worlds.ticks.tolist() == [2, 2, 2]


def test_each_world_gives_the_bits_that_it_gives_alone(worlds: Worlds) -> None:
    push(worlds)
    for _ in range(5):
        worlds.tick(nothing)
    for number in range(3):
        world = World(make_simulator(), steps_per_tick=2)
        world.put("models", {"twist": [Twist((number + 1.0, 0.0, 0.0))]}, [0])
        for _ in range(5):
            world.tick()
        assert world.models.pose[0].tobytes() == worlds.models.pose[number].tobytes()


def test_only_chosen_worlds_tick_and_are_changed(worlds: Worlds) -> None:
    push(worlds)
    worlds.tick(nothing, np.array([0, 2]))
    assert worlds.models.pose[:, 0, 0] == pytest.approx([0.02, 0.0, 0.06])
    assert worlds.time == pytest.approx([0.02, 0.0, 0.02])
    up = np.array([[[0, 0, 5.0, 0, 0, 0, 1]], [[0, 0, 6.0, 0, 0, 0, 1]]])
    worlds.put("models", {"pose": up}, [0], np.array([0, 1]))
    assert worlds.models.pose[:, 0, 2].tolist() == [5.0, 6.0, 1.0]
    worlds.flush()
    assert worlds.models.pose[:, 0, 2].tolist() == [5.0, 6.0, 1.0]


def test_some_worlds_are_reset_and_the_others_keep_what_was_put(worlds: Worlds) -> None:
    push(worlds)
    worlds.tick(nothing)
    push(worlds)
    worlds.put("models", {"pose": [Pose((7.0, 0.0, 0.0))]}, [0])
    worlds.reset(np.array([1]))
    assert worlds.models.pose[:, 0, 0].tolist() == [7.0, 0.0, 7.0]
    assert worlds.models.twist[:, 0, 0].tolist() == [1.0, 0.0, 3.0]
    assert worlds.time == pytest.approx([0.02, 0.0, 0.02])
    assert worlds.ticks.tolist() == [1, 0, 1]


def test_a_seed_repeats_the_random_numbers_of_its_world(worlds: Worlds) -> None:
    rngs = list(worlds.rngs)
    worlds.reset(seeds=[4, None, 4])
    drawn = [rng.random() for rng in worlds.rngs]
    assert drawn[0] == drawn[2] == np.random.default_rng(4).random()
    worlds.reset(np.array([2]), seeds=[4])
    assert worlds.rngs[2].random() == drawn[0]
    assert all(one is other for one, other in zip(rngs, worlds.rngs))
    with pytest.raises(ValueError, match="2 worlds take as many seeds, got 1"):
        worlds.reset(np.array([0, 1]), seeds=[4])


def test_a_snapshot_goes_back_in_other_worlds_too(worlds: Worlds) -> None:
    worlds.reset(seeds=[1, 2, 3])
    push(worlds)
    worlds.tick(nothing, np.array([1]))
    worlds.put("visuals", {"transparency": [0.5]}, [0], np.array([2]))
    state = pickle.loads(pickle.dumps(worlds.get_state()))
    other = Worlds(SimulatorsInTurn(make_simulator() for _ in range(3)), steps_per_tick=2)
    other.set_state(state)
    for each in (worlds, other):
        each.tick(nothing)
    assert other.models.pose.tobytes() == worlds.models.pose.tobytes()
    assert other.visuals.transparency.tobytes() == worlds.visuals.transparency.tobytes()
    assert other.ticks.tolist() == [1, 2, 1]
    assert other.rngs[1].random() == worlds.rngs[1].random()
    with pytest.raises(ValueError, match="the state is of 3 worlds"):
        Worlds(SimulatorsInTurn([make_simulator()])).set_state(state)


def test_a_world_that_its_update_resets_goes_on_from_the_start(worlds: Worlds) -> None:
    """As a world alone does: its next delta_time is that of one tick."""
    deltas = []

    def update(delta: np.ndarray, now: np.ndarray) -> None:
        deltas.append(delta.tolist())
        if len(deltas) == 3:
            worlds.reset(np.array([1]))

    for _ in range(4):
        worlds.tick(update)
    assert deltas[3] == pytest.approx([0.02] * 3)
    assert worlds.time == pytest.approx([0.08, 0.04, 0.08])
    assert worlds.ticks.tolist() == [4, 2, 4]


def test_seeds_reach_the_simulators() -> None:
    """Each its own, or None."""
    simulators = [make_simulator() for _ in range(3)]
    worlds = Worlds(SimulatorsInTurn(simulators))
    worlds.reset()
    worlds.reset(np.array([0, 2]), seeds=[7, None])
    assert [each.calls("reset") for each in simulators] == [[None, 7], [None], [None, None]]


def test_all_simulators_are_closed_even_if_one_cannot_be() -> None:
    """The first error is raised."""
    closed = []

    class Stuck(TableSimulator):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def close(self) -> None:
            closed.append(self.name)
            if self.name != "a":
                raise OSError(f"{self.name} is stuck")

    with pytest.raises(OSError, match="b is stuck"):
        Worlds(SimulatorsInTurn(map(Stuck, "abc"))).close()
    assert closed == ["a", "b", "c"]


def test_refused_rows_and_diverged_worlds_are_named(worlds: Worlds) -> None:
    worlds.put("models", {"twist": [Twist((1.0, 0.0, 0.0))]}, [1], np.array([2]))
    with pytest.raises(WriteRefusedError) as refused:
        worlds.flush()
    assert [(each.name, each.world) for each in refused.value.refusals] == [("wall", 2)]
    worlds.put("models", {"twist": [Twist((1e308, 0.0, 0.0))]}, [0], np.array([1]))
    worlds.put("models", {"pose": [Pose((1.79e308, 0.0, 0.0))]}, [0], np.array([1]))
    with pytest.raises(SimulationError, match=r"in worlds \[1\]: model 'ball'"):
        worlds.tick(nothing, np.array([0, 1]))
    assert worlds.time[[0, 2]] == pytest.approx([0.02, 0.0])
    assert worlds.ticks[[0, 2]].tolist() == [1, 0]  # those that advanced have ticked


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"pose": np.zeros((3, 1, 7))}, "must have shape"),
        ({"pose": [Pose((float("inf"), 0.0, 0.0))]}, "must be finite"),
    ],
)
def test_values_that_do_not_fit_change_nothing(
    worlds: Worlds, values: dict[str, object], message: str
) -> None:
    before = worlds.models.pose.copy()
    with pytest.raises(ValueError, match=message):
        worlds.put("models", values, [0], np.array([0, 1]))
    assert np.array_equal(worlds.models.pose, before)


def test_simulators_that_differ_are_no_batch() -> None:
    other = make_simulator()
    other.delete("wall")
    with pytest.raises(ValueError, match="world 1 has not the entities"):
        SimulatorsInTurn([make_simulator(), other])
    with pytest.raises(ValueError, match="at least one simulator"):
        SimulatorsInTurn([])
    with pytest.raises(ValueError, match="steps_per_tick must be >= 1, got 0"):
        Worlds(SimulatorsInTurn([make_simulator()]), steps_per_tick=0)


def test_simulators_that_cannot_go_back_say_so() -> None:
    class Forward:
        """A simulator without snapshots."""

        def __init__(self) -> None:
            self._all = make_simulator()

        def __getattr__(self, name: str) -> object:
            if name in ("get_state", "set_state"):
                raise AttributeError(name)
            return getattr(self._all, name)

    with pytest.raises(UnsupportedError, match="Forward cannot go back"):
        Worlds(SimulatorsInTurn([Forward()])).get_state()
