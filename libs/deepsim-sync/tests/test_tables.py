# SPDX-License-Identifier: Apache-2.0
"""Tables have the shapes that the list of columns says."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_sync import COLUMNS, KINDS, Entities, Kind, Tables

ENTITIES = Entities(
    1, models=["a", "b"], links=["a::l", "b::l", "b::m"], visuals=["a::l::v"], lights=[]
)


@pytest.mark.parametrize("worlds", [1, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_every_column_has_an_axis_of_worlds_and_one_of_rows(kind: Kind, worlds: int) -> None:
    tables = Tables.allocate(ENTITIES, worlds)
    for name, column in COLUMNS[kind].items():
        array = tables.column(kind, name)
        assert array.shape == (worlds, len(ENTITIES.names(kind)), *column.width)
        assert array.dtype == column.dtype


def test_cells_begin_at_their_defaults() -> None:
    tables = Tables.allocate(ENTITIES)
    np.testing.assert_array_equal(tables.models.pose[0, 1], [0, 0, 0, 0, 0, 0, 1])
    assert tables.visuals.visible.all()


def test_read_only_tables_show_the_same_memory_and_refuse_assignment() -> None:
    tables = Tables.allocate(ENTITIES)
    shown = tables.read_only()
    tables.links.pose[0, 2, 0] = 7.0
    assert shown.links.pose[0, 2, 0] == 7.0
    with pytest.raises(ValueError, match="read-only"):
        shown.links.pose[0, 2, 0] = 8.0
