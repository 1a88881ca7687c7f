# SPDX-License-Identifier: Apache-2.0
"""Draw the pictures of the documentation into docs/images.

python libs/deepsim-colliders/docs/pictures.py; needs deepsim-colliders[hulls,plot].
"""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import shapely

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    ColliderSet,
    ConeCollider,
    CylinderCollider,
    EllipsoidCollider,
    GeometryCollider,
    HeightmapCollider,
    HullCollider,
    MeshCollider,
    PlaneCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_colliders.plot import top_view
from deepsim_math import Euler, Pose, Ray

IMAGES = Path(__file__).parent / "images"
LIGHT = np.array([-0.4, -0.75, 0.55])
COLOURS = plt.get_cmap("tab10")


def front_view(ax, colliders, span, step=0.025):
    """Show colliders as rays along +y see them: x to the right, z up [m]."""
    left, right, low, high = span
    x, z = np.arange(left, right, step) + step / 2, np.arange(low, high, step) + step / 2
    origins = np.stack(np.broadcast_arrays(x, -50.0, z[:, np.newaxis]), axis=-1)
    hits = ColliderSet(colliders).raycast(origins, (0.0, 1.0, 0.0))
    bright = 0.35 + 0.65 * np.clip(np.nan_to_num(hits.normals) @ LIGHT, 0, 1)
    picture = np.ones((*hits.ids.shape, 3))
    met = hits.ids >= 0
    colours = np.array([COLOURS(k % 10)[:3] for k in range(len(colliders))])
    picture[met] = colours[hits.ids[met]] * bright[met][:, np.newaxis]
    ax.imshow(picture, extent=span, origin="lower", interpolation="nearest")
    ax.set(xlabel="x [m]", ylabel="z [m]")
    ax.grid(alpha=0.25)


def solids():
    """All solids, one beside the other."""
    turn = Euler(0.35, 0.0, 0.6)
    row = [
        ("Box", BoxCollider(1.2, 1.0, 1.4)),
        ("Sphere", SphereCollider(0.7)),
        ("Capsule", CapsuleCollider(0.4, 0.9)),
        ("Cylinder", CylinderCollider(0.5, 1.5)),
        ("Cone", ConeCollider(0.7, 1.5)),
        ("Ellipsoid", EllipsoidCollider((0.8, 0.5, 0.5))),
        ("Hull", HullCollider(np.random.default_rng(3).normal(size=(14, 3)) * 0.32)),
    ]
    for k, (_, collider) in enumerate(row):
        collider.pose_offset = Pose((2.0 * k, 0, 1.2), turn)
    everything = [collider for _, collider in row]
    everything.append(PlaneCollider(pose_offset=Pose((0, 0, 0.1))))
    figure, ax = plt.subplots(figsize=(11, 2.7), layout="constrained")
    front_view(ax, everything, (-1.2, 13.2, -0.2, 2.5))
    for k, (name, _) in enumerate(row):
        ax.text(2.0 * k, 2.2, name, ha="center")
    ax.text(-1.1, -0.12, "Plane", color="white")
    figure.savefig(IMAGES / "solids.png", dpi=110)


def queries():
    """Distance, contacts and the pieces of a ray."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    box = BoxCollider(1.2, 1, 1, pose_offset=Pose((0, 0, 0.6), Euler(0, 0.4, 0)))
    pillar = CylinderCollider(0.4, 1.6, pose_offset=Pose((2.1, 0, 1.2)))
    front_view(axes[0], [box, pillar], (-1, 3, -0.3, 2.4))
    first, second = box.closest_points(pillar)
    axes[0].plot([first.x, second.x], [first.z, second.z], "ko-", lw=2)
    axes[0].set_title(f"distance {box.distance(pillar):.2f} m and closest points")

    ground = PlaneCollider()
    crate = BoxCollider(1.2, 1, 1, pose_offset=Pose((0, 0, 0.42)))
    ball = SphereCollider(0.5, pose_offset=Pose((1.7, 0, 0.4)))
    front_view(axes[1], [crate, ball, ground], (-1, 3, -0.5, 2.2))
    for collider in (crate, ball):
        for contact in collider.contacts(ground):
            x, z, n = contact.point.x, contact.point.z, contact.normal.z
            axes[1].plot(x, z, "ko")
            axes[1].annotate(
                "", (x, z + 0.35 * n), (x, z), arrowprops={"arrowstyle": "->", "color": "red"}
            )
    axes[1].set_title("contacts: points, normals, depths")

    ring = MeshCollider(*torus())
    ring.pose_offset = Pose((1, 0, 1), Euler(1.2, 0, 0))
    front_view(axes[2], [ring], (-1, 3, -0.5, 2.5))
    for hit in ring.raycast_all(Ray((-1, 0, 1), (1, 0, 0))):
        begin, end = -1 + hit.distance, -1 + hit.exit_distance
        axes[2].plot([begin, end], [1, 1], "k-", lw=3)
        axes[2].plot(begin, 1, "k>", end, 1, "k|", ms=10)
    axes[2].plot([-1, 3], [1, 1], "k:", lw=1)
    axes[2].set_title("all pieces of a ray in a mesh")
    figure.savefig(IMAGES / "queries.png", dpi=110)


def ground():
    """A mesh and a heightmap."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained")
    ring = MeshCollider(*torus(), pose_offset=Pose((0, 0, 1), Euler(1.0, 0, 0)))
    front_view(axes[0], [ring], (-1.6, 1.6, -0.2, 2.2))
    axes[0].set_title("MeshCollider")
    x, y = np.meshgrid(np.linspace(-3, 3, 25), np.linspace(-2, 2, 17))
    heights = 0.7 * np.exp(-(x**2) - y**2) + 0.3 * np.sin(1.5 * x) * np.cos(2 * y)
    hill = HeightmapCollider(heights, (6, 4), depth=0.3, pose_offset=Pose((0, 0, 1)))
    front_view(axes[1], [hill], (-3.4, 3.4, 0, 2.4))
    axes[1].set_title("HeightmapCollider")
    figure.savefig(IMAGES / "meshes.png", dpi=110)


def torus(around=36, across=16):
    """Vertices and faces of a ring."""
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = 2 * math.pi * i / around, 2 * math.pi * j / across
    far = 1 + 0.3 * np.cos(b)
    vertices = np.stack([far * np.cos(a), far * np.sin(a), 0.3 * np.sin(b)], -1).reshape(-1, 3)
    after_i, after_j = (i + 1) % around, (j + 1) % across
    corners = [p * across + q for p, q in ((i, j), (after_i, j), (after_i, after_j), (i, after_j))]
    p, q, r, s = (corner.reshape(-1) for corner in corners)
    return vertices, np.concatenate([np.column_stack([p, q, r]), np.column_stack([p, r, s])])


def flat():
    """2D shapes from above, with a ray and the shortest way between two."""
    track = GeometryCollider(
        shapely.LineString([(0, 0), (6, 0), (6, 4), (0, 4), (0, 0)]).buffer(0.7)
    )
    car = RectangleCollider(1.2, 0.6, pose_offset=Pose((3, 2, 0), Euler(0, 0, 0.5)))
    cone = CircleCollider(0.3, pose_offset=Pose((1.5, 1.6, 0)))
    figure, ax = plt.subplots(figsize=(6.5, 4.6), layout="constrained")
    top_view([track], ax, facecolor="0.75")
    top_view([car, cone], ax)
    first, second = car.closest_points(cone)
    ax.plot([first.x, second.x], [first.y, second.y], "ko-", lw=1.5, ms=4)
    hit = track.raycast(Ray((3, 2, 0), (1, -0.35, 0)))
    ax.annotate(
        "", (hit.point.x, hit.point.y), (3, 2), arrowprops={"arrowstyle": "->", "color": "red"}
    )
    ax.set(xlabel="x [m]", ylabel="y [m]", title="track, car and cone; a ray; the shortest way")
    ax.grid(alpha=0.25)
    figure.savefig(IMAGES / "flat.png", dpi=110)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for draw in (solids, queries, ground, flat):
        draw()
        print(f"drew {draw.__name__}")
