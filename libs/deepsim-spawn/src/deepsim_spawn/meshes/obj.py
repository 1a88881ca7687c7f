# SPDX-License-Identifier: Apache-2.0
"""Wavefront OBJ files."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .part import Part, fans


def read_obj(content: bytes) -> list[Part]:
    """Returns the faces of a file by object and group; a part has the names of both.

    Raises:
        ValueError: The file is malformed.
    """
    vertices: list[list[float]] = []
    polygons: dict[tuple[str, ...], list[list[int]]] = defaultdict(list)
    owner: tuple[str, ...] = ("", "")
    text = content.decode("utf-8", "replace").replace("\\\n", " ")
    for number, line in enumerate(text.splitlines(), 1):
        match line.split():
            case ["v", x, y, z, *_]:
                vertices.append([float(x), float(y), float(z)])
            case ["f", *corners]:
                found = [int(corner.split("/")[0]) for corner in corners]
                count = len(vertices)
                found = [index - 1 if index > 0 else count + index for index in found]
                if not all(0 <= index < count for index in found):
                    raise ValueError(f"line {number}: a face refers to a missing vertex")
                polygons[owner].append(found)
            case ["o", *words]:
                owner = (" ".join(words), "")
            case ["g", *words]:
                owner = (owner[0], *words)
    points = np.array(vertices, dtype=np.float64).reshape(-1, 3)
    return [
        Part(
            frozenset(names) - {""},
            points,
            fans(
                np.array([index for one in faces for index in one], dtype=np.int64),
                np.array([len(one) for one in faces], dtype=np.int64),
            ),
        )
        for names, faces in polygons.items()
    ]
