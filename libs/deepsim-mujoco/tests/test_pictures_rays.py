# SPDX-License-Identifier: Apache-2.0
"""Rays hit what MuJoCo says, seen from outside and within a range; lamps shine on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_math import Euler, Pose
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.rendering import RayCamera
from deepsim_mujoco.rendering.ray_casting import cast
from deepsim_sync import CameraView

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
FIXED = GEOM.mjGEOM_PLANE, GEOM.mjGEOM_HFIELD
FAR = 1e5


def scene(kinds: list[Any], seed: int) -> tuple[Any, Any]:
    """Geoms of all sizes in a room of 8 m; every other one belongs to a body that is turned."""
    random = np.random.default_rng(seed)
    spec = mujoco.MjSpec()
    spec.add_mesh(name="rock", uservert=random.normal(size=(12, 3)).reshape(-1))
    hills = random.uniform(size=20)
    spec.add_hfield(name="hills", nrow=4, ncol=5, size=[2, 1, 1, 0.1], userdata=hills)
    body = spec.worldbody.add_body(quat=random.normal(size=4), mass=1, inertia=[1, 1, 1])
    body.ipos, body.explicitinertial = random.uniform(-1, 1, 3), True
    body.add_freejoint()
    for number, kind in enumerate(kinds):
        fixed = number % 2 or kind in FIXED
        (spec.worldbody if fixed else body).add_geom(
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
    hits = cast(model, data, origin, rays, np.ones(model.ngeom, bool), 0.0, FAR)
    geoms, depths, normals = one_by_one(model, data, origin, rays)
    np.testing.assert_array_equal(hits.geoms, geoms)
    hit = geoms >= 0
    np.testing.assert_array_equal(hits.depths[hit], depths[hit])
    np.testing.assert_allclose(np.linalg.norm(hits.normals[:, hit], axis=0), 1.0)
    np.testing.assert_allclose(np.abs(hits.normals[:, hit]), np.abs(normals[:, hit]), atol=1e-9)
    assert (np.einsum("ij,ij->j", hits.normals, rays)[hit] <= 0.0).all()


def test_rays_leave_nested_geoms_from_inside() -> None:
    """Each ray passes only the geoms that it starts in, and hits them where others are."""
    spec = mujoco.MjSpec()
    spec.add_mesh(name="room", uservert=np.array(list(np.ndindex(2, 2, 2))).reshape(-1) * 8.0 - 4.0)
    spec.worldbody.add_geom(type=GEOM.mjGEOM_MESH, meshname="room")
    spec.worldbody.add_geom(type=GEOM.mjGEOM_SPHERE, size=[1, 0, 0])
    spec.worldbody.add_geom(type=GEOM.mjGEOM_BOX, size=[0.1, 0.1, 0.1], pos=[2, 0, 0])
    spec.worldbody.add_geom(type=GEOM.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, -6])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    rays = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, -1]]).T
    hits = cast(model, data, np.zeros(3), rays, np.ones(4, bool))
    assert hits.geoms.tolist() == [2, -1, 3]
    np.testing.assert_allclose(hits.depths[[0, 2]], [1.9, 6.0])
    outside = cast(model, data, np.array([0.0, 0.0, 9.0]), rays[:, 2:], np.ones(4, bool))
    assert (outside.geoms[0], outside.depths[0]) == (0, 5.0)


def lamp_over_a_floor(kind: Any, direction: Any = (0, 0, -1), height: float = 3.0) -> Any:
    """A spec with a floor, 2 m above it a plate of 1 m, and a lamp that casts shadows."""
    spec = mujoco.MjSpec()
    spec.visual.headlight.active = 0
    floor = spec.worldbody.add_geom(type=GEOM.mjGEOM_PLANE, size=[0, 0, 1], group=2)
    floor.rgba = [1, 1, 1, 1]
    spec.worldbody.add_geom(type=GEOM.mjGEOM_BOX, size=[0.5, 0.5, 0.01], pos=[0, 0, 2], group=2)
    lamp = spec.worldbody.add_light(type=kind, pos=[0, 0, height], dir=list(direction), cutoff=60)
    lamp.diffuse, lamp.specular, lamp.attenuation = [1, 1, 1], [0, 0, 0], [1, 0, 0]
    lamp.castshadow, lamp.exponent = True, 0
    return spec


def from_above(spec: Any, x: float) -> Any:
    """The colour of the floor at x, by a camera below the plate that looks straight down."""
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    view = CameraView(Pose((x, 0, 1), Euler(0, np.pi / 2, 0)), 0.1, 3, 3)
    return RayCamera().render(model, data, view, 0.05, 100)[1, 1]


def test_shadows_are_as_wide_as_the_lamp_makes_them() -> None:
    """1 m below a lamp a plate of 1 m shades 3 m of the floor; in the sun, 1 m."""
    near, sun = ((1.45, 1.55), (0.48, 0.52))
    kinds = mujoco.mjtLightType
    for kind, (inside, outside) in (
        (kinds.mjLIGHT_SPOT, near),
        (kinds.mjLIGHT_POINT, near),
        (kinds.mjLIGHT_DIRECTIONAL, sun),
    ):
        spec = lamp_over_a_floor(kind)
        assert from_above(spec, inside).tolist() == [0, 0, 0]
        assert from_above(spec, outside).min() > 100


def test_every_lamp_throws_its_own_shadow() -> None:
    sun = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    spec = lamp_over_a_floor(sun)
    second = spec.worldbody.add_light(type=sun, dir=[0.6, 0, -0.8])
    second.diffuse, second.specular, second.castshadow = [0.5, 0, 0], [0, 0, 0], True
    assert from_above(spec, 0.0).tolist() == pytest.approx([0.8 * 0.5 * 255, 0, 0], abs=1)
    assert from_above(spec, 1.5).tolist() == [255, 255, 255]  # 2 m * 0.6 / 0.8


def test_a_lamp_straight_behind_a_surface_leaves_it_dark() -> None:
    """Its highlight has no direction: the ways to lamp and eye cancel."""
    spec = lamp_over_a_floor(mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, (0, 0, 1))
    spec.lights[0].specular = [1, 1, 1]
    assert from_above(spec, 1.0).tolist() == [0, 0, 0]
