# SPDX-License-Identifier: Apache-2.0
"""Loading and unloading worlds, and the worlds that can be loaded."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from simulation_interfaces.msg import Result, WorldResource
from simulation_interfaces.srv import GetCurrentWorld, LoadWorld, UnloadWorld

from deepsim_ros2.simulation import RefusedError, ServedWorld, Simulation, unsupported
from deepsim_ros2.topics.bases import add_base
from deepsim_spawn import (
    GazeboXMLLoader,
    MjcfModel,
    ModelFormatError,
    Physics,
    UnsupportedElementWarning,
    WorldDescription,
)
from deepsim_sync import DeepSimError, SpawnRequest, World

from .spawning import is_on, outside, read_source, unreadable
from .states import NO_WORLD, STOPPED

_FILES = ("*.sdf", "*.world", "worlds/*.sdf", "worlds/*.world")
_IS_WORLD = re.compile(r"<world\b")


def get_available_worlds(served: ServedWorld, request: Any, response: Any) -> None:
    """Lists the world files on the search path, and in the folders that a client names."""
    _require_loading(served)
    if request.filter.tags:
        raise unsupported("worlds have no tags")
    path = served.simulation.search_path
    unknown = [each for each in request.additional_sources if not is_on(path.folders, each)]
    more = [Path(each) for each in request.additional_sources if each not in unknown]
    for folder in (*path.folders, *more):
        for file in sorted(found for pattern in _FILES for found in folder.glob(pattern)):
            if _IS_WORLD.search(file.read_text(encoding="utf-8", errors="replace")):
                world = WorldResource(name=file.stem)
                world.world_resource.uri = file.relative_to(folder).as_posix()
                response.worlds.append(world)
    if unknown:
        response.result.error_message = outside(unknown)


def get_current_world(served: ServedWorld, _request: Any, response: Any) -> None:
    """Returns the name and the resource of the present world."""
    simulation = served.simulation
    if not simulation.is_open:
        raise RefusedError(GetCurrentWorld.Response.NO_WORLD_LOADED, "no world is loaded")
    response.world.name = simulation.name
    if simulation.resource is not None:
        response.world.world_resource = simulation.resource


def load_world(served: ServedWorld, request: Any, response: Any) -> None:
    """Replaces the present world by another one."""
    _require_loading(served)
    simulation, codes = served.simulation, LoadWorld.Response
    source, kind = read_source(served, request.world_resource, codes)
    if kind == "urdf":
        raise RefusedError(codes.UNSUPPORTED_FORMAT, "URDF describes a robot; expected SDF or MJCF")
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            loader = GazeboXMLLoader(
                simulation.search_path,
                skip_missing_collisions=request.ignore_missing_or_unsupported_assets,
            )
            scene = None
            if kind == "mjcf":
                scene = MjcfModel(source, search_path=simulation.search_path)
                description = WorldDescription(scene.name, physics=Physics(scene.timestep))
            else:
                description = loader.load_world(source)
    except ModelFormatError as error:
        raise unreadable(error, codes) from error
    unread = [str(each.message) for each in found if each.category is UnsupportedElementWarning]
    if request.fail_on_unsupported_element and unread:
        raise RefusedError(codes.UNSUPPORTED_ELEMENTS, "; ".join(unread))
    _replace(simulation, description, scene, request.world_resource)
    response.world.name = simulation.name
    response.world.world_resource = request.world_resource


def _replace(
    simulation: Simulation, description: WorldDescription, scene: MjcfModel | None, resource: Any
) -> None:
    """Opens a world, and closes the present one if that succeeds.

    Raises:
        RefusedError: It cannot be built; the present world stays.
    """
    assert simulation.opener is not None  # of _require_loading
    opened = None
    try:
        opened = simulation.opener(description, simulation.count)
        if scene is not None and isinstance(opened, World):
            opened.spawn_many([SpawnRequest(scene, scene.name, scene.pose)])
    except DeepSimError as error:
        if opened is not None:
            opened.close()
        raise RefusedError(Result.RESULT_OPERATION_FAILED, str(error)) from error
    if simulation.is_open:
        simulation.close()
    simulation.open(opened, description.name, resource)
    for name in simulation.world.entities.models:
        add_base(simulation.world, name)
    for each in simulation.worlds:
        each.enter(STOPPED)


def unload_world(served: ServedWorld, _request: Any, _response: Any) -> None:
    """Removes the present world."""
    _require_loading(served)
    simulation = served.simulation
    if not simulation.is_open:
        raise RefusedError(UnloadWorld.Response.NO_WORLD_LOADED, "no world is loaded")
    simulation.close()
    for each in simulation.worlds:
        each.enter(NO_WORLD)


def _require_loading(served: ServedWorld) -> None:
    if served.simulation.opener is None:
        raise unsupported("this server keeps its world")
