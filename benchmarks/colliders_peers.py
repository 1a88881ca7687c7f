# SPDX-License-Identifier: Apache-2.0
"""The peers of deepsim-colliders, each asked in the way that it likes best.

Every function gives ways of doing a task and checks that their answers are ours.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from peers import Way

from deepsim_math import Frustum, poses


@dataclass(frozen=True)
class Boxes:
    """Boxes with poses (n, 7) and sizes (n, 3)."""

    poses: np.ndarray
    sizes: np.ndarray

    def rows(self) -> Any:
        """Pairs of a pose and a size."""
        return zip(self.poses, self.sizes, strict=True)


def check(name: str, agrees: bool) -> None:
    """Prints whether the peer's answers are ours."""
    print(f"{name}: {'same answers' if agrees else 'DIFFERENT ANSWERS'}")


def fcl_pairs(first: Boxes, second: Boxes, expected: np.ndarray) -> dict[str, Way]:
    """Pairs that meet, by the trees of python-fcl."""
    import fcl  # noqa: PLC0415  # only where it is installed

    def transform(pose: np.ndarray) -> Any:
        return fcl.Transform(np.roll(pose[3:], 1), pose[:3])

    def manager(boxes: Boxes) -> tuple[Any, list[Any], list[Any]]:
        shapes = [fcl.Box(*size) for size in boxes.sizes]
        objects = [
            fcl.CollisionObject(shape, transform(pose))
            for shape, pose in zip(shapes, boxes.poses, strict=True)
        ]
        tree = fcl.DynamicAABBTreeCollisionManager()
        tree.registerObjects(objects)
        tree.setup()
        return tree, objects, shapes

    sides = [(boxes, *manager(boxes)) for boxes in (first, second)]
    (_, tree, _, shapes), (_, other_tree, _, other_shapes) = sides

    def collide() -> Any:
        data = fcl.CollisionData(fcl.CollisionRequest(num_max_contacts=10_000))
        tree.collide(other_tree, data, fcl.defaultCollisionCallback)
        return data.result.contacts

    def moved() -> Any:
        for boxes, own_tree, objects, _ in sides:
            for pose, one in zip(boxes.poses, objects, strict=True):
                one.setTransform(transform(pose))
            own_tree.update()
        return collide()

    names, other_names = list(map(id, shapes)), list(map(id, other_shapes))
    found = {(names.index(id(c.o1)), other_names.index(id(c.o2))) for c in collide()}
    check(f"{len(expected)} pairs, python-fcl", found == set(map(tuple, expected.tolist())))
    return {"python-fcl, broad phase": collide, "python-fcl, update and broad phase": moved}


def mujoco_scene(boxes: Boxes) -> tuple[Any, Any]:
    """The boxes as geoms of the world, in the same order."""
    import mujoco  # noqa: PLC0415  # only where it is installed

    spec = mujoco.MjSpec()
    for pose, size in boxes.rows():
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=pose[:3],
            quat=np.roll(pose[3:], 1),
            size=0.5 * size,
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def mujoco_pairs(first: Boxes, second: Boxes, expected: np.ndarray) -> dict[str, Way]:
    """Pairs that meet, and their contacts, by MuJoCo's collision of bodies that float."""
    import mujoco  # noqa: PLC0415  # only where it is installed

    spec = mujoco.MjSpec()
    for bits, boxes in ((1, first), (2, second)):
        for pose, size in boxes.rows():
            body = spec.worldbody.add_body(pos=pose[:3], quat=np.roll(pose[3:], 1))
            body.add_freejoint()
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX, size=0.5 * size, contype=bits, conaffinity=3 - bits
            )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    met = {tuple(sorted(pair)) for pair in data.contact.geom.tolist()}
    count = len(first.poses)
    check(
        f"{len(expected)} pairs, MuJoCo",
        met == {(a, b + count) for a, b in expected.tolist()},
    )
    return {"MuJoCo, mj_collision": lambda: mujoco.mj_collision(model, data)}


def mujoco_rays(
    boxes: Boxes, origins: np.ndarray, directions: np.ndarray, expected: np.ndarray
) -> dict[str, Way]:
    """One call of MuJoCo for each ray."""
    import mujoco  # noqa: PLC0415  # only where it is installed

    model, data = mujoco_scene(boxes)
    geom = np.zeros(1, dtype=np.int32)

    def loop() -> list[int]:
        found = []
        for origin, direction in zip(origins, directions, strict=True):
            mujoco.mj_ray(model, data, origin, direction, None, 1, -1, geom)
            found.append(geom[0])
        return found

    decided = expected > -2
    check("rays, MuJoCo", np.array_equal(np.array(loop())[decided], expected[decided]))
    return {"MuJoCo, loop of mj_ray": loop}


def embree_rays(
    boxes: Boxes, origins: np.ndarray, directions: np.ndarray, expected: np.ndarray
) -> dict[str, Way]:
    """All rays in one call of Embree, against the triangles of the boxes; in single precision."""
    from embreex.mesh_construction import TriangleMesh  # noqa: PLC0415  # where installed
    from embreex.rtcore_scene import EmbreeScene  # noqa: PLC0415  # where installed

    corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    local = corners * boxes.sizes[:, np.newaxis]
    world = poses.transform_points(boxes.poses[:, np.newaxis], local)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))])
    triangles = world[:, faces].reshape(-1, 3, 3).astype(np.float32)
    origins, directions = origins.astype(np.float32), directions.astype(np.float32)

    def build() -> Any:
        scene = EmbreeScene()
        TriangleMesh(scene, triangles)
        return scene

    scene = build()
    found = scene.run(origins, directions)
    differing = int((np.where(found < 0, -1, found // 12) != expected)[expected > -2].sum())
    check(f"rays, Embree ({differing} differ by rounding)", differing <= 5)
    return {
        "Embree, built": lambda: scene.run(origins, directions),
        "Embree, build and cast": lambda: build().run(origins, directions),
    }


def mujoco_picture(
    boxes: Boxes, camera: Frustum, directions: np.ndarray, expected: np.ndarray
) -> dict[str, Way]:
    """All rays from one point in one call of MuJoCo."""
    import mujoco  # noqa: PLC0415  # only where it is installed

    model, data = mujoco_scene(boxes)
    eye, vectors = np.asarray(camera.pose.position), np.ascontiguousarray(directions).reshape(-1)
    count = vectors.size // 3
    geoms, distances = np.zeros(count, dtype=np.int32), np.zeros(count)

    def cast() -> None:
        mujoco.mj_multiRay(
            model, data, eye, vectors, None, 1, -1, geoms, distances, None, count, camera.far
        )

    cast()
    check("segmentation, MuJoCo", np.array_equal(geoms, expected.reshape(-1)))
    return {"MuJoCo, mj_multiRay": cast}


def pymunk_pairs(poses: np.ndarray, sizes: np.ndarray) -> dict[str, Way]:
    """Rectangles of pymunk, (n, 3) of x, y, yaw, with its usual settings, stepped by 1e-9 s.

    "step" leaves them where they are: its tree and the contacts of the step before stay valid, so
    that it does less than ours, which takes new poses. "move and step" gives each body its pose
    first, by a loop in Python, as pymunk has no call for all. Both also solve the contacts.
    """
    import pymunk  # noqa: PLC0415  # only where it is installed

    space = pymunk.Space()
    bodies = []
    for (length, width), (x, y, yaw) in zip(sizes.tolist(), poses.tolist(), strict=True):
        body = pymunk.Body(body_type=pymunk.Body.DYNAMIC, mass=1.0, moment=1.0)
        body.position, body.angle = (x, y), yaw
        space.add(body, pymunk.Poly.create_box(body, (length, width)))
        bodies.append(body)
    rows = poses.tolist()

    def moved() -> None:
        for body, (x, y, yaw) in zip(bodies, rows, strict=True):
            body.position, body.angle = (x, y), yaw
        space.step(1e-9)

    return {"pymunk, step": lambda: space.step(1e-9), "pymunk, move and step": moved}


def numba_lidar(
    poses: np.ndarray, sizes: np.ndarray, directions: np.ndarray, expected: np.ndarray
) -> dict[str, Way]:
    """Each ray from the origin of its world against each box (worlds, n), by a loop of numba."""
    import numba  # noqa: PLC0415  # only where it is installed

    from deepsim_math import quaternions  # noqa: PLC0415

    axes = quaternions.to_matrix(poses[..., 3:]).swapaxes(-1, -2).copy()
    centers, half = poses[..., :3].copy(), 0.5 * sizes

    @numba.njit
    def cast(centers, axes, half, directions, ids, distances):  # type: ignore[no-untyped-def]
        for world in range(centers.shape[0]):
            for ray in range(directions.shape[0]):
                best, found = np.inf, -1
                for box in range(centers.shape[1]):
                    start, end = 0.0, np.inf
                    for axis in range(3):
                        origin, step = 0.0, 0.0
                        for k in range(3):
                            origin -= axes[world, box, axis, k] * centers[world, box, k]
                            step += axes[world, box, axis, k] * directions[ray, k]
                        inverse = 1.0 / step
                        middle, reach = -origin * inverse, half[box, axis] * abs(inverse)
                        start, end = max(start, middle - reach), min(end, middle + reach)
                    if start <= end and start < best:
                        best, found = start, box
                ids[world, ray], distances[world, ray] = found, best

    ids = np.empty((len(poses), len(directions)), dtype=np.int64)
    distances = np.empty(ids.shape)

    def all_worlds() -> None:
        cast(centers, axes, half, directions, ids, distances)

    all_worlds()
    check("lidar, numba", np.array_equal(ids, expected))
    return {"numba, each ray with each box": all_worlds}
