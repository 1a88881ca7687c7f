# SPDX-License-Identifier: Apache-2.0
"""Reads the list of models that a scenario may place, and measures them."""

from __future__ import annotations

import keyword
import math
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deepsim_math import Vector3
from deepsim_scenes.errors import DownloadError
from deepsim_spawn import (
    Bounds,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    GazeboXMLLoader,
    ModelDescription,
    ModelFormatError,
    ModelFormatWarning,
    ModelIndex,
    SearchPath,
    Sphere,
    UnsupportedElementWarning,
)

from .document import Section, hint, read_document
from .downloads import ModelDownloads
from .model_class import WALL, ModelClass, ModelType, grey_wall
from .resizing import Stretch, stretch_of

POINT = 1e-5
"""Width, length and height of an object without a given or measured size [m]."""

_OLD_TYPES = {"NO_MODEL": "MISSION_ONLY"}
"""Names of types in lists for early versions of GzScenic, with today's names."""

_TOP = ("models", "models_dir", "world")
_KEYS = (
    "name", "type", "width", "length", "height", "z", "heading", "dynamic_size",
    "allow_collisions", "url",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelList:
    """The models that a YAML file lists.

    Attributes:
        classes: The models by the name of their Scenic class, in the order of the file; the last
            one is the wall of `create_room`.
        world: The file of the base world, to which scenes are added; None for only ground and sun.
        models_dir: The folder of the custom models.
        search_path: The folders that were searched for models.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "models.yaml")
    ...     _ = file.write_text("models: [{name: way_point, type: MISSION_ONLY}]")
    ...     models = read_models(file)
    >>> models["way_point"].class_name
    'WayPoint'
    """

    classes: dict[str, ModelClass]
    world: Path | None
    models_dir: Path
    search_path: SearchPath

    def __contains__(self, name: object) -> bool:
        return any(model.name == name for model in self.classes.values())

    def __getitem__(self, name: str) -> ModelClass:
        """Returns a model by name, such as ``cafe_table``.

        Raises:
            KeyError: No model has the name.
        """
        for model in self.classes.values():
            if model.name == name:
                return model
        known = [model.name for model in self.classes.values()]
        raise KeyError(f"no model is named {name!r}{hint(name, known)}")


def read_models(
    file: str | Path,
    search_path: SearchPath | str | Path | Iterable[str | Path] | None = None,
    downloads: ModelDownloads | None = None,
) -> ModelList:
    """Reads a list of models, and measures the models.

    The file has the key ``models``, a list of mappings with ``name`` and ``type``, and optionally
    ``width``, ``length``, ``height``, ``z`` [m], ``heading`` [rad], ``dynamic_size``,
    ``allow_collisions`` and ``url``. The optional keys ``models_dir`` and ``world`` of the file are
    paths relative to it.

    Args:
        file: The YAML file.
        search_path: Folders to search for models after `models_dir`; by default those of the
            environment (``GAZEBO_MODEL_PATH``).
        downloads: Downloads missing models into `models_dir`, where later runs find them; by
            default nothing is downloaded.

    Raises:
        ModelListError: The file is malformed, or a model is missing, cannot be downloaded or read,
            or has no size; the error has the line of the entry.
    """
    path = Path(file)
    top, entries = read_document(path, "models")
    top.check_keys(_TOP)
    models_dir = (path.parent / top.text("models_dir", ".")).resolve()
    if downloads is not None:
        models_dir.mkdir(parents=True, exist_ok=True)
    elif "models_dir" in top.values and not models_dir.is_dir():
        raise top.error("models_dir", f"there is no folder {str(models_dir)!r}")
    folders = [models_dir] if models_dir.is_dir() else []
    places = SearchPath([*folders, *SearchPath.of(search_path).folders])
    classes: dict[str, ModelClass] = {}
    store = _Store(models_dir, places, ModelIndex(places), downloads)
    for entry in entries:
        model = _model(entry, store)
        name = model.class_name
        if not name.isidentifier() or keyword.iskeyword(name):
            raise entry.error("name", f"{model.name!r} gives the class {name!r}, which is no name")
        if name in classes:
            raise entry.error(
                "name", f"{model.name!r} and {classes[name].name!r} are both the class {name}"
            )
        classes[name] = model
    classes.setdefault(WALL, grey_wall())
    return ModelList(classes, _world(top, path), models_dir, places)


def _world(top: Section, path: Path) -> Path | None:
    name = top.text("world")
    if not name:
        return None
    world = (path.parent / name).resolve()
    if not world.is_file():
        raise top.error("world", f"there is no file {str(world)!r}")
    return world


def _model(entry: Section, store: _Store) -> ModelClass:
    entry.check_keys(_KEYS)
    name = entry.text("name")
    if not name:
        raise entry.error("name", "an entry of models has no name")
    word, types = entry.text("type"), [each.value for each in ModelType]
    word = _OLD_TYPES.get(word, word)
    if word not in types:
        given = f"unknown type {word!r}" if word else f"model {name!r} has no type"
        raise entry.error("type", given + hint(word, types))
    kind = ModelType(word)
    lengths = {key: entry.number(key, positive=True) for key in ("width", "length", "height")}
    shared = {
        "z": entry.number("z") or 0.0,
        "heading": entry.number("heading"),
        "allow_collisions": entry.flag("allow_collisions") or False,
    }
    if kind is ModelType.MISSION_ONLY:
        points = {key: value or POINT for key, value in lengths.items()}
        resize = entry.flag("dynamic_size") or False
        return ModelClass(name, kind, **points, dynamic_size=resize, **shared)  # type: ignore[arg-type]
    folder = store.folder(entry, name, kind)
    try:
        description = _load(folder, store.places)
    except ModelFormatError as error:
        raise entry.error("name", f"the model cannot be read: {error}") from error
    center, measured = _measure(entry, description, lengths)
    dynamic = entry.flag("dynamic_size")
    if dynamic is None:
        dynamic = _is_resizable(description)
    elif dynamic and (description.joints or description.models):
        raise entry.error("dynamic_size", f"{name!r} has joints or nested models: it has one size")
    return ModelClass(
        name,
        kind,
        *measured,
        center=center,
        dynamic_size=dynamic,
        stretch=stretch_of(description) if dynamic else Stretch.UNIFORM,
        description=description,
        folder=folder,
        **shared,  # type: ignore[arg-type]
    )


@dataclass(frozen=True, slots=True)
class _Store:
    """The sources in which the models of a list are looked up."""

    models_dir: Path
    places: SearchPath
    index: ModelIndex
    downloads: ModelDownloads | None

    def folder(self, entry: Section, name: str, kind: ModelType) -> Path:
        """Returns the folder of a model, and downloads the model if necessary."""
        url = entry.text("url")
        if kind is ModelType.CUSTOM_MODEL:
            own = self.models_dir / name
            if (own / "model.config").is_file() or (own / "model.sdf").is_file():
                return own
            missing = f"there is no model in {str(own)!r}"
            known = [each.name for each in self.models_dir.iterdir() if each.is_dir()]
        else:
            for spelling in (name, name.replace(" ", "_"), name.lower()):
                if spelling in self.index:
                    return self.index[spelling].folder
            missing = f"no model is named {name!r} on the search path"
            known = list(self.index)
        if self.downloads is None and url:
            raise entry.error("name", f"{missing}; it can be fetched from {url}")
        if self.downloads is None or (kind is ModelType.CUSTOM_MODEL and not url):
            raise entry.error("name", missing + hint(name, known))
        return self._fetch(entry, name, url)

    def _fetch(self, entry: Section, name: str, url: str) -> Path:
        def check(folder: Path) -> None:
            _load(folder, SearchPath([folder.parent, *self.places.folders]))

        assert self.downloads is not None
        try:
            return self.downloads.fetch(name, self.models_dir, url, check)
        except DownloadError as error:
            raise entry.error("url" if url else "name", str(error)) from error
        except ModelFormatError as error:
            raise entry.error("url" if url else "name", f"what came is refused: {error}") from error


def _load(folder: Path, places: SearchPath) -> ModelDescription:
    source = folder if (folder / "model.config").is_file() else folder / "model.sdf"
    with approximating_silently():
        return GazeboXMLLoader(places).load_model(source)


@contextmanager
def approximating_silently() -> Iterator[None]:
    """Ignores warnings of the loader; `deepsim models check` lists what is approximated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsupportedElementWarning)
        warnings.simplefilter("ignore", ModelFormatWarning)
        yield


def _measure(
    entry: Section, model: ModelDescription, lengths: dict[str, float | None]
) -> tuple[Vector3, tuple[float, float, float]]:
    """Returns the centre of a model in its frame, and its width, length and height [m]."""
    try:
        bounds = Bounds.of(model)
    except ModelFormatError as error:
        raise entry.error("name", f"has no size: {error}") from error
    if bounds is not None and not all(map(math.isfinite, bounds.size)):
        message = f"{model.name!r} has a plane, which has no end: make it part of `world`"
        raise entry.error("name", f"has no size: {message}")
    measured = (None, None, None) if bounds is None else tuple(bounds.size)
    found = []
    for (key, given), own in zip(lengths.items(), measured, strict=True):
        length = given if given is not None else own
        if length is None and key == "height":
            length = POINT
        if length is None or not length > 0.0:
            raise entry.error("name", f"{model.name!r} has no collision to measure: give its {key}")
        found.append(length)
    width, length, height = found
    center = Vector3(0.0, 0.0, 0.0) if bounds is None else bounds.center
    return center, (width, length, height)


def _is_resizable(model: ModelDescription) -> bool:
    """Returns whether a model may be resized by default: its only collision has a simple shape.

    Models with several collisions, meshes, joints or nested models keep their size.
    """
    shapes = [part.geometry for _, link, _ in model.all_links() for part in link.collisions]
    simple = (Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere)
    still = not model.models and not model.joints
    return still and len(shapes) == 1 and isinstance(shapes[0], simple)
