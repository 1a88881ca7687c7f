# SPDX-License-Identifier: Apache-2.0
"""Loads SDF, URDF and xacro into typed descriptions with resolved poses and SI units."""

from __future__ import annotations

from .collision_shapes import colliders_of
from .description.collision import CollisionDescription, Surface
from .description.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Image,
    Mesh,
    Plane,
    Sphere,
)
from .description.inertial import Inertial
from .description.joint import JointAxis, JointDescription, JointType, MimicDescription
from .description.light import Attenuation, LightDescription, LightType, SpotCone
from .description.link import LinkDescription, VelocityDecay
from .description.measurement import (
    ContactSensor,
    ForceTorque,
    Imu,
    JointState,
    Lidar,
    Measurement,
    Rays,
)
from .description.model import ModelDescription
from .description.physics import MujocoOptions, Physics
from .description.polyline import Polyline
from .description.sensor import CameraDescription, PluginDescription, SensorDescription
from .description.visual import VisualDescription
from .description.world import SceneDescription, WorldDescription
from .errors import ModelFormatError, ModelFormatWarning, UnsupportedElementWarning
from .extent import Bounds, Footprint, OrientedBox
from .gazebo_xml_loader import GazeboXMLLoader
from .meshes import mesh_triangles, shape_triangles
from .mjcf import MjcfModel
from .model_index import ModelIndex, ModelInfo, Need
from .model_spawner import AbstractSpawner, ModelSpawner
from .pictures import heightmap_heights, image_rectangles
from .renamed import __getattr__ as __getattr__
from .scene_mesh import SceneMesh, scene_mesh
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
    "ContactSensor",
    "Cylinder",
    "Ellipsoid",
    "Footprint",
    "ForceTorque",
    "GazeboXMLLoader",
    "Geometry",
    "Heightmap",
    "Image",
    "Imu",
    "Inertial",
    "JointAxis",
    "JointDescription",
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
    "ModelSpawner",
    "MujocoOptions",
    "Need",
    "OrientedBox",
    "Physics",
    "Plane",
    "PluginDescription",
    "Polyline",
    "Rays",
    "SceneDescription",
    "SceneMesh",
    "SearchPath",
    "SensorDescription",
    "Sphere",
    "SpotCone",
    "Surface",
    "UnsupportedElementWarning",
    "VelocityDecay",
    "VisualDescription",
    "WorldDescription",
    "colliders_of",
    "heightmap_heights",
    "image_rectangles",
    "mesh_triangles",
    "scene_mesh",
    "shape_triangles",
]
