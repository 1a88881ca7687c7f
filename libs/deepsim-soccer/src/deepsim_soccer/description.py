# SPDX-License-Identifier: Apache-2.0
"""Writes the SDF of the world, the ball and the robots, with primitive shapes only."""

from __future__ import annotations

import math
from collections.abc import Sequence

from deepsim_math import Color, Euler, Material, Pose, Vector3
from deepsim_spawn import (
    Box,
    CollisionDescription,
    ContactSensor,
    Cylinder,
    Geometry,
    Inertial,
    LightDescription,
    LinkDescription,
    ModelDescription,
    Physics,
    Plane,
    SensorDescription,
    Sphere,
    Surface,
    VisualDescription,
    WorldDescription,
)

from .dialect import Dialect, find_dialect
from .field import Field

CYAN, MAGENTA = (0.1, 0.7, 0.85), (0.85, 0.15, 0.6)
_ORANGE, _DARK = (1.0, 0.45, 0.05), (0.25, 0.1, 0.02)
_CHASSIS, _GREY = (0.07, 0.07, 0.08), (0.5, 0.5, 0.55)
_WHITE, _GREEN, _BLACK = (0.95, 0.95, 0.95), (0.12, 0.42, 0.16), (0.05, 0.05, 0.05)
_YELLOW, _BLUE = (0.9, 0.8, 0.1), (0.15, 0.3, 0.9)  # nets of the left and the right goal
_NET = 0.01  # thickness of a net [m]
_LOWER_COVER = 0.4  # height of the board around the foot of a goal [m]
_CLEARANCE = 0.01  # between the ground and the collision cylinder of a robot [m]


def world_sdf(dialect: str | Dialect = "legal", field: Field | None = None) -> str:
    """Returns the SDF of a world with ground, lines, two goals, a boundary and a light.

    As in the published worlds, the static models are ``ground_plane``, ``field`` (lines and
    boundary), ``left_goal`` and ``right_goal``, which opens towards -x; all are made of boxes, but
    for the plane.

    Args:
        dialect: Dialect that defines gravity, the physics step and the size of the field.
        field: Dimensions to use instead of the dialect's.
    """
    chosen = find_dialect(dialect)
    field = field or Field.of(chosen)
    ground = Plane(size=(field.length + 2 * field.margin, field.width + 2 * field.margin))
    goals = [
        _static(f"{name}_goal", _goal(field, color), pose=_at(x, 0.0, 0.0, Euler(0.0, 0.0, yaw)))
        for name, x, yaw, color in (
            ("left", -field.length / 2, math.pi, _YELLOW),
            ("right", field.length / 2, 0.0, _BLUE),
        )
    ]
    plane = _collision("ground", ground, Pose(), 1.0)
    models = (
        _model("ground_plane", (plane,), (_visual("ground", ground, Pose(), _GREEN),)),
        _static("field", _boundary(field), _lines(field)),
        *goals,
    )
    sun = LightDescription(
        "sun",
        "directional",
        diffuse=Color(0.8, 0.8, 0.8, 1.0),
        direction=Vector3(-0.3, 0.4, -0.9),
        cast_shadows=True,
    )
    return WorldDescription(
        "soccer",
        models,
        (sun,),
        Physics(max_step_size=chosen.step, real_time_factor=chosen.update_rate * chosen.step),
        Vector3(0.0, 0.0, -chosen.gravity),
    ).to_sdf()


def _static(
    name: str,
    solids: list[_Part],
    marks: Sequence[VisualDescription] = (),
    pose: Pose | None = None,
) -> ModelDescription:
    """Returns a static model of solid parts, and of marks that only are seen."""
    return _model(
        name,
        tuple(_collision(part, shape, at, 0.3) for part, shape, at, _ in solids),
        (*marks, *(_visual(*solid) for solid in solids)),
        pose,
    )


def _model(
    name: str,
    collisions: tuple[CollisionDescription, ...],
    visuals: tuple[VisualDescription, ...],
    pose: Pose | None = None,
) -> ModelDescription:
    link = LinkDescription("link", inertial=Inertial(), collisions=collisions, visuals=visuals)
    return ModelDescription(name, links=(link,), static=True, pose=pose or Pose())


def robot_sdf(dialect: str | Dialect = "legal", color: Sequence[float] = CYAN) -> str:
    """Returns the SDF of a robot, with its origin on the ground and x along its kicker.

    As in Yao et al., 2015, the robot is one link, `chassis`, with a collision cylinder. It floats
    just above the ground without gravity, and moves at the twist that is set. Its centre of mass is
    as high as the ball's centre, so hitting the ball does not tilt the robot. The contact sensor
    `bumper` feels what touches the body.

    Args:
        dialect: Dialect that defines sizes and masses.
        color: Team colour, RGB in 0 .. 1.
    """
    chosen = find_dialect(dialect)
    radius, height = chosen.robot_radius, chosen.robot_height
    body = Cylinder(radius, height - _CLEARANCE)
    middle = _at(0.0, 0.0, (height + _CLEARANCE) / 2.0)
    base, tower = 0.45 * height, 0.55 * height - 0.05
    parts: list[_Part] = [
        ("base", Cylinder(radius, base), _at(0.0, 0.0, base / 2 + _CLEARANCE), _CHASSIS),
        ("band", Cylinder(1.01 * radius, 0.1), _at(0.0, 0.0, base - 0.05), color),
        ("tower", Cylinder(0.3 * radius, tower), _at(0.0, 0.0, base + tower / 2), _GREY),
        ("top", Cylinder(0.5 * radius, 0.05), _at(0.0, 0.0, height - 0.025), color),
        ("kicker", Box(Vector3(0.08, 0.2, 0.1)), _at(radius, 0.0, 0.12), color),
    ]
    link = LinkDescription(
        "chassis",
        inertial=Inertial(
            chosen.robot_mass, _at(0.0, 0.0, chosen.ball_radius), *chosen.robot_inertia
        ),
        collisions=(_collision("body", body, middle, chosen.robot_friction),),
        visuals=tuple(_visual(*part) for part in parts),
        sensors=(SensorDescription("bumper", measurement=ContactSensor(("body",))),),
        gravity=False,
    )
    return ModelDescription("robot", links=(link,)).to_sdf()


def ball_sdf(dialect: str | Dialect = "legal") -> str:
    """Returns the SDF of a ball: a thin shell with its origin at the centre."""
    chosen = find_dialect(dialect)
    ball = Sphere(chosen.ball_radius)
    # Two dark belts make the rotation of the ball visible.
    belt = Cylinder(1.002 * chosen.ball_radius, 0.15 * chosen.ball_radius)
    link = LinkDescription(
        "ball",
        inertial=Inertial(chosen.ball_mass, Pose(), *[chosen.ball_inertia] * 3),
        collisions=(_collision("ball", ball, Pose(), 0.5),),
        visuals=(
            _visual("ball", ball, Pose(), _ORANGE),
            _visual("belt_x", belt, _at(0.0, 0.0, 0.0, Euler(0.0, math.pi / 2, 0.0)), _DARK),
            _visual("belt_y", belt, _at(0.0, 0.0, 0.0, Euler(math.pi / 2, 0.0, 0.0)), _DARK),
        ),
    )
    return ModelDescription("ball", links=(link,)).to_sdf()


_Part = tuple[str, Geometry, Pose, Sequence[float]]
"""The name, shape, pose in the link frame, and colour, RGB in 0 .. 1, of a part."""


def _visual(name: str, shape: Geometry, pose: Pose, color: Sequence[float]) -> VisualDescription:
    red, green, blue = color
    paint = Color(red, green, blue, 1.0)
    return VisualDescription(name, shape, pose, Material(ambient=paint, diffuse=paint))


def _collision(name: str, shape: Geometry, pose: Pose, friction: float) -> CollisionDescription:
    return CollisionDescription(name, shape, pose, Surface(friction, friction))


def _at(x: float, y: float, z: float, turn: Euler = Euler()) -> Pose:  # noqa: B008 (immutable)
    return Pose((x, y, z), turn)


def _lines(field: Field) -> list[VisualDescription]:
    visuals = []
    for number, line in enumerate(field.lines()):
        way_x, way_y = line.x1 - line.x0, line.y1 - line.y0
        turn = Euler(0.0, 0.0, math.atan2(way_y, way_x))
        pose = _at((line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2, 0.0, turn)
        shape = Box(Vector3(math.hypot(way_x, way_y), line.width, 0.004))
        visuals.append(_visual(f"line_{number}", shape, pose, _WHITE))
    return visuals


def _boundary(field: Field) -> list[_Part]:
    x, y, high = field.length / 2 + field.margin, field.width / 2 + field.margin, field.boundary
    parts: list[_Part] = []
    for side in (-1, 1):
        along, across = Box(Vector3(2 * x + 0.2, 0.1, high)), Box(Vector3(0.1, 2 * y, high))
        parts.append((f"boundary_y{side}", along, _at(0.0, side * (y + 0.05), high / 2), _BLACK))
        parts.append((f"boundary_x{side}", across, _at(side * (x + 0.05), 0.0, high / 2), _BLACK))
    return parts


def _goal(field: Field, color: Sequence[float]) -> list[_Part]:
    """Returns a goal that opens towards -x; its posts and bar end at the goal line, x = 0."""
    post = field.post
    half, high, depth = field.goal_width / 2, field.goal_height, field.goal_depth
    outer = half + post / 2
    shapes = {
        "bar": (
            Box(Vector3(post, 2 * half + 2 * post, post)),
            -post / 2,
            0.0,
            high + post / 2,
            _WHITE,
        ),
        "net": (Box(Vector3(_NET, 2 * outer, high)), depth, 0.0, high / 2, color),
        "cover": (
            Box(Vector3(2 * _NET, 2 * outer, _LOWER_COVER)),
            depth,
            0.0,
            _LOWER_COVER / 2,
            _BLACK,
        ),
        "roof": (Box(Vector3(depth, 2 * outer, _NET)), depth / 2, 0.0, high + post, color),
    }
    for name, y in (("left", outer), ("right", -outer)):
        shapes[f"post_{name}"] = (Box(Vector3(post, post, high)), -post / 2, y, high / 2, _WHITE)
        shapes[f"net_{name}"] = (Box(Vector3(depth, _NET, high)), depth / 2, y, high / 2, color)
        cover = Box(Vector3(depth, 2 * _NET, _LOWER_COVER))
        shapes[f"cover_{name}"] = (cover, depth / 2, y, _LOWER_COVER / 2, _BLACK)
    return [(name, shape, _at(x, y, z), paint) for name, (shape, x, y, z, paint) in shapes.items()]
