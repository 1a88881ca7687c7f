# SPDX-License-Identifier: Apache-2.0
"""Handles on some rows in all worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_math import Pose, Twist
from deepsim_sync import (
    DuplicateEntityError,
    LightRows,
    LinkRows,
    Rows,
    StateRows,
    Transform,
    UnknownEntityError,
    VisualRows,
    World,
)
from deepsim_sync.testing import TableModel, TableSimulator

NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def world() -> World:
    """Three worlds of four models, one metre apart; world w is w metres up."""
    world = World(TableSimulator(worlds=3))
    for x, name in enumerate(NAMES):
        poses = np.array([Pose((x, 0, height)) for height in range(3)])
        world.spawn(TableModel(lights=("lamp",)), name, poses)
    return world


@pytest.mark.parametrize("names", [["c", "a"], ["b", "c"], ["d"], [], NAMES])
def test_a_handle_shows_its_rows_in_its_order(world: World, names: list[str]) -> None:
    """New C-ordered arrays, whether the rows are adjacent or not."""
    rows = world.models.select(names)
    assert list(rows.names) == names
    assert rows.rows.tolist() == [NAMES.index(name) for name in names]
    assert len(rows) == len(names)
    assert rows.pose.shape == (3, len(names), 7)
    assert rows.pose[:, :, 0].tolist() == [[NAMES.index(name) for name in names]] * 3
    assert rows.pose.flags.c_contiguous
    assert not np.shares_memory(rows.pose, rows.pose)


@pytest.mark.parametrize("names", [["c", "a"], ["b", "c"], ["d"], [], NAMES])
@pytest.mark.parametrize("worlds", [None, [1], [0, 2], []])
def test_a_handle_changes_its_rows_and_no_other(
    world: World, names: list[str], worlds: list[int] | None
) -> None:
    """In the chosen worlds; the batch holds no other cell."""
    chosen = None if worlds is None else np.array(worlds, dtype=np.intp)
    numbers = range(3) if worlds is None else worlds
    values = np.random.default_rng(0).normal(size=(len(numbers), len(names), 6))
    expected = np.zeros((3, 4, 6))
    for place, number in enumerate(numbers):
        for column, name in enumerate(names):
            expected[number, NAMES.index(name)] = values[place, column]
    world.models.select(names).put(chosen, twist=values)
    np.testing.assert_array_equal(world.models.twist, expected)
    world.flush()
    np.testing.assert_array_equal(world.models.twist, expected)
    simulator: Any = world.simulator
    written = [
        set(zip(cells.worlds.tolist(), cells.rows.tolist()))
        for changes in simulator.calls("write")
        for cells in changes.cells.values()
    ]
    cells = {(number, NAMES.index(name)) for number in numbers for name in names}
    assert written == ([cells] if cells else [])


@pytest.mark.parametrize(
    "value",
    [
        (1, 2, 3, 4, 5, 6),
        Twist((1, 2, 3), (4, 5, 6)),
        np.array([[1, 2, 3, 4, 5, 6]] * 2),
        np.array([[[1, 2, 3, 4, 5, 6]]] * 3),
        np.array([[[1, 2, 3, 4, 5, 6]] * 2] * 3),
        [Twist((1, 2, 3), (4, 5, 6))] * 2,
    ],
    ids=["cell", "value", "rows", "worlds", "all", "values"],
)
def test_values_broadcast(world: World, value: Any) -> None:
    """Whole cells: one, one per row, one per world, or all."""
    cars = world.models.select(["d", "b"])
    cars.twist = value
    np.testing.assert_array_equal(cars.twist, [[[1, 2, 3, 4, 5, 6]] * 2] * 3)
    assert not world.models.twist[:, [0, 2]].any()


def test_each_kind_has_its_columns(world: World) -> None:
    kinds = (StateRows, LinkRows, VisualRows, LightRows)
    for rows, kind in zip((world.models, world.links, world.visuals, world.lights), kinds):
        assert type(rows) is type(rows.select([rows.names[0]])) is kind
        assert isinstance(rows, Rows)
    world.lights.select(["b::link::lamp"]).attenuation = (1, 2, 3)
    assert world.lights.attenuation[:, :, 1].tolist() == [[0, 2, 0, 0]] * 3
    world.visuals.visible = False
    assert not world.visuals.visible.any()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.ones((3, 3, 6)), r"twist of 2 models must have shape \(3, 2, 6\).* got \(3, 3, 6\)"),
        (np.ones((2, 2, 6)), r"must have shape \(3, 2, 6\).* got \(2, 2, 6\)"),
        (np.ones(5), r"must have shape \(2, 6\).* got \(5,\)"),
        (1.0, r"must have shape .* got \(\)"),
        ("fast", "must be numbers"),
    ],
)
def test_values_of_another_shape_are_refused(world: World, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        world.models.select(["b", "d"]).twist = value
    assert not world.models.twist.any()


def test_a_handle_is_of_entities_that_are_there(world: World) -> None:
    with pytest.raises(UnknownEntityError, match="no model is named 'e'"):
        world.models.select(["a", "e"])
    with pytest.raises(DuplicateEntityError, match="'a'"):
        world.models.select(["a", "b", "a"])
    with pytest.raises(TypeError, match="select takes a list of models, got the str 'a'"):
        world.models.select("a")


def test_a_column_that_is_misspelt_is_an_error(world: World) -> None:
    """Also where it is set, in all kinds of rows."""
    with pytest.raises(AttributeError):
        world.models.poses  # noqa: B018 (raises)
    for rows in (world.models, world.links, world.joints, world.visuals, world.lights):
        with pytest.raises(AttributeError, match="poses"):
            rows.poses = 0.0  # type: ignore[attr-defined]


def test_a_handle_shows_its_names(world: World) -> None:
    """At most five; also where columns are errors: of deleted entities, and in closed worlds."""
    rows = world.models.select(["c", "a"])
    assert repr(rows) == "<StateRows of 2 models: c, a>"
    assert repr(world.models) == "<StateRows of 4 models: a, b, c, d>"
    for name in "ef":
        world.spawn(TableModel(), name, Pose())
    assert repr(world.models) == "<StateRows of 6 models: a, b, c, d, e, ...>"
    world.delete("a")
    world.close()
    assert repr(rows) == "<StateRows of 2 models: c, a>"
    assert repr(world.models) == "<StateRows of 6 models: a, b, c, d, e, ...>"


# Of two changes to rows that depend on each other the later one counts.


def test_a_model_put_after_its_link_counts(world: World) -> None:
    """Where it was put: in the other worlds the link stays as it was put."""
    link, model = world.links.select(["b::link"]), world.models.select(["b"])
    link.pose = Pose((5, 5, 5))
    model.put(np.array([1]), pose=Pose((6, 6, 6)))
    world.flush()
    assert link.pose[:, 0, 0].tolist() == [5, 6, 5]
    assert model.pose[:, 0, 0].tolist() == [5, 6, 5]


def test_a_link_put_after_its_model_counts(world: World) -> None:
    link, model = world.links.select(["b::link"]), world.models.select(["b"])
    model.pose = Pose((6, 6, 6))
    link.put(np.array([0, 2]), pose=Pose((5, 5, 5)))
    world.flush()
    assert link.pose[:, 0, 0].tolist() == [5, 6, 5]


def test_a_model_put_leaves_what_was_put_of_others_and_of_other_columns(world: World) -> None:
    """Only the same column of its own links is overruled."""
    world.links.put(pose=Pose((5, 5, 5)), twist=Twist((1, 0, 0)))
    world.models.select(["a", "c"]).pose = Pose((6, 6, 6))
    world.flush()
    assert world.links.pose[0, :, 0].tolist() == [6, 5, 6, 5]
    assert (world.links.twist[..., 0] == 1).all()


def test_a_link_that_was_overruled_reads_as_it_is(world: World) -> None:
    """Until the batch is sent that is where it was before."""
    link = world.links.select(["b::link"])
    link.pose = Pose((5, 5, 5))
    world.models.select(["b"]).pose = Pose((6, 6, 6))
    assert link.pose[0, 0, 0] == 1.0
    world.flush()
    assert link.pose[0, 0, 0] == 6.0


# One row alone, as objects use it, has a way of its own.

numbers = st.floats(-1e3, 1e3) | st.integers(-5, 5)


@given(st.lists(numbers, min_size=13, max_size=13), st.booleans())
def test_an_object_puts_and_gets_the_bits_that_a_handle_does(
    values: list[float], unit: bool
) -> None:
    world = World(TableSimulator())
    for name in ("a", "b"):
        world.spawn(TableModel(), name, Pose())
    pose: Any = values[:7]
    if unit:
        pose = Pose(values[:3], np.array([*values[3:6], 1e-3])).orientation.normalized()
        pose = Pose(values[:3], pose)
    elif not np.linalg.norm(pose[3:]) > 1e-3:
        pose = Pose(values[:3])
    by_object, by_handle = Transform(world, "a"), world.models.select(["b"])
    by_object.pose, by_object.twist = pose, values[7:]
    by_handle.pose, by_handle.twist = pose, values[7:]
    for column in ("pose", "twist"):
        a, b = getattr(world.models, column)[0]
        assert a.tobytes() == b.tobytes()
    assert by_object.pose == Pose.from_array(by_handle.pose[0, 0])
    assert by_object.twist == Twist.from_array(by_handle.twist[0, 0])


@pytest.mark.parametrize(
    ("worlds", "error", "message"),
    [
        ([True, False, True], TypeError, "flatnonzero"),
        ([0.5], TypeError, "numbers"),
        ([3], ValueError, "0 to 2"),
        ([-1], ValueError, "0 to 2"),
        ([1, 1], ValueError, "ascending"),
        ([2, 0], ValueError, "ascending"),
    ],
)
def test_numbers_of_worlds_are_checked(worlds, error, message):
    """A mask, a number of no world, or numbers out of order are refused; nothing happens."""
    world = World(TableSimulator(worlds=3))
    world.spawn(TableModel(), "model", (0, 0, 0, 0, 0, 0, 1))
    for use in (world.tick, lambda w: world.reset(worlds=w), lambda w: world.uniform(0, 1, (), w)):
        with pytest.raises(error, match=message):
            use(np.array(worlds))
    with pytest.raises(error, match=message):
        world.models.put(np.array(worlds), twist=np.ones(6))
    assert not world.models.twist.any()
    assert not world.ticks.any()
