# SPDX-License-Identifier: Apache-2.0
"""Writes all meshes into ``models/``.

Run it in the folder above after a change of the course or of a shape:
``python -m racetrack_shapes``.
"""

from __future__ import annotations

from pathlib import Path

from .road import track
from .solids import obj
from .vehicles import car, van

MODELS = Path(__file__).parents[2] / "src/deepsim_tasks/racetrack/models"


def meshes() -> dict[Path, str]:
    """Returns the text of every mesh, by file."""
    return {
        MODELS / model / "meshes" / f"{name}.obj": obj(solids)
        for model, parts in (("track", track()), ("car", car()), ("van", van()))
        for name, solids in parts.items()
    }


if __name__ == "__main__":
    for file, text in meshes().items():
        file.write_text(text)
