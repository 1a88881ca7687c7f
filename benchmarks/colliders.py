# SPDX-License-Identifier: Apache-2.0
"""deepsim-colliders beside shapely, SciPy, python-fcl, coal, MuJoCo, Embree, pymunk and NumPy.

All ways answer the same questions about the same shapes, in turns in one process, and are checked
against each other first. Each peer is used in the way that suits it best; "by hand" is the program
that one writes without a library.
"""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from typing import Any

import numpy as np
import shapely
from peers import Case, Way, compare, installed
from scipy.spatial import cKDTree

from deepsim_colliders import (
    BoxCollider,
    CircleCollider,
    ColliderSet,
    CylinderCollider,
    GeometryCollider,
    RectangleCollider,
)
from deepsim_math import Pose, poses, quaternions

RANDOM = np.random.default_rng(0)
FCL, COAL, PYMUNK = installed("fcl"), installed("coal"), installed("pymunk")
MUJOCO, EMBREE = installed("mujoco"), installed("embreex")


def check(name: str, agrees: bool) -> None:
    """Prints whether a peer's answers are ours."""
    print(f"{name}: {'same answers' if agrees else 'DIFFERENT ANSWERS'}")


def random_poses(*shape: int, width: float, flat: bool = False) -> np.ndarray:
    """Poses (*shape, 7) in a cube or square of some width, turned in any way."""
    rows = np.empty((*shape, 7))
    rows[..., :3] = RANDOM.uniform(-0.5 * width, 0.5 * width, (*shape, 3))
    rows[..., 3:] = RANDOM.normal(size=(*shape, 4))
    if flat:
        rows[..., 2:5] = 0.0
    rows[..., 3:] /= np.linalg.norm(rows[..., 3:], axis=-1, keepdims=True)
    return rows


def track() -> Case:
    """Which of 4000 wheels are on a track of 2000 vertices."""
    angle = np.linspace(0.0, 2.0 * math.pi, 1000, endpoint=False)
    middle = (30.0 + 4.0 * np.sin(5.0 * angle))[:, np.newaxis]
    middle = middle * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    road = shapely.Polygon(middle * 1.05, [middle * 0.95])
    shapely.prepare(road)
    collider, points = GeometryCollider(road), RANDOM.uniform(-40.0, 40.0, (4000, 2))
    ours = collider.contains_points(points)
    check("track", bool((ours == shapely.contains_xy(road, points)).all()))
    ready = list(shapely.points(points))
    return Case(
        "4000 points in a track of 2000 vertices",
        {
            "GeometryCollider.contains_points": lambda: collider.contains_points(points),
            "shapely.contains_xy": lambda: shapely.contains_xy(road, points),
            "shapely, loop of prepared": lambda: [shapely.intersects(road, p) for p in ready],
        },
    )


def by_hand(boxes: np.ndarray, half: np.ndarray, origins: np.ndarray, steps: np.ndarray) -> Any:
    """First boxes that rays meet, in each world: the slabs of all pairs in NumPy."""
    turn = quaternions.to_matrix(boxes[..., 3:])  # (W, n, 3, 3)
    start = np.einsum("wnkl,wnrk->wnrl", turn, origins[:, np.newaxis] - boxes[..., np.newaxis, :3])
    step = np.einsum("wnkl,rk->wnrl", turn, steps)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = half[:, np.newaxis]
        one, two = (-size - start) / step, (size - start) / step
        first = np.minimum(one, two).max(axis=-1)
        last = np.maximum(one, two).min(axis=-1)
    met = (first <= last) & (last >= 0.0)
    distance = np.where(met, np.maximum(first, 0.0), np.inf)
    return distance.min(axis=1)


def pymunk_lidar(boxes: np.ndarray, sizes: np.ndarray, steps: np.ndarray) -> tuple[Way, Any]:
    """A space for each world, and a query for each ray: as pymunk has no batch call."""
    import pymunk  # noqa: PLC0415  # only where it is installed

    ends = (20.0 * steps[:, :2]).tolist()
    spaces = []
    for world in boxes:
        space = pymunk.Space()
        for size in sizes:
            body = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
            space.add(body, pymunk.Poly.create_box(body, size[:2].tolist()))
        spaces.append((space, world))

    def cast() -> list[float]:
        found = []
        for space, world in spaces:
            angles = 2.0 * np.arctan2(world[:, 5], world[:, 6])
            for body, pose, angle in zip(
                space.bodies, world.tolist(), angles.tolist(), strict=True
            ):
                body.position, body.angle = (pose[0], pose[1]), angle
                space.reindex_shapes_for_body(body)
            for end in ends:
                hit = space.segment_query_first((0.0, 0.0), end, 0.0, pymunk.ShapeFilter())
                found.append(20.0 * hit.alpha if hit else np.inf)
        return found

    return cast, np.reshape(cast(), (len(boxes), len(steps)))


def lidar(worlds: int, count: int, beams: int) -> Case:
    """Which wall of its world does each beam of a lidar meet first, after all walls moved."""
    boxes, sizes = random_poses(worlds, count, width=16.0, flat=True), np.array([2.0, 0.2, 2.0])
    sizes = np.tile(sizes, (count, 1))
    angle = np.linspace(0.0, 2.0 * math.pi, beams, endpoint=False)
    steps = np.stack([np.cos(angle), np.sin(angle), np.zeros(beams)], axis=-1)
    origins = np.zeros((worlds, 1, 3))
    ours = ColliderSet([BoxCollider(*size) for size in sizes], worlds=worlds)

    def moved() -> np.ndarray:
        ours.update(boxes)
        return ours.raycast(origins, steps).distances

    expected = by_hand(boxes, 0.5 * sizes, origins, steps)
    check("lidar, NumPy by hand", np.allclose(moved(), expected))
    ways: dict[str, Way] = {
        "ColliderSet, update and raycast": moved,
        "NumPy by hand": lambda: by_hand(boxes, 0.5 * sizes, origins, steps),
    }
    if PYMUNK:
        ways["pymunk, loop"], theirs = pymunk_lidar(boxes, sizes, steps)
        outside = np.isfinite(expected) & (expected > 0.0)
        check("lidar, pymunk", np.allclose(theirs[outside], expected[outside], atol=1e-6))
    return Case(f"{beams} rays in {worlds} worlds of {count} moved walls", ways)


def clearances(worlds: int, count: int, balls: int) -> Case:
    """How far is each ball from the nearest box of its world, after all boxes moved."""
    boxes, sizes = random_poses(worlds, count, width=16.0), RANDOM.uniform(0.5, 2.0, (count, 3))
    places = RANDOM.uniform(-8.0, 8.0, (worlds, balls, 3))
    ours = ColliderSet([BoxCollider(*size) for size in sizes], worlds=worlds)

    def moved() -> np.ndarray:
        ours.update(boxes)
        return ours.clearance(places, radius=0.2).distances

    def hand() -> np.ndarray:
        turn = quaternions.to_matrix(boxes[..., 3:])
        gap = places[:, :, np.newaxis] - boxes[:, np.newaxis, :, :3]
        local = np.einsum("wnkl,wpnk->wpnl", turn, gap)
        away = np.maximum(np.abs(local) - 0.5 * sizes, 0.0)
        return np.maximum(np.sqrt((away * away).sum(axis=-1)).min(axis=-1) - 0.2, 0.0)

    check("clearance, NumPy by hand", np.allclose(moved(), hand()))
    ways: dict[str, Way] = {"ColliderSet, update and clearance": moved, "NumPy by hand": hand}
    shares = {}
    if COAL:
        ways["coal, loop of pairs"] = coal_clearances(boxes[0], sizes, places[0], moved()[0])
        shares["coal, loop of pairs"] = 1.0 / worlds
    name = f"clearance of {balls} balls in {worlds} worlds of {count} moved boxes"
    return Case(name, ways, shares=shares)


def coal_clearances(
    boxes: np.ndarray, sizes: np.ndarray, places: np.ndarray, expected: np.ndarray
) -> Way:
    """One world: a call for each ball and box."""
    import coal  # noqa: PLC0415  # only where it is installed

    ball = coal.Sphere(0.2)
    shapes = [coal.Box(*size) for size in sizes]
    turns = quaternions.to_matrix(boxes[:, 3:])
    request, result = coal.DistanceRequest(), coal.DistanceResult()

    def loop() -> list[float]:
        there = [coal.Transform3s(*each) for each in zip(turns, boxes[:, :3], strict=True)]
        found = []
        for place in places:
            here, least = coal.Transform3s(np.eye(3), place), math.inf
            for shape, turn in zip(shapes, there, strict=True):
                result.clear()
                least = min(least, coal.distance(ball, here, shape, turn, request, result))
            found.append(max(least, 0.0))
        return found

    check("clearance, coal", np.allclose(loop(), expected, atol=1e-5))
    return loop


def discs() -> Case:
    """Which of 200 moved discs of one size meet."""
    rows = random_poses(200, width=30.0, flat=True)
    ours = ColliderSet([CircleCollider(0.5)] * 200)

    def moved() -> np.ndarray:
        ours.update(rows)
        return ours.pairs()

    def tree() -> np.ndarray:
        return cKDTree(rows[:, :2]).query_pairs(1.0, output_type="ndarray")

    check("discs, cKDTree", set(map(tuple, moved().tolist())) == set(map(tuple, tree().tolist())))
    ways: dict[str, Way] = {"ColliderSet, update and pairs": moved, "scipy cKDTree": tree}
    return Case("pairs of 200 moved discs", ways)


def rectangles() -> Case:
    """Which of 1000 moved rectangles meet."""
    rows, sizes = random_poses(1000, width=95.0, flat=True), RANDOM.uniform(0.5, 2.0, (1000, 2))
    ours = ColliderSet([RectangleCollider(*size) for size in sizes])

    def moved() -> np.ndarray:
        ours.update(rows)
        return ours.pairs()

    def by_tree() -> np.ndarray:
        x, y = sizes.T[..., np.newaxis] * np.array([1, -1, -1, 1]), np.array([1, 1, -1, -1])
        angle = 2.0 * np.arctan2(rows[:, 5], rows[:, 6])[:, np.newaxis]
        u, v = 0.5 * x[0], 0.5 * sizes[:, 1:] * y
        xs = np.cos(angle) * u - np.sin(angle) * v + rows[:, :1]
        ys = np.sin(angle) * u + np.cos(angle) * v + rows[:, 1:2]
        shapes = shapely.polygons(np.stack([xs, ys], axis=-1))
        pairs = shapely.STRtree(shapes).query(shapes, predicate="intersects")
        return pairs[:, pairs[0] < pairs[1]]

    found = set(map(tuple, by_tree().T.tolist()))
    check("rectangles, shapely", set(map(tuple, moved().tolist())) == found)
    ways: dict[str, Way] = {
        "ColliderSet, update and pairs": moved,
        "shapely, polygons and STRtree": by_tree,
    }
    return Case("pairs of 1000 moved rectangles", ways)


def one_pair(name: str) -> Case:
    """The distance of two colliders that are apart, and whether they meet."""
    first = BoxCollider(1.0, 1.0, 1.0, pose_offset=Pose((2, 0, 0), (0.1, 0.2, 0.3, 0.9)))
    other = BoxCollider(1.0, 2.0, 1.0) if name == "boxes" else CylinderCollider(0.5, 1.0)
    ways: dict[str, Way] = {
        "distance": lambda: first.distance(other),
        "intersects": lambda: first.intersects(other),
    }
    pose = first.pose
    turn = quaternions.to_matrix(pose.orientation)
    if FCL:
        import fcl  # noqa: PLC0415  # only where it is installed

        shape = fcl.Box(1.0, 2.0, 1.0) if name == "boxes" else fcl.Cylinder(0.5, 1.0)
        sides = [
            fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform(turn, np.asarray(pose.position))),
            fcl.CollisionObject(shape, fcl.Transform()),
        ]
        request, result = fcl.DistanceRequest(), fcl.DistanceResult()
        ways["python-fcl, distance"] = lambda: fcl.distance(*sides, request, result)
    if COAL:
        import coal  # noqa: PLC0415  # only where it is installed

        body = coal.Box(1.0, 2.0, 1.0) if name == "boxes" else coal.Cylinder(0.5, 1.0)
        box, here = coal.Box(1, 1, 1), coal.Transform3s(turn, np.asarray(pose.position))
        there, ask, answer = coal.Transform3s.Identity(), coal.DistanceRequest(), None
        answer = coal.DistanceResult()

        def by_coal() -> float:
            answer.clear()
            return coal.distance(box, here, body, there, ask, answer)

        check(f"distance of {name}, coal", abs(by_coal() - first.distance(other)) < 1e-5)
        ways["coal, distance"] = by_coal
    return Case(f"one pair: {name}", ways)


def rays() -> Case:
    """Which of 100 moved boxes does each of 10 000 rays meet first."""
    boxes, sizes = random_poses(100, width=20.0), RANDOM.uniform(0.5, 2.0, (100, 3))
    origins, steps = RANDOM.uniform(-10.0, 10.0, (10_000, 3)), RANDOM.normal(size=(10_000, 3))
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    ours = ColliderSet([BoxCollider(*size) for size in sizes])

    def moved() -> Any:
        ours.update(boxes)
        return ours.raycast(origins, steps)

    hits = moved()
    # From inside, peers go on to where the ray leaves: not to be compared.
    decided = ~hits.inside
    ways: dict[str, Way] = {"ColliderSet, update and raycast": moved}
    if MUJOCO:
        ways["MuJoCo, loop of mj_ray"], found = mujoco_rays(boxes, sizes, origins, steps)
        check("rays, MuJoCo", np.array_equal(found[decided], hits.ids[decided]))
    if EMBREE:
        ways["Embree, build and cast"], found = embree_rays(boxes, sizes, origins, steps)
        differ = int((found != hits.ids)[decided].sum())
        check(f"rays, Embree ({differ} differ by rounding)", differ <= 5)
    return Case("10 000 rays at 100 moved boxes", ways)


def mujoco_rays(
    boxes: np.ndarray, sizes: np.ndarray, origins: np.ndarray, steps: np.ndarray
) -> tuple[Way, np.ndarray]:
    """One call of MuJoCo for each ray; its boxes do not move."""
    import mujoco  # noqa: PLC0415  # only where it is installed

    spec = mujoco.MjSpec()
    for pose, size in zip(boxes, sizes, strict=True):
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=pose[:3],
            quat=np.roll(pose[3:], 1),
            size=0.5 * size,
        )
    model = spec.compile()
    data, geom = mujoco.MjData(model), np.zeros(1, dtype=np.int32)
    mujoco.mj_forward(model, data)

    def loop() -> np.ndarray:
        found = []
        for origin, step in zip(origins, steps, strict=True):
            mujoco.mj_ray(model, data, origin, step, None, 1, -1, geom)
            found.append(geom[0])
        return np.array(found)

    return loop, loop()


def embree_rays(
    boxes: np.ndarray, sizes: np.ndarray, origins: np.ndarray, steps: np.ndarray
) -> tuple[Way, np.ndarray]:
    """All rays in one call, against the triangles of the boxes; in single precision."""
    from embreex.mesh_construction import TriangleMesh  # noqa: PLC0415  # where installed
    from embreex.rtcore_scene import EmbreeScene  # noqa: PLC0415  # where installed

    corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    world = poses.transform_points(boxes[:, np.newaxis], corners * sizes[:, np.newaxis])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))])
    triangles = world[:, faces].reshape(-1, 3, 3).astype(np.float32)
    starts, ways = origins.astype(np.float32), steps.astype(np.float32)

    def cast() -> Any:
        scene = EmbreeScene()
        TriangleMesh(scene, triangles)
        return scene.run(starts, ways)

    found = cast()
    return cast, np.where(found < 0, -1, found // 12)


def first_call() -> Case:
    """Imports and answers one question in a new process."""
    programs = {
        "deepsim_colliders, a ray": "from deepsim_colliders import BoxCollider, ColliderSet\n"
        "ColliderSet([BoxCollider(1, 1, 1)]).raycast((-3, 0, 0), (1, 0, 0))",
        "numpy": "import numpy",
        "shapely, a point": "import shapely\n"
        "shapely.contains_xy(shapely.box(0, 0, 1, 1), 0.5, 0.5)",
    }
    if FCL:
        programs["python-fcl, a distance"] = (
            "import fcl\na, b = (fcl.CollisionObject(fcl.Sphere(1), fcl.Transform()) for _ in 'ab')"
            "\nfcl.distance(a, b, fcl.DistanceRequest(), fcl.DistanceResult())"
        )
    if COAL:
        programs["coal, a distance"] = (
            "import coal\nat = coal.Transform3s.Identity()\ncoal.distance(coal.Sphere(1), at, "
            "coal.Sphere(1), at, coal.DistanceRequest(), coal.DistanceResult())"
        )
    ways: dict[str, Way] = {
        name: (lambda text=text: subprocess.run([sys.executable, "-c", text], check=True))
        for name, text in programs.items()
    }
    return Case("first call of a process", ways, repeats=1)


def main() -> None:
    """Measures all cases."""
    cases = [
        track(),
        lidar(200, 20, 36),
        lidar(1000, 20, 36),
        clearances(1000, 20, 4),
        discs(),
        rectangles(),
        rays(),
        one_pair("boxes"),
        one_pair("a box and a cylinder"),
        first_call(),
    ]
    compare("colliders", cases, 9, "deepsim-colliders", "numpy", "shapely")


if __name__ == "__main__":
    main()
