# SPDX-License-Identifier: Apache-2.0
"""RobotLab's way of saying it: a tree of entities, loaded into n scenes, as views of one world."""

from .body import Body, LinkView
from .entity import Composite, Entity
from .lab_robot import LabRobot
from .model import Model
from .simulator import LabSimulator, Scene, SimulatorConfig

__all__ = [
    "Body",
    "Composite",
    "Entity",
    "LabRobot",
    "LabSimulator",
    "LinkView",
    "Model",
    "Scene",
    "SimulatorConfig",
]
