# SPDX-License-Identifier: Apache-2.0
"""Which visuals are painted, and with what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepsim_fx import InvisibleEffect, ModelVisualRandomizer, RandomizerLevel, TintEffect
from deepsim_math import Color, Pose
from deepsim_sync import Transform, UnknownEntityError
from deepsim_sync.testing import TableModel

EVERY = [
    f"car::{link}::{visual}"
    for link in ("body", "wheel_l", "wheel_r")
    for visual in ("skin", "stripe")
]


def painted(world, column="diffuse"):
    """The colours of visuals that are no longer black, by name."""
    colors = getattr(world.visuals, column)[0].tolist()
    return {
        name: tuple(color)
        for name, color in zip(world.entities.visuals, colors, strict=True)
        if color != [0.0, 0.0, 0.0, 1.0]
    }


@pytest.mark.parametrize(
    ("level", "options", "names", "colors"),
    [
        ("model", {}, EVERY, 1),
        ("link", {}, EVERY, 3),
        ("visual", {}, EVERY, 6),
        ("model", {"links": "wheel_*"}, EVERY[2:], 1),
        ("link", {"links": ["wheel_?"], "visuals": "skin"}, [EVERY[2], EVERY[4]], 2),
        ("visual", {"visuals": ("stripe",)}, EVERY[1::2], 3),
        (RandomizerLevel.VISUAL, {"links": ("body", "wheel_l")}, EVERY[:4], 4),
    ],
)
def test_level_and_filters_say_what_gets_a_colour(garage, level, options, names, colors):
    world = garage()
    ModelVisualRandomizer("car", level, world=world, **options).randomize()
    assert list(painted(world)) == names
    assert len(set(painted(world).values())) == colors
    assert painted(world, "ambient") == painted(world)
    assert painted(world, "specular") == {}


def test_a_nested_model_may_have_the_name_of_a_link(garage):
    """Its visuals are of its own links, and each is painted once."""
    world = garage()
    world.spawn(TableModel(links=("arm", "arm::hand")), "robot", Pose())
    (drawn,) = ModelVisualRandomizer("robot", "link", links="arm", world=world).randomize()
    assert list(drawn.values["diffuse"]) == ["robot::arm::visual"]
    ModelVisualRandomizer("robot", "visual", num_selection=2, world=world).randomize()
    assert list(painted(world)) == ["robot::arm::visual", "robot::arm::hand::visual"]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_so_many_links_are_selected_and_each_in_turn(garage, count):
    """The visuals of the others get back the colours that they had."""
    world = garage()
    randomizer = ModelVisualRandomizer("car", "link", num_selection=count, world=world)
    seen = set()
    for _ in range(60):
        randomizer.randomize()
        assert len(painted(world)) == count * 2
        seen.update(painted(world))
    assert seen == set(EVERY)


def test_every_selection_is_as_likely(garage):
    world = garage()
    randomizer = ModelVisualRandomizer("car", "visual", num_selection=2, world=world)
    counts = dict.fromkeys(EVERY, 0)
    for _ in range(600):
        randomizer.randomize()
        for name in painted(world):
            counts[name] += 1
    assert min(counts.values()) > 150  # 200 expected, 11.5 is one standard deviation
    assert max(counts.values()) < 250


@pytest.mark.parametrize(
    ("color", "low", "high"),
    [
        (("uniform", 0.2, 0.4), (0.2, 0.2, 0.2, 1.0), (0.4, 0.4, 0.4, 1.0)),
        (("uniform", (0, 0.5, 0), (0.1, 1, 0)), (0.0, 0.5, 0.0, 1.0), (0.1, 1.0, 0.0, 1.0)),
        (("uniform", Color(0, 0, 0, 0.5), Color(1, 1, 1, 0.6)), (0, 0, 0, 0.5), (1, 1, 1, 0.6)),
        ([("uniform", 0.5, 1), 0, 0.25], (0.5, 0.0, 0.25, 1.0), (1.0, 0.0, 0.25, 1.0)),
        (("normal", 0.5, 9, 0, 1), (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0)),
    ],
)
def test_colours_come_from_their_range(garage, color, low, high):
    """They are opaque unless the range says something of alpha."""
    world = garage()
    randomizer = ModelVisualRandomizer("car", "visual", color=color, world=world)
    for _ in range(20):
        colors = np.array([*randomizer.randomize()[0].values["diffuse"].values()])
        assert (colors >= low).all()
        assert (colors <= high).all()


def test_colours_may_come_from_a_palette(garage):
    palette = [Color(1, 0, 0), Color(0, 0.5, 1, 0.5)]
    world = garage()
    randomizer = ModelVisualRandomizer("car", "visual", color=("choice", palette), world=world)
    seen = set()
    for _ in range(20):
        randomizer.randomize()
        seen.update(Color(*rgba) for rgba in painted(world).values())
    assert seen == set(palette)


def test_columns_may_be_chosen(garage):
    world = garage()
    ModelVisualRandomizer("car", columns=["emissive"], world=world).randomize()
    assert painted(world) == {}
    assert list(painted(world, "emissive")) == EVERY


def test_only_the_model_and_only_its_colours_change(garage):
    world = garage()
    before = {c: getattr(world.visuals, c).copy() for c in ("transparency", "visible", "specular")}
    ModelVisualRandomizer(Transform(world, "car"), "visual").randomize()
    assert "lamp::link::visual" not in painted(world)
    for column, cells in before.items():
        np.testing.assert_array_equal(getattr(world.visuals, column), cells)


def test_a_snapshot_goes_on_alike_in_another_world(garage):
    """The randomizer there remembers how the model looked before the snapshot came."""
    worlds = [garage(seed) for seed in (1, 2)]
    first, second = (
        ModelVisualRandomizer("car", "visual", num_selection=1, world=world) for world in worlds
    )
    first.randomize()
    state = worlds[0].get_state()
    for _ in range(6):
        first.randomize()
    worlds[1].set_state(state)
    for _ in range(6):
        second.randomize()
        assert len(painted(worlds[1])) == 1
    assert painted(worlds[1]) == painted(worlds[0])


def test_effects_stay_on_top(garage):
    """The colours drawn under a tint show when it ends, and unselected ones are not tinted."""
    world = garage()
    randomizer = ModelVisualRandomizer("car", "visual", num_selection=1, world=world)
    tint = TintEffect("car", (1, 1, 1), strength=0.5, duration=9, world=world)
    hidden = InvisibleEffect("car", duration=9, world=world)
    tint.attach()
    hidden.attach()
    world.tick()
    (drawn,) = [
        name
        for name, color in randomizer.randomize()[0].values["diffuse"].items()
        if color != [0.0, 0.0, 0.0, 1.0]
    ]
    world.tick()
    assert list(painted(world)) == EVERY
    tint.detach()
    hidden.detach()
    assert list(painted(world)) == [drawn]


def test_a_model_that_comes_later_is_met_later(garage):
    world = garage()
    randomizer = ModelVisualRandomizer("cone", "visual", world=world)
    with pytest.raises(UnknownEntityError, match="no model is named 'cone'"):
        randomizer.randomize()
    world.spawn(TableModel(), "cone", Pose())
    randomizer.randomize()
    assert list(painted(world)) == ["cone::link::visual"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "wheel"}, "level must be one of model, link, visual, got 'wheel'"),
        ({"num_selection": 0}, "num_selection must be >= 1, or None for all, got 0"),
        ({"num_selection": -1}, "num_selection must be >= 1, or None for all, got -1"),
        (
            {"columns": ["transparency"]},
            "columns must be some of ambient, diffuse, specular, emissive",
        ),
        ({"columns": []}, r"columns must be some of .*got \[\]"),
        ({"color": (1, 2)}, r"cells of shape \(3,\) or cells of shape \(4,\) is needed"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(garage, options, message):
    with pytest.raises(ValueError, match=message):
        ModelVisualRandomizer("car", world=garage(), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "link", "num_selection": 4}, r"'visuals of car' selects 4 of 3 link\(s\)"),
        ({"level": "visual", "links": "body", "num_selection": 3}, r"selects 3 of 2 visual\(s\)"),
        ({"links": "arm*"}, r"no link of model 'car' matches \['arm\*'\]; it has body, wheel_l, w"),
        (
            {"visuals": "x"},
            r"no visual of model 'car' in links \['\*'\] matches \['x'\]; they have sk",
        ),
        ({"color": ("uniform", 0, 2)}, r"colours must lie in 0\.\.1, .* was drawn"),
    ],
)
def test_what_cannot_be_drawn_changes_nothing(garage, options, message):
    world = garage(3)
    with pytest.raises(ValueError, match=message):
        ModelVisualRandomizer("car", world=world, **options).randomize()
    assert painted(world) == {}


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(counts=st.lists(st.integers(1, 6), min_size=1, max_size=6), seed=st.integers(0, 2**32 - 1))
def test_what_is_shown_depends_on_the_last_draw_alone(garage, counts, seed):
    """However many draws went before, those that are not selected look as at first."""
    world = garage(seed)
    rng = np.random.default_rng(seed)
    own = rng.uniform(0, 1, (1, len(world.entities.visuals), 4))
    world.put("visuals", {"diffuse": own})
    for count in counts:
        randomizer = ModelVisualRandomizer(
            "car", "visual", num_selection=count, columns=["diffuse"], world=world
        )
        for _ in range(2):
            values = randomizer.randomize()[0].values["diffuse"]
        shown = dict(zip(world.entities.visuals, world.visuals.diffuse[0].tolist(), strict=True))
        assert {name: shown[name] for name in values} == dict(values)
        assert sum(shown[name] != own[0, row].tolist() for row, name in enumerate(shown)) == count
        world.put("visuals", {"diffuse": own})
