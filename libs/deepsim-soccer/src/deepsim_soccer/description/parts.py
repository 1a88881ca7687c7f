# SPDX-License-Identifier: Apache-2.0
"""Writes fragments of SDF: shapes, collisions, visuals and inertias."""

from __future__ import annotations

from collections.abc import Sequence


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
