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
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Image,
    Inertial,
    JointAxis,
    JointDescription,
    JointType,
    LightDescription,
    LightType,
    LinkDescription,
    Mesh,
    ModelDescription,
    MujocoOptions,
    Physics,
    Plane,
    PluginDescription,
    Polyline,
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
from .extent import Bounds, Footprint, OrientedBox
from .gazebo_xml_loader import GazeboXMLLoader
from .heightmaps import heightmap_heights
from .images import image_rectangles
from .meshes import mesh_triangles
from .mjcf import MjcfModel
from .model_index import ModelIndex, ModelInfo, Need
from .model_spawner import ModelSpawner
from .search_path import SearchPath

__all__ = [
    "AbstractSpawner",
    "Attenuation",
    "Bounds",
    "Box",
    "CameraDescription",
    "Capsule",
    "CollisionDescription",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "Footprint",
    "GazeboXMLLoader",
    "Geometry",
    "Heightmap",
    "Image",
    "Inertial",
    "JointAxis",
    "JointDescription",
    "JointType",
    "LightDescription",
    "LightType",
    "LinkDescription",
    "Mesh",
    "MjcfModel",
    "ModelDescription",
    "ModelFormatError",
    "ModelFormatWarning",
    "ModelIndex",
    "ModelInfo",
    "ModelSpawner",
    "MujocoOptions",
    "Need",
    "OrientedBox",
    "Physics",
    "Plane",
    "PluginDescription",
    "Polyline",
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
    "heightmap_heights",
    "image_rectangles",
    "mesh_triangles",
]
