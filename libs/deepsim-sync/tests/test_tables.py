# SPDX-License-Identifier: Apache-2.0
"""Tables have the shapes that the list of columns says."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_sync import (
    ALL_COLUMNS,
    APPEARANCE_COLUMNS,
    COLUMNS,
    KINDS,
    RESET_COLUMNS,
    STATE_COLUMNS,
    Entities,
    Kind,
    Tables,
    square_sum,
)

ENTITIES = Entities(
    1, models=["a", "b"], links=["a::l", "b::l", "b::m"], visuals=["a::l::v"], lights=[]
)


@pytest.mark.parametrize("worlds", [1, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_every_column_has_an_axis_of_worlds_and_one_of_rows(kind: Kind, worlds: int) -> None:
    tables = Tables(ENTITIES, worlds)
    for name, column in COLUMNS[kind].items():
        array = tables.columns[kind, name]
        assert array.shape == (worlds, len(ENTITIES.names(kind)), *column.shape)
        assert array.dtype == column.dtype


def test_cells_begin_at_their_defaults() -> None:
    tables = Tables(ENTITIES)
    np.testing.assert_array_equal(tables.models.pose[0, 1], [0, 0, 0, 0, 0, 0, 1])
    assert tables.visuals.visible.all()


def test_a_column_is_one_memory_under_two_names() -> None:
    """Assignment to the attribute copies into it."""
    tables = Tables(ENTITIES, 2)
    memory = tables.columns["links", "pose"]
    tables.links.pose[1, 2, 0] = 7.0
    assert memory[1, 2, 0] == 7.0
    tables.links.pose = np.ones((3, 7))
    assert tables.links.pose is memory
    assert (memory == 1.0).all()


def test_columns_are_declared_once() -> None:
    """Everything else follows from the declarations."""
    assert set(STATE_COLUMNS) == {
        *((kind, column) for kind in ("models", "links") for column in ("pose", "twist")),
        *(("links", column) for column in ("force", "torque", "center_of_mass")),
        *(("joints", column) for column in ("position", "velocity", "effort")),
        *(("actuators", each) for each in ("activation", "effort", "length", "velocity")),
    }
    assert {*RESET_COLUMNS, *APPEARANCE_COLUMNS} == set(ALL_COLUMNS)
    assert set(STATE_COLUMNS) < set(RESET_COLUMNS)
    assert [key for key in ALL_COLUMNS if key[0] == "lights"] == [
        ("lights", "diffuse"),
        ("lights", "specular"),
        ("lights", "attenuation"),
        ("lights", "pose"),
        ("lights", "range"),
    ]
    assert COLUMNS["models"]["pose"].quaternion_at == 3


def test_rows_are_carried_over_by_name() -> None:
    old = Tables(ENTITIES, 2)
    old.models.pose[:, :, 0] = [[1, 2], [3, 4]]
    now = Tables(Entities(2, models=["c", "b"]), 2)
    now.carry_over(old)
    assert now.models.pose[:, :, 0].tolist() == [[0, 2], [0, 4]]


@pytest.mark.parametrize("size", [1, 4096, 4097, 100_000])
def test_a_square_sum_is_finite_only_if_all_numbers_are(size: int) -> None:
    numbers = np.linspace(-2.0, 3.0, size)
    assert square_sum(numbers) == pytest.approx(np.sum(numbers**2), rel=1e-12)
    for bad in (np.nan, np.inf, -np.inf, 1e200):
        numbers[size // 2] = bad
        assert not np.isfinite(square_sum(numbers))
