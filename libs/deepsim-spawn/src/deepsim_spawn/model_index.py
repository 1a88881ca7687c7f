# SPDX-License-Identifier: Apache-2.0
"""An index of the models of a search path, and the files that they need."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .sdf import CONFIG, model_file, named_file, read_config
from .search_path import SearchPath
from .xml import Document, Element, Load, parse, read_bytes

_URIS = ("uri", "filename")
"""Elements whose text names a file or folder."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The contents of the `model.config` of a model.

    Attributes:
        name: Of its folder, which is how ``model://`` calls it.
        folder: Absolute.
        file: Its SDF file, of the newest version that can be read.
        title: Its name for people.
        version: Its own version; empty if it has none.
        authors: Their names.
        description: In the words of its authors, on one line.
        depends: URIs of the models that it says it depends on.
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

    Attributes:
        uri: As in the file.
        place: ``file:line`` of where it is first referred to.
        path: Where it is, or None if it was not found.
    """

    uri: str
    place: str
    path: Path | None


class ModelIndex(Mapping[str, ModelInfo]):
    """The models in the folders of a search path, by name; of two with one name the first counts.

    It looks for folders with a `model.config` when it is made, and reads a model when it is
    requested.

    Args:
        search_path: Where models are looked for; folders make a `SearchPath`, and None is one of
            the environment alone.

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
            KeyError: The model does not exist; the message names the nearest ones.
            ModelFormatError: Its `model.config` cannot be read, or names no file that is there.
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
        """Returns all files and folders that a model, and the models that it includes, refer to.

        What plugins and scripts refer to by other means than ``<uri>`` is not known.

        Args:
            name: Of a model, or the path of an SDF or URDF file.

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
            root = parse(read_bytes(file), Document(str(file), file, load))
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
            close = difflib.get_close_matches(name, self._folders, n=3)
            hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
            raise KeyError(f"no model is named {name!r} on the search path{hint}") from None

    def _find(self, uri: str, origin: Path) -> Path | None:
        try:
            return self._search_path.find(uri, origin)
        except (OSError, ValueError):
            return None


def _references(root: Element) -> Iterator[tuple[Element, str]]:
    """Yields the elements that name a file, outside of plugins, and those files."""
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
