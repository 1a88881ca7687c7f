# SPDX-License-Identifier: Apache-2.0
"""Spawning, deleting, and the resources that can be spawned or loaded."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rclpy.exceptions import InvalidNamespaceException
from rclpy.validate_namespace import validate_namespace
from simulation_interfaces.msg import Result, Spawnable, SpawnResult
from simulation_interfaces.srv import SpawnEntities

from deepsim_ros2.simulation import RefusedError, ServedWorld, not_found, pose_in_world
from deepsim_ros2.topics.bases import add_base
from deepsim_spawn import (
    GazeboXMLLoader,
    MjcfModel,
    ModelDescription,
    ModelFormatError,
    ModelIndex,
)
from deepsim_sync import DuplicateEntityError, SpawnError, checked_requests
from deepsim_sync import SpawnRequest as ModelRequest

FORMATS = {"sdf": "sdf", "robot": "urdf", "mujoco": "mjcf"}
"""The formats of models, as SimulatorFeatures names them, by the root element of a file."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<([A-Za-z_][\w:.-]*)")


def spawn_entity(served: ServedWorld, request: Any, response: Any) -> None:
    """Spawns one entity."""
    response.entity_name = _spawn(served, request)


def spawn_entities(served: ServedWorld, request: Any, response: Any) -> None:
    """Spawns several entities, as many of them as can be."""
    for each in request.spawn_requests:
        result = SpawnResult()
        try:
            result.entity_name = _spawn(served, each)
            result.result.result = Result.RESULT_OK
        except RefusedError as refusal:
            result.result.result, result.result.error_message = refusal.code, str(refusal)
        response.results.append(result)
    wrong = sum(each.result.result != Result.RESULT_OK for each in response.results)
    if wrong:
        code = SpawnEntities.Response.ENTITIES_SPAWN_FAILED
        raise RefusedError(code, f"{wrong} of {len(response.results)} entities were not spawned")


def delete_entity(served: ServedWorld, request: Any, _response: Any) -> None:
    """Removes an entity."""
    served.simulation.delete(request.entity)
    served.changed = True


def _spawn(served: ServedWorld, request: Any) -> str:
    """Spawns an entity, and returns its name.

    Raises:
        RefusedError: It cannot be spawned, with a code of SpawnResult.
    """
    simulation, codes = served.simulation, SpawnResult
    world = simulation.world
    namespace = _namespace(request.entity_namespace)
    description = _model(served, request.entity_resource)
    is_nameless = isinstance(description, MjcfModel) and description.name == "model"
    name = request.name or ("" if is_nameless else description.name)
    scoped = f"{namespace}/{name}" if namespace else name
    taken = world.entities.models
    if request.allow_renaming and (not name or scoped in taken):
        stem = scoped if name else f"{scoped}entity"
        scoped = next(each for each in _numbered(stem) if each not in taken)
    elif not name:
        raise RefusedError(codes.NAME_INVALID, "the name is empty, and that of the resource, too")
    pose = pose_in_world(served, request.initial_pose.header.frame_id, request.initial_pose.pose)
    try:
        checked_requests([ModelRequest(description, scoped, pose)], simulation.count, taken)
    except DuplicateEntityError as error:
        raise RefusedError(codes.NAME_NOT_UNIQUE, str(error)) from error
    except SpawnError as error:
        raise RefusedError(codes.NAME_INVALID, str(error)) from error
    except ValueError as error:
        raise RefusedError(codes.INVALID_POSE, str(error)) from error
    try:
        simulation.spawn(description, scoped, pose, namespace)
    except SpawnError as error:
        raise RefusedError(codes.UNSUPPORTED_ASSETS, str(error)) from error
    add_base(world, scoped)
    served.changed = True
    return scoped


def _numbered(stem: str) -> Iterator[str]:
    number = 1
    while True:
        yield f"{stem}_{number}"
        number += 1


def _namespace(given: str) -> str:
    """Returns a namespace without slashes at its ends."""
    try:
        validate_namespace("/" + given.strip("/"))
    except InvalidNamespaceException as error:
        text = " ".join(str(error).split())
        raise RefusedError(SpawnResult.NAMESPACE_INVALID, text) from error
    return given.strip("/")


def _model(served: ServedWorld, resource: Any) -> ModelDescription | MjcfModel:
    """Reads the model of a resource.

    Raises:
        RefusedError: It cannot be read, with a code of SpawnResult.
    """
    source, kind = read_source(served, resource, SpawnResult)
    path = served.simulation.search_path
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # repairs of the file, which no client can hear of
        try:
            if kind == "mjcf":
                return MjcfModel(source, search_path=path)
            return GazeboXMLLoader(path).load_model(source)
        except ModelFormatError as error:
            raise unreadable(error, SpawnResult) from error


def read_source(served: ServedWorld, resource: Any, codes: Any) -> tuple[str | Path, str]:
    """Returns the text or file of a resource, and its format."""
    if resource.uri:
        try:
            path = served.simulation.search_path.find(resource.uri)
        except (OSError, ValueError) as error:
            raise not_found(str(error)) from error
        if path.is_dir():
            return path, "sdf"
        text, source = path.read_text(encoding="utf-8", errors="replace"), path
        label = resource.uri
    else:
        text = source = resource.resource_string
        label = "the resource_string"
        if not text:
            raise RefusedError(codes.NO_RESOURCE, "uri and resource_string are empty")
    tag = _TAG.search(_COMMENT.sub("", text))
    kind = FORMATS.get(tag[1]) if tag and text.lstrip().startswith("<") else None
    if kind is None:
        found = f"<{tag[1]}>" if tag else "no XML"
        known = ", ".join(f"<{name}>" for name in FORMATS)
        raise RefusedError(codes.UNSUPPORTED_FORMAT, f"{label} has {found}; expected {known}")
    return source, kind


def unreadable(error: ModelFormatError, codes: Any) -> RefusedError:
    """Returns the refusal for a resource that cannot be read."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, FileNotFoundError):
        cause = cause.__cause__
    missing = cause is not None
    return RefusedError(codes.MISSING_ASSETS if missing else codes.RESOURCE_PARSE_ERROR, str(error))


def get_spawnables(served: ServedWorld, request: Any, response: Any) -> None:
    """Lists the models on the search path, and in the folders that a client names."""
    path = served.simulation.search_path
    unknown = [each for each in request.sources if not is_on(path.folders, each)]
    folders = [*path.folders, *(each for each in request.sources if each not in unknown)]
    for name, info in ModelIndex(folders).items():
        found = Spawnable(description=info.description or info.title)
        found.entity_resource.uri = f"model://{name}"
        response.spawnables.append(found)
    if unknown:
        response.result.error_message = outside(unknown)


def is_on(folders: tuple[Path, ...], source: str) -> bool:
    """Returns whether a source is a folder within those of the search path."""
    place = Path(source)
    return place.is_dir() and any(place.resolve().is_relative_to(each) for each in folders)


def outside(unknown: list[str]) -> str:
    """Returns the remark about sources that are no folders of the search path."""
    return f"no folders of the search path: {', '.join(unknown)}"
