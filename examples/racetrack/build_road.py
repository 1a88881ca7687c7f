# SPDX-License-Identifier: Apache-2.0
"""Writes the meshes of the road from the course.

Run it from the root of the repository after a change of `centreline.py`:
``python -m examples.racetrack.build_road``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .centreline import WIDTH, Centreline

MESHES = Path(__file__).parent / "models" / "track" / "meshes"

_LINE = 0.06  # width of the white lines [m]
_THICKNESS = 0.004  # [m]


def strip(inner: float, outer: float, height: float, first: int = 1) -> str:
    """A closed strip along the course, as OBJ text.

    Args:
        inner: Offset of its right edge from the centre line [m].
        outer: Offset of its left edge [m].
        height: Of its upper side [m].
        first: Number of its first vertex.
    """
    line = Centreline()
    along = np.linspace(0.0, line.length, 160, endpoint=False)
    count = len(along)
    lines = []
    for offset in (inner, outer):
        for z in (height - _THICKNESS, height):
            lines += [f"v {x:.4f} {y:.4f} {z:.4f}" for x, y in line.point(along, offset)]
    # Rings of vertices: right below, right above, left below, left above.
    for ring, other in ((1, 3), (3, 2), (2, 0), (0, 1)):
        for i in range(count):
            j = (i + 1) % count
            a, b = first + ring * count + i, first + ring * count + j
            c, d = first + other * count + j, first + other * count + i
            lines.append(f"f {a} {b} {c} {d}")
    return "\n".join(lines) + "\n"


def meshes() -> dict[str, str]:
    """The OBJ files by name."""
    half = WIDTH / 2
    right = strip(-half, -half + _LINE, 0.008)
    left = strip(half - _LINE, half, 0.008, first=1 + right.count("v "))
    return {"asphalt.obj": strip(-half, half, 0.004), "lines.obj": right + left}


if __name__ == "__main__":
    for name, text in meshes().items():
        (MESHES / name).write_text(text)
