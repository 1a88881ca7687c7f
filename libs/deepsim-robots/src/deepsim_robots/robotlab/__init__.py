# SPDX-License-Identifier: Apache-2.0
"""RobotLab's interface: a tree of entities, loaded into n scenes, which are worlds of a `World`."""

from .body import Body, LinkView
from .camera import CameraConfig, LabCamera
from .entity import Composite, Entity, Model
from .lab_robot import Box, LabRobot
from .simulator import GPUEngineConfig, LabSimulator, Scene, SimulatorConfig

__all__ = [
    "Body",
    "Box",
    "CameraConfig",
    "Composite",
    "Entity",
    "GPUEngineConfig",
    "LabCamera",
    "LabRobot",
    "LabSimulator",
    "LinkView",
    "Model",
    "Scene",
    "SimulatorConfig",
]
