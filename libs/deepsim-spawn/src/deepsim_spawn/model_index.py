# SPDX-License-Identifier: Apache-2.0
"""An index of the models on a search path and the files they refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from deepsim_sync.errors import did_you_mean

from .sdf.include import CONFIG, model_file, named_file, read_config
from .search_path import SearchPath
from .xml.document import Load, parse_file
from .xml.element import Element

_URIS = ("uri", "filename")
"""Elements whose text names a file or folder."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The contents of a model's `model.config`.

    >>> import tempfile
    >>> config = "<model><name>Ball</name><sdf version='1.6'>ball.sdf</sdf></model>"
    >>> with tempfile.TemporaryDirectory() as root:
    ...     (Path(root) / "ball").mkdir()
    ...     _ = (Path(root) / "ball" / "model.config").write_text(config)
    ...     _ = (Path(root) / "ball" / "ball.sdf").touch()
    ...     ModelIndex(root)["ball"].title
    'Ball'

    Attributes:
        name: Name of the model's folder, as used in ``model://``.
        folder: Absolute path of the model's folder.
        file: The model's SDF file of the newest supported version.
        title: Display name.
        version: Version of the model; empty if not given.
        authors: Names of the authors.
        description: The authors' description, on one line.
        depends: URIs of the models that this one declares as dependencies.
    """

    name: str
    folder: Path
    file: Path
    title: str
    version: str
    authors: tuple[str, ...]
    description: str
    depends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Need:
    """A file or folder that a model refers to.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as root:
    ...     file = Path(root, "a.sdf")
    ...     _ = file.write_text("<sdf><include><uri>model://tree</uri></include></sdf>")
    ...     [(need.uri, need.path) for need in ModelIndex(root).needs(file)]
    [('model://tree', None)]

    Attributes:
        uri: The URI in the file.
        place: ``file:line`` of the first reference.
        path: The file or folder, or None if it was not found.
    """

    uri: str
    place: str
    path: Path | None


class ModelIndex(Mapping[str, ModelInfo]):
    """The models in the folders of a search path, by name; the first of each name counts.

    Construction finds the folders with a `model.config`; a model is read on access.

    Args:
        search_path: A search path or folders; None searches the folders of the environment alone.

    >>> list(ModelIndex([]))
    []
    """

    def __init__(
        self, search_path: SearchPath | str | Path | Iterable[str | Path] | None = None
    ) -> None:
        self._search_path = SearchPath.of(search_path)
        self._folders: dict[str, Path] = {}
        for place in self._search_path.folders:
            for folder in sorted(place.iterdir()):
                if (folder / CONFIG).is_file():
                    self._folders.setdefault(folder.name, folder)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._folders))

    def __len__(self) -> int:
        return len(self._folders)

    def __contains__(self, name: object) -> bool:
        return name in self._folders

    def __getitem__(self, name: str) -> ModelInfo:
        """Returns the entry of a model.

        Raises:
            KeyError: The model does not exist; the message suggests similar names.
            ModelFormatError: Its `model.config` cannot be read or names no existing file.
        """
        folder = self._folder(name)
        config = read_config(folder, Load(self._search_path))
        return ModelInfo(
            name=name,
            folder=folder,
            file=named_file(config),
            title=config.get("name", str, name),
            version=config.get("version", str, ""),
            authors=tuple(
                author.get("name", str, author.text) for author in config.find_all("author")
            ),
            description=" ".join(config.get("description", str, "").split()),
            depends=tuple(
                uri.text
                for depend in config.find_all("depend")
                for model in depend.find_all("model")
                for uri in model.find_all("uri")
            ),
        )

    def needs(self, name: str | Path) -> tuple[Need, ...]:
        """Returns all files and folders that a model and its includes refer to.

        Only references by ``<uri>`` and mesh filenames are found, not those within plugins.

        Args:
            name: Name of a model, or the path of an SDF or URDF file.

        Raises:
            KeyError: The model does not exist.
            ModelFormatError: One of the files cannot be read.
        """
        load = Load(self._search_path)
        found: dict[tuple[str, Path | None], Need] = {}
        pending = [name.resolve() if isinstance(name, Path) else self._folder(name)]
        read = set[Path]()
        while pending:
            path = pending.pop()
            file = model_file(path, load) if path.is_dir() else path
            if file in read:
                continue
            read.add(file)
            root = parse_file(file, load)
            for element, uri in _references(root):
                need = Need(uri, element.place, self._find(uri, file))
                found.setdefault((need.uri, need.path), need)
                including = element.parent is not None and element.parent.tag == "include"
                if including and need.path is not None:
                    pending.append(need.path)
        return tuple(found.values())

    def _folder(self, name: str) -> Path:
        try:
            return self._folders[name]
        except KeyError:
            hint = did_you_mean(name, self._folders, 3)
            raise KeyError(f"no model is named {name!r} on the search path{hint}") from None

    def _find(self, uri: str, origin: Path) -> Path | None:
        try:
            return self._search_path.find(uri, origin)
        except (OSError, ValueError):
            return None


def _references(root: Element) -> Iterator[tuple[Element, str]]:
    """Yields each element outside plugins that names a file, with the name or URI of the file."""
    pending = [root]
    while pending:
        element = pending.pop()
        uri = element.text if element.tag in _URIS else ""
        if element.tag == "mesh":
            uri = element.attributes.get("filename", "")
        if uri:
            yield element, uri
        if element.tag != "plugin":
            pending += reversed(element.children)
