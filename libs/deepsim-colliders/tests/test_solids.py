# SPDX-License-Identifier: Apache-2.0
"""Pairs, points and rays of the shapes in space against MuJoCo, fcl and points of surfaces."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    Collider3D,
    CylinderCollider,
    PlaneCollider,
    SphereCollider,
)
from deepsim_math import Pose, Ray

fcl = pytest.importorskip("fcl")


class OwnBox(Collider3D):
    """A box that defines nothing but its farthest points."""

    def __init__(self, half):
        super().__init__()
        self.half = half

    def support_point(self, direction):
        return tuple(math.copysign(h, d) for h, d in zip(self.half, direction))


class OwnCapsule(Collider3D):
    """A capsule that defines its central line and its margin."""

    def __init__(self, radius, half):
        super().__init__()
        self.radius, self.half = radius, half

    def support_point(self, direction):
        return 0.0, 0.0, math.copysign(self.half, direction[2])

    @property
    def margin(self):
        return self.radius


def _made(kind, sizes):
    """A collider of a kind, and the same shape of fcl."""
    x, y, z = (float(size) for size in sizes)
    return {
        "box": lambda: (BoxCollider(2 * x, 2 * y, 2 * z), fcl.Box(2 * x, 2 * y, 2 * z)),
        "sphere": lambda: (SphereCollider(x), fcl.Sphere(x)),
        "capsule": lambda: (CapsuleCollider(x, 2 * z), fcl.Capsule(x, 2 * z)),
        "cylinder": lambda: (CylinderCollider(x, 2 * z), fcl.Cylinder(x, 2 * z)),
        "plane": lambda: (PlaneCollider(), fcl.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)),
        "own box": lambda: (OwnBox((x, y, z)), fcl.Box(2 * x, 2 * y, 2 * z)),
        "own capsule": lambda: (OwnCapsule(x, z), fcl.Capsule(x, 2 * z)),
    }[kind]()


KINDS = ("box", "sphere", "capsule", "cylinder", "own box", "own capsule")
PAIRS = list(itertools.combinations_with_replacement(KINDS, 2))


def _placed(cases, kinds, count, scale=1.0):
    """Random pairs: colliders at poses, with the shapes and transforms of fcl."""
    sizes = cases.sizes(2 * count, 3).reshape(count, 2, 3) * scale
    poses = cases.poses(2 * count, 3.0).reshape(count, 2, 7)
    poses[..., :3] *= scale
    for size, pose in zip(sizes, poses):
        pair = []
        for kind, extent, place in zip(kinds, size, pose):
            collider, shape = _made(kind, extent)
            collider.pose_offset = Pose.from_array(place)
            turn = Rotation.from_quat(place[3:]).as_matrix()
            pair.append((collider, fcl.CollisionObject(shape, fcl.Transform(turn, place[:3]))))
        yield tuple(zip(*pair))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_distance_is_that_of_fcl(cases, kinds, scale):
    """It is 0 where they meet, and that of fcl to the precision of fcl elsewhere."""
    for (a, b), shapes in _placed(cases(sum(map(len, kinds))), kinds, 8, scale):
        ours = a.distance(b)
        assert ours == pytest.approx(b.distance(a), abs=1e-9 * scale)
        assert (ours <= 1e-8 * scale) == a.intersects(b) or ours < 1e-6 * scale
        if scale != 1.0:
            continue  # fcl's tolerances are absolute
        request = fcl.DistanceRequest(True)
        theirs = max(fcl.distance(*shapes, request, fcl.DistanceResult()), 0.0)
        assert ours == pytest.approx(theirs, abs=2e-5)


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_closest_points_prove_the_distance(cases, kinds):
    """Both are in their collider, and planes through them across the gap part the colliders."""
    some = 0
    for (a, b), _ in _placed(cases(sum(map(len, kinds)) + 1), kinds, 20):
        gap = a.distance(b)
        first, second = a.closest_points(b)
        if gap < 1e-3:
            continue
        some += 1
        assert math.dist(first, second) == pytest.approx(gap, abs=1e-9)
        assert a.distance(first) <= 1e-6
        assert b.distance(second) <= 1e-6
        normal = tuple((np.array(second) - first) / gap)
        (here,), (there,) = a._live_shapes(), b._live_shapes()
        back = tuple(-n for n in normal)
        parted = -there._support(back) - here._support(normal)
        assert parted == pytest.approx(gap, abs=1e-6)
    assert some > 2


@pytest.mark.parametrize("kind", KINDS)
def test_planes_know_how_far_a_shape_is(cases, kind):
    """The height above a plane, in both orders."""
    for (a, plane), _ in _placed(cases(len(kind)), (kind, "plane"), 30):
        (shape,) = a._live_shapes()
        normal = plane.pose.orientation.rotate((0, 0, 1))
        back = tuple(-n for n in normal)
        height = -shape._support(back) - sum(p * n for p, n in zip(plane.pose.position, normal))
        assert a.distance(plane) == pytest.approx(max(height, 0.0), abs=1e-12)
        assert plane.distance(a) == pytest.approx(max(height, 0.0), abs=1e-12)
        assert plane.intersects(a) == (height <= 1e-9) or abs(height) < 1e-8
        assert plane.contains(a) == (
            shape._support(tuple(normal))
            <= 1e-9 + sum(p * n for p, n in zip(plane.pose.position, normal))
        )


def _surface(kind, sizes, count, random):
    """Points of the surface of a shape about the origin."""
    x, z = sizes[0], sizes[2]
    if kind in ("box", "own box"):
        points = random.uniform(-1, 1, (count, 3))
        points[np.arange(count), random.integers(0, 3, count)] = random.choice([-1, 1], count)
        return points * sizes
    sphere = random.normal(size=(count, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    if kind == "sphere":
        return sphere * x
    ring = sphere[:, :2] / np.linalg.norm(sphere[:, :2], axis=1, keepdims=True)
    if kind in ("capsule", "own capsule"):
        return np.column_stack([sphere * x + [0, 0, 1] * np.sign(sphere[:, 2:]) * z])
    side = np.column_stack([ring * x, random.uniform(-z, z, count)])
    lid = np.column_stack(
        [ring * x * np.sqrt(random.random((count, 1))), z * random.choice([-1, 1], count)]
    )
    return np.where(random.random((count, 1)) < 0.5, side, lid)


@pytest.mark.parametrize("kind", KINDS)
def test_points_just_inside_and_outside(cases, kind):
    random = np.random.default_rng(3)
    for sizes in cases(1).sizes(8, 3) * np.array([[1e-3], [1], [1], [1e3]] * 2):
        collider, _ = _made(kind, sizes)
        points = _surface(kind, sizes, 40, random)
        assert collider.contains_points(points * (1 - 1e-6)).all()
        assert not collider.contains_points(points * (1 + 1e-6)).any()
        assert collider.contains_points(points).all()


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, KINDS)), ids="-".join)
def test_containment_is_that_of_surface_points(cases, kinds):
    """A shape is in another when its surface is, as far as points of it can say."""
    random = np.random.default_rng(5)
    seen = set()
    for turn in range(24):
        sizes = np.array([cases(turn).sizes(1, 3)[0], cases(turn + 99).sizes(1, 3)[0]])
        sizes[1] *= 0.45
        (a, _), (b, _) = _made(kinds[0], sizes[0]), _made(kinds[1], sizes[1])
        place = Pose.from_array(cases(turn + 7).poses(1, 0.4)[0])
        b.pose_offset = place
        points = _surface(kinds[1], sizes[1], 400, random)
        world = Rotation.from_quat(list(place)[3:]).apply(points) + list(place.position)
        margin = 0.02 * min(sizes[1])
        if a.contains(b):
            assert a.contains_points(world * (1 - 1e-7)).all()
            seen.add(True)
        elif a.contains_points(world).all():
            # Then the surface is nowhere far outside: grown by a little, the other has it.
            grown, _ = _made(kinds[0], sizes[0] + 10 * margin)
            assert grown.contains(b)
        else:
            seen.add(False)
    assert seen == {True, False}


@pytest.mark.parametrize("kind", KINDS)
def test_a_shape_contains_itself(cases, kind):
    """Of any size, at any pose: containment is that of closed sets."""
    for turn in range(24):
        collider, _ = _made(kind, cases(turn).sizes(1, 3)[0])
        collider.pose_offset = Pose.from_array(cases(turn + 7).poses(1, 0.4)[0])
        assert collider.contains(collider)


def _cast(collider, ray):
    hit = collider.raycast(ray)
    return None if hit is None else (hit.distance, hit.normal, hit.exit_distance, hit.inside)


@pytest.mark.parametrize("kind", KINDS)
def test_rays_end_on_the_surface(cases, kind):
    """Aimed at a point within, a ray hits; where it enters and leaves is on the surface."""
    numbers = cases(11)
    for turn, sizes in enumerate(numbers.sizes(30, 3)):
        collider, _ = _made(kind, sizes)
        collider.pose_offset = Pose.from_array(numbers.poses(1, 2)[0])
        target = collider.pose @ Pose(tuple(0.5 * numbers.numbers(-1, 1, 3) * min(sizes)))
        origin = np.array(target.position) + numbers.numbers(-1, 1, 3) * 10 + [11, 0, 0]
        step = np.array(target.position) - origin
        if turn % 3 == 0:  # along an axis
            step = np.array([-1.0, 0.0, 0.0])
            origin[1:] = np.array(target.position)[1:]
        hit = collider.raycast(Ray(tuple(origin), tuple(step)))
        assert hit is not None
        assert not hit.inside
        size = float(max(sizes))
        unit = step / np.hypot.reduce(step)
        for distance, sign in ((hit.distance, 1), (hit.exit_distance, -1)):
            inner = origin + (distance + sign * 1e-6 * size) * unit
            outer = origin + (distance - sign * 1e-6 * size) * unit
            assert not collider.contains(outer)
            if hit.exit_distance - hit.distance > 1e-4 * size:
                assert collider.contains(inner)
        assert float(np.dot(hit.normal, unit)) <= 1e-9
        # The plane across the normal has the shape on its other side.
        (shape,) = collider._live_shapes()
        assert shape._support(tuple(hit.normal)) == pytest.approx(
            float(np.dot(hit.normal, hit.point)), abs=1e-6 * size
        )
        assert collider.raycast(Ray(tuple(origin), tuple(-step))) is None
        inside = collider.raycast(Ray(target.position, tuple(step)))
        assert inside.inside
        assert inside.normal is None


def test_bounds_and_corners():
    turned = Pose((1, 2, 3), Rotation.from_euler("z", 45, degrees=True).as_quat())
    box = BoxCollider(2, 2, 4, pose_offset=turned)
    root = math.sqrt(2)
    assert box.bounds.lower.isclose((1 - root, 2 - root, 1))
    assert box.bounds.upper.isclose((1 + root, 2 + root, 5))
    assert box.corners().shape == (8, 3)
    assert sorted(box.corners()[:, 2]) == [1] * 4 + [5] * 4
    assert CylinderCollider(1, 2).bounds.upper.isclose((1, 1, 1))
    assert CylinderCollider(1, 2).corners().shape == (0, 3)
    assert PlaneCollider().bounds.upper.z == 0.0
    assert PlaneCollider().bounds.lower.z == -math.inf
    box.disable()
    assert box.bounds is None


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_rays_are_those_of_mujoco(cases, scale):
    """Of boxes, spheres, capsules and cylinders, to the precision of MuJoCo."""
    mujoco = pytest.importorskip("mujoco")
    types = {
        "box": mujoco.mjtGeom.mjGEOM_BOX,
        "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
        "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
        "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    }
    numbers, spec, colliders = cases(21), mujoco.MjSpec(), []
    for kind in list(types) * 5:
        x, y, z = numbers.sizes(1, 3, high=1.2)[0] * scale
        pose = numbers.poses(1, 5.0)[0]
        pose[:3] *= scale
        size = {"capsule": [x, z, 0], "cylinder": [x, z, 0]}.get(kind, [x, y, z])
        spec.worldbody.add_geom(type=types[kind], size=size, pos=pose[:3], quat=pose[[6, 3, 4, 5]])
        collider, _ = _made(kind, (x, y, z))
        collider.pose_offset = Pose.from_array(pose)
        colliders.append(collider)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for _ in range(150):
        origin, step = numbers.numbers(-8, 8, 3) * scale, numbers.numbers(-1, 1, 3)
        if not step.any():
            continue
        for i, collider in enumerate(colliders):
            hit = collider.raycast(Ray(tuple(origin), tuple(step)))
            unit = step / np.linalg.norm(step)
            theirs = mujoco.mju_rayGeom(
                data.geom_xpos[i],
                data.geom_xmat[i],
                model.geom_size[i],
                origin,
                unit,
                int(model.geom_type[i]),
            )
            if hit is None:
                assert theirs < 0
            elif not hit.inside and hit.exit_distance - hit.distance > 1e-6 * scale:
                assert hit.distance == pytest.approx(theirs, abs=1e-8 * scale)
