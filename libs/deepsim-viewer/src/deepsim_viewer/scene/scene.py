# SPDX-License-Identifier: Apache-2.0
"""The scene of a world in the browser, with its lights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_math import Color, poses, quaternions
from deepsim_spawn import LightDescription
from deepsim_sync import SCOPE, CameraView

from .batches import Batches
from .frame import Frame, Instances

_SIDE = np.array([1.2, -1.45, 1.0])  # direction of the camera from what it looks at
_FAR = 2.13  # distance of the camera from what it looks at, relative to the radius of that
_CELL = 0.5  # distance of the thin lines of the ground [m]; every other line is thick
_LINES = (120, 124, 130)  # their colour, sRGB
_FADED = 40.0  # distance from the camera at which they have faded away [m]
_ABOVE = 0.004  # their height above the ground [m]
_HORIZON_AT = 1000.0  # half the side of a level plane, which is endless for collisions [m]
_CLEAR = 12.0  # least distance from the camera at which fog begins [m]
_MARKED = (255, 190, 0)  # colour of the box around the selected model, sRGB
_SIDES = np.indices((2, 2, 2)).reshape(3, 8).T  # corners of a unit cube
_EDGES = np.array([(a, b) for a in _SIDES for b in _SIDES if sorted(b - a) == [0, 0, 1]])
_ROOM = 1.5  # radius of the picture around a followed model, relative to that of the model

_AROUND = 0.25  # what is added to that radius, so that small models are seen in their place [m]


class Scene:
    """The scene that shows frames, and is rebuilt when entities change.

    Args:
        server: The server of the browser.
        frame: The first frame.
        spacing: Distance between the worlds in the grid [m]; by default chosen to suit their size,
            and 0 on a landscape.
        on_click: Called with the name and world of a clicked model.
        shadows: Whether the first directional light casts shadows.
        focus: The model to look at; None for all models.
        camera: A camera from whose side the world or the focus is shown.

    Attributes:
        batches: The meshes.
        offsets: (w, 3) positions of the worlds [m].
    """

    def __init__(
        self,
        server: viser.ViserServer,
        frame: Frame,
        spacing: float | None,
        on_click: Callable[[str, int], object],
        *,
        shadows: bool,
        focus: str | None = None,
        camera: CameraView | None = None,
    ) -> None:
        self._server = server
        self._frame = frame
        self._on_click = on_click
        center, reach = _extent(frame.layout.instances, frame)
        if spacing is None:
            spacing = 0.0 if _has_landscape(frame.layout.instances) else 2.5 * reach
        self.offsets = world_offsets(len(frame.poses), spacing)
        add_lights(server.scene, frame.layout.descriptions.lights, shadows=shadows)
        self._ground: Any = None
        self._marked: Any = None
        self.batches = self._build(frame)
        span = float(np.abs(self.offsets).max()) + reach
        if focus is not None:
            center, size = _extent(frame.layout.instances, frame, focus)
            span += _ROOM * size + _AROUND - reach
        side = _SIDE if camera is None else np.asarray(camera.pose, np.float64)[:3] - center
        server.initial_camera.look_at = tuple(center)
        server.initial_camera.position = tuple(center + _FAR * span * side / np.linalg.norm(side))
        server.initial_camera.fov = 0.8
        self._clear = max(_CLEAR, 6.0 * span)
        self.show_fog(True)

    def show_fog(self, shown: bool) -> None:
        """Shows the fog in which the ground meets the sky, or hides it.

        While a gizmo is dragged, viser 1.1.1 draws with a material that knows no fog; where there
        is some, nothing is drawn at all.
        """
        red, green, blue = _HORIZON.astype(int).tolist()
        self._server.scene.configure_fog(
            self._clear, 6.0 * self._clear, color=(red, green, blue), enabled=shown
        )

    def show(self, frame: Frame) -> None:
        """Shows a frame, which browsers receive as a whole."""
        with self._server.atomic():
            if frame.layout is not self._frame.layout or not self.batches.fits(frame):
                self.batches.remove()
                self.batches = self._build(frame)
            else:
                self.batches.update(frame)
            self._frame = frame

    def mark(self, model: str | None, world: int) -> None:
        """Draws the edges of a box around all visuals of a model; None draws none."""
        frame = self._frame
        edges = None
        if model is not None and model in frame.entities.models:
            edges = _box_around(frame.layout.instances, frame, model, world)
        if edges is None:
            if self._marked is not None:
                self._marked.remove()
                self._marked = None
            return
        edges += self.offsets[world]
        if self._marked is None:
            self._marked = self._server.scene.add_line_segments(
                "/selected", edges, _MARKED, thickness=2.0, thickness_units="screen"
            )
        else:
            self._marked.points = edges.astype(np.float32)

    def _clicked(self, world: int, link: int) -> None:
        self._on_click(self._frame.entities.links[link].split(SCOPE)[0], world)

    def _build(self, frame: Frame) -> Batches:
        instances, height = _endless(frame.layout.instances, frame)
        scene = self._server.scene
        if self._ground is not None:
            self._ground.remove()
            self._ground = None
        batches = Batches(scene, instances, frame, self.offsets, self._clicked)
        if height is not None:
            self._ground = scene.add_grid(
                "/ground",
                infinite_grid=True,
                cell_size=_CELL,
                section_size=2.0 * _CELL,
                cell_color=_LINES,
                section_color=_LINES,
                cell_thickness=0.4,
                fade_distance=_FADED,
                shadow_opacity=0.0,
                position=(0.0, 0.0, height + _ABOVE),
            )
        return batches


def _box_around(
    instances: Instances, frame: Frame, model: str, world: int
) -> NDArray[np.float64] | None:
    """Returns the edges (12, 2, 3) of the box around a model [m], or None if it is not drawn."""
    links = frame.entities.links.rows(frame.entities.links.within(model))
    (numbers,) = np.nonzero(
        np.isin(instances.links, links) & (frame.opacities[world, instances.visuals] > 0.0)
    )
    bounded = [number for number in numbers if not instances.surfaces[number].is_ground]
    if not bounded:
        return None
    places = poses.compose(frame.poses[world, instances.links[bounded]], instances.places[bounded])
    points = np.concatenate(
        [
            poses.transform_points(place, instances.surfaces[number].corners * scale)
            for place, number, scale in zip(places, bounded, instances.scales[bounded], strict=True)
        ]
    )
    return np.asarray(np.where(_EDGES, points.max(axis=0), points.min(axis=0)), np.float64)


def _endless(instances: Instances, frame: Frame) -> tuple[Instances, float | None]:
    """Returns the instances with level planes drawn to the horizon, and the height of the first.

    Planes with a texture keep their size. The height is None if there is no level plane, or none
    that is visible [m].
    """
    places = poses.compose(frame.poses[0, instances.links], instances.places)
    upright = quaternions.rotate(places[:, 3:], np.array([0.0, 0.0, 1.0]))[:, 2] > 1.0 - 1e-6
    scales, height = instances.scales.copy(), None
    for number in np.flatnonzero(upright):
        surface = instances.surfaces[number]
        vertices = surface.vertices
        if not surface.is_ground or surface.image is not None or np.ptp(vertices[:, 2]) > 0.0:
            continue
        scales[number] = _HORIZON_AT / np.abs(vertices).max()
        if height is None and frame.opacities[0, instances.visuals[number]] > 0.0:
            height = float(places[number, 2])
    return replace(instances, scales=scales), height


def _has_landscape(instances: Instances) -> bool:
    """Returns whether the worlds share uneven ground, on which each has its own place."""
    return any(each.is_ground and np.ptp(each.vertices[:, 2]) > 0.0 for each in instances.surfaces)


def _extent(
    instances: Instances, frame: Frame, model: str | None = None
) -> tuple[NDArray[np.float64], float]:
    """Returns the centre (3,) and radius of the first world, or a model, without planes [m]."""
    bounded = np.array([not surface.is_ground for surface in instances.surfaces], dtype=bool)
    if model is not None:
        within = frame.entities.links.rows(frame.entities.links.within(model))
        bounded &= np.isin(instances.links, within)
    (numbers,) = np.nonzero(bounded)
    if not len(numbers):
        return np.zeros(3), 2.0
    boxes = np.array([instances.surfaces[number].corners for number in numbers])
    boxes *= instances.scales[numbers, None]
    places = poses.compose(frame.poses[0, instances.links[numbers]], instances.places[numbers])
    points = places[:, :3] + quaternions.rotate(places[:, 3:], boxes.mean(axis=1))
    sizes = np.minimum(np.linalg.norm(np.ptp(boxes, axis=1), axis=1), 5.0)
    low, high = (points - sizes[:, None] / 2).min(axis=0), (points + sizes[:, None] / 2).max(axis=0)
    return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 0.5)


def world_offsets(worlds: int, spacing: float) -> NDArray[np.float64]:
    """Returns positions (worlds, 3) on a square grid around the origin, row by row [m]."""
    side = math.ceil(math.sqrt(worlds))
    rows = math.ceil(worlds / side)
    number = np.arange(worlds)
    x = (number % side - (side - 1) / 2) * spacing
    y = ((rows - 1) / 2 - number // side) * spacing
    return np.column_stack([x, y, np.zeros(worlds)])


_SKY_LIGHT = 0.45
_ZENITH = np.array([148.0, 182.0, 214.0])  # sRGB
_HORIZON = np.array([224.0, 232.0, 240.0])
_SUN = 2.0  # intensity of a white directional light
_LAMP = 10.0  # [cd] of a white point or spot light


def add_lights(scene: viser.SceneApi, lights: Mapping[str, object], *, shadows: bool) -> None:
    """Adds the lights of a world and a sky; a world without lights gets viser's default lights.

    Args:
        scene: The scene of the browser.
        lights: Descriptions by name.
        shadows: Whether the first directional light casts shadows.
    """
    described = [each for each in lights.values() if isinstance(each, LightDescription)]
    scene.configure_environment_map("studio", environment_intensity=_SKY_LIGHT)
    scene.configure_default_lights(enabled=not described, cast_shadow=shadows)
    scene.set_background_image(_sky(), format="png")
    for number, light in enumerate(described):
        first = light.type == "directional" and all(
            each.type != "directional" for each in described[:number]
        )
        _add(scene, f"/lights/{number}", light, shadow=shadows and first)


def _sky() -> NDArray[np.uint8]:
    """Returns a picture (256, 1, 3) that becomes paler down to its middle, as the fog is there."""
    share = np.clip(np.linspace(0.0, 2.0, 256), 0.0, 1.0)[:, None, None]
    return np.asarray(np.rint(_ZENITH + share * (_HORIZON - _ZENITH)), dtype=np.uint8)


def _add(scene: viser.SceneApi, name: str, light: LightDescription, *, shadow: bool) -> Any:
    color, strength = _color(light.diffuse)
    turn = np.asarray(light.pose, dtype=np.float64)[3:]
    along = np.asarray(quaternions.rotate(turn, np.asarray(light.direction)), dtype=np.float64)
    if light.type == "directional":  # shines from its position towards the origin
        x, y, z = (-100.0 * along).tolist()
        return scene.add_light_directional(
            name,
            color=color,
            intensity=_SUN * strength,
            cast_shadow=shadow,
            position=(x, y, z),
        )
    x, y, z = np.asarray(light.pose, dtype=np.float64)[:3].tolist()
    return scene.add_light_point(
        name,
        color=color,
        intensity=_LAMP * strength,
        distance=light.attenuation.range,
        cast_shadow=shadow,
        position=(x, y, z),
    )


def _color(color: Color) -> tuple[tuple[int, int, int], float]:
    """Returns a colour whose largest component is 255, and its strength 0..1."""
    parts = np.clip(np.asarray(color, dtype=np.float64)[:3], 0.0, 1.0)
    strength = float(parts.max())
    red, green, blue = (
        np.rint(255.0 * parts / strength).astype(int).tolist() if strength else (0,) * 3
    )
    return (red, green, blue), strength
