# SPDX-License-Identifier: Apache-2.0
"""Samples scenes from Scenic scenarios, as worlds for Gazebo and MuJoCo."""

from __future__ import annotations

from .dynamic.run import ScenarioRun, run_scenario
from .errors import (
    DownloadError,
    ModelListError,
    RejectedError,
    ResizeError,
    ScenarioError,
    SceneError,
)
from .falsification import Coverage, Falsification, Outcome, Search, Trial, falsify
from .files import write_plot, write_scene
from .language.scenario import Scenario, load_scenario
from .models.downloads import ModelDownloads
from .models.model_class import ModelClass, ModelType
from .models.model_list import ModelList, read_models
from .scene import Scene, SceneObject
from .settling import SettleReport, sample_settled, settle
from .world import place_scenes, scene_world, spawn_scenes

__all__ = [
    "Coverage",
    "DownloadError",
    "Falsification",
    "ModelClass",
    "ModelDownloads",
    "ModelList",
    "ModelListError",
    "ModelType",
    "Outcome",
    "RejectedError",
    "ResizeError",
    "Scenario",
    "ScenarioError",
    "ScenarioRun",
    "Scene",
    "SceneError",
    "SceneObject",
    "Search",
    "SettleReport",
    "Trial",
    "falsify",
    "load_scenario",
    "place_scenes",
    "read_models",
    "run_scenario",
    "sample_settled",
    "scene_world",
    "settle",
    "spawn_scenes",
    "write_plot",
    "write_scene",
]
