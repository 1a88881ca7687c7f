# SPDX-License-Identifier: Apache-2.0
"""Going back to an instant of a world."""

from __future__ import annotations

import pickle
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from deepsim_math import Pose, Twist, Vector3
from deepsim_sync import (
    Behaviour,
    CallbackError,
    DeepSimError,
    PerWorld,
    UnsupportedError,
    World,
    plain_attributes,
    restore_attributes,
)
from deepsim_sync.testing import TableModel, TableSimulator


class Wanderer(Behaviour):
    """Turns at random, and remembers where it went."""

    def __init__(self, name: str, world: World) -> None:
        super().__init__(name, world=world)
        self.track: list[Vector3] = []
        self.heading = np.zeros(2)
        self.rng = world.rng
        self.own_rng = np.random.default_rng(5)

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        self.heading += self.rng.normal(size=2) + self.own_rng.normal(size=2)
        self.transform.twist = Twist((*self.heading, delta_time))
        self.track.append(self.transform.pose.position)


def make_world(names: str = "ab") -> World:
    world = World(TableSimulator(), seed=3)
    for name in names:
        world.spawn(TableModel(lights=("lamp",)), name, Pose())
        Wanderer(name, world)
    return world


def run(world: World, ticks: int) -> list[bytes]:
    seen = []
    for _ in range(ticks):
        world.tick()
        seen.append(world.models.pose.tobytes() + world.models.twist.tobytes())
    return [*seen, repr((world.ticks, world.time, world.behaviours.get("a").track))]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["same world", "another world"])
def test_a_world_goes_on_from_a_snapshot_bit_for_bit(elsewhere: bool) -> None:
    """Also in another world and after pickling: rows, random numbers, ticks and memories."""
    world = make_world()
    run(world, 7)
    state = pickle.loads(pickle.dumps(world.get_state()))
    expected = run(world, 20)
    target = make_world() if elsewhere else world
    run(target, 3)
    target.set_state(state)
    assert run(target, 20) == expected
    target.set_state(state)
    assert run(target, 20) == expected  # nothing that ran changed the state


def test_looks_come_back() -> None:
    world = make_world()
    a = world.behaviours.get("a").transform
    a.transparency = 0.5
    state = world.get_state()
    a.transparency = 0.75
    world.put("lights", {"attenuation": [2.0, 0.0, 0.0]})
    world.set_state(state)
    assert set(a.transparency.values()) == {0.5}
    assert world.lights.attenuation[0, 0, 0] == 1.0


class Scores(PerWorld):
    """Remembers points."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.points = np.zeros(len(world))

    def reset(self, worlds: NDArray[np.intp]) -> None:
        self.points[worlds] = 0.0

    def get_state(self) -> NDArray[np.float64]:
        return self.points.copy()

    def set_state(self, state: NDArray[np.float64]) -> None:
        self.points[:] = state


class Whistle(PerWorld):
    """Remembers nothing, and is reset."""

    blown = 0

    def reset(self, worlds: NDArray[np.intp]) -> None:
        self.blown = 0


@pytest.mark.parametrize("elsewhere", [False, True], ids=["same world", "another world"])
def test_managers_remember_too(elsewhere: bool) -> None:
    """Also one that the other world never used; one without a state is reset."""
    world = make_world()
    world.get(Scores).points[0] = 5.0
    state = pickle.loads(pickle.dumps(world.get_state()))
    target = make_world() if elsewhere else world
    if not elsewhere:
        target.get(Scores).points[0] = 9.0
    target.get(Whistle).blown = 3
    target.set_state(state)
    assert target.get(Scores).points.tolist() == [5.0]
    assert target.get(Whistle).blown == 0


def test_a_manager_that_fails_to_remember_is_named() -> None:
    class Broken(PerWorld):
        def get_state(self) -> None:
            raise ZeroDivisionError("by nought")

    world = World(TableSimulator())
    world.get(Broken)
    with pytest.raises(CallbackError, match=r"^Broken\.get_state raised ZeroDivisionError"):
        world.get_state()


def test_what_was_put_belongs_to_the_snapshot_and_is_void_after_going_back() -> None:
    world = make_world()
    a = world.behaviours.get("a").transform
    a.pose = Pose((1.0, 2.0, 3.0))
    state = world.get_state()
    a.pose = Pose((9.0, 9.0, 9.0))
    world.set_state(state)
    assert a.pose == Pose((1.0, 2.0, 3.0))


def test_what_the_simulator_would_refuse_is_void_too() -> None:
    world = World(TableSimulator())
    world.spawn(TableModel(static=True), "wall", Pose())
    state = world.get_state()
    world.put("models", {"twist": np.ones(6)})
    world.set_state(state)
    world.tick()
    assert not world.models.twist.any()


def test_a_behaviour_may_remember_in_its_own_way() -> None:
    class Keeper(Behaviour):
        def __init__(self, world: World) -> None:
            super().__init__("a", world=world)
            self.box = iter([1])  # not plain
            self.inside = "first"

        def get_state(self) -> str:
            return self.inside.upper()

        def set_state(self, state: str) -> None:
            self.inside = state

    world = World(TableSimulator())
    keeper = Keeper(world)
    state = world.get_state()
    keeper.inside = "second"
    world.set_state(state)
    assert keeper.inside == "FIRST"


def test_a_state_of_other_things_is_refused_and_changes_nothing() -> None:
    state = make_world("ab").get_state()
    world = make_world("ac")
    run(world, 2)
    before = world.models.pose.copy()
    with pytest.raises(ValueError, match=r"the state has 2 models, .*'b'.*, but the world has"):
        world.set_state(state)
    assert np.array_equal(world.models.pose, before)
    other = make_world("ab")
    other.behaviours.remove(other.behaviours.get("b"))
    with pytest.raises(ValueError, match=r"the state has . behaviours"):
        other.set_state(state)


def test_only_the_names_that_differ_are_told() -> None:
    state = make_world("abcdefghijklmnopqrstuvwxyz").get_state()
    with pytest.raises(ValueError, match=r"26 models, 'z', but .* 26 models, '0'") as caught:
        make_world("abcdefghijklmnopqrstuvwxy0").set_state(state)
    assert "'a'" not in str(caught.value)


def test_a_simulator_that_cannot_go_back_says_so() -> None:
    simulator = TableSimulator()
    simulator.snapshots = None
    with pytest.raises(UnsupportedError, match="TableSimulator cannot go back"):
        World(simulator).get_state()


def test_within_a_tick_there_is_no_instant_to_keep() -> None:
    class Nosy(Behaviour):
        def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
            self.world.get_state()

    world = World(TableSimulator())
    Nosy("a", world=world)
    with pytest.raises(DeepSimError, match=r"get_state\(\) was called within a tick"):
        world.tick()


class Bag:
    """Holds anything; `size` has a default in its class."""

    size = 1


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
plain = st.recursive(
    scalars,
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(st.text(max_size=3), parts, max_size=3)
        | st.tuples(parts, parts)
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcd"), plain), st.dictionaries(st.sampled_from("abcd"), plain)
)
def test_plain_attributes_come_back_whatever_they_became(kept: dict, later: dict) -> None:
    bag = Bag()
    vars(bag).update(kept)
    expected = repr(sorted(kept.items()))
    state = plain_attributes(bag)
    vars(bag).update(later)
    restore_attributes(bag, state)
    assert repr(sorted((k, v) for k, v in vars(bag).items() if k in kept)) == expected


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (np.arange(3.0), lambda v: v.fill(9)),
        ([1, 2], lambda v: v.append(3)),
        ({"a": 1}, lambda v: v.clear()),
        ({1, 2}, lambda v: v.add(3)),
        (deque([1, 2], maxlen=2), lambda v: v.append(3)),
        (np.random.default_rng(0), lambda v: v.normal()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_containers_are_restored_in_place_for_those_who_share_them(value, change) -> None:
    bag = Bag()
    bag.shared = value
    state = plain_attributes(bag)
    before = pickle.dumps(value)
    change(value)
    assert pickle.dumps(value) != before
    restore_attributes(bag, state)
    assert bag.shared is value
    assert pickle.dumps(value) == before


@pytest.mark.parametrize("pickled", [False, True])
def test_attributes_share_an_object_if_they_did_at_the_snapshot(pickled: bool) -> None:
    """``self.last = self.now = zeros`` of a new object does not mix up two kept arrays."""
    bag, fresh = Bag(), Bag()
    bag.now, bag.last = np.array([1.0]), np.array([2.0])
    bag.one = bag.other = np.array([3.0])
    state = plain_attributes(bag)
    if pickled:
        state = pickle.loads(pickle.dumps(state))
    fresh.now = fresh.last = fresh.one = np.zeros(1)
    restore_attributes(fresh, state)
    assert [fresh.now[0], fresh.last[0], fresh.one[0]] == [1.0, 2.0, 3.0]
    fresh.one[0] = 5.0
    assert fresh.other[0] == 5.0
    assert fresh.now[0] == 1.0


def test_a_default_of_the_class_shows_again() -> None:
    bag = Bag()
    state = plain_attributes(bag)
    bag.size = 5
    restore_attributes(bag, state)
    assert bag.size == 1
    assert vars(bag) == {}


def test_what_is_not_plain_is_left_alone() -> None:
    bag = Bag()
    bag.friend, bag.friends = Bag(), [Bag()]
    friend, friends = bag.friend, bag.friends
    assert plain_attributes(bag) == {}
    bag.friend.size = 7
    restore_attributes(bag, {})
    assert bag.friend is friend
    assert bag.friends is friends
    assert friend.size == 7


def test_a_generator_that_is_gone_cannot_be_restored() -> None:
    bag = Bag()
    bag.rng = np.random.default_rng(0)
    state = plain_attributes(bag)
    bag.rng = None
    with pytest.raises(ValueError, match="attribute 'rng' of Bag was a random generator"):
        restore_attributes(bag, state)
