# SPDX-License-Identifier: Apache-2.0
"""RobotLab's interface: a tree of entities, loaded into n scenes, which are worlds of a `World`."""

from .body import Body, LinkView
from .entity import Composite, Entity, Model
from .lab_robot import LabRobot
from .simulator import GPUEngineConfig, LabSimulator, Scene, SimulatorConfig

__all__ = [
    "Body",
    "Composite",
    "Entity",
    "GPUEngineConfig",
    "LabRobot",
    "LabSimulator",
    "LinkView",
    "Model",
    "Scene",
    "SimulatorConfig",
]
