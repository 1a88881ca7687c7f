# SPDX-License-Identifier: Apache-2.0
"""The part of a scene that lasts until entities come or go."""

from __future__ import annotations

from functools import cached_property

from deepsim_sync import Descriptions, Entities

from .instances import Instances, instances_of


class Layout:
    """The entities of a world, and their shapes.

    Args:
        entities: The names of the rows.
        descriptions: The descriptions of models and lights.
    """

    def __init__(self, entities: Entities, descriptions: Descriptions) -> None:
        self.entities = entities
        self.descriptions = descriptions

    @cached_property
    def instances(self) -> Instances:
        """The visuals; the first reader pays for their surfaces."""
        return instances_of(self.descriptions, self.entities)
