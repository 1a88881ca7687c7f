# SPDX-License-Identifier: Apache-2.0
"""Meshes that models share."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from deepsim_math import Vector3
from deepsim_mujoco.spec.assets import Assets
from deepsim_mujoco.spec.shapes import Landscape, Solid
from deepsim_spawn import Mesh
from deepsim_sync import SpawnError

TETRAHEDRON = Solid(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]))
SAME = Solid(TETRAHEDRON.vertices.copy())
LARGER = Solid(2 * TETRAHEDRON.vertices)


def test_equal_shapes_are_one_mesh_for_as_long_as_one_is_used() -> None:
    spec = mujoco.MjSpec()
    assets = Assets(spec)
    first, second, other = (assets.take(shape, "m") for shape in (TETRAHEDRON, SAME, LARGER))
    assert first == second != other
    assert [mesh.name for mesh in spec.meshes] == [first, other]
    assets.give_back(first)
    assert len(spec.meshes) == 2
    assets.give_back(second)
    assert [mesh.name for mesh in spec.meshes] == [other]
    assert assets.take(TETRAHEDRON, "m") not in (first, other)


def test_a_file_is_another_mesh_when_it_is_scaled_or_written_anew(tmp_path: Path) -> None:
    spec = mujoco.MjSpec()
    assets = Assets(spec)
    path = tmp_path / "x.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n")
    names = [assets.take(Mesh(path), "m") for _ in range(3)]
    names.append(assets.take(Mesh(path, scale=(1, 1, 2)), "m"))
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 10\nf 1 2 3\n")
    names.append(assets.take(Mesh(path), "m"))
    assert [names.index(name) for name in names] == [0, 0, 0, 3, 4]


def test_a_mesh_that_is_not_there_adds_nothing(tmp_path: Path) -> None:
    spec = mujoco.MjSpec()
    with pytest.raises(SpawnError, match=r"'m'.*gone\.obj cannot be read: No such file"):
        Assets(spec).take(Mesh(tmp_path / "gone.obj"), "m")
    assert len(spec.meshes) == 0


def test_equal_landscapes_are_one_height_field_wherever_they_lie() -> None:
    spec = mujoco.MjSpec()
    assets = Assets(spec)
    heights = np.arange(9.0).reshape(3, 3)
    shapes = [
        Landscape(heights, (2.0, 2.0), Vector3(0.0, 0.0, 0.0)),
        Landscape(heights.copy(), (2.0, 2.0), Vector3(0.0, 0.0, 5.0)),
        Landscape(heights, (2.0, 3.0), Vector3(0.0, 0.0, 0.0)),
        Landscape(2 * heights, (2.0, 2.0), Vector3(0.0, 0.0, 0.0)),
    ]
    names = [assets.take(shape, "m") for shape in shapes]
    assert [names.index(name) for name in names] == [0, 0, 2, 3]
    assert len(spec.hfields) == 3
    assets.give_back(names[0])
    assert len(spec.hfields) == 3
    for name in names[1:]:
        assets.give_back(name)
    assert len(spec.hfields) == 0
