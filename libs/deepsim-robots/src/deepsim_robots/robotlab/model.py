# SPDX-License-Identifier: Apache-2.0
"""Entities that consist of a single model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from deepsim_robots.config import Source

from .body import Body
from .entity import Entity
from .loading import not_loaded

if TYPE_CHECKING:
    from .simulator import LabSimulator


class Model(Entity):
    """A model from a file, XML or a description.

    >>> from deepsim_robots.robotlab import LabSimulator
    >>> cup = Model("<sdf version='1.9'><model name='cup'><link name='link'/></model></sdf>")
    >>> lab = LabSimulator(MujocoSimulator, elements={"table": {"cup": cup}})
    >>> lab.reset()
    >>> cup.path, lab.find("table/cup/link").get_pose().shape
    ('table/cup', (1, 7))

    Args:
        source: Source as for `ModelSpawner`.
        pose: Pose in every scene; by default from the description.

    Attributes:
        body: The model in all scenes.
    """

    body: Body = not_loaded()

    def __init__(self, source: Source, pose: ArrayLike | None = None) -> None:
        super().__init__()
        self._source = source
        self._pose = pose

    def _load(self, sim: LabSimulator) -> None:
        self.body = sim.scene.add(self.path, self._source, self._pose)

    def _get_sapien_entities(self) -> list[Body]:
        return [self.body]

    def find_part(self, name: str) -> Any:
        """Returns a link of the model."""
        return self.body.link(name)
