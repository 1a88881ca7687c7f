# SPDX-License-Identifier: Apache-2.0
"""Namespaces and frames of models, by the names that REP 103, 105 and 120 recommend.

A robot is a model with joints or sensors. The only robot of a world has its topics at the root and
its links as frames, such as ``/scan`` and ``base_link``. Of several, each has its name as namespace
and as prefix of its frames. A robot that a client spawns is in the namespace of the request or, if
that is empty, at the root, unless there is another robot.
"""

from __future__ import annotations

from deepsim_ros2.recording.names import ros_name
from deepsim_ros2.served.simulation import Simulation
from deepsim_sync import SCOPE


class Layout:
    """The namespace of each robot; it stays as long as the robot is there.

    Attributes:
        robots: Namespace of each robot by name, "" for the root.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.robots: dict[str, str] = {}
        self._opened = -1

    def update(self) -> None:
        """Gives new robots a namespace."""
        simulation = self._simulation
        first = self._opened != simulation.opened
        if first:
            self.robots, self._opened = {}, simulation.opened
        models = simulation.world.entities.models
        found = [name for name in models if SCOPE not in name and simulation.is_robot(name)]
        self.robots = {name: kept for name, kept in self.robots.items() if name in found}
        new = [name for name in found if name not in self.robots]
        for name in new:
            wanted = simulation.namespaces.get(name, "")
            own = ros_name(name.rpartition("/")[2])
            if first and len(new) > 1:
                wanted = own
            elif wanted in self.robots.values():
                wanted = f"{wanted}/{own}".lstrip("/")
            self.robots[name] = wanted

    def prefix(self, model: str) -> str:
        """Returns the prefix of the frames of a model's links."""
        scope = self.robots.get(model, model)
        return f"{scope}/" if scope else ""

    def link_frame(self, link: str) -> str:
        """Returns the frame of a link, given its row ``model::link``."""
        model, _, own = link.partition(SCOPE)
        return self.prefix(model) + own.replace(SCOPE, "/")


def own_name(row: str) -> str:
    """Returns the name of a joint within its model, given its row ``model::joint``."""
    return row.partition(SCOPE)[2].replace(SCOPE, "/")
