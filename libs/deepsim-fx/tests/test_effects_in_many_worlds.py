# SPDX-License-Identifier: Apache-2.0
"""Effects in several worlds: each world shows what it shows alone, byte for byte."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from deepsim_fx import (
    AbstractEffect,
    BlinkEffect,
    FadeEffect,
    InvisibleEffect,
    TintEffect,
)
from deepsim_math import Pose
from deepsim_sync import COLUMNS, World
from deepsim_sync.testing import TableModel, TableSimulator

W = 3
MODEL = TableModel(visuals=("u", "v"))


class Steps(AbstractEffect):
    """An effect with a state of its own in each world: it fades with every update."""

    def on_attach(self):
        if not hasattr(self, "updates"):
            self.updates = np.zeros(len(self.world))
        self.updates[self.worlds] = 0.0

    def on_update(self, delta_time, sim_time):
        self.updates[self.worlds] += 1.0
        share = self.updates / (1.0 + self.updates)
        self.show(transparency=share, mix=0.75)
        self.show(diffuse=(1, 0, 1, 1), mix=share[:, None])


def effects_of(world: World) -> list[AbstractEffect]:
    return [
        BlinkEffect("a", interval=0.7, duration=1.1, world=world),
        FadeEffect(["a::link::u", "b"], alpha=0.25, fade_time=0.5, duration=0.8, world=world),
        TintEffect("b", (0.1, 0.9, 0.4), strength=0.3, duration=0.6, world=world),
        InvisibleEffect("b::link::v", duration=0.35, world=world),
        Steps(["a", "b::link::u"], world=world),
    ]


class Rig:
    """A world with two models, effects on them, and the last snapshot."""

    def __init__(self, worlds: int) -> None:
        self.world = World(TableSimulator(worlds=worlds, timestep=0.1))
        for name in "ab":
            self.world.spawn(MODEL, name, Pose())
        self.effects = effects_of(self.world)
        self.state = None

    def do(self, operation, worlds, argument):
        """Does it in some worlds, or in all where it is for all."""
        world = self.world
        if operation == "attach":
            effect = self.effects[argument]
            effect.attach([w for w in worlds if not effect.attached_in[w]])
        elif operation == "detach":
            self.effects[argument].detach(worlds)
        elif operation == "tick":
            world.tick(np.array(worlds))
        elif operation == "reset":
            world.reset(worlds=np.array(worlds))
        elif operation == "paint":
            world.put("visuals", {"transparency": 0.1 * argument}, [argument % 4], np.array(worlds))
        elif operation == "respawn":
            world.delete("ab"[argument % 2])
            world.spawn(MODEL, "ab"[argument % 2], Pose())
        elif operation == "save":
            self.state = world.get_state()
        elif self.state and self.state.entities["models"] == tuple(world.entities.models):
            world.set_state(self.state)

    def shown(self, w: int):
        look = b"".join(
            self.world.visuals.get(column)[w].tobytes() for column in COLUMNS["visuals"]
        )
        attached = [bool(effect.attached_in[w]) for effect in self.effects]
        return look, attached, float(self.world.time[w])


SOME = st.lists(st.integers(0, W - 1), min_size=1, max_size=W, unique=True).map(sorted)
OPERATIONS = st.tuples(
    st.sampled_from(
        [*3 * ["attach"], *4 * ["tick"], "detach", "reset", "paint", "respawn", "save", "restore"]
    ),
    SOME,
    st.integers(0, 4),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operations=st.lists(OPERATIONS, max_size=30))
@example([("attach", [0], 0), ("tick", [0], 0), ("attach", [1], 0), ("tick", [0], 0)])
def test_every_world_shows_what_it_shows_alone(operations):
    """Whatever is attached, ticked, reset, painted, spawned or restored, and where."""
    together, alone = Rig(W), [Rig(1) for _ in range(W)]
    for operation, worlds, argument in operations:
        everywhere = operation in ("respawn", "save", "restore")
        chosen = list(range(W)) if everywhere else worlds
        together.do(operation, chosen, argument)
        for w in chosen:
            alone[w].do(operation, [0], argument)
        assert [together.shown(w) for w in range(W)] == [rig.shown(0) for rig in alone]


@pytest.fixture
def three() -> World:
    return Rig(W).world


def test_hooks_and_observers_are_told_the_worlds(three):
    heard = []

    class Note(AbstractEffect):
        def on_attach(self):
            heard.append(("attach", self.worlds.tolist()))

        def on_update(self, delta_time, sim_time):
            heard.append((delta_time, sim_time.shape, self.worlds.tolist()))

        def on_detach(self):
            heard.append(("detach", self.worlds.tolist()))

    class Listener:
        def on_effect_attached(self, effect):
            heard.append(("attached", effect.worlds.tolist()))

        def on_effect_detached(self, effect):
            heard.append(("detached", effect.worlds.tolist()))

    note = Note("a", world=three)
    note.add_observer(Listener())
    note.attach([2, 0])
    three.tick(np.array([1, 2]))
    note.detach([0, 1])
    assert heard == [
        ("attach", [0, 2]),
        (0.0, (3,), [0, 2]),
        ("attached", [0, 2]),
        (0.1, (3,), [2]),
        ("detach", [0]),
        ("detached", [0]),
    ]
    assert note.worlds.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("worlds", "message"),
    [
        ([3], r"different numbers from 0 to 2, got \[3\]"),
        ([-1], r"different numbers from 0 to 2, got \[-1\]"),
        ([0, 0], r"different numbers from 0 to 2, got \[0, 0\]"),
        ([True, False, True], r"for a mask, give np\.flatnonzero\(mask\)"),
        (1, "different numbers from 0 to 2, got 1"),
        ([1, 2], r"is already attached in worlds \[1\]: detach it first"),
    ],
)
def test_worlds_that_make_no_sense_are_refused(three, worlds, message):
    effect = InvisibleEffect("a", world=three)
    effect.attach([1])
    with pytest.raises(ValueError, match=message):
        effect.attach(worlds)
    assert effect.attached_in.tolist() == [False, True, False]


def test_an_effect_may_be_attached_nowhere(three):
    effect = InvisibleEffect("a", world=three)
    effect.attach(np.flatnonzero([False, False, False]))
    assert not effect.attached


@pytest.mark.parametrize("worlds", [1, 3, 4])
def test_values_may_differ_by_world(paint, worlds):
    """Values of one number take (W,); colours (W, 4), and shares of colours (W, 1) or (W, 4)."""
    world = Rig(worlds).world
    numbers = np.arange(worlds) / 10
    colors = np.tile(numbers[:, None], 4)
    columns = {"transparency": numbers, "visible": numbers > 0.1, "diffuse": colors}
    paint("a", columns=columns, world=world).attach()
    assert world.visuals.transparency[:, 0].tolist() == numbers.tolist()
    assert world.visuals.visible[:, 1].tolist() == (numbers > 0.1).tolist()
    assert world.visuals.diffuse[:, 0].tolist() == colors.tolist()
    columns = {"emissive": (1, 1, 1, 1), "mix": numbers[:, None]}
    paint("a", columns=columns, world=world).attach()
    np.testing.assert_allclose(world.visuals.emissive[:, 0, 0], numbers)


@pytest.mark.parametrize("worlds", [1, 3])
def test_a_share_for_each_world_is_not_taken_for_one_of_components(paint, worlds):
    world = Rig(worlds).world
    effect = paint("a", columns={"diffuse": (1, 0, 0, 1), "mix": np.zeros(worlds)}, world=world)
    with pytest.raises(Exception, match=r"mix of diffuse must be a number, or have shape \(4,\)"):
        effect.attach()


def test_only_values_of_worlds_at_work_are_checked(three):
    """Elsewhere the time since the start of an effect has no meaning, nor what follows from it."""

    class Fade(AbstractEffect):
        def on_update(self, delta_time, sim_time):
            self.show(transparency=self.elapsed / self.duration)

    for _ in range(10):
        three.tick()
    fade = Fade("a", duration=0.5, world=three)
    fade.attach([1])
    three.tick()
    three.tick()
    np.testing.assert_allclose(three.visuals.transparency[:, 0], [0.0, 0.2, 0.0])
