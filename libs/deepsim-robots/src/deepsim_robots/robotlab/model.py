# SPDX-License-Identifier: Apache-2.0
"""An entity that is one model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from deepsim_robots.config import Source

from .body import Body
from .entity import Entity

if TYPE_CHECKING:
    from .simulator import LabSimulator


class Model(Entity):
    """A model of a file, XML or description.

    Args:
        source: As `ModelSpawner` takes it.
        pose: In every scene; by default as described.

    Attributes:
        body: The model in all scenes.
    """

    body: Body

    def __init__(self, source: Source, pose: ArrayLike | None = None) -> None:
        super().__init__()
        self._source = source
        self._pose = pose

    def _load(self, sim: LabSimulator) -> None:
        """Adds the model to the present scene."""
        self.body = sim.scene.add(self.path, self._source, self._pose)

    def _get_sapien_entities(self) -> list[Body]:
        """Returns the model."""
        return [self.body]

    def find_part(self, name: str) -> Any:
        """Returns a link."""
        return self.body.link(name)
