# SPDX-License-Identifier: Apache-2.0
"""Writes the Scenic module that defines a class for every model, and makes it importable."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from deepsim_scenes.models.model_class import WALL, ModelClass
from deepsim_scenes.models.resizing import Stretch
from deepsim_sync.temporary_folders import temporary_folder

_WORKSPACE = """\
width = 5
length = 10
heading = 0
workspace = Workspace(RectangularRegion(0 @ 0, heading, width, length))
"""

# repr(): Scenic 3.1 cannot parse {value!r} on Python 3.12 and later.
_ROOM = '''\
def create_room(length, width, x=0, y=0, sides='NSWE'):
    """Places walls around a rectangle centred at (x, y): `width` along x, `length` along y [m]."""
    for side in sides:
        if side not in 'NSWE':
            raise ValueError("sides are letters of 'NSWE', got " + repr(sides))
    along_y, along_x = length / 2 - 0.1, width / 2 - 0.1
    for side, shift in (('N', along_y), ('S', -along_y)):
        if side in sides:
            new WALL at (x, y + shift MIDDLE, with length width - 0.1, facing 90 deg
    for side, shift in (('W', -along_x), ('E', along_x)):
        if side in sides:
            new WALL at (x + shift, y MIDDLE, with length length - 0.4, facing 0 deg
'''

_BEHAVIOURS = '''\
behavior DriveTo(place, speed=1.0, within=0.05):
    """Drives to a place (a vector or an object) at a speed [m/s] until it is near [m]."""
    while (distance from self to place) > within:
        take DriveTowards(place, speed)

behavior Patrol(places, speed=1.0, within=0.05):
    """Drives from place to place, again and again."""
    while True:
        for place in places:
            do DriveTo(place, speed, within)
'''


def library_text(classes: Iterable[ModelClass], dimensions: int) -> str:
    """Returns the text of the Scenic module: a class for each model, and behaviours.

    Args:
        classes: The models.
        dimensions: 2 for rectangles on the ground, 3 for the models' shapes in space.
    """
    parts = [
        "# Written by deepsim-scenes: a class for each model.\n",
        "from deepsim_scenes.dynamic.actions import Drive, DriveTowards, Push, SetJoints\n",
    ]
    parts.append(
        "from deepsim_scenes.language.shapes import shape_of\n" if dimensions == 3 else _WORKSPACE
    )
    parts += [_class(model, dimensions) for model in classes]
    middle = ", 0.5)" if dimensions == 3 else ")"
    parts += [_ROOM.replace("WALL", WALL).replace(" MIDDLE", middle), _BEHAVIOURS]
    return "\n".join(parts)


def _class(model: ModelClass, dimensions: int) -> str:
    heading = "Range(0, 360) deg" if model.heading is None else repr(model.heading)
    lines = [f"class {model.class_name}(Object):", f"gz_name: {model.name!r}"]
    if dimensions == 3:
        lines += [
            "position: (new Point in workspace).position"
            f" + Vector(0, 0, self.height / 2 + {model.z!r})",
            f"yaw: {heading}",
            f"shape: shape_of({model.class_name!r})",
        ]
    else:
        lines += ["position: new Point in workspace", f"heading: {heading}", f"z: {model.z!r}"]
    lines += [f"{key}: {value}" for key, value in _lengths(model).items()]
    lines += [f"allowCollisions: {model.allow_collisions}"]
    return "\n    ".join(lines) + "\n"


def _lengths(model: ModelClass) -> dict[str, str]:
    """Returns Scenic expressions for length, width and height; see `ModelClass.dynamic_size`."""
    lengths = {"length": model.length, "width": model.width, "height": model.height}
    if not model.dynamic_size:
        return {key: repr(value) for key, value in lengths.items()}
    tied = {Stretch.FREE: (), Stretch.ROUND: ("width",), Stretch.UNIFORM: ("width", "height")}
    return {
        key: f"self.length * {value / model.length!r}"
        if key in tied[model.stretch]
        else f"Range({value / 2!r}, {value * 2!r})"
        for key, value in lengths.items()
    }


PACKAGES = ("gzscenic", "deepsim_scenes")


@contextmanager
def library_on_path(text: str) -> Iterator[None]:
    """Makes a module importable as ``gzscenic.model`` and ``deepsim_scenes.model``.

    Args:
        text: The text of the module, in Scenic.
    """
    with temporary_folder("deepsim-scenes-") as home:
        place = str(home)
        for package in PACKAGES:
            folder = Path(place, package)
            folder.mkdir()
            (folder / "model.scenic").write_text(text, encoding="utf-8")
        sys.path.insert(0, place)
        library = sys.modules["deepsim_scenes"]
        own = list(library.__path__)
        library.__path__ = [*own, str(Path(place, "deepsim_scenes"))]
        importlib.invalidate_caches()
        try:
            yield
        finally:
            sys.path.remove(place)
            library.__path__ = own
            for name in ("gzscenic", *(f"{package}.model" for package in PACKAGES)):
                sys.modules.pop(name, None)
