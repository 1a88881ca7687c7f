# SPDX-License-Identifier: Apache-2.0
"""Writes the SDF of a world with the field and its goals."""

from __future__ import annotations

import math

from deepsim_soccer.dialect import Dialect, find_dialect
from deepsim_soccer.field import Field

from .parts import box, collision, document, model, solid, visual

_WHITE, _GREEN, _BLACK = (0.95, 0.95, 0.95), (0.12, 0.42, 0.16), (0.05, 0.05, 0.05)
_GOALS = ((-1, (0.9, 0.8, 0.1)), (1, (0.15, 0.3, 0.9)))  # side and net colour of each goal
_NET = 0.01  # thickness of a net [m]
_LOWER_COVER = 0.4  # height of the board around the foot of a goal [m]


def world_sdf(dialect: str | Dialect = "legal", field: Field | None = None) -> str:
    """Returns the SDF of a world with ground, lines, two goals, a boundary and a light.

    One static model, ``field``, consists of a plane for the ground, and boxes for everything else.

    Args:
        dialect: Dialect that defines gravity, the physics step and the size of the field.
        field: Dimensions to use instead of the dialect's.
    """
    chosen = find_dialect(dialect)
    field = field or Field.of(chosen)
    link = '<link name="link">' + _ground(field) + _boundary(field)
    link += "".join(_goal(field, side, color) for side, color in _GOALS) + "</link>"
    return document(
        '<world name="soccer"><physics type="ode">'
        f"<max_step_size>{chosen.step:.9g}</max_step_size></physics>"
        f"<gravity>0 0 {-chosen.gravity:.9g}</gravity>"
        '<light name="sun" type="directional"><cast_shadows>true</cast_shadows>'
        "<diffuse>.8 .8 .8 1</diffuse><direction>-0.3 0.4 -0.9</direction></light>"
        + model("field", link, static=True)
        + "</world>"
    )


def _ground(field: Field) -> str:
    size_x, size_y = field.length + 2 * field.margin, field.width + 2 * field.margin
    plane = f"<plane><normal>0 0 1</normal><size>{size_x:.9g} {size_y:.9g}</size></plane>"
    parts = [collision("ground", plane, [0.0] * 6, 1.0)]
    parts.append(visual("ground", plane, [0.0] * 6, _GREEN))
    for number, line in enumerate(field.lines()):
        way_x, way_y = line.x1 - line.x0, line.y1 - line.y0
        pose = [(line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2, 0.0, 0.0, 0.0]
        shape = box(math.hypot(way_x, way_y), line.width, 0.004)
        parts.append(visual(f"line_{number}", shape, [*pose, math.atan2(way_y, way_x)], _WHITE))
    return "".join(parts)


def _boundary(field: Field) -> str:
    x, y, high = field.length / 2 + field.margin, field.width / 2 + field.margin, field.boundary
    parts = []
    for side in (-1, 1):
        pose = [0.0, side * (y + 0.05), high / 2, 0.0, 0.0, 0.0]
        parts.append(solid(f"boundary_y{side}", box(2 * x + 0.2, 0.1, high), pose, _BLACK))
        pose = [side * (x + 0.05), 0.0, high / 2, 0.0, 0.0, 0.0]
        parts.append(solid(f"boundary_x{side}", box(0.1, 2 * y, high), pose, _BLACK))
    return "".join(parts)


def _goal(field: Field, side: int, color: tuple[float, float, float]) -> str:
    """Returns a goal; its posts and bar are flush with the outer edge of the goal line."""
    line, post = side * field.length / 2, field.post
    half, high, depth = field.goal_width / 2, field.goal_height, field.goal_depth
    outer = half + post / 2
    shapes = {
        "bar": (box(post, 2 * half + 2 * post, post), -post / 2, 0.0, high + post / 2, _WHITE),
        "net": (box(_NET, 2 * outer, high), depth, 0.0, high / 2, color),
        "cover": (box(2 * _NET, 2 * outer, _LOWER_COVER), depth, 0.0, _LOWER_COVER / 2, _BLACK),
        "roof": (box(depth, 2 * outer, _NET), depth / 2, 0.0, high + post, color),
    }
    for name, y in (("left", outer), ("right", -outer)):
        shapes[f"post_{name}"] = (box(post, post, high), -post / 2, y, high / 2, _WHITE)
        shapes[f"net_{name}"] = (box(depth, _NET, high), depth / 2, y, high / 2, color)
        cover = box(depth, 2 * _NET, _LOWER_COVER)
        shapes[f"cover_{name}"] = (cover, depth / 2, y, _LOWER_COVER / 2, _BLACK)
    return "".join(
        solid(f"goal{side}_{name}", shape, [line + side * x, y, z, 0.0, 0.0, 0.0], paint)
        for name, (shape, x, y, z, paint) in shapes.items()
    )
