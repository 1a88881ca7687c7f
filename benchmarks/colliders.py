# SPDX-License-Identifier: Apache-2.0
"""deepsim-colliders beside shapely, python-fcl, MuJoCo and Embree, one at a time and in batch.

All ways answer the same questions about the same shapes, in turns in one process. What a peer needs
to prepare is done before, except where the name of the way says so. "one object per vector" is the
first DeepSim's way, written by us at the same cost; it does a part and is scaled to the whole.
"""

from __future__ import annotations

import math

import numpy as np
import shapely
from colliders_baseline import Box, Vector
from colliders_peers import (
    Boxes,
    check,
    embree_rays,
    fcl_pairs,
    mujoco_pairs,
    mujoco_picture,
    mujoco_rays,
    numba_lidar,
    pymunk_pairs,
)
from peers import Case, Way, compare, installed
from shapely.prepared import prep

from deepsim_colliders import (
    BoxCollider,
    CircleCollider,
    ColliderSet,
    GeometryCollider,
    RayHits,
    RectangleCollider,
)
from deepsim_math import Frustum, Pose, Ray, frustums

COUNT, RAYS, POINTS = 100, 10_000, 1000
WIDTH, HEIGHT = 160, 120
RANDOM = np.random.default_rng(0)
OLD = "one object per vector"
FCL, MUJOCO, EMBREE = installed("fcl"), installed("mujoco"), installed("embreex")
NUMBA, PYMUNK = installed("numba"), installed("pymunk")


def random_boxes(count: int, width: float) -> Boxes:
    """Boxes of 0.5 to 2 m, turned in any way, in a cube of some width."""
    quaternions = RANDOM.normal(size=(count, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    places = RANDOM.uniform(-0.5 * width, 0.5 * width, (count, 3))
    return Boxes(np.column_stack([places, quaternions]), RANDOM.uniform(0.5, 2.0, (count, 3)))


def one_by_one(boxes: Boxes) -> list[BoxCollider]:
    return [BoxCollider(*size, pose_offset=Pose.from_array(pose)) for pose, size in boxes.rows()]


def as_set(boxes: Boxes, *, compiled: bool | None = None) -> ColliderSet:
    colliders = ColliderSet((BoxCollider(*size) for size in boxes.sizes), compiled=compiled)
    colliders.update(boxes.poses)
    return colliders


def circuit(corners: int) -> np.ndarray:
    """A closed line around the origin, (corners, 2)."""
    angle = np.linspace(0.0, 2.0 * math.pi, corners, endpoint=False)
    radius = 30.0 + 4.0 * np.sin(5.0 * angle)
    return radius[:, np.newaxis] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def track() -> Case:
    """Which of 1000 points are off a track of 2000 vertices."""
    middle = circuit(1000)
    road = shapely.Polygon(middle * 1.05, [middle * 0.95])
    collider, prepared = GeometryCollider(road), prep(road)
    shapely.prepare(road)
    points = RANDOM.uniform(-40.0, 40.0, (POINTS, 2))
    ready = list(shapely.points(points))
    expected = [prepared.covers(point) for point in ready]
    check("points, shapely", collider.contains_points(points).tolist() == expected)
    return Case(
        f"{POINTS} points x track of 2000 vertices",
        {
            "GeometryCollider.contains_points": lambda: collider.contains_points(points),
            "shapely, one array": lambda: shapely.intersects_xy(road, points),
            "shapely, loop of prepared": lambda: [prepared.covers(point) for point in ready],
            "shapely, loop of new points": lambda: [
                prepared.covers(shapely.Point(point)) for point in points
            ],
            "GeometryCollider.contains, loop": lambda: [collider.contains(p) for p in points],
        },
        bars={"shapely, loop of prepared": 0.5},
    )


def circles() -> Case:
    """Which of 1000 circles touch an area of 2000 vertices."""
    area = shapely.Polygon(circuit(2000))
    shapely.prepare(area)
    road = ColliderSet([GeometryCollider(area)])
    rows = np.zeros((POINTS, 7))
    rows[:, :2] = RANDOM.uniform(-40.0, 40.0, (POINTS, 2))
    rows[:, 6] = 1.0
    cars = ColliderSet([CircleCollider(0.5)] * POINTS)
    cars.update(rows)

    def moved() -> object:
        cars.update(rows)
        return cars.pairs(road)

    def by_distance() -> list[bool]:
        return [shapely.dwithin(area, shapely.Point(row), 0.5) for row in rows[:, :2]]

    check("circles, shapely", cars.intersects(road)[:, 0].tolist() == by_distance())
    return Case(
        f"{POINTS} circles x track of 2000 vertices",
        {
            "ColliderSet.pairs": lambda: cars.pairs(road),
            "ColliderSet, update and pairs": moved,
            "shapely, loop of dwithin": by_distance,
            "shapely, loop of buffers": lambda: [
                shapely.intersects(area, shapely.Point(row).buffer(0.5)) for row in rows[:, :2]
            ],
        },
    )


def box_pairs(width: float) -> Case:
    """Which of 100 boxes meet which of 100 others."""
    first, second = random_boxes(COUNT, width), random_boxes(COUNT, width)
    ours, others = as_set(first), as_set(second)
    singles, other_singles = one_by_one(first), one_by_one(second)
    old, other_old = [[Box(*row) for row in boxes.rows()][:3] for boxes in (first, second)]

    def moved() -> object:
        ours.update(first.poses)
        others.update(second.poses)
        return ours.pairs(others)

    ways: dict[str, Way] = {
        "ColliderSet.pairs": lambda: ours.pairs(others),
        "ColliderSet, update and pairs": moved,
        "BoxCollider.intersects, loop": lambda: [
            a.intersects(b) for a in singles for b in other_singles
        ],
        OLD: lambda: [a.intersects(b) for a in old for b in other_old],
    }
    expected = ours.pairs(others)
    if FCL:
        ways |= fcl_pairs(first, second, expected)
    if MUJOCO:
        ways |= mujoco_pairs(first, second, expected)
    return Case(
        f"{COUNT} x {COUNT} boxes in {width:g} m, {len(expected)} pairs meet",
        ways,
        shares={OLD: 9 / COUNT**2},
        bars={"python-fcl, broad phase": 1.0},
    )


def rays(boxes: Boxes, width: float) -> Case:
    """Which of 100 boxes does each of 10 000 rays meet first, and where."""
    origins = RANDOM.uniform(-0.5 * width, 0.5 * width, (RAYS, 3))
    directions = RANDOM.normal(size=(RAYS, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    ours, singles = as_set(boxes), one_by_one(boxes)
    old = [Box(*row) for row in boxes.rows()]
    hits = ours.raycast(origins, directions)
    # From inside the others go on to where the ray leaves: not to be compared.
    expected = np.where(hits.inside, -2, hits.ids)

    def loop() -> object:
        some = [Ray(*row) for row in zip(origins[:10], directions[:10], strict=True)]
        return [box.raycast(ray) for ray in some for box in singles]

    def old_way() -> object:
        origin, direction = Vector(*origins[0]), Vector(*directions[0])
        return [box.raycast(origin, direction) for box in old]

    def moved() -> object:
        ours.update(boxes.poses)
        return ours.raycast(origins, directions)

    pure = as_set(boxes, compiled=False)
    ways: dict[str, Way] = {
        "ColliderSet, update and raycast": moved,
        "ColliderSet.raycast": lambda: ours.raycast(origins, directions),
        "ColliderSet.raycast, without numba": lambda: pure.raycast(origins, directions),
        "BoxCollider.raycast, loop": loop,
        OLD: old_way,
    }
    if MUJOCO:
        ways |= mujoco_rays(boxes, origins, directions, expected)
    if EMBREE:
        ways |= embree_rays(boxes, origins, directions, expected)
    return Case(
        f"{RAYS} rays x {COUNT} boxes",
        ways,
        shares={"BoxCollider.raycast, loop": 10 / RAYS, OLD: 1 / RAYS},
        bars={"MuJoCo, loop of mj_ray": 0.4, "Embree, build and cast": 1.3},
    )


def rays_at_rest(boxes: Boxes, width: float) -> Case:
    """Which of 10 000 boxes that do not move does each of 10 000 rays meet first."""
    origins = RANDOM.uniform(-0.5 * width, 0.5 * width, (RAYS, 3))
    directions = RANDOM.normal(size=(RAYS, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    ours, pure = as_set(boxes), as_set(boxes, compiled=False)
    hits = ours.raycast(origins, directions)
    ways: dict[str, Way] = {
        "ColliderSet.raycast": lambda: ours.raycast(origins, directions),
        "ColliderSet.raycast, without numba": lambda: pure.raycast(origins, directions),
    }
    if EMBREE:
        expected = np.where(hits.inside, -2, hits.ids)
        ways |= embree_rays(boxes, origins, directions, expected)
    return Case(f"{RAYS} rays x {len(boxes.poses)} boxes", ways, bars={"Embree, built": 3.0})


def lidar(worlds: int, count: int, beams: int) -> Case:
    """Which box of its world does each beam of a lidar meet first, in many worlds."""
    several = [random_boxes(count, 20.0) for _ in range(worlds)]
    poses, sizes = np.stack([boxes.poses for boxes in several]), several[0].sizes
    angle = np.linspace(0.0, 2.0 * math.pi, beams, endpoint=False)
    directions = np.stack([np.cos(angle), np.sin(angle), np.zeros(beams)], axis=-1)
    origins = np.zeros((worlds, 1, 3))
    ours, pure = (
        ColliderSet((BoxCollider(*size) for size in sizes), worlds=worlds, compiled=way)
        for way in (None, False)
    )

    def moved() -> object:
        ours.update(poses)
        return ours.raycast(origins, directions)

    moved()
    pure.update(poses)
    ways: dict[str, Way] = {
        "ColliderSet.raycast": lambda: ours.raycast(origins, directions),
        "ColliderSet, update and raycast": moved,
        "ColliderSet.raycast, without numba": lambda: pure.raycast(origins, directions),
    }
    if NUMBA:
        ways |= numba_lidar(poses, sizes, directions, ours.raycast(origins, directions).ids)
    return Case(
        f"{beams} rays x {worlds} worlds x {count} boxes",
        ways,
        bars={"numba, each ray with each box": 3.0},
    )


def rectangles(count: int) -> Case:
    """Which of many rectangles meet, after all have moved."""
    width = 3.0 * math.sqrt(count)
    flat = np.column_stack(
        [RANDOM.uniform(0.0, width, (count, 2)), RANDOM.uniform(-math.pi, math.pi, count)]
    )
    sizes = RANDOM.uniform(0.5, 2.0, (count, 2))
    poses = np.zeros((count, 7))
    poses[:, :2], poses[:, 5], poses[:, 6] = (
        flat[:, :2],
        *np.stack([np.sin(0.5 * flat[:, 2]), np.cos(0.5 * flat[:, 2])]),
    )
    ours, pure = (
        ColliderSet((RectangleCollider(*size) for size in sizes), compiled=way)
        for way in (None, False)
    )

    def moved(colliders: ColliderSet) -> object:
        colliders.update(poses)
        return colliders.pairs()

    ways: dict[str, Way] = {
        "ColliderSet, update and pairs": lambda: moved(ours),
        "ColliderSet, update and pairs, without numba": lambda: moved(pure),
    }
    if PYMUNK:
        ways |= pymunk_pairs(flat, sizes)
    return Case(
        f"{count} rectangles", ways, bars={"pymunk, step": 1.5, "pymunk, move and step": 1.5}
    )


def picture(boxes: Boxes) -> Case:
    """What each pixel of a camera shows, and how far away it is."""
    camera = Frustum(0.1, 100.0, math.radians(60.0), HEIGHT / WIDTH, Pose((-20.0, 0.0, 0.0)))
    ours = as_set(boxes)
    u, v = (np.arange(WIDTH) + 0.5) / WIDTH, 1.0 - (np.arange(HEIGHT) + 0.5) / HEIGHT
    middles = np.stack(np.meshgrid(u, v), axis=-1)
    directions = frustums.viewport_points_to_rays(camera, middles)[..., 3:]
    cosines = directions @ np.asarray(camera.pose.forward)
    limits = {"min_distance": camera.near / cosines, "max_distance": camera.far / cosines}

    def all_rays() -> RayHits:
        return ours.raycast(camera.pose.position, directions, **limits)

    ids = ours.segmentation(camera, WIDTH, HEIGHT).ids
    check("segmentation, every ray", np.array_equal(all_rays().ids, ids))
    ways: dict[str, Way] = {
        "ColliderSet.segmentation": lambda: ours.segmentation(camera, WIDTH, HEIGHT),
        "ColliderSet.raycast, every pixel": all_rays,
    }
    if MUJOCO:
        ways |= mujoco_picture(boxes, camera, directions, ids)
    return Case(
        f"{WIDTH} x {HEIGHT} pixels x {COUNT} boxes", ways, bars={"MuJoCo, mj_multiRay": 0.7}
    )


def main() -> None:
    """Measures all cases."""
    boxes = random_boxes(COUNT, 20.0)
    cases = [
        track(),
        circles(),
        box_pairs(20.0),
        box_pairs(10.0),
        rays(boxes, 20.0),
        rays_at_rest(random_boxes(10_000, 93.0), 93.0),
        lidar(1000, 20, 360),
        rectangles(1000),
        picture(boxes),
    ]
    compare("colliders", cases, 9, "deepsim-colliders", "numpy", "shapely")


if __name__ == "__main__":
    main()
