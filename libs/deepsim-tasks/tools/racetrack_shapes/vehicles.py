# SPDX-License-Identifier: Apache-2.0
"""The solids of cars and vans: a few outlines and boxes, by the name of the visual."""

from __future__ import annotations

from .solids import Solid, box, loft


def car() -> dict[str, list[Solid]]:
    """Returns a racing car, 0.46 m long."""
    hull = loft(
        [
            (-0.235, 0.10, 0.05), (-0.24, 0.11, 0.115), (-0.19, 0.105, 0.13), (0.08, 0.105, 0.118),
            (0.215, 0.09, 0.085), (0.24, 0.085, 0.06), (0.22, 0.09, 0.04),
        ]
    )  # fmt: skip
    roof = loft(
        [(-0.115, 0.068, 0.176), (-0.11, 0.066, 0.186), (0.0, 0.066, 0.184), (0.01, 0.068, 0.174)]
    )
    cabin = loft(
        [(-0.17, 0.092, 0.12), (-0.115, 0.07, 0.178), (0.01, 0.07, 0.176), (0.095, 0.092, 0.112)]
    )
    stripes = (
        [(-0.118, 0.022, 0.17), (-0.112, 0.022, 0.189), (0.0, 0.022, 0.187), (0.005, 0.022, 0.17)],
        [(0.08, 0.022, 0.1), (0.08, 0.022, 0.1205), (0.215, 0.022, 0.0875), (0.215, 0.022, 0.08)],
    )
    wing = box((-0.255, -0.195), (-0.14, 0.14), (0.185, 0.195))
    posts = _both_sides((-0.235, -0.215), (-0.07, 0.07), 0.008, (0.11, 0.19))
    splitter = box((0.2, 0.262), (-0.14, 0.14), (0.03, 0.042))
    return {
        "paint": [hull, roof, *_both_sides((-0.08, 0.08), (0.14, -0.14), 0.02, (0.035, 0.085))],
        "glass": [cabin],
        "carbon": [wing, *posts, splitter],
        "stripe": [loft(stripe) for stripe in stripes],
        "headlights": _both_sides((0.2, 0.238), (-0.062, 0.062), 0.018, (0.07, 0.088)),
        "taillights": _both_sides((-0.243, -0.2), (-0.075, 0.075), 0.025, (0.09, 0.112)),
    }


def van() -> dict[str, list[Solid]]:
    """Returns a delivery van, 0.6 m long."""
    hull = loft(
        [
            (-0.3, 0.145, 0.05), (-0.3, 0.145, 0.33), (-0.285, 0.14, 0.34), (0.11, 0.14, 0.335),
            (0.13, 0.145, 0.32), (0.24, 0.145, 0.2), (0.295, 0.145, 0.165), (0.3, 0.145, 0.05),
        ]
    )  # fmt: skip
    screen = loft(
        [(0.12, 0.12, 0.3), (0.14, 0.12, 0.3145), (0.233, 0.12, 0.2125), (0.21, 0.12, 0.2)]
    )
    doors = loft(
        [(0.02, 0.147, 0.215), (0.02, 0.147, 0.305), (0.125, 0.147, 0.305), (0.205, 0.147, 0.215)]
    )
    rear = box((-0.31, -0.28), (-0.145, 0.145), (0.04, 0.075))
    front = box((0.28, 0.31), (-0.145, 0.145), (0.04, 0.08))
    return {
        "paint": [hull],
        "glass": [screen, doors],
        "bumpers": [rear, front],
        "headlights": _both_sides((0.28, 0.303), (-0.1, 0.1), 0.025, (0.11, 0.145)),
        "taillights": _both_sides((-0.305, -0.28), (-0.125, 0.125), 0.012, (0.12, 0.2)),
    }


def _both_sides(
    x: tuple[float, float], y: tuple[float, float], half: float, z: tuple[float, float]
) -> list[Solid]:
    """Returns two boxes whose middles are at y."""
    return [box(x, (side - half, side + half), z) for side in y]
