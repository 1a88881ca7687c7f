# SPDX-License-Identifier: Apache-2.0
"""Colours of Gazebo's own material scripts, which models name but do not contain.

Plain materials have the colours of Gazebo 11; textured ones (marked below) have one
representative colour.
"""

from __future__ import annotations

from typing import Final

from deepsim_math import Color, Material

_Rgb = tuple[float, float, float]


def _material(
    diffuse: _Rgb,
    ambient: _Rgb | None = None,
    specular: float = 0.1,
    emissive: _Rgb = (0.0, 0.0, 0.0),
) -> Material:
    return Material(
        ambient=Color(*(ambient or diffuse), 1.0),
        diffuse=Color(*diffuse, 1.0),
        specular=Color(specular, specular, specular, 1.0),
        emissive=Color(*emissive, 1.0),
    )


GAZEBO_MATERIALS: Final = {
    "Gazebo/Grey": _material((0.7, 0.7, 0.7), (0.3, 0.3, 0.3), 0.01),
    "Gazebo/DarkGrey": _material((0.175, 0.175, 0.175), specular=0.175),
    "Gazebo/White": _material((1.0, 1.0, 1.0)),
    "Gazebo/Black": _material((0.0, 0.0, 0.0)),
    "Gazebo/FlatBlack": _material((0.1, 0.1, 0.1), specular=0.01),
    "Gazebo/Red": _material((1.0, 0.0, 0.0)),
    "Gazebo/RedBright": _material((0.87, 0.26, 0.07), specular=0.4),
    "Gazebo/Green": _material((0.0, 1.0, 0.0)),
    "Gazebo/Blue": _material((0.0, 0.0, 1.0)),
    "Gazebo/SkyBlue": _material((0.0, 0.0, 1.0), (0.13, 0.44, 0.7)),
    "Gazebo/Yellow": _material((1.0, 1.0, 0.0), specular=0.0),
    "Gazebo/ZincYellow": _material((0.9725, 0.9529, 0.2078), specular=0.7),
    "Gazebo/Purple": _material((1.0, 0.0, 1.0)),
    "Gazebo/Turquoise": _material((0.0, 1.0, 1.0)),
    "Gazebo/Orange": _material((1.0, 0.5088, 0.0468), specular=0.5),
    "Gazebo/Gold": _material((0.8, 0.64869, 0.120759), (0.4, 0.24869, 0.020759), 0.4),
    "Gazebo/WhiteGlow": _material((1.0, 1.0, 1.0), emissive=(1.0, 1.0, 1.0)),
    "Gazebo/RedGlow": _material((1.0, 0.0, 0.0), emissive=(1.0, 0.0, 0.0)),
    "Gazebo/GreenGlow": _material((0.0, 1.0, 0.0), emissive=(0.0, 1.0, 0.0)),
    "Gazebo/BlueGlow": _material((0.0, 0.0, 1.0), emissive=(0.0, 0.0, 1.0)),
    "Gazebo/YellowGlow": _material((1.0, 1.0, 0.0), emissive=(1.0, 1.0, 0.0)),
    "Gazebo/PurpleGlow": _material((1.0, 0.0, 1.0), emissive=(1.0, 0.0, 1.0)),
    "Gazebo/TurquoiseGlow": _material((0.0, 1.0, 1.0), emissive=(0.0, 1.0, 1.0)),
    # textured
    "Gazebo/Wood": _material((0.6, 0.43, 0.27), specular=0.2),
    "Gazebo/WoodFloor": _material((0.55, 0.37, 0.22)),
    "Gazebo/WoodPallet": _material((0.65, 0.5, 0.35), specular=0.0),
    "Gazebo/Bricks": _material((0.6, 0.3, 0.24), specular=0.2),
    "Gazebo/PaintedWall": _material((0.85, 0.83, 0.78)),
    "Gazebo/CeilingTiled": _material((0.8, 0.8, 0.8)),
    "Gazebo/Road": _material((0.25, 0.25, 0.25), specular=0.01),
}
