# SPDX-License-Identifier: Apache-2.0
"""The parts of a world or model: frozen, typed, in SI units, the same for every backend.

WorldDescription                Physics, MujocoOptions, SceneDescription
├── LightDescription
└── ModelDescription            also nested in models
    ├── LinkDescription
    │   ├── CollisionDescription    Geometry, Surface
    │   ├── VisualDescription       Geometry, Material
    │   ├── SensorDescription       CameraDescription, Measurement
    │   └── LightDescription
    └── JointDescription            JointAxis, MimicDescription
"""

from __future__ import annotations

from .collision import CollisionDescription, Surface
from .geometry import (
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
from .inertial import Inertial
from .joint import JointAxis, JointDescription, JointType, MimicDescription
from .light import Attenuation, LightDescription, LightType, SpotCone
from .link import LinkDescription, VelocityDecay
from .measurement import ContactSensor, ForceTorque, Imu, JointState, Lidar, Measurement, Rays
from .model import ModelDescription
from .physics import MujocoOptions, Physics
from .plugin import PluginDescription
from .polyline import Polyline
from .sensor import CameraDescription, SensorDescription
from .visual import VisualDescription
from .world import SceneDescription, WorldDescription

__all__ = [
    "Attenuation",
    "Box",
    "CameraDescription",
    "Capsule",
    "CollisionDescription",
    "Cone",
    "ContactSensor",
    "Cylinder",
    "Ellipsoid",
    "ForceTorque",
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
    "ModelDescription",
    "MujocoOptions",
    "Physics",
    "Plane",
    "PluginDescription",
    "Polyline",
    "Rays",
    "SceneDescription",
    "SensorDescription",
    "Sphere",
    "SpotCone",
    "Surface",
    "VelocityDecay",
    "VisualDescription",
    "WorldDescription",
]
