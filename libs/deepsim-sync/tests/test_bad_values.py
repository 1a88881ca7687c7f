# SPDX-License-Identifier: Apache-2.0
"""Values that are not fit for a row are refused by name, before anything is changed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_math import Pose, Quaternion, Twist
from deepsim_sync import (
    KINDS,
    Behaviour,
    CallbackError,
    GetModelStateTracker,
    Kind,
    ModelState,
    SetModelStateTracker,
    SpawnRequest,
    Transform,
    UnknownEntityError,
    World,
)
from deepsim_sync.testing import TableModel, TableSimulator

UNIT = (0, 0, 0, 1)


def everything(world: World) -> list[bytes]:
    return [
        getattr(getattr(world, kind), column).tobytes()
        for kind in KINDS
        for column in ("pose", "twist", "diffuse", "transparency", "visible")
        if hasattr(getattr(world, kind), column)
    ]


@pytest.mark.parametrize(
    ("kind", "column", "row", "value", "message"),
    [
        ("models", "pose", 1, (math.nan, 0, 0, *UNIT), "pose of model 'robot' must be finite"),
        ("models", "pose", 1, (0, 0, math.inf, *UNIT), "pose of model 'robot' must be finite"),
        ("models", "pose", 0, (0,) * 7, "pose of model 'ball' must have a quaternion that is not"),
        ("models", "pose", 0, (1, 2, 3), r"pose of model 'ball' must have shape \(1, 7\).*\(3,\)"),
        ("models", "pose", 0, 0.0, r"pose of model 'ball' must have shape .* got \(\)"),
        ("models", "pose", 0, np.ones((5, 7)), r"must have shape \(1, 7\).* got \(5, 7\)"),
        ("models", "pose", 0, np.ones((2, 1, 7)), r"must have shape \(1, 1, 7\).* got \(2, 1, 7\)"),
        ("models", "twist", 2, (0, 0, 0, 0, 0, math.nan), "twist of model 'wall' must be finite"),
        ("links", "twist", 3, (math.inf,) * 6, "twist of link 'wall::link' must be finite"),
        (
            "visuals",
            "diffuse",
            0,
            (0, 0, 1.5, 1),
            "diffuse of visual 'ball::link::visual' must lie",
        ),
        ("visuals", "ambient", 0, (0, 0, -0.1, 1), "ambient of visual 'ball::link::visual' must"),
        ("visuals", "transparency", 1, 1.01, "transparency of visual 'robot::base::visual' must"),
        ("visuals", "transparency", 1, math.nan, "'robot::base::visual' must be finite"),
        ("lights", "specular", 1, (2, 0, 0, 1), "specular of light 'robot::arm::lamp' must lie in"),
        ("models", "colour", 0, (0, 0, 0), "models have no 'colour'; they have pose, twist"),
        ("model", "pose", 0, (0, 0, 0, *UNIT), "unknown table 'model'; known: models, links"),
    ],
)
def test_a_bad_value_is_refused_by_name(
    world: World, kind: Kind, column: str, row: int, value: Any, message: str
) -> None:
    """The message says which row, what was given and what is allowed."""
    before = everything(world)
    with pytest.raises(ValueError, match=message):
        world.put(kind, {column: value}, [row])
    assert everything(world) == before
    world.tick()


def test_one_bad_column_changes_no_other(world: World, simulator: TableSimulator) -> None:
    """A put is done as a whole or not at all."""
    before = everything(world)
    good = (1, 2, 3, *UNIT)
    with pytest.raises(ValueError, match="twist of model 'ball'"):
        world.put("models", {"pose": good, "twist": [math.nan] * 6}, [0])
    with pytest.raises(ValueError, match="pose of model 'wall'"):
        world.put("models", {"pose": [good, good, [math.nan] * 7]})
    assert everything(world) == before
    world.flush()
    assert simulator.calls("write") == []


@pytest.mark.parametrize(
    "bad",
    [
        ModelState("ball", Pose((math.nan, 0, 0))),
        ModelState("ball", Pose((0, 0, 0), Quaternion(0, 0, 0, 0))),
        ModelState("ball", Pose(), Twist((0, math.inf, 0))),
        ModelState("bell"),
        ModelState("ball", reference_frame="nowhere"),
    ],
)
def test_a_batch_with_one_bad_state_changes_nothing(world: World, bad: ModelState) -> None:
    """The good states of the batch are not set either."""
    before = everything(world)
    setter = world.get(SetModelStateTracker)
    with pytest.raises((ValueError, UnknownEntityError)):
        setter.set_model_states([ModelState("robot", Pose((1, 1, 1))), bad])
    assert everything(world) == before


@given(st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4))
def test_quaternions_are_made_unit_length(numbers: list[float]) -> None:
    """Any quaternion with a direction is accepted, and means the same rotation."""
    length = math.sqrt(sum(number * number for number in numbers))
    simulator = TableSimulator()
    simulator.spawn([SpawnRequest(TableModel(), "ball", Pose())])
    world = World(simulator)
    if length < 1e-6:
        with pytest.raises(ValueError, match="quaternion that is not zero"):
            world.put("models", {"pose": (0, 0, 0, *numbers)})
    else:
        world.put("models", {"pose": (0, 0, 0, *numbers)})
        kept = world.models.pose[0, 0, 3:]
        np.testing.assert_allclose(kept, np.array(numbers) / length, atol=1e-12)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.array([False, True, False]), "rows of models must be a list of int"),
        ([-1], "models have rows 0 to"),
        ([0.7], "rows of models must be a list of int"),
        ([99], "models have rows 0 to"),
    ],
)
def test_rows_are_integers_of_the_table(world: World, rows: object, message: str) -> None:
    before = world.models.pose.copy()
    with pytest.raises(ValueError, match=message):
        world.put("models", {"pose": np.asarray(Pose())}, rows)
    assert (world.models.pose == before).all()


def test_a_transform_has_no_property_but_its_own(world: World) -> None:
    """A misspelt name is refused instead of being kept in silence."""
    name = world.entities.models[0]
    with pytest.raises(AttributeError):
        Transform(world, name).position = (1, 2, 3)
    with pytest.raises(TypeError, match=f"pose of '{name}' must be a Pose, or its 7 numbers"):
        Transform(world, name).pose = (1, 2, 3)
    with pytest.raises(ValueError, match=f"state of 'other' to the transform of '{name}'"):
        Transform(world, name).state = ModelState("other")


def test_one_str_is_no_list_of_names(world: World) -> None:
    with pytest.raises(TypeError, match="names must be a list of models, got the str 'b'"):
        world.get(GetModelStateTracker).get_model_states("b")
    assert Behaviour("ball", tags="round", world=world).tags == {"round"}


def test_a_tracker_and_its_priority_are_checked(world: World) -> None:
    with pytest.raises(TypeError, match="a tracker must have a method update_tracker"):
        world.trackers.add(object())
    with pytest.raises(TypeError, match="priority must be a Priority"):
        world.trackers.add(world.behaviours, 5)


def test_a_tick_within_a_tick_is_refused(world: World) -> None:
    behaviour = Behaviour("ball", world=world)
    behaviour.on_fixed_update = lambda delta_time, sim_time: world.tick()
    with pytest.raises(CallbackError, match=r"tick\(\) was called within a tick"):
        world.tick()
    behaviour.on_fixed_update = lambda delta_time, sim_time: None
    world.tick()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"simulator": None}, TypeError, "simulator must be a Simulator, got None"),
        ({"simulator": TableSimulator}, TypeError, "simulator must be a Simulator, got <class"),
        ({"steps_per_tick": 2.5}, TypeError, r"steps_per_tick must be an int, got 2\.5"),
        ({"steps_per_tick": True}, TypeError, "steps_per_tick must be an int, got True"),
        ({"steps_per_tick": 0}, ValueError, "steps_per_tick must be >= 1, got 0"),
        ({"seed": 1.5}, TypeError, r"seed must be an int, got 1\.5"),
    ],
)
def test_a_world_takes_a_simulator_and_whole_numbers(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        World(**{"simulator": TableSimulator(), **options})
