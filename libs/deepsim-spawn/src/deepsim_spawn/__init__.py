# SPDX-License-Identifier: Apache-2.0
"""SDF, URDF and xacro in, one typed description out: every pose resolved, every unit SI."""

from __future__ import annotations

from .abstract_spawner import AbstractSpawner
from .description import (
    Attenuation,
    Box,
    CameraDescription,
    Capsule,
    CollisionDescription,
    Cylinder,
    Ellipsoid,
    Geometry,
    Inertial,
    JointAxis,
    JointDescription,
    JointType,
    LightDescription,
    LightType,
    LinkDescription,
    Mesh,
    ModelDescription,
    Physics,
    Plane,
    PluginDescription,
    Scene,
    SensorDescription,
    Sphere,
    SpotCone,
    Surface,
    VelocityDecay,
    VisualDescription,
    WorldDescription,
)
from .errors import ModelFormatError, ModelFormatWarning, UnsupportedElementWarning
from .gazebo_xml_loader import GazeboXMLLoader
from .model_spawner import ModelSpawner
from .search_path import SearchPath

__all__ = [
    "AbstractSpawner",
    "Attenuation",
    "Box",
    "CameraDescription",
    "Capsule",
    "CollisionDescription",
    "Cylinder",
    "Ellipsoid",
    "GazeboXMLLoader",
    "Geometry",
    "Inertial",
    "JointAxis",
    "JointDescription",
    "JointType",
    "LightDescription",
    "LightType",
    "LinkDescription",
    "Mesh",
    "ModelDescription",
    "ModelFormatError",
    "ModelFormatWarning",
    "ModelSpawner",
    "Physics",
    "Plane",
    "PluginDescription",
    "Scene",
    "SearchPath",
    "SensorDescription",
    "Sphere",
    "SpotCone",
    "Surface",
    "UnsupportedElementWarning",
    "VelocityDecay",
    "VisualDescription",
    "WorldDescription",
]
