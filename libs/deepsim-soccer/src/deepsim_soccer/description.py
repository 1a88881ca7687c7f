# SPDX-License-Identifier: Apache-2.0
"""Writes the SDF of the world, the ball and the robots, with primitive shapes only."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .dialect import Dialect, find_dialect
from .field import Field


def box(*size: float) -> str:
    """Returns a box with the given sides [m]."""
    return f"<box><size>{_join(size)}</size></box>"


def cylinder(radius: float, length: float) -> str:
    """Returns a cylinder along z; radius and length in metres."""
    return f"<cylinder><radius>{radius:.9g}</radius><length>{length:.9g}</length></cylinder>"


def sphere(radius: float) -> str:
    """Returns a sphere; radius in metres."""
    return f"<sphere><radius>{radius:.9g}</radius></sphere>"


def visual(name: str, shape: str, pose: Sequence[float], color: Sequence[float]) -> str:
    """Returns a visual; `pose` is x y z [m] roll pitch yaw [rad], `color` RGB in 0 .. 1."""
    rgba = _join([*color, 1.0])
    return (
        f'<visual name="{name}"><pose>{_join(pose)}</pose><geometry>{shape}</geometry>'
        f"<material><ambient>{rgba}</ambient><diffuse>{rgba}</diffuse></material></visual>"
    )


def collision(name: str, shape: str, pose: Sequence[float], friction: float) -> str:
    """Returns a collision with equal friction in both directions."""
    ode = f"<ode><mu>{friction:.9g}</mu><mu2>{friction:.9g}</mu2></ode>"
    return (
        f'<collision name="{name}"><pose>{_join(pose)}</pose><geometry>{shape}</geometry>'
        f"<surface><friction>{ode}</friction></surface></collision>"
    )


def solid(
    name: str, shape: str, pose: Sequence[float], color: Sequence[float], friction: float = 0.3
) -> str:
    """Returns a collision and a visual of the same shape."""
    return collision(name, shape, pose, friction) + visual(name, shape, pose, color)


def inertial(mass: float, moments: Sequence[float], height: float = 0.0) -> str:
    """Returns the inertia of a link, from mass [kg], moments [kg m²], height of the centre [m]."""
    names = ("ixx", "iyy", "izz")
    values = "".join(f"<{n}>{v:.9g}</{n}>" for n, v in zip(names, moments, strict=True))
    return (
        f"<inertial><pose>0 0 {height:.9g} 0 0 0</pose><mass>{mass:.9g}</mass>"
        f"<inertia>{values}</inertia></inertial>"
    )


def model(name: str, link: str, *, static: bool = False) -> str:
    """Returns a model with one link."""
    fixed = "<static>true</static>" if static else ""
    return f'<model name="{name}">{fixed}{link}</model>'


def document(content: str) -> str:
    """Returns an SDF document."""
    return f'<?xml version="1.0"?>\n<sdf version="1.7">{content}</sdf>\n'


def _join(values: Sequence[float]) -> str:
    return " ".join(f"{value:.9g}" for value in values)


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


CYAN, MAGENTA = (0.1, 0.7, 0.85), (0.85, 0.15, 0.6)
_CHASSIS, _GREY = (0.07, 0.07, 0.08), (0.5, 0.5, 0.55)
_CLEARANCE = 0.01  # between the ground and the collision cylinder [m]


def robot_sdf(dialect: str | Dialect = "legal", color: Sequence[float] = CYAN) -> str:
    """Returns the SDF of a robot, with its origin on the ground and x along its kicker.

    As in Yao et al., 2015, the robot is one link, `chassis`, with a collision cylinder. It floats
    just above the ground without gravity, and moves at the twist that is set. Its centre of mass is
    as high as the ball's centre, so hitting the ball does not tilt the robot.

    Args:
        dialect: Dialect that defines sizes and masses.
        color: Team colour, RGB in 0 .. 1.
    """
    chosen = find_dialect(dialect)
    radius, height = chosen.robot_radius, chosen.robot_height
    body = cylinder(radius, height - _CLEARANCE)
    middle = (height + _CLEARANCE) / 2.0
    base, tower = 0.45 * height, 0.55 * height - 0.05
    link = (
        '<link name="chassis"><gravity>false</gravity>'
        + inertial(chosen.robot_mass, chosen.robot_inertia, chosen.ball_radius)
        + collision("body", body, [0.0, 0.0, middle, 0.0, 0.0, 0.0], chosen.robot_friction)
        + visual("base", cylinder(radius, base), [0, 0, base / 2 + _CLEARANCE, 0, 0, 0], _CHASSIS)
        + visual("band", cylinder(1.01 * radius, 0.1), [0, 0, base - 0.05, 0, 0, 0], color)
        + visual("tower", cylinder(0.3 * radius, tower), [0, 0, base + tower / 2, 0, 0, 0], _GREY)
        + visual("top", cylinder(0.5 * radius, 0.05), [0, 0, height - 0.025, 0, 0, 0], color)
        + visual("kicker", box(0.08, 0.2, 0.1), [radius, 0, 0.12, 0, 0, 0], color)
        + "</link>"
    )
    return document(model("robot", link))


ORANGE, DARK = (1.0, 0.45, 0.05), (0.25, 0.1, 0.02)


def ball_sdf(dialect: str | Dialect = "legal") -> str:
    """Returns the SDF of a ball: a thin shell with its origin at the centre."""
    chosen = find_dialect(dialect)
    radius = chosen.ball_radius
    half = 1.5707963267948966
    # Two dark belts make the rotation of the ball visible.
    belt = cylinder(1.002 * radius, 0.15 * radius)
    link = (
        '<link name="ball">'
        + inertial(chosen.ball_mass, [chosen.ball_inertia] * 3)
        + collision("ball", sphere(radius), [0.0] * 6, 0.5)
        + visual("ball", sphere(radius), [0.0] * 6, ORANGE)
        + visual("belt_x", belt, [0.0, 0.0, 0.0, 0.0, half, 0.0], DARK)
        + visual("belt_y", belt, [0.0, 0.0, 0.0, half, 0.0, 0.0], DARK)
        + "</link>"
    )
    return document(model("ball", link))
