# SPDX-License-Identifier: Apache-2.0
"""Many models at once."""

from __future__ import annotations

import pytest

from deepsim_math import Pose
from deepsim_sync import (
    DuplicateEntityError,
    SpawnError,
    SpawnRequest,
    Transform,
    World,
)
from deepsim_sync.testing import TableModel, TableSimulator

HIGH = Pose((0, 0, 5))


def requests(*names: str) -> list[SpawnRequest]:
    return [SpawnRequest(TableModel(), name, HIGH) for name in names]


def test_all_are_added_in_order_by_one_call(world: World, simulator: TableSimulator) -> None:
    """Plain tuples will do."""
    before = list(world.entities.models)
    world.spawn_many((TableModel(), name, HIGH) for name in ("a", "b"))
    assert list(world.entities.models) == [*before, "a", "b"]
    assert Transform(world, "b").pose == HIGH
    assert simulator.calls("spawn") == [("a", "b")]


@pytest.mark.parametrize(
    ("names", "error"),
    [
        (["a", "robot"], DuplicateEntityError),
        (["a", "a"], DuplicateEntityError),
        (["a", ""], SpawnError),
        (["a", "x::y"], SpawnError),
        (["a", "world"], SpawnError),
        (["a", "map"], SpawnError),
        (["a", "line\n"], SpawnError),
    ],
)
def test_names_are_checked_before_anything_is_added(
    world: World, simulator: TableSimulator, names: list[str], error: type[Exception]
) -> None:
    calls = len(simulator.log)
    with pytest.raises(error):
        world.spawn_many(requests(*names))
    assert len(simulator.log) == calls


def test_a_pose_that_is_none_is_refused(world: World) -> None:
    nowhere = Pose((0, 0, float("nan")))
    with pytest.raises(ValueError, match="'b'"):
        world.spawn_many([*requests("a"), SpawnRequest(TableModel(), "b", nowhere)])
    assert "a" not in world.entities.models
