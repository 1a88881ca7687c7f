# SPDX-License-Identifier: Apache-2.0
"""Shows the world of a physics server of another process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from deepsim_sync import CallbackError, DeepSimError, World

from .viewer import Viewer

if TYPE_CHECKING:
    from deepsim_transport.messages import Marker, Point

MARKERS = "markers"
_TICK = 1 / 30  # the simulated time of one press of the page's Step button [s]


@contextmanager
def connected_view(namespace: str, port: int) -> Iterator[tuple[Viewer, Callable[[], None]]]:
    """Opens a viewer of the world of a `PhysicsServer`; the server never waits for the viewer.

    The markers of the topic ``markers`` are drawn, too.

    Yields the viewer and a function that ticks forever. If the server ends, the viewer waits for
    the next server of the same name.

    Args:
        namespace: The name of the server's world.
        port: TCP port of the page; 0 for any free port.

    Raises:
        DeepSimError: No master or physics server answers, or deepsim-transport is not installed.
        OSError: The port is taken.
    """
    try:
        from deepsim_transport import (  # noqa: PLC0415 (of an extra)
            FollowedSimulator,
            NoAnswerError,
            Transport,
        )
        from deepsim_transport.messages import Marker  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name != "deepsim_transport":
            raise
        raise DeepSimError(
            "topics are an extra: pip install --find-links dist 'deepsim[transport]'"
        ) from None

    with Transport(namespace=namespace) as transport:
        simulator = FollowedSimulator(transport)
        world = World(simulator, steps_per_tick=max(1, round(_TICK / simulator.timestep)))

        def run() -> None:
            while True:
                try:
                    world.tick()
                except NoAnswerError:
                    continue
                except CallbackError as error:
                    if not isinstance(error.__cause__, NoAnswerError):
                        raise

        try:
            with Viewer(world, port=port, label=f"/gazebo/{namespace}", clock=simulator) as viewer:
                transport.subscribe(MARKERS, Marker, TopicMarkers(viewer).draw)
                yield viewer, run
        finally:
            world.close()


class TopicMarkers:
    """Draws the markers that other processes publish.

    Args:
        viewer: The view of the world.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._handles: dict[str, Any] = {}

    def draw(self, marker: Marker) -> None:
        """Draws a marker, or removes it; shows in the browser why one cannot be drawn."""
        try:
            made = self._made(marker) if marker.shape else None
        except ValueError as error:
            self._viewer.notify(f"marker {marker.name!r}", str(error))
            return
        if made is None and marker.name in self._handles:
            self._handles.pop(marker.name).remove()
        elif made is not None:
            self._handles[marker.name] = made

    def _made(self, marker: Marker) -> Any:
        """Returns the handle of a new node, which replaces the node of the same name."""
        if not marker.name or "/" in marker.name:
            raise ValueError(f"a name is not empty and has no slash, got {marker.name!r}")
        red, green, blue, opacity = color = _numbers("color", marker.color, 4)
        if min(color) < 0.0 or max(color) > 1.0:
            raise ValueError(f"a color has numbers from 0 to 1, got {color}")
        sides = _vector("size", marker.size)
        points = np.array([_vector("points", each) for each in marker.points]).reshape(-1, 3)
        turn = marker.pose.orientation
        scene, name = self._viewer.server.scene, f"/markers/{marker.name}"
        rgb = (round(255 * red), round(255 * green), round(255 * blue))
        place: dict[str, Any] = {
            "position": _vector("position", marker.pose.position),
            "wxyz": _numbers("orientation", (turn.u, turn.x, turn.y, turn.z), 4),
        }
        solid: dict[str, Any] = {"color": rgb, "opacity": opacity, **place}
        if marker.shape == "box":
            return scene.add_box(name, dimensions=np.array(sides), **solid)
        if marker.shape == "sphere":
            return scene.add_icosphere(name, radius=sides[0] / 2.0, **solid)
        if marker.shape == "cylinder":
            return scene.add_cylinder(name, radius=sides[0] / 2.0, height=sides[2], **solid)
        if marker.shape == "text":
            return scene.add_label(name, marker.text, **place)
        if marker.shape == "line" and len(points) > 1:
            pieces = np.stack([points[:-1], points[1:]], axis=1)
            return scene.add_line_segments(name, pieces, rgb, **place)
        if marker.shape == "arrow" and len(points) == 2:
            return scene.add_arrows(name, points[None], rgb, **place)
        raise ValueError(
            "a shape is box, sphere, cylinder, text, line with two points or more, or arrow with "
            f"two, got {marker.shape!r} with {len(points)}"
        )


def _numbers(what: str, given: tuple[float, ...], count: int) -> tuple[float, ...]:
    """Returns finite numbers; raises ValueError if there are others, or not as many."""
    if len(given) != count or not np.isfinite(given).all():
        raise ValueError(f"{what} has {count} finite numbers, got {given}")
    return given


def _vector(what: str, point: Point) -> tuple[float, ...]:
    return _numbers(what, (point.x, point.y, point.z), 3)
