# SPDX-License-Identifier: Apache-2.0
"""Description of a running world, for saving."""

from __future__ import annotations

from dataclasses import replace

from deepsim_math import Pose, Vector3
from deepsim_spawn import LightDescription, ModelDescription, WorldDescription
from deepsim_sync import UnsupportedError, World


def described_world(world: World, number: int = 0) -> WorldDescription:
    """Returns the description of a world, with its models at their current poses.

    It must be called in the world's thread. Joint positions and colours are those of the models'
    descriptions, and physics settings are the defaults.

    Args:
        world: The world.
        number: Index of one of its W worlds.

    Raises:
        UnsupportedError: The description of a model cannot be written as SDF.
    """
    found = world.simulator.descriptions
    models = []
    for name, model in found.models.items():
        if not isinstance(model, ModelDescription):
            raise UnsupportedError(
                f"model {name!r} is a {type(model).__name__}, which cannot be saved as SDF"
            )
        cells = world.models.pose[number, world.entities.models.row(name)]
        pose = Pose(Vector3(*cells[:3]), tuple(cells[3:]))
        models.append(replace(model, name=name, pose=pose))
    lights = [each for each in found.lights.values() if isinstance(each, LightDescription)]
    return WorldDescription(models=tuple(models), lights=tuple(lights))
