# SPDX-License-Identifier: Apache-2.0
"""The in-memory simulator logs its calls, and names what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_sync import (
    LinkTransform,
    SpawnError,
    SpawnRequest,
    Tables,
    World,
    WriteRefusedError,
)
from deepsim_sync.testing import Call, TableModel, TableSimulator


def test_log_tells_every_call_in_order() -> None:
    """Tests can count the batches that the layers above send."""
    simulator = TableSimulator()
    simulator.spawn([SpawnRequest(TableModel(), "ball", Pose())])
    simulator.read(Tables(simulator.entities), [("models", "pose")])
    simulator.step(3)
    simulator.reset(np.array([0]), [7])
    simulator.delete("ball")
    assert simulator.log == [
        Call("spawn", ("ball",)),
        Call("read", (("models", "pose"),)),
        Call("step", 3),
        Call("reset", (7,), worlds=(0,)),
        Call("delete", "ball"),
    ]
    assert simulator.calls("step") == [3]


@pytest.mark.parametrize("description", ["<sdf/>", TableModel(links=())])
def test_only_table_models_with_links_can_be_spawned(description: Any) -> None:
    """Other descriptions are refused with the name of the model."""
    with pytest.raises(SpawnError, match=r"'ball'.*TableModel"):
        TableSimulator().spawn([SpawnRequest(description, "ball", Pose())])


@pytest.mark.parametrize("misplaced", ["base", "hand"])
def test_offsets_are_for_links_after_the_first(misplaced: str) -> None:
    """The first link is the model frame, so it has none; nor has a link that does not exist."""
    with pytest.raises(ValueError, match=misplaced):
        TableModel(links=("base", "arm"), offsets={misplaced: Pose()})


def test_a_link_that_is_not_the_first_is_refused_by_the_name_of_the_first() -> None:
    """The reason says which link to move instead."""
    world = World(TableSimulator())
    world.spawn(TableModel(links=("base", "arm")), "robot", Pose())
    LinkTransform(world, "robot::arm").pose = Pose((1, 0, 0))
    with pytest.raises(WriteRefusedError, match="fixed to link 'base'"):
        world.flush()


def test_rows_of_another_generation_are_refused() -> None:
    """Tables from before a spawn cannot be filled with rows from after it."""
    simulator = TableSimulator()
    tables = Tables(simulator.entities)
    simulator.spawn([SpawnRequest(TableModel(), "ball", Pose())])
    with pytest.raises(ValueError, match="generation"):
        simulator.read(tables)
