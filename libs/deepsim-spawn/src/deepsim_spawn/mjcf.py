# SPDX-License-Identifier: Apache-2.0
"""Models in MJCF, MuJoCo's own format."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import MappingProxyType

from lxml import etree

from deepsim_math import Pose

from .errors import ModelFormatError
from .search_path import SearchPath
from .xml.document import (
    Document,
    Load,
    is_xml,
    parse,
    parse_file,
    without_declaration,
)
from .xml.element import Element

_FOLDERS = {
    "flexcomp": "meshdir",
    "hfield": "meshdir",
    "mesh": "meshdir",
    "skin": "meshdir",
    "texture": "texturedir",
}
"""Elements that name files, and the attribute of `<compiler>` that names their folder."""
STANDING = ("home", "stand", "standing", "neutral", "neutral_pose", "hover", "walk_pose")
"""Names of keyframes from which a robot can start, in order of preference."""
_OF_FILES = ("assetdir", "meshdir", "strippath", "texturedir")
_PID = "mujoco.pid"
"""The plugin whose actuators become ``<pid>``, which MuJoCo has had since 3.17."""
_GAINS = {"kp": "kp", "ki": "ki", "kd": "kv", "imax": "imax", "slewmax": "slewmax"}
"""The attributes of ``<pid>``, by the names in the configuration of the plugin."""
_OF_PLUGINS = ("plugin", "instance", "actdim", "dyntype")
_STEP = 0.002  # default of MuJoCo [s]
_SIZES = ("count", "height", "ncol", "nrow", "width")
_LARGEST = 10_000
"""Limit of the numbers in `_SIZES`."""
_MOST_MADE = 2_500
"""Limit of all elements that counts make: their spawning takes the square of them."""
_LONGEST = 400
"""Limit of the bodies of a composite: they are one chain, of which MuJoCo takes the cube."""
_MOST_VERTICES = 2**14
"""Limit of the vertices of a made mesh."""
_MOST_CELLS = 2**26
"""Limit of the pixels of all made textures; a cell of a height field takes as much as eight."""


@dataclass(frozen=True, slots=True, init=False, eq=False)
class MjcfModel:
    """A model or scene in MJCF, MuJoCo's format, with all its includes.

    The embedded engine spawns it like a `ModelDescription`; Gazebo does not support it. Bodies
    become links, and everything fixed to the file's world becomes the link ``worldbody``. The frame
    of the file's world is the model frame. Files are looked up in the folder of the model and on
    the search path. Plugins are left out; actuators of ``mujoco.pid`` become ``<pid>``.

    Args:
        source: A file, or MJCF as text, which starts with ``<``.
        search_path: Additional folders, as in `GazeboXMLLoader`.
        keyframe: Name of the keyframe with the joint positions at spawning and after a reset, or
            ``""`` for one without a name. By default ``home``, another name in `STANDING`, or the
            only one; without such a keyframe, the bodies stay as described.
        on_ground: Whether the model frame is moved so that the lowest colliding point of the model
            is at its height 0; if the base is fixed, it is only moved down.
        pose: The default pose for `ModelSpawner`.
        files: Paths of the files that the source names, by name; by default, names are paths.
        floor_contacts: As the attribute; by default that of a scene beside the file.

    Attributes:
        name: Name of the model in the file.
        text: MJCF without includes, with keys in place of file names.
        files: The files by key.
        keyframe: The given keyframe.
        on_ground: As given.
        floor_contacts: The settings of contacts with a floor, by geom, that a scene beside the file
            describes by ``<pair>``: a file ``scene*.xml`` in its folder that includes it. Keyframes
            of the scene count, too, if the file has none.
        pose: The given pose.

    Raises:
        ModelFormatError: The source cannot be read, or a file is missing or lies outside the search
            path.

    >>> MjcfModel("<mujoco model='dot'><worldbody><body name='base'/></worldbody></mujoco>").name
    'dot'
    """

    name: str
    text: str
    files: Mapping[str, Path]
    keyframe: str | None
    on_ground: bool
    floor_contacts: Mapping[str, Mapping[str, str]]
    pose: Pose

    def __init__(
        self,
        source: str | Path,
        *,
        search_path: SearchPath | str | Path | Iterable[str | Path] | None = None,
        keyframe: str | None = None,
        on_ground: bool = False,
        pose: Pose | None = None,
        files: Mapping[str, Path] = MappingProxyType({}),
        floor_contacts: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        load = Load(SearchPath.of(search_path))
        root = _open(source, load)
        reader = _Reader(root, files)
        made = reader.copy(root)
        scene = _scene_beside(root, load)
        if scene is not None:
            if made.find("keyframe/key") is None:
                made.extend(map(reader.copy, (e for e in scene.children if e.tag == "keyframe")))
            if floor_contacts is None:
                floor_contacts = _floor_contacts(scene)
        self._set(
            name=root.attributes.get("model") or "model",
            text=etree.tostring(made, encoding="unicode"),
            files=MappingProxyType(reader.files),
            keyframe=keyframe,
            on_ground=on_ground,
            floor_contacts=MappingProxyType(dict(floor_contacts or {})),
            pose=pose if pose is not None else Pose(),
        )
        load.findings.emit(stacklevel=2)

    @classmethod
    def of_attributes(
        cls,
        name: str,
        text: str,
        files: Mapping[str, Path],
        keyframe: str | None,
        on_ground: bool,
        floor_contacts: Mapping[str, Mapping[str, str]],
        pose: Pose,
    ) -> MjcfModel:
        """Returns a model with these attributes, without reading or finding any file.

        It describes a model that another process has read, whose files this one may not have.
        """
        model = cls.__new__(cls)
        model._set(
            name=name,
            text=text,
            files=files,
            keyframe=keyframe,
            on_ground=on_ground,
            floor_contacts=floor_contacts,
            pose=pose,
        )
        return model

    @property
    def timestep(self) -> float:
        """The step size of the file's ``<option>`` [s]; 2 ms by default, as in MuJoCo.

        A world for this model alone can take it: ``Physics(max_step_size=model.timestep)``.

        Raises:
            ModelFormatError: It is not a number.
        """
        options = etree.fromstring(self.text).findall("option")
        given = [option.attrib["timestep"] for option in options if "timestep" in option.attrib]
        try:
            return float(given[-1]) if given else _STEP
        except ValueError:
            raise ModelFormatError(
                f"model {self.name!r}: timestep must be a number, got {given[-1]!r}"
            ) from None

    def _set(self, **attributes: object) -> None:
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"MjcfModel({self.name!r})"


def _made_vertices(mesh: Element) -> float:
    """Returns about how many vertices a mesh that MuJoCo makes has, or more; 0 for other meshes."""
    if "builtin" not in mesh.attributes:
        return 0.0
    sizes = [0.0]
    for each in mesh.attributes.get("params", "").split()[:2]:
        with contextlib.suppress(ValueError):  # MuJoCo refuses it
            sizes.append(min(float(each), 1e6))
    return (
        10.0 * 4.0 ** min(max(sizes), 99.0)
        if mesh.attributes["builtin"] == "sphere"
        else max(sizes) ** 2
    )


def _open(source: str | Path, load: Load) -> Element:
    if is_xml(source):
        root = parse(without_declaration(str(source)), Document("<string>", None, load))
    else:
        root = parse_file(Path(source).resolve(), load)
    if root.tag != "mujoco":
        raise root.error(f"expected <mujoco>, got <{root.tag}>; use ModelSpawner for SDF, URDF")
    return root


def _scene_beside(root: Element, load: Load) -> Element | None:
    """Returns a scene in the folder of a file that includes the file, if there is one."""
    path = root.document.path
    if path is None:
        return None
    for file in sorted(path.parent.glob("scene*.xml"), key=lambda file: (len(file.name), file)):
        try:
            scene = parse_file(file, load)
        except ModelFormatError as error:
            root.warn_unsupported(f"the scene beside it cannot be read, left out: {error}")
            continue
        included = (e.attributes.get("file") for e in scene.children if e.tag == "include")
        if file != path and path.name in included:
            return scene
    return None


def _floor_contacts(scene: Element) -> dict[str, Mapping[str, str]]:
    """Returns the attributes of each ``<pair>`` of a geom and a plane of a scene, by geom."""
    planes = {
        geom.attributes.get("name")
        for world in scene.children
        if world.tag == "worldbody"
        for geom in world.children
        if geom.attributes.get("type") == "plane"
    }
    found: dict[str, Mapping[str, str]] = {}
    for contact in (each for each in scene.children if each.tag == "contact"):
        for pair in (each for each in contact.children if each.tag == "pair"):
            settings = dict(pair.attributes)
            ends = settings.pop("geom1", ""), settings.pop("geom2", "")
            for own, other in (ends, ends[::-1]):
                if other in planes:
                    found[own] = MappingProxyType(settings)
    return found


class _Reader:
    """Copies MJCF, expanding includes and replacing file names by keys."""

    def __init__(self, root: Element, given: Mapping[str, Path]) -> None:
        self.files: dict[str, Path] = {}
        self._given = given
        self._keys: dict[Path, str] = {}
        self._main = root.document
        self._opened = {root.document.path}
        self._included: dict[Element, Element] = {}
        self._folders: dict[str, str] = {}
        self._gains: dict[str, dict[str, str]] = {}
        self._repeated = self._cells = 0
        self._settings(root)

    def _settings(self, root: Element) -> None:
        """Opens all includes and collects the file folders, which apply to the whole model."""
        pending = [root]
        while pending:
            element = pending.pop()
            if element.tag == "include":
                self._included[element] = self._include(element)
                element = self._included[element]
            elif element.tag == "extension":
                self._learn(element)
            elif element.tag == "compiler":
                given = {name: element.attributes.pop(name, "") for name in _OF_FILES}
                both = given.pop("assetdir")
                self._folders.update({"meshdir": both, "texturedir": both} if both else {})
                self._folders.update({name: value for name, value in given.items() if value})
            pending += reversed(element.children)

    def _include(self, element: Element) -> Element:
        path = self._find(element, element.require_attribute("file", str))
        if path in self._opened:
            raise element.error(f"{str(path)!r} is included already")
        self._opened.add(path)
        return parse_file(path, self._main.load)

    def _find(self, element: Element, name: str) -> Path:
        """Returns the path of a file that is named relative to the main file, as in MuJoCo."""
        return element.make(self._main.load.search_path.find, name, self._main.path)

    def copy(self, element: Element, times: int = 1) -> etree._Element:
        """Returns a copy of an element and its descendants, which counts above make repeatedly."""
        if element.tag in ("attach", "model"):
            raise element.error("models of other files are not supported: merge them into one file")
        times = self._limited(element, times)
        attributes = dict(element.attributes)
        if element.tag in _FOLDERS:
            if "file" in attributes and element.tag != "flexcomp":  # its name by default
                attributes.setdefault("name", PurePath(attributes["file"]).stem)
            files = {name: file for name, file in attributes.items() if name.startswith("file")}
            attributes.update((name, self._key(element, file)) for name, file in files.items())
        made = etree.Element(element.tag, attributes)
        for child in element.children:
            if child.tag == "extension":
                continue  # read by `_settings`, because it may follow the actuators
            if child.tag == "plugin" and child.attributes.get("plugin") == _PID:
                made.append(self._pid(child))
            elif child.tag == "plugin":
                child.warn_unsupported(f"plugins other than {_PID} are left out")
            elif child in self._included:
                made.extend(self.copy(self._included[child], times))
            else:
                made.append(self.copy(child, times))
        return made

    def _limited(self, element: Element, times: int) -> int:
        """Returns how often the children of an element are made; refuses what takes all memory."""
        sizes = {}
        for name in _SIZES:
            numbers = element.attributes.get(name, "").split()
            digits = [number.lstrip("+-0") for number in numbers]
            for number, each in zip(numbers, digits, strict=True):
                if each.isdecimal() and (len(each) > 5 or int(each) > _LARGEST):
                    raise element.error(f"{name} must be at most {_LARGEST}, got {number[:20]}")
            sizes[name] = math.prod(int(each) for each in digits if each.isdecimal())
        times *= sizes["count"]
        self._repeated += times if times > 1 else 0
        if self._repeated > _MOST_MADE:
            raise element.error(f"counts must make at most {_MOST_MADE} elements")
        if element.tag == "composite" and sizes["count"] > _LONGEST:
            raise element.error(f"count must make at most {_LONGEST} bodies, got {sizes['count']}")
        if element.tag == "mesh" and _made_vertices(element) > _MOST_VERTICES:
            raise element.error(f"a made mesh must have at most {_MOST_VERTICES} vertices")
        if element.tag == "texture" and "builtin" in element.attributes:
            faces = element.attributes.get("type", "cube") != "2d"
            self._cells += sizes["width"] * (6 * sizes["width"] if faces else sizes["height"])
        elif element.tag == "hfield":
            self._cells += 8 * sizes["nrow"] * sizes["ncol"]
        if self._cells > _MOST_CELLS:
            raise element.error("made textures and height fields would take too much memory")
        return times

    def _learn(self, extension: Element) -> None:
        """Keeps the configurations of the instances of `_PID`; warns of other plugins."""
        for plugin in extension.children:
            if plugin.attributes.get("plugin") != _PID:
                plugin.warn_unsupported(f"plugins other than {_PID} are left out")
                continue
            for instance in plugin.children:
                self._gains[instance.require_attribute("name", str)] = _gains(instance)

    def _pid(self, plugin: Element) -> etree._Element:
        """Returns the ``<pid>`` of an actuator of `_PID`."""
        instance = plugin.attributes.get("instance", "")
        if instance and instance not in self._gains:
            raise plugin.error(f"no {_PID} has an instance {instance!r}")
        gains = self._gains[instance] if instance else _gains(plugin)
        kept = {k: v for k, v in plugin.attributes.items() if k not in _OF_PLUGINS}
        return etree.Element("pid", {**kept, **gains, "input": "pos"})

    def _key(self, element: Element, name: str) -> str:
        folder = self._folders.get(_FOLDERS[element.tag], "")
        if self._folders.get("strippath") == "true":
            name = PurePath(name).name
        path = self._find(element, str(self._given.get(name, PurePath(folder, name))))
        if not path.is_file():
            raise element.error(f"{name!r} is not a regular file")
        key = self._keys.setdefault(path, f"{len(self._keys)}{path.suffix.lower()}")
        self.files[key] = path
        return key


def _gains(holder: Element) -> dict[str, str]:
    """Returns the gains in the ``<config>`` elements of an instance or an actuator of `_PID`."""
    gains: dict[str, str] = {}
    for config in holder.children:
        key = config.require_attribute("key", str)
        if key not in _GAINS:
            raise config.error(f"{_PID} has no {key!r}; it has {', '.join(_GAINS)}")
        gains[_GAINS[key]] = config.require_attribute("value", str)
    return gains
