# SPDX-License-Identifier: Apache-2.0
"""Randomizers together: order, seeds, log and replay."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_fx import (
    AbstractRandomizer,
    CameraRandomizer,
    Draw,
    LightRandomizer,
    ModelVisualRandomizer,
    PhysicsRandomizer,
    PoseRandomizer,
    RandomizerManager,
)
from deepsim_sync import (
    Behaviour,
    DuplicateEntityError,
    UnknownEntityError,
    World,
)


class Wind(AbstractRandomizer):
    """A randomizer of a user: it blows the car along."""

    def draw(self, rng, world):
        return {"speed": float(rng.uniform(1.0, 2.0))}

    def apply(self, values, worlds):
        speed = [[(each["speed"], 0, 0, 0, 0, 0)] for each in values]
        self.world.models.select(["car"]).put(worlds, twist=speed)


def add_all(world):
    """One randomizer of each kind."""
    manager = world.get(RandomizerManager)
    for randomizer in (
        ModelVisualRandomizer("car", "visual", num_selection=3, world=world),
        ModelVisualRandomizer("car", "link", visuals="stripe", world=world, name="stripes"),
        LightRandomizer("lamp::*", constant=("uniform", 0.5, 1), quadratic=0.1, world=world),
        PoseRandomizer("car", position=("normal", 0, 2), rotation=("uniform", -3, 3), world=world),
        PhysicsRandomizer("car", mass=("log-uniform", 0.5, 2), friction=0.7, world=world),
        CameraRandomizer("car::body::eye", rotation=("normal", 0, 0.1), world=world),
        Wind("wind", world),
    ):
        manager.add(randomizer)
    return manager


def everything(world, w=0):
    """All that a randomizer may change in one world, bit for bit."""
    physics, mounts = world.simulator.physics, world.simulator.camera_mounts
    tables = [world.models.pose, world.models.twist, world.visuals.ambient, world.visuals.diffuse]
    tables += [world.lights.diffuse, world.lights.attenuation]
    factors = [physics.factors(name) for name in ("mass", "friction", "damping")]
    mount = mounts.get("car::body::eye", w)
    return b"".join(table[w].tobytes() for table in [*tables, *factors]), mount


def test_randomizers_run_in_the_order_in_which_they_were_added(garage):
    manager = add_all(garage())
    drawn = [draw.randomizer for draw in manager.randomize()]
    assert drawn == [
        "visuals of car",
        "stripes",
        "lights lamp::*",
        "pose of car",
        "physics of car",
        "camera car::body::eye",
        "wind",
    ]
    assert drawn == [randomizer.name for randomizer in manager]


@pytest.mark.parametrize("seed", [0, 5])
def test_the_same_seed_draws_the_same(garage, seed):
    worlds = [garage(seed), garage(seed), garage(seed + 1)]
    drawn = [[draw.values for draw in add_all(world).randomize()] for world in worlds]
    assert drawn[0] == drawn[1]
    assert everything(worlds[0]) == everything(worlds[1])
    assert all(one != other for one, other in zip(drawn[0], drawn[2], strict=True))


def test_nothing_else_is_random(garage):
    """Neither the global generator nor the order of sets comes in."""
    np.random.seed(1)  # noqa: NPY002 (it must not matter)
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    add_all(garage()).randomize()
    assert np.random.get_state()[1].tolist() == state  # noqa: NPY002


def test_the_next_episode_is_another_one(garage):
    manager = add_all(garage())
    for one, other in zip(manager.randomize(), manager.randomize(), strict=True):
        assert one.values != other.values


def test_seeding_the_world_anew_repeats_an_episode(garage):
    world = garage()
    manager = add_all(world)
    manager.randomize()
    seen = []
    for _ in range(2):
        world.reset(seed=11)
        manager.randomize()
        seen.append(everything(world))
    assert seen[0] == seen[1]


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32 - 1), rounds=st.integers(1, 4), way=st.sampled_from(["json", ""]))
def test_a_log_replays_in_another_world_bit_for_bit(garage, seed, rounds, way):
    """By way of JSON as well, and without touching the other world's generator."""
    world, other = garage(seed), garage(seed + 1)
    manager, replayer = add_all(world), add_all(other)
    for _ in range(rounds):
        manager.randomize()
    log = manager.log
    if way:
        lines = [json.dumps(asdict(draw)) for draw in log]
        log = [Draw(**json.loads(line)) for line in lines]
    state = other.rng.bit_generator.state
    replayer.replay(log)
    assert everything(other) == everything(world)
    assert other.rng.bit_generator.state == state
    assert replayer.log == manager.log


def test_a_draw_tells_when_it_was(garage):
    world = garage()
    world.tick()
    world.tick()
    wind = Wind("wind", world)
    (draw,) = wind.randomize()
    assert (draw.randomizer, draw.tick, draw.time) == ("wind", 2, pytest.approx(0.2))
    assert draw.values == {"speed": world.models.twist[0, 0, 0]}
    assert world.get(RandomizerManager).log == [draw]


def test_the_log_begins_anew_with_an_episode(garage):
    """What behaviours draw in their reset belongs to the new episode."""
    world = garage()
    manager = add_all(world)

    class Director(Behaviour):
        def on_reset(self):
            manager.randomize()

    with world:
        Director("car")
    for _ in range(3):
        world.reset()
        assert len(manager.log) == len(manager)


def test_what_was_drawn_by_another_is_refused(garage):
    world = garage()
    manager = add_all(world)
    with pytest.raises(ValueError, match="'pose of car' cannot apply a draw of 'wind'"):
        manager["pose of car"].replay(*manager["wind"].randomize())


def test_a_log_with_a_stranger_is_refused_as_a_whole(garage):
    world = garage()
    manager = add_all(world)
    before = everything(world)
    log = [Draw("wind", 0, 0.0, {"speed": 9.0}), Draw("rain", 0, 0.0, {})]
    with pytest.raises(UnknownEntityError, match="no randomizer is named 'rain'"):
        manager.replay(log)
    assert everything(world) == before


def test_names_are_unique(garage):
    world = garage()
    manager = add_all(world)
    with pytest.raises(DuplicateEntityError, match="a randomizer named 'wind' exists already"):
        manager.add(Wind("wind", world))


def test_a_randomizer_may_be_removed(garage):
    world = garage()
    manager = world.get(RandomizerManager)
    wind, storm = Wind("wind", world), Wind("storm", world)
    manager.add(wind)
    manager.add(storm)
    assert wind in manager
    assert "storm" in manager
    manager.remove(wind)
    manager.remove("storm")
    assert len(manager) == 0
    manager.discard(wind)
    for absent in (wind, "storm"):
        with pytest.raises(UnknownEntityError, match="no randomizer is named"):
            manager.remove(absent)


def test_a_namesake_is_not_taken_out(garage):
    world = garage()
    manager = world.get(RandomizerManager)
    manager.add(Wind("wind", world))
    manager.discard(Wind("wind", world))
    assert "wind" in manager


def test_each_world_has_its_own(garage):
    world, other = garage(), garage()
    with pytest.raises(ValueError, match="<Wind 'wind'> is for another world"):
        other.get(RandomizerManager).add(Wind("wind", world))
    with other:
        assert Wind("wind").world is other


# Many worlds


def test_every_world_draws_and_shows_what_it_does_alone(garage):
    """Through partial rounds and resets, byte for byte; the log has the number of the world."""
    together, alone = garage(5, worlds=3), [garage(5 + w) for w in range(3)]
    managers = [add_all(world) for world in (together, *alone)]
    rounds = [[0, 1, 2], [1], [0, 2], [2]]
    for chosen in rounds:
        together.reset(worlds=np.array(chosen))
        managers[0].randomize(chosen)
        for w in chosen:
            alone[w].reset()
            managers[1 + w].randomize()
        for world in (together, *alone):
            world.tick()
        for w in range(3):
            assert everything(together, w) == everything(alone[w])
            own = [replace(draw, world=0) for draw in managers[0].log if draw.world == w]
            assert own == managers[1 + w].log


def test_one_put_serves_all_worlds(garage):
    """Selections differ from world to world, but not the names of what is painted."""
    puts = []
    world = garage(worlds=4)
    manager = add_all(world)

    def put(kind, columns, *rest):
        puts.append((kind, *columns))
        World.put(world, kind, columns, *rest)

    world.put = put
    manager.randomize()
    assert puts == [
        ("visuals", "ambient", "diffuse"),
        ("visuals", "ambient", "diffuse"),
        ("lights", "diffuse", "attenuation"),
        ("models", "pose"),
    ]


def test_draws_with_other_names_are_applied_one_by_one(garage):
    """As of a replay by hand, or of a randomizer whose draws have names of their own."""
    world = garage(worlds=3)
    red, blue = [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]
    randomizer = ModelVisualRandomizer("car", world=world)
    skin, stripe = "car::body::skin", "car::body::stripe"
    values = [{"diffuse": {skin: red}}, {"ambient": {stripe: blue}}, {"diffuse": {skin: blue}}]
    randomizer.apply(values, np.arange(3))
    assert world.visuals.diffuse[:, 0].tolist() == [red, [0.0, 0.0, 0.0, 1.0], blue]
    assert world.visuals.ambient[1, 1].tolist() == blue
    assert world.visuals.ambient[0, 1].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_each_world_may_have_a_generator_apart(garage):
    world = garage(seed=1, worlds=3)
    manager = add_all(world)
    before = [rng.bit_generator.state for rng in world.rngs]
    chosen = [0, 2]
    drawn = manager.randomize(chosen, [world.stream("looks", w) for w in chosen])
    assert [rng.bit_generator.state for rng in world.rngs] == before
    assert {draw.world for draw in drawn} == {0, 2}
    other = garage(seed=3)
    alone = add_all(other).randomize(rngs=[other.stream("looks")])
    assert [replace(draw, world=0) for draw in drawn if draw.world == 2] == list(alone)
    with pytest.raises(ValueError, match="expected one generator for each of 2 worlds, got 1"):
        manager.randomize(chosen, [world.rngs[0]])


def test_a_log_of_one_world_replays_in_another_number(garage):
    world, other = garage(seed=1, worlds=3), garage()
    add_all(other)
    log = add_all(world).randomize()
    other.get(RandomizerManager).replay(replace(d, world=0) for d in log if d.world == 2)
    assert everything(other) == everything(world, 2)
    with pytest.raises(ValueError, match=r"different numbers from 0 to 0, got \[2\]"):
        other.get(RandomizerManager).replay(log[-1:])


def test_the_log_is_that_of_each_world(garage):
    world = garage(worlds=3)
    manager = world.get(RandomizerManager)
    manager.add(Wind("wind", world))
    manager.randomize()
    world.reset(worlds=np.array([1]))
    assert [draw.world for draw in manager.log] == [0, 2]
    state, log = world.get_state(), list(manager.log)
    manager.randomize([1])
    world.set_state(state)
    assert manager.log == log


def test_own_colours_are_those_of_each_world(garage):
    """A visual that is not selected gets back what it had in its world."""
    world = garage(worlds=2)
    own = np.random.default_rng(0).uniform(0, 1, (2, len(world.entities.visuals), 4))
    world.put("visuals", {"diffuse": own})
    randomizer = ModelVisualRandomizer("car", "visual", num_selection=1, world=world)
    for _ in range(5):
        randomizer.randomize()
    assert ((world.visuals.diffuse != own).any(axis=2).sum(axis=1) == 1).all()
