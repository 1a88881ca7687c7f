# SPDX-License-Identifier: Apache-2.0
"""Converts Scenic objects to scene objects."""

from __future__ import annotations

from typing import Any

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_scenes.errors import ScenarioError
from deepsim_scenes.models import ModelList
from deepsim_scenes.scene import SceneObject


def scene_object(index: int, drawn: Any, models: ModelList, dimensions: int) -> SceneObject:
    """Converts an object that Scenic sampled.

    Args:
        index: The number of the object in the scene.
        drawn: The sampled `scenic.core.object_types.Object`.
        models: The models of the scenario.
        dimensions: Dimensions of the scenario, 2 or 3.

    Raises:
        ScenarioError: The list has no model for the object.
    """
    name = getattr(drawn, "gz_name", None)
    if name is None or name not in models:
        raise ScenarioError(
            f"object {index} is a {type(drawn).__name__}, for which the list of models has no"
            " model: place classes of the list, or of your own that inherit from them"
        )
    model = models[name]
    size = Vector3(float(drawn.width), float(drawn.length), float(drawn.height))
    center = model.center
    if tuple(size) != tuple(model.size):
        factors = model.factors(size)
        center = Vector3(*(own * by for own, by in zip(center, factors, strict=True)))
    x, y, z = map(float, drawn.position)
    if dimensions == 2:  # z is the height of the model frame
        z = float(drawn.z)
        center = center.replace(z=0.0)
        heading = float(drawn.heading)
        orientation = Quaternion.from_euler(0.0, 0.0, heading)
    else:
        turn, heading = drawn.orientation, float(drawn.yaw)
        orientation = Quaternion(*map(float, (turn.x, turn.y, turn.z, turn.w)))
    position = Vector3(x, y, z)
    frame = position - orientation.rotate(center)
    return SceneObject(f"{name}_{index}", model, size, position, heading, Pose(frame, orientation))
