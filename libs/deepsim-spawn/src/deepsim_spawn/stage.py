# SPDX-License-Identifier: Apache-2.0
"""Sets a model up to be looked at, on a ground, in the sun; opens the world of any file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path

from deepsim_math import Color, Material, Pose, Vector3
from deepsim_sync import World

from .backends import open_simulator
from .description.geometry import Plane
from .description.light import LightDescription
from .description.link import CollisionDescription, LinkDescription, VisualDescription
from .description.model import ModelDescription
from .description.world import Physics, WorldDescription
from .extent import Bounds
from .gazebo_xml_loader import GazeboXMLLoader
from .mjcf import MjcfModel
from .model_spawner import ModelSpawner

SUFFIXES = {".sdf", ".world", ".urdf", ".xacro", ".xml", ".mjcf"}
"""The suffixes of files that `world_of_file` opens."""

_FLOOR = 30.0  # side of the ground [m]


def standing(model: ModelDescription) -> ModelDescription:
    """Returns a model that is raised or lowered until it stands on the ground, z = 0."""
    bounds = Bounds.of(model, model.pose)
    height = bounds.lower.z if bounds is not None and isfinite(bounds.lower.z) else 0.0
    return replace(model, pose=Pose((0.0, 0.0, -height)) @ model.pose)


def studio(*models: ModelDescription, source: object = None) -> WorldDescription:
    """Returns a world with ground, sun and the given models.

    Args:
        models: The models.
        source: What will be spawned there alone: for an MJCF model, steps are those of its file.
    """
    floor = Plane(size=(_FLOOR, _FLOOR))
    grey = Color(0.75, 0.76, 0.78)
    link = LinkDescription(
        "link",
        collisions=(CollisionDescription("plane", floor),),
        visuals=(VisualDescription("plane", floor, material=Material(grey, grey)),),
    )
    ground = ModelDescription("ground", links=(link,), static=True)
    sun = LightDescription(
        "sun", "directional", direction=Vector3(-0.4, 0.5, -0.8), cast_shadows=True
    )
    physics = Physics(source.timestep) if isinstance(source, MjcfModel) else Physics()
    return WorldDescription(models=(ground, *models), lights=(sun,), physics=physics)


def world_of_file(source: str, worlds: int, seed: int, search_path: Sequence[Path] = ()) -> World:
    """Opens the world of a file; for a model, a world in which it stands on the ground."""
    if _is_mjcf(source):
        mjcf = MjcfModel(Path(source), search_path=search_path)
        world = World(open_simulator(studio(source=mjcf), worlds), seed=seed)
        ModelSpawner(mjcf).spawn(world, mjcf.name)
        return world
    described = GazeboXMLLoader(search_path).load(source)
    if isinstance(described, ModelDescription):
        described = studio(standing(replace(described, pose=Pose())))
    return World(open_simulator(described, worlds), seed=seed)


def _is_mjcf(source: str) -> bool:
    path = Path(source)
    return path.suffix in (".xml", ".mjcf") and path.is_file() and b"<mujoco" in path.read_bytes()
