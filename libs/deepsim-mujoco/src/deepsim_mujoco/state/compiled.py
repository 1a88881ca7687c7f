# SPDX-License-Identifier: Apache-2.0
"""A compiled model and the rows of its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.spec.axes import Axis
from deepsim_mujoco.spec.builder import Built
from deepsim_mujoco.spec.lights import BuiltLight
from deepsim_mujoco.spec.tree import Node
from deepsim_sync import Entities

from .layout import Rows, numbers_of


@dataclass(frozen=True)
class Compiled:
    """The parts of a world that only change when models are added or removed.

    Attributes:
        model: MuJoCo's model.
        built: The models, in row order.
        entities: Names of all rows.
        links: The links, in row order.
        axes: The joint axes, in row order.
        lights: All lights by name.
        bodies: MuJoCo's number of each body by name.
        link_bodies: Number of each link's body, (n,).
    """

    model: mujoco.MjModel
    built: Sequence[Built]
    entities: Entities
    links: Sequence[Node]
    axes: Sequence[Axis]
    lights: Mapping[str, BuiltLight]
    bodies: Mapping[str, int]
    link_bodies: Rows

    @classmethod
    def of(
        cls,
        model: mujoco.MjModel,
        built: Sequence[Built],
        world_lights: Mapping[str, BuiltLight],
        generation: int,
    ) -> Compiled:
        """Returns the rows of a compiled model; `world_lights` belong to no model."""
        links = [node for one in built for node in one.links]
        lights = {**world_lights, **{n: light for one in built for n, light in one.lights.items()}}
        entities = Entities(
            generation,
            models=[frame.name for one in built for frame in one.frames],
            links=[node.name for node in links],
            joints=[name for one in built for name in one.axes],
            visuals=[name for one in built for name in one.visuals],
            lights=lights,
        )
        bodies = numbers_of(model, model.name_bodyadr)
        link_bodies = np.array([bodies[name] for name in entities.links], dtype=np.intp)
        axes = [axis for one in built for axis in one.axes.values()]
        return cls(model, built, entities, links, axes, lights, bodies, link_bodies)
