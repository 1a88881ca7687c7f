# SPDX-License-Identifier: Apache-2.0
"""Effects on the same visuals lie on top of each other, and give back what was there."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_math import Pose
from deepsim_sync import GetVisualTracker, SetVisualTracker, World
from deepsim_sync.testing import TableModel, TableSimulator


def test_a_visual_without_effect_is_left_alone_to_the_last_digit(paint, world, car):
    effect = paint("cone", columns={"transparency": 0.75})
    effect.attach()
    car.transparency = {"car::body::skin": 1e-9}
    world.tick()
    effect.detach()
    assert car.transparency["car::body::skin"] == 1e-9


class Coarse(TableSimulator):
    """Keeps looks as float32, as engines do."""

    def write(self, changes):
        for (kind, _), cells in changes.cells.items():
            if kind == "visuals" and cells.values.dtype != bool:
                cells.values[...] = cells.values.astype("f4")
        return super().write(changes)


def test_float32_in_the_simulator_is_not_taken_for_a_change(paint):
    with World(Coarse()) as world:
        world.spawn(TableModel(), "car", Pose())
        assert world.visuals.transparency.tolist() == [[0.0]]
        effect = paint("car", columns={"transparency": 0.3})
        effect.attach()
        world.tick()
        world.spawn(TableModel(), "cone", Pose())  # has all tables read anew
        world.tick()
        effect.detach()
        assert world.visuals.transparency.tolist() == [[0.0, 0.0]]


# A model of the whole: cells are (visual, column), effects are layers on top of them.

VISUALS = ["a::link::u", "a::link::v", "b::link::u", "b::link::v"]
EFFECTS = [
    (["a"], {"transparency": 0.1, "visible": False}),
    (["a::link::u", "b"], {"transparency": 0.2}),
    (["b"], {"visible": False}),
    (["a", "b::link::v"], {"transparency": 0.3, "visible": True}),
    (["a::link::v", "b"], {"transparency": 0.8, "mix": 0.5}),
]
CLEAR = {"transparency": 0.0, "visible": True}
OPERATIONS = st.one_of(
    st.tuples(st.just("toggle"), st.integers(0, len(EFFECTS) - 1)),
    st.tuples(st.just("fade"), st.sampled_from(VISUALS), st.sampled_from([0.6, 0.7])),
    st.tuples(st.just("hide"), st.sampled_from(VISUALS), st.booleans()),
    st.tuples(st.just("tick")),
    st.tuples(st.just("respawn"), st.sampled_from("ab")),
)


class Layers:
    """What visuals should look like, worked out cell by cell."""

    def __init__(self):
        self.own = {(visual, column): CLEAR[column] for visual in VISUALS for column in CLEAR}
        self.shown = dict(self.own)
        self.seen = dict(self.own)
        self.effects = []

    def show(self):
        for cell in self.own:
            visual, column = cell
            if self.seen[cell] != self.shown[cell]:  # set by someone else
                self.own[cell] = self.seen[cell]
            shown = self.own[cell]
            for targets, columns in (EFFECTS[number] for number in self.effects):
                if visual.startswith(tuple(targets)) and column in columns:
                    mix = columns.get("mix")
                    top = columns[column]
                    shown = top if mix is None else (1.0 - mix) * shown + mix * top
            self.seen[cell] = self.shown[cell] = shown


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(operations=st.lists(OPERATIONS, max_size=25))
def test_any_overlap_of_effects_shows_and_gives_back_what_it_should(paint, operations):
    with World(TableSimulator()) as world:
        model = TableModel(visuals=("u", "v"))
        for name in "ab":
            world.spawn(model, name, Pose())
        effects = [paint(targets, columns=columns) for targets, columns in EFFECTS]
        expected = Layers()
        for operation, *arguments in [*operations, *(("end", n) for n in range(len(EFFECTS)))]:
            _apply(operation, arguments, world, model, effects, expected)
            visuals = world.get(GetVisualTracker).get_visuals()
            assert {
                (name, column): getattr(visual, column)
                for name, visual in visuals.items()
                for column in CLEAR
            } == expected.seen


def _apply(operation, arguments, world, model, effects, expected):
    setter = world.get(SetVisualTracker)
    if operation == "fade":
        visual, value = arguments
        setter.set_transparencies({visual: value})
        expected.seen[visual, "transparency"] = value
    elif operation == "hide":
        visual, value = arguments
        setter.set_visibles({visual: value})
        expected.seen[visual, "visible"] = value
    elif operation == "respawn":
        (name,) = arguments
        world.delete(name)
        world.spawn(model, name, Pose())
        for visual, column in expected.own:
            if visual.startswith(name):
                expected.seen[visual, column] = CLEAR[column]
    elif operation == "tick":
        world.tick()
        expected.show()
    else:
        (number,) = arguments
        if effects[number].attached:
            effects[number].detach()
            expected.effects.remove(number)
        elif operation == "toggle":
            effects[number].attach()
            expected.effects.append(number)
        else:
            return
        expected.show()
