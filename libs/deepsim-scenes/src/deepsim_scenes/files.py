# SPDX-License-Identifier: Apache-2.0
"""Scenes as files: a Gazebo world, resized models, the mission's poses, and plots."""

from __future__ import annotations

import math
import shutil
from html import escape
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from deepsim_spawn import Footprint

from .errors import SceneError
from .scene import Scene, SceneObject
from .world import EMPTY, described

WORLD = "scene.world"
POSES = "poses.yaml"
MODELS = "models"

_CLOSING = "</world>"
_CONFIG = """\
<?xml version="1.0"?>
<model>
  <name>{name}</name>
  <sdf version="1.7">model.sdf</sdf>
  <description>{original}, resized for a scene</description>
</model>
"""


def write_scene(scene: Scene, folder: str | Path) -> None:
    """Writes `scene.world` and `poses.yaml`, and resized or generated models below `models`.

    The world is the base world with an ``<include>`` for each object. To load it, Gazebo needs
    the folder `models` and the folders of the search path in ``GAZEBO_MODEL_PATH``.

    Args:
        scene: The scene.
        folder: A folder that does not exist, or is empty.

    Raises:
        FileExistsError: The folder has content.
        ResizeError: A model cannot be scaled to its size.
        SceneError: The base world has no ``</world>``.
    """
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise FileExistsError(f"{str(place)!r} exists: choose another folder")
    copies = {each.name: described(each) for each in scene.in_world if _needs_copy(each)}
    text = _world_text(scene)
    place.mkdir(parents=True, exist_ok=True)
    place.joinpath(WORLD).write_text(text, encoding="utf-8")
    place.joinpath(POSES).write_text(poses_text(scene), encoding="utf-8")
    for each in scene.in_world:
        if each.name in copies:
            _write_copy(each, copies[each.name].to_sdf(), place / MODELS / each.name)


def _needs_copy(thing: SceneObject) -> bool:
    return thing.is_resized or thing.model.folder is None


def _write_copy(thing: SceneObject, text: str, folder: Path) -> None:
    """Writes a resized model; if it uses files of the original's folder, copies the folder."""
    original = thing.model.folder
    if original is not None:
        uri = f"file://{escape(str(original.resolve()))}/"
        if uri in text:
            skipped = shutil.ignore_patterns("*.sdf", "model.config")
            shutil.copytree(original, folder, ignore=skipped)
            text = text.replace(uri, f"model://{thing.name}/")
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("model.sdf").write_text(text, encoding="utf-8")
    folder.joinpath("model.config").write_text(
        _CONFIG.format(name=escape(thing.name), original=escape(thing.model.name)),
        encoding="utf-8",
    )


def _world_text(scene: Scene) -> str:
    file = scene.models.world
    base = EMPTY.to_sdf() if file is None else file.read_text(encoding="utf-8")
    before, closing, after = base.rpartition(_CLOSING)
    if not closing:
        raise SceneError(f"{file}: has no {_CLOSING}, before which a scene is written")
    return before.rstrip() + "\n" + "".join(map(_include, scene.in_world)) + "  " + closing + after


def _include(thing: SceneObject) -> str:
    name = thing.name
    if not _needs_copy(thing) and thing.model.folder is not None:
        name = thing.model.folder.name
    roll, pitch, yaw = thing.pose.orientation.to_euler()
    numbers = " ".join(map(repr, (*map(float, thing.pose.position), roll, pitch, yaw)))
    return f"""\
    <include>
      <uri>model://{escape(name)}</uri>
      <name>{escape(thing.name)}</name>
      <pose>{numbers}</pose>
    </include>
"""


_HEAD = """\
# Positions [m] and directions [rad] of what is not part of the world.
# heading: as Scenic has it, counterclockwise from +y.
# yaw: as ROS has it, counterclockwise from +x, for a robot whose forward axis is +x.
"""


def poses_text(scene: Scene) -> str:
    """Returns YAML text with the poses of a scene's mission-only objects, by model name."""
    places: dict[str, list[dict[str, float]]] = {}
    for each in scene.missions:
        x, y, z = map(float, each.pose.position)
        entry = {"heading": each.heading, "x": x, "y": y, "z": z, "yaw": each.forward_yaw}
        places.setdefault(each.model.name, []).append(entry)
    text: str = yaml.safe_dump(places, sort_keys=False)
    return _HEAD + text


def write_plot(scene: Scene, file: str | Path, *, zoom: float = 1.0) -> None:
    """Draws objects with grey footprints and red bounds, and mission-only objects as blue arrows.

    Args:
        scene: The scene.
        file: Output file; its suffix sets the format.
        zoom: Zoom factor about the centre; 1 shows the whole scene.

    Raises:
        ImportError: matplotlib is not installed; the extra ``deepsim-scenes[scenic]`` brings it.
        ValueError: `zoom` is not > 0.
    """
    if not zoom > 0.0:
        raise ValueError(f"zoom must be > 0, got {zoom}")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (of an extra)
        from matplotlib.collections import PolyCollection  # noqa: PLC0415 (of an extra)
        from matplotlib.figure import Figure  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise ImportError(
            "plots need matplotlib: pip install --find-links dist 'deepsim-scenes[scenic]'"
        ) from None
    figure = Figure(figsize=(7.0, 7.0), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    pieces = [
        piece
        for each in scene.in_world
        for piece in Footprint.of(described(each), each.pose).pieces
    ]
    axes.add_collection(PolyCollection(pieces, facecolors="0.75", edgecolors="none"))
    bounds = [_rectangle(each) for each in scene.in_world]
    axes.add_collection(PolyCollection(bounds, facecolors="none", edgecolors="red", linewidths=1))
    for each in scene.objects:
        x, y = float(each.position.x), float(each.position.y)
        if not each.is_in_world:
            ahead = 0.3 * np.array([math.cos(each.forward_yaw), math.sin(each.forward_yaw)])
            axes.plot(x, y, "b.")
            axes.arrow(x, y, *ahead, color="blue", width=0.02, length_includes_head=True)
        if each.model.class_name != "GreyWall":
            axes.annotate(each.name, (x, y), (3, 3), textcoords="offset points", fontsize=7)
    places = np.array([tuple(each.position)[:2] for each in scene.objects] or [(0.0, 0.0)])
    corners = np.concatenate([places, *bounds]) if bounds else places
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    reach = (float(np.ptp(corners, axis=0).max()) / 2 + 0.3) / zoom
    axes.set_xlim(middle[0] - reach, middle[0] + reach)
    axes.set_ylim(middle[1] - reach, middle[1] + reach)
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    figure.savefig(file, metadata={"Software": None} if Path(file).suffix == ".png" else None)


def _rectangle(thing: SceneObject) -> NDArray[np.float64]:
    """Returns the corners of an object's bounds in the ground plane, (4, 2) [m], world frame."""
    yaw = thing.pose.yaw
    half = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(thing.size)[:2] / 2
    turn = np.array([[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]])
    return np.asarray(half @ turn.T + np.array(thing.position)[:2])
