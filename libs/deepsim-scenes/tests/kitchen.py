# SPDX-License-Identifier: Apache-2.0
"""Models of our own, sized like those of the paper's figure 4, and its scenario."""

from __future__ import annotations

from pathlib import Path

from deepsim_math import Pose
from deepsim_spawn import (
    Box,
    CollisionDescription,
    Cylinder,
    Geometry,
    Inertial,
    LinkDescription,
    ModelDescription,
    VisualDescription,
)

MODELS = """\
models:
- name: fetch
  type: MISSION_ONLY
  width: 0.57
  length: 0.53
  heading: -1.57
- name: waypoint
  type: MISSION_ONLY
- name: cafe_table
  type: GAZEBO_MODEL
- name: bookshelf
  type: GAZEBO_MODEL
- name: LampAndStand
  type: GAZEBO_MODEL
- name: demo_cube
  type: CUSTOM_MODEL
  dynamic_size: False
- name: crate
  type: CUSTOM_MODEL
- name: barrel
  type: CUSTOM_MODEL
models_dir: models/
"""

FIGURE_4 = """\
width = 8
length = 8
heading = 0
workspace = Workspace(RectangularRegion(0 @ 0,
    heading, width, length))

create_room(length, width, x=0, y=0, sides='NSWE')

ego = Fetch at 0 @ 0

table1 = CafeTable offset by 0 @ 1, facing 0 deg
create_room(3, 2.5, x=-2, y=2, sides='NSE')
table2 = CafeTable at -2 @ 2
Bookshelf at Range(-4,4) @ -3.5, facing 180 deg
back_right_region = RectangularRegion(-2 @ -2, 0,
    3.5, 3.5)
Lampandstand in back_right_region
"""


def model(
    name: str, *parts: tuple[Geometry, tuple[float, float, float]], static: bool = True
) -> ModelDescription:
    """Returns a model of one link."""
    link = LinkDescription(
        "link",
        inertial=Inertial(2.0, Pose((0.0, 0.0, 0.1)), 0.02, 0.03, 0.04),
        collisions=tuple(
            CollisionDescription(f"collision{number}", shape, Pose(place))
            for number, (shape, place) in enumerate(parts)
        ),
        visuals=tuple(
            VisualDescription(f"visual{number}", shape, Pose(place))
            for number, (shape, place) in enumerate(parts)
        ),
    )
    return ModelDescription(name, links=(link,), static=static)


STAND_INS = (
    model(
        "cafe_table",
        (Box((0.913, 0.913, 0.04)), (0, 0, 0.755)),
        (Box((0.042, 0.042, 0.74)), (0, 0, 0.37)),
        (Box((0.56, 0.56, 0.04)), (0, 0, 0.02)),
    ),
    model(
        "bookshelf",
        (Box((0.9, 0.01, 1.2)), (0, 0.005, 0.6)),
        *((Box((0.9, 0.4, 0.02)), (0, 0.205, 0.1 + 0.36 * level)) for level in range(4)),
    ),
    model(
        "LampAndStand",
        (Cylinder(0.02, 1.3), (0, 0, 0.65)),
        (Cylinder(0.17, 0.04), (0, 0, 0.02)),
        (Cylinder(0.2, 0.3), (0, 0, 1.35)),
    ),
    model("demo_cube", (Box((0.06, 0.06, 0.06)), (0, 0, 0.03)), static=False),
    model("crate", (Box((0.4, 0.6, 0.3)), (0, 0, 0.15)), static=False),
    model("barrel", (Cylinder(0.3, 0.9), (0, 0, 0.45)), static=False),
)


def write_model(folder: Path, description: ModelDescription) -> None:
    """Writes a model's folder."""
    own = folder / description.name
    own.mkdir(parents=True)
    own.joinpath("model.sdf").write_text(description.to_sdf())
    own.joinpath("model.config").write_text(
        f"<model><name>{description.name}</name><sdf version='1.7'>model.sdf</sdf></model>"
    )


def write_kitchen(folder: Path) -> Path:
    """Writes `models.yaml`, its models and `figure4.scenic` into a folder, and returns it."""
    for description in STAND_INS:
        write_model(folder / "models", description)
    folder.joinpath("models.yaml").write_text(MODELS)
    folder.joinpath("figure4.scenic").write_text(FIGURE_4)
    return folder
