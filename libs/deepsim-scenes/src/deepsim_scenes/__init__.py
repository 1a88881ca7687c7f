# SPDX-License-Identifier: Apache-2.0
"""Scenes drawn from Scenic scenarios, as worlds for Gazebo and the embedded engine."""

from __future__ import annotations

from .errors import ModelListError, RejectedError, ResizeError, ScenarioError, SceneError
from .language import Scenario, load_scenario
from .models import ModelClass, ModelList, ModelType, read_models
from .scene import Scene, SceneObject

__all__ = [
    "ModelClass",
    "ModelList",
    "ModelListError",
    "ModelType",
    "RejectedError",
    "ResizeError",
    "Scenario",
    "ScenarioError",
    "Scene",
    "SceneError",
    "SceneObject",
    "load_scenario",
    "read_models",
]
