# SPDX-License-Identifier: Apache-2.0
"""Writes a scene to a folder: a Gazebo world, resized models, and the mission's poses."""

from __future__ import annotations

import shutil
from html import escape
from pathlib import Path

from deepsim_scenes.errors import SceneError
from deepsim_scenes.scene import Scene, SceneObject

from .poses import poses_text
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
