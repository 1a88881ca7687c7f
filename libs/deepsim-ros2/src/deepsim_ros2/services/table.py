# SPDX-License-Identifier: Apache-2.0
"""The services of simulation_interfaces 2.1 in one table, and how requests are answered."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

from simulation_interfaces import srv
from simulation_interfaces.msg import Result, SimulatorFeatures

from deepsim_ros2.simulation import ServedWorld, code_of
from deepsim_sync import DeepSimError

from . import entities, spawning, states, worlds

_LOG = logging.getLogger(__name__)
_F = SimulatorFeatures


class Service(NamedTuple):
    """A service.

    Attributes:
        type: Its type.
        function: Fills the response to a request, or raises an error.
        features: The features of SimulatorFeatures that it stands for.
    """

    type: Any
    function: Callable[[ServedWorld, Any, Any], None]
    features: tuple[int, ...] = ()


def get_simulator_features(served: ServedWorld, _request: Any, response: Any) -> None:
    """Returns the features that the server offers."""
    loads = served.simulation.opener is not None
    response.features.features = [
        feature
        for service in SERVICES.values()
        for feature in service.features
        if loads or feature not in _LOADING
    ] + [_F.STEP_SIMULATION_ACTION]
    response.features.spawn_formats = [*spawning.FORMATS.values()]
    response.features.custom_info = (
        "DeepSim. A step is a tick of the world. Convex hulls as filters, named poses and tags of "
        "worlds are not supported."
    )


SERVICES: dict[str, Service] = {
    "delete_entity": Service(srv.DeleteEntity, spawning.delete_entity, (_F.DELETING,)),
    "get_available_worlds": Service(
        srv.GetAvailableWorlds, worlds.get_available_worlds, (_F.AVAILABLE_WORLDS,)
    ),
    "get_current_world": Service(
        srv.GetCurrentWorld, worlds.get_current_world, (_F.WORLD_INFO_GETTING,)
    ),
    "get_entities": Service(
        srv.GetEntities,
        entities.get_entities,
        (_F.ENTITY_TAGS, _F.ENTITY_BOUNDS_BOX, _F.ENTITY_CATEGORIES),
    ),
    "get_entities_states": Service(srv.GetEntitiesStates, entities.get_entities_states),
    "get_entity_bounds": Service(
        srv.GetEntityBounds, entities.get_entity_bounds, (_F.ENTITY_BOUNDS,)
    ),
    "get_entity_info": Service(
        srv.GetEntityInfo, entities.get_entity_info, (_F.ENTITY_INFO_GETTING,)
    ),
    "get_entity_state": Service(
        srv.GetEntityState, entities.get_entity_state, (_F.ENTITY_STATE_GETTING,)
    ),
    "get_named_pose_bounds": Service(srv.GetNamedPoseBounds, entities.get_named_poses),
    "get_named_poses": Service(srv.GetNamedPoses, entities.get_named_poses),
    "get_simulation_state": Service(
        srv.GetSimulationState, states.get_simulation_state, (_F.SIMULATION_STATE_GETTING,)
    ),
    "get_simulator_features": Service(srv.GetSimulatorFeatures, get_simulator_features),
    "get_spawnables": Service(srv.GetSpawnables, spawning.get_spawnables, (_F.SPAWNABLES,)),
    "load_world": Service(
        srv.LoadWorld, worlds.load_world, (_F.WORLD_LOADING, _F.WORLD_RESOURCE_STRING)
    ),
    "reset_simulation": Service(
        srv.ResetSimulation,
        states.reset_simulation,
        (
            _F.SIMULATION_RESET,
            _F.SIMULATION_RESET_TIME,
            _F.SIMULATION_RESET_STATE,
            _F.SIMULATION_RESET_SPAWNED,
        ),
    ),
    "set_entity_info": Service(
        srv.SetEntityInfo, entities.set_entity_info, (_F.ENTITY_INFO_SETTING,)
    ),
    "set_entity_state": Service(
        srv.SetEntityState, entities.set_entity_state, (_F.ENTITY_STATE_SETTING,)
    ),
    "set_simulation_state": Service(
        srv.SetSimulationState,
        states.set_simulation_state,
        (_F.SIMULATION_STATE_SETTING, _F.SIMULATION_STATE_PAUSE),
    ),
    "spawn_entities": Service(srv.SpawnEntities, spawning.spawn_entities, (_F.SPAWNING_ENTITIES,)),
    "spawn_entity": Service(
        srv.SpawnEntity, spawning.spawn_entity, (_F.SPAWNING, _F.SPAWNING_RESOURCE_STRING)
    ),
    "step_simulation": Service(
        srv.StepSimulation,
        states.step_simulation,
        (_F.STEP_SIMULATION_SINGLE, _F.STEP_SIMULATION_MULTIPLE),
    ),
    "unload_world": Service(srv.UnloadWorld, worlds.unload_world, (_F.WORLD_UNLOADING,)),
}
"""All services by name."""
_LOADING = (
    _F.AVAILABLE_WORLDS,
    _F.WORLD_LOADING,
    _F.WORLD_RESOURCE_STRING,
    _F.WORLD_UNLOADING,
)


def answer(name: str, served: ServedWorld, request: Any, response: Any) -> Any:
    """Returns the response to a request, with the result code and text of an error if any."""
    service = SERVICES[name]
    if service.function is get_simulator_features:  # which alone has no result
        get_simulator_features(served, request, response)
        return response
    response.result.result = Result.RESULT_OK
    try:
        service.function(served, request, response)
    except Exception as error:  # which belongs to the client; the server continues
        response.result.result = code_of(error)
        response.result.error_message = str(error)
        if not isinstance(error, (DeepSimError, ValueError)):
            _LOG.exception("%s failed", name)
    return response
