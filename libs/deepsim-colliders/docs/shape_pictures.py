# SPDX-License-Identifier: Apache-2.0
"""Draw the picture of each shape's page into docs/images/shapes.

python libs/deepsim-colliders/docs/shape_pictures.py; needs deepsim-colliders[hulls,plot].
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import shapely
from pictures import IMAGES, front_view, torus

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    CompoundCollider,
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

SPAN = (-1.5, 3.0, -1.5, 1.5)
TURN = Euler(0.4, 0.5, 0.3)


def hill():
    """A landscape of 3 m by 3 m."""
    x, y = np.meshgrid(np.linspace(-1.5, 1.5, 25), np.linspace(-1.5, 1.5, 25))
    return 0.4 * np.sin(2 * x) * np.cos(2 * y) - 0.3


SOLIDS = {
    "box": BoxCollider(1.6, 1.0, 1.2),
    "sphere": SphereCollider(0.8),
    "capsule": CapsuleCollider(0.5, 1.2),
    "cylinder": CylinderCollider(0.6, 1.6),
    "cone": ConeCollider(0.8, 1.8),
    "ellipsoid": EllipsoidCollider((1.0, 0.6, 0.5)),
    "plane": PlaneCollider(),
    "hull": HullCollider(np.random.default_rng(3).normal(size=(14, 3)) * 0.5),
    "mesh": MeshCollider(*torus()),
    "heightmap": HeightmapCollider(hill(), (3, 3), depth=0.4),
    "compound": CompoundCollider(
        [CylinderCollider(0.25, 1.6), SphereCollider(0.6, pose_offset=Pose((0, 0, 0.8)))]
    ),
}
FLAT = {
    "rectangle": RectangleCollider(2.0, 1.2),
    "circle": CircleCollider(0.8),
    "geometry": GeometryCollider(
        shapely.LineString([(-1, -0.6), (0.6, -0.6), (0.8, 0.8)]).buffer(0.35)
    ),
}


def solid(name, collider):
    """The shape turned, and upright with its frame, a distance and a ray."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    collider.pose_offset = Pose((0.75, 0, 0), Euler(0, 0.5, 0) if name == "plane" else TURN)
    front_view(axes[0], [collider], SPAN)
    axes[0].set_title("turned")
    collider.pose_offset = Pose()
    ball = SphereCollider(0.2, pose_offset=Pose((2.2, 0, 1.1)))
    front_view(axes[1], [collider, ball], SPAN)
    queries(axes[1], collider, ball, Ray((2.8, 0.0, -0.2), (-1, 0, 0)), "z")
    save(figure, name)


def flat(name, collider):
    """The shape turned, and with its frame, a distance and a ray."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    collider.pose_offset = Pose((0.75, 0, 0), Euler(0, 0, 0.5))
    top_view([collider], ax=axes[0])
    collider.pose_offset = Pose()
    disc = CircleCollider(0.2, pose_offset=Pose((2.2, 1.1, 0)))
    top_view([collider, disc], ax=axes[1])
    queries(axes[1], collider, disc, Ray((2.8, -0.4, 0.0), (-1, 0, 0)), "y")
    axes[0].set_title("turned")
    for ax in axes:
        ax.set(xlim=SPAN[:2], ylim=SPAN[2:], xlabel="x [m]", ylabel="y [m]")
        ax.grid(alpha=0.25)
    save(figure, name)


def queries(ax, collider, other, ray, up):
    """Draw the axes of the frame, the closest points and the pieces of a ray."""
    for x, y, label in ((0.5, 0, "x"), (0, 0.5, up)):
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": "black"})
        ax.text(x * 1.15 + 0.03, y * 1.15 + 0.03, label)
    first, second = collider.closest_points(other)
    ax.plot([first.x, second.x], [getattr(first, up), getattr(second, up)], "ko-", lw=2)
    height = getattr(ray.origin, up)
    ax.plot([SPAN[0], ray.origin.x], [height, height], "k:", lw=1)
    for hit in collider.raycast_all(ray):
        begin, end = ray.origin.x - hit.distance, ray.origin.x - hit.exit_distance
        ax.plot([begin, max(end, SPAN[0])], [height, height], "k-", lw=3)
        ax.plot(begin, height, "k<", ms=8)
    ax.set_title(f"its frame, {collider.distance(other):.2f} m to another, a ray")


def save(figure, name):
    """Write the picture of a page."""
    folder = IMAGES / "shapes"
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / f"{name}.png", dpi=80)
    plt.close(figure)


if __name__ == "__main__":
    for each, shape in SOLIDS.items():
        solid(each, shape)
    for each, shape in FLAT.items():
        flat(each, shape)
