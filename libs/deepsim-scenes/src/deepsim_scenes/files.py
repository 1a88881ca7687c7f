# SPDX-License-Identifier: Apache-2.0
"""Scenes as files: a Gazebo world, resized models, the mission's poses, and plots."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from html import escape
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from deepsim_spawn import Footprint
from deepsim_sync.temporary_folders import temporary_folder

from .errors import SceneError
from .models.model_class import ModelClass
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


def write_scene(scene: Scene, folder: str | Path, models: str | Path | None = None) -> None:
    """Writes `scene.world` and `poses.yaml`, and copies of resized or generated models.

    The world is the base world with an ``<include>`` for each object. To load it, Gazebo needs
    the folder of the copies and the folders of the search path in ``GAZEBO_MODEL_PATH``.

    Args:
        scene: The scene.
        folder: A folder that does not exist, or is empty.
        models: The folder of the copies, which many scenes can share: objects of one model and size
            use the same copy. By default the folder `models` of the scene.

    Raises:
        FileExistsError: The folder has content.
        ResizeError: A model cannot be scaled to its size.
        SceneError: The base world has no ``</world>``.
    """
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise FileExistsError(f"{str(place)!r} exists: choose another folder")
    copies = {each.name: _Copy.of(each) for each in scene.in_world if _needs_copy(each)}
    text = _world_text(scene, copies)
    place.mkdir(parents=True, exist_ok=True)
    place.joinpath(WORLD).write_text(text, encoding="utf-8")
    place.joinpath(POSES).write_text(poses_text(scene), encoding="utf-8")
    for copy in copies.values():
        copy.write(Path(models or place / MODELS))


def _needs_copy(thing: SceneObject) -> bool:
    return thing.is_resized or thing.model.folder is None


@dataclass(frozen=True, slots=True)
class _Copy:
    """A resized or generated model.

    Attributes:
        name: Name of the model's folder: the original's, and a digest of the content.
        text: The SDF, which refers to files of the original's folder.
        model: The original.
    """

    name: str
    text: str
    model: ModelClass

    @classmethod
    def of(cls, thing: SceneObject) -> _Copy:
        model = thing.model
        text = replace(described(thing), name=model.name).to_sdf()
        digest = sha256(text.encode()).hexdigest()[:10]
        return cls(f"{model.name}_{digest}", text, model)

    def write(self, models: Path) -> None:
        """Writes the model unless it is there; if it uses files of the original, copies those."""
        folder, text = models / self.name, self.text
        if folder.exists():
            return
        models.mkdir(parents=True, exist_ok=True)
        with temporary_folder(f".{self.name}.", models) as part:
            whole = part / self.name
            original = self.model.folder
            if original is not None:
                uri = f"file://{escape(str(original.resolve()))}/"
                if uri in text:
                    skipped = shutil.ignore_patterns("*.sdf", "model.config")
                    shutil.copytree(original, whole, ignore=skipped)
                    text = text.replace(uri, f"model://{self.name}/")
            whole.mkdir(exist_ok=True)
            whole.joinpath("model.sdf").write_text(text, encoding="utf-8")
            whole.joinpath("model.config").write_text(
                _CONFIG.format(name=escape(self.name), original=escape(self.model.name)),
                encoding="utf-8",
            )
            whole.rename(folder)


def _world_text(scene: Scene, copies: Mapping[str, _Copy]) -> str:
    file = scene.models.world
    base = EMPTY.to_sdf() if file is None else file.read_text(encoding="utf-8")
    before, closing, after = base.rpartition(_CLOSING)
    if not closing:
        raise SceneError(f"{file}: has no {_CLOSING}, before which a scene is written")
    included = "".join(_include(each, copies.get(each.name)) for each in scene.in_world)
    return before.rstrip() + "\n" + included + "  " + closing + after


def _include(thing: SceneObject, copy: _Copy | None) -> str:
    original = thing.model.folder
    name = copy.name if copy is not None else original.name  # type: ignore[union-attr]
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


def write_whole_scene(scene: Scene, place: Path, zoom: float | None) -> None:
    """Writes a scene's new folder, with a plot unless the zoom is None, completely or not at all.

    Scenes in one parent folder share its folder `models`.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(f".{place.name}.", place.parent) as part:
        whole = part / place.name
        write_scene(scene, whole, place.parent / MODELS)
        if zoom is not None:
            write_plot(scene, whole / "plot.png", zoom=zoom)
        whole.rename(place)


@contextmanager
def models_of_scenes(out: Path, places: Sequence[Path]) -> Iterator[None]:
    """Removes the new folder of models afterwards if no scene is there to use it."""
    try:
        yield
    finally:
        if not any(place.exists() for place in places):
            shutil.rmtree(out / MODELS, ignore_errors=True)


def write_plot(scene: Scene, file: str | Path, *, zoom: float = 1.0) -> None:
    """Draws a scene from above, within the dashed outline of its workspace.

    Objects have grey footprints and red bounds; mission-only objects, such as the robot of the
    mission, have blue bounds and an arrow ahead.

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
    bounds = [_rectangle(each) for each in scene.objects]
    colors = ["red" if each.is_in_world else "blue" for each in scene.objects]
    axes.add_collection(PolyCollection(bounds, facecolors="none", edgecolors=colors, linewidths=1))
    workspace = _workspace(scene)
    axes.add_collection(
        PolyCollection(workspace, facecolors="none", edgecolors="0.4", linestyles="--")
    )
    for each in scene.objects:
        x, y = float(each.position.x), float(each.position.y)
        if not each.is_in_world:
            ahead = 0.3 * np.array([math.cos(each.forward_yaw), math.sin(each.forward_yaw)])
            axes.plot(x, y, "b.")
            axes.arrow(x, y, *ahead, color="blue", width=0.02, length_includes_head=True)
        if each.model.class_name != "GreyWall":
            axes.annotate(each.name, (x, y), (3, 3), textcoords="offset points", fontsize=7)
    corners = np.concatenate([*bounds, *workspace] or [np.zeros((1, 2))])
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    reach = (float(np.ptp(corners, axis=0).max()) / 2 + 0.3) / zoom
    axes.set_xlim(middle[0] - reach, middle[0] + reach)
    axes.set_ylim(middle[1] - reach, middle[1] + reach)
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    figure.savefig(file, metadata={"Software": None} if Path(file).suffix == ".png" else None)


def _workspace(scene: Scene) -> list[NDArray[np.float64]]:
    """Returns the outlines of the workspace, (n, 2) [m] each; none if it has no bounds."""
    region = getattr(getattr(scene.drawn, "workspace", None), "region", None)
    shape = getattr(region, "polygons", None) or getattr(region, "boundingPolygon", None)
    shape = getattr(shape, "polygons", shape)
    pieces = getattr(shape, "geoms", [shape] if shape is not None else [])
    return [np.array(each.exterior.coords)[:, :2] for each in pieces]


def _rectangle(thing: SceneObject) -> NDArray[np.float64]:
    """Returns the corners of an object's bounds in the ground plane, (4, 2) [m], world frame."""
    yaw = thing.pose.yaw
    half = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(thing.size)[:2] / 2
    turn = np.array([[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]])
    return np.asarray(half @ turn.T + np.array(thing.position)[:2])
