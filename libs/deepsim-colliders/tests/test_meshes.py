# SPDX-License-Identifier: Apache-2.0
"""Meshes against boxes, and trimesh."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    ColliderSet,
    CylinderCollider,
    MeshCollider,
    PlaneCollider,
    SphereCollider,
)
from deepsim_math import Pose, Ray

SIGNS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
SQUARES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
BOX_FACES = [half for a, b, c, d in SQUARES for half in ((a, b, c), (a, c, d))]


def _mesh(lengths):
    return MeshCollider(SIGNS * lengths, BOX_FACES)


OTHERS = [
    lambda: BoxCollider(0.7, 0.5, 1.1),
    lambda: SphereCollider(0.4),
    lambda: CapsuleCollider(0.2, 0.8),
    lambda: CylinderCollider(0.3, 0.9),
    lambda: PlaneCollider(),
    lambda: MeshCollider(SIGNS * [0.5, 0.4, 0.9], BOX_FACES),
]


def test_the_mesh_of_a_box_is_closed():
    assert _mesh((1, 2, 3)).is_solid
    assert not MeshCollider(SIGNS, BOX_FACES[:-1]).is_solid
    assert not MeshCollider(SIGNS, [face[::-1] for face in BOX_FACES[:3]] + BOX_FACES[3:]).is_solid


@pytest.mark.parametrize("other", OTHERS)
def test_pairs_are_those_of_a_box(cases, other):
    """Of random pairs, multiples of 45 degrees among them."""
    numbers, met, parted = cases(7), 0, 0
    for _ in range(12):
        lengths = 2 * numbers.sizes(1, 3, high=1.2)[0]
        box, ours, target = BoxCollider(*lengths), _mesh(lengths), other()
        poses = numbers.poses(2, 1.3)
        box.pose_offset = ours.pose_offset = Pose.from_array(poses[0])
        target.pose_offset = Pose.from_array(poses[1])
        gap = box.distance(target)
        assert ours.distance(target) == pytest.approx(gap, abs=1e-6)
        assert target.distance(ours) == pytest.approx(gap, abs=1e-6)
        if gap > 1e-6:
            parted += 1
            first, second = ours.closest_points(target)
            assert math.dist(first, second) == pytest.approx(gap, abs=1e-6)
        assert ours.intersects(target) == box.intersects(target)
        met += box.intersects(target)
        small = SphereCollider(0.1, pose_offset=target.pose)
        assert ours.contains(small) == box.contains(small)
        assert target.contains(ours) == target.contains(box)
    assert met > 2
    assert parted or isinstance(target, PlaneCollider)


def test_points_and_rays_are_those_of_a_box(cases):
    numbers = cases(4)
    for scale in (1e-3, 1.0, 1e4):
        lengths = 2 * numbers.sizes(1, 3)[0]
        box, ours = BoxCollider(*(lengths * scale)), _mesh(lengths * scale)
        pose = numbers.poses(1, 1.0)[0]
        pose[:3] *= scale
        box.pose_offset = ours.pose_offset = Pose.from_array(pose)
        points = numbers.numbers(-2.5, 2.5, (300, 3)) * scale
        assert np.array_equal(ours.contains_points(points), box.contains_points(points))
        for _ in range(60):
            origin = tuple(numbers.numbers(-4, 4, 3) * scale)
            direction = tuple(numbers.numbers(-1, 1, 3) + np.array([0, 0, 1e-3]))
            ray = Ray(origin, direction)
            here, there = ours.raycast(ray), box.raycast(ray)
            assert (here is None) == (there is None)
            if there is not None:
                assert here.distance == pytest.approx(there.distance, abs=1e-8 * scale)
                assert here.exit_distance == pytest.approx(there.exit_distance, abs=1e-8 * scale)
                assert here.inside == there.inside


def _torus():
    """A ring: a mesh that is not convex."""
    around, across = 24, 12
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = 2 * math.pi * u / around, 2 * math.pi * v / across
    far = 1 + 0.3 * np.cos(b)
    vertices = np.stack([far * np.cos(a), far * np.sin(a), 0.3 * np.sin(b)], -1).reshape(-1, 3)
    at = lambda i, j: (i % around) * across + j % across  # noqa: E731
    faces = []
    for i, j in itertools.product(range(around), range(across)):
        faces += [(at(i, j), at(i + 1, j), at(i + 1, j + 1))]
        faces += [(at(i, j), at(i + 1, j + 1), at(i, j + 1))]
    return vertices, faces


def test_a_ring_has_a_hole():
    ring = MeshCollider(*_torus())
    assert ring.is_solid
    assert not ring.contains((0, 0, 0))
    assert ring.contains((1, 0, 0))
    hit = ring.raycast(Ray((-3, 0.01, 0.02), (1, 0, 0)))
    assert hit.normal.x < 0
    assert hit.exit_distance < 3 - 0.7 + 0.01  # into the hole
    through = CylinderCollider(0.5, 4)
    assert not ring.intersects(through)
    # Chords of the 12-sided tube: the nearest point is a corner of it.
    assert ring.distance(through) == pytest.approx(0.7 - 0.5, abs=0.03)
    assert ring.intersects(CylinderCollider(0.8, 4))
    assert ring.contains(SphereCollider(0.2, pose_offset=Pose((0, 1, 0))))
    assert not ring.contains(SphereCollider(0.4, pose_offset=Pose((0, 1, 0))))
    assert ColliderSet([ring]).raycast((-3, 0.01, 0.02), (1, 0, 0)).distances == pytest.approx(
        hit.distance
    )


def test_rays_and_points_against_trimesh():
    trimesh = pytest.importorskip("trimesh")
    vertices, faces = _torus()
    theirs = trimesh.Trimesh(vertices, faces, process=False)
    assert theirs.is_watertight
    assert theirs.volume > 0
    ours = MeshCollider(vertices, faces)
    random = np.random.default_rng(1)
    points = random.uniform(-1.4, 1.4, (200, 3)) * [1, 1, 0.3]
    nearest = np.linalg.norm(
        trimesh.triangles.closest_point(
            np.repeat(theirs.triangles, 20, axis=0), np.tile(points[:20], (len(faces), 1))
        ).reshape(len(faces), 20, 3)
        - points[:20],
        axis=2,
    ).min(axis=0)
    inside = ours.contains_points(points)
    assert 20 < inside.sum() < 180
    for point, held, far in zip(points, inside, nearest):
        assert ours.distance(point) == pytest.approx(0.0 if held else far, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 3)]), "face 0 is"),
        (([(0, 0, 0), (1, 0, 0), (0, 1, math.nan)], [(0, 1, 2)]), "row 2 is"),
        (([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)]), "with an area > 0"),
    ],
)
def test_bad_meshes_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        MeshCollider(*arguments)


def test_a_mesh_file(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / "box.stl"
    trimesh.creation.box((1, 2, 3)).export(str(file))
    mesh = MeshCollider.from_file(file, scale=0.1)
    assert mesh.is_solid
    assert mesh.bounds.upper.isclose((0.05, 0.1, 0.15))
