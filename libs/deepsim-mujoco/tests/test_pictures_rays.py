# SPDX-License-Identifier: Apache-2.0
"""Casting many rays at once agrees with MuJoCo's casting of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.rendering.bundle import Bundle, compact_order
from deepsim_mujoco.rendering.hits import first_hits

GEOM = mujoco.mjtGeom
KINDS = [
    GEOM.mjGEOM_PLANE,
    GEOM.mjGEOM_BOX,
    GEOM.mjGEOM_SPHERE,
    GEOM.mjGEOM_ELLIPSOID,
    GEOM.mjGEOM_CYLINDER,
    GEOM.mjGEOM_CAPSULE,
    GEOM.mjGEOM_MESH,
    GEOM.mjGEOM_HFIELD,
]
ASSETS = {GEOM.mjGEOM_MESH: {"meshname": "rock"}, GEOM.mjGEOM_HFIELD: {"hfieldname": "hills"}}
FAR = 1e5


def scene(kinds: list[Any], seed: int) -> tuple[Any, Any]:
    """Geoms of all sizes in a room of 8 m."""
    random = np.random.default_rng(seed)
    spec = mujoco.MjSpec()
    spec.add_mesh(name="rock", uservert=random.normal(size=(12, 3)).reshape(-1))
    hills = random.uniform(size=20)
    spec.add_hfield(name="hills", nrow=4, ncol=5, size=[2, 1, 1, 0.1], userdata=hills)
    for kind in kinds:
        spec.worldbody.add_geom(
            type=kind,
            pos=random.uniform(-4, 4, 3),
            quat=random.normal(size=4),
            size=random.choice([0.05, 0.5, 2.0]) * random.uniform(0.5, 1.0, 3),
            **ASSETS.get(kind, {}),
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return model, data


def one_by_one(model: Any, data: Any, origin: Any, rays: Any) -> tuple[Any, Any, Any]:
    """The same by MuJoCo, ray by ray."""
    geoms, depths, normals = [], [], []
    for ray in rays.T:
        geom, normal = np.zeros(1, np.int32), np.zeros(3)
        depths.append(mujoco.mj_ray(model, data, origin, ray, None, True, -1, geom, normal))
        geoms.append(geom[0])
        normals.append(normal)
    return np.array(geoms), np.array(depths), np.array(normals).T


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=6),
    st.integers(0, 2**32 - 1),
    st.floats(0.01, 100),
)
def test_first_hits_are_those_of_mujoco(kinds: list[Any], seed: int, length: float) -> None:
    model, data = scene(kinds, seed)
    random = np.random.default_rng(seed)
    origin = 10 * random.choice([-1.0, 1.0], 3)  # outside of everything but behind some planes
    targets = random.uniform(-4, 4, (3, 150))
    rays = targets - origin[:, None]
    rays *= length / np.linalg.norm(rays, axis=0)
    hits = first_hits(model, data, Bundle(origin, rays), np.ones(model.ngeom, bool), 0.0, FAR)
    geoms, depths, normals = one_by_one(model, data, origin, rays)
    # A ray that only touches a surface may be counted as either.
    clear = np.abs(np.einsum("ij,ij->j", normals, rays)) > 1e-4 * length
    same = hits.geoms == geoms
    assert same[clear | (geoms < 0)].mean() > 0.99
    both = same & clear & (geoms >= 0)
    np.testing.assert_allclose(hits.depths[both], depths[both], rtol=1e-6)
    on_edge = np.abs(hits.normals - normals).max(axis=0) > 1e-5
    assert np.count_nonzero(on_edge[both]) <= 0.02 * np.count_nonzero(both)


def test_hidden_geoms_and_depths_out_of_range_are_passed_by() -> None:
    spec = mujoco.MjSpec()
    for x in (2, 4, 6):
        spec.worldbody.add_geom(type=GEOM.mjGEOM_SPHERE, size=[0.5, 0, 0], pos=[x, 0, 0])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    bundle = Bundle(np.zeros(3), np.array([[1.0], [0.0], [0.0]]))

    def geom(shown: list[bool], near: float, far: float) -> int:
        return int(first_hits(model, data, bundle, np.array(shown), near, far).geoms[0])

    assert geom([True, True, True], 0, 10) == 0
    assert geom([False, True, True], 0, 10) == 1
    assert geom([True, True, True], 1.6, 10) == 1
    assert geom([False, False, True], 0, 5) == -1
    assert geom([False, False, False], 0, 10) == -1


def test_limits_may_be_whole_numbers() -> None:
    model, data = scene([GEOM.mjGEOM_SPHERE], 1)
    origin = np.array([10.0, 10.0, 10.0])
    bundle = Bundle(origin, (data.geom_xpos[0] - origin)[:, None])
    whole = first_hits(model, data, bundle, np.array([True]), 0, 100)
    parts = first_hits(model, data, bundle, np.array([True]), 0.0, 100.0)
    assert whole.depths[0] == parts.depths[0] < 1.0


@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 3), (64, 64), (320, 240)])
def test_the_compact_order_has_every_pixel_once(width: int, height: int) -> None:
    order = compact_order(width, height)
    np.testing.assert_array_equal(np.sort(order), np.arange(width * height))


def test_neighbours_in_the_compact_order_are_close_in_the_picture() -> None:
    rows, columns = np.divmod(compact_order(256, 256), 256)
    blocks = np.stack([rows, columns]).reshape(2, -1, 64)
    assert np.ptp(blocks, axis=2).max() == 7
