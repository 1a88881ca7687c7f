# SPDX-License-Identifier: Apache-2.0
"""Loads SDF, URDF and xacro into typed descriptions with resolved poses and SI units."""

from __future__ import annotations

from .backends import Backend, BackendError, open_simulator
from .description.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)
from .description.joint import JointAxis, JointDescription, JointType, MimicDescription
from .description.kinematics import JointLimits, ModelPoses
from .description.light import Attenuation, LightDescription, LightType, SpotCone
from .description.link import (
    CollisionDescription,
    Inertial,
    LinkDescription,
    Surface,
    TexturedSurface,
    VelocityDecay,
    VisualDescription,
)
from .description.model import ModelDescription
from .description.sensor import (
    CameraDescription,
    ContactSensor,
    ForceTorque,
    Imu,
    JointState,
    Lidar,
    Measurement,
    PluginDescription,
    Rays,
    SensorDescription,
)
from .description.world import MujocoOptions, Physics, SceneDescription, WorldDescription
from .errors import ModelFormatError, ModelFormatWarning, UnsupportedElementWarning
from .extent import Bounds, Footprint
from .gazebo_xml_loader import GazeboXMLLoader
from .meshes.shapes import heightmap_heights, shape_triangles
from .meshes.textures import textured_surface, wrapped_places
from .meshes.triangles import mesh_triangles
from .mjcf import STANDING, MjcfModel
from .model_index import ModelIndex, ModelInfo, Need
from .model_spawner import AbstractSpawner, ModelSpawner
from .search_path import SearchPath
from .terrain import HeightScan, Terrain
from .terrain_kinds import TerrainKind

__version__ = "0.6.1"

__all__ = [
    "STANDING",
    "AbstractSpawner",
    "Attenuation",
    "Backend",
    "BackendError",
    "Bounds",
    "Box",
    "CameraDescription",
    "Capsule",
    "CollisionDescription",
    "Cone",
    "ContactSensor",
    "Cylinder",
    "Ellipsoid",
    "Footprint",
    "ForceTorque",
    "GazeboXMLLoader",
    "Geometry",
    "HeightScan",
    "Heightmap",
    "Imu",
    "Inertial",
    "JointAxis",
    "JointDescription",
    "JointLimits",
    "JointState",
    "JointType",
    "Lidar",
    "LightDescription",
    "LightType",
    "LinkDescription",
    "Measurement",
    "Mesh",
    "MimicDescription",
    "MjcfModel",
    "ModelDescription",
    "ModelFormatError",
    "ModelFormatWarning",
    "ModelIndex",
    "ModelInfo",
    "ModelPoses",
    "ModelSpawner",
    "MujocoOptions",
    "Need",
    "Physics",
    "Plane",
    "PluginDescription",
    "Polyline",
    "Rays",
    "SceneDescription",
    "SearchPath",
    "SensorDescription",
    "Sphere",
    "SpotCone",
    "Surface",
    "Terrain",
    "TerrainKind",
    "TexturedSurface",
    "UnsupportedElementWarning",
    "VelocityDecay",
    "VisualDescription",
    "WorldDescription",
    "heightmap_heights",
    "mesh_triangles",
    "open_simulator",
    "shape_triangles",
    "textured_surface",
    "wrapped_places",
]
