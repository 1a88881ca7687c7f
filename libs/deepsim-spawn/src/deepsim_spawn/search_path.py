# SPDX-License-Identifier: Apache-2.0
"""Search paths for models and meshes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from deepsim_sync.errors import did_you_mean

ENVIRONMENT = ("GAZEBO_MODEL_PATH", "GAZEBO_RESOURCE_PATH")
"""Environment variables whose folders are searched last."""

PACKAGE_MARKS = ("model.config", "package.xml")
"""Files that mark a folder as the root of a Gazebo model or ROS package."""

ASSETS = frozenset(
    ["assets", "materials", "media", "mesh", "meshes", "stl", "stls", "texture", "textures"]
)
"""Names of folders with assets, to which any file of a model or package may refer; such a folder
may also be named ``hand_assets``."""

_PACKAGES = ("model", "package")
"""Schemes of URIs that begin with the name of a model or package."""

_LEVELS = 4
"""Number of levels above a file that are searched for such folders."""

_DEPTH = 3
"""Number of levels below these, at most, where such folders lie."""

_NOWHERE = "nowhere: no folder was given, and GAZEBO_MODEL_PATH is empty"


class SearchPath:
    """Folders in which ``model://``, ``package://`` and ``file://`` URIs are looked up, in order.

    Symbolic links are followed, and every result lies inside the searched folder: a file cannot
    reach beyond the folders that its user names.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = SearchPath(folder)
    >>> len(path.folders) >= 1
    True

    Args:
        folders: Folder or folders to search first. The folders of the environment variables
            `GAZEBO_MODEL_PATH` and `GAZEBO_RESOURCE_PATH`, read at construction, follow.

    Raises:
        NotADirectoryError: A given folder does not exist. Missing folders of the environment are
            left out.

    Attributes:
        folders: All folders, absolute, in search order.
    """

    def __init__(self, folders: str | Path | Iterable[str | Path] = ()) -> None:
        if isinstance(folders, (str, Path)):
            folders = [folders]
        given = [Path(folder) for folder in folders]
        for folder in given:
            if not folder.is_dir():
                raise NotADirectoryError(f"search path: {str(folder)!r} is not a folder")
        listed = (
            Path(entry)
            for variable in ENVIRONMENT
            for entry in os.environ.get(variable, "").split(os.pathsep)
            if entry
        )
        found = [*given, *(folder for folder in listed if folder.is_dir())]
        self.folders = tuple(dict.fromkeys(folder.resolve() for folder in found))

    @classmethod
    def of(cls, folders: SearchPath | str | Path | Iterable[str | Path] | None) -> SearchPath:
        """Returns a given search path, or a new one for folders (None: the environment's)."""
        if isinstance(folders, SearchPath):
            return folders
        return cls(() if folders is None else folders)

    def find(self, uri: str, origin: Path | None = None) -> Path:
        """Returns the file or folder that a URI or path names.

        Args:
            uri: ``model://name/...`` or ``package://name/...`` (both look for a folder of that
                name), ``file://...``, or a plain path. Relative paths start from the folder of
                `origin`, then from each folder of the search path.
            origin: The file that contains the URI. Its folder may be reached too, as may the
                model or package around it (found by `model.config`, `package.xml` or the folder's
                name), and the meshes and textures beside the folders that hold it.

        Returns:
            An existing absolute path, without symbolic links.

        Raises:
            FileNotFoundError: Nothing was found; the message lists the searched folders.
            ValueError: The scheme is unknown, or the path leads out of its folder.
        """
        scheme, mark, rest = uri.strip().partition("://")
        if not mark:
            scheme, rest = "", uri.strip()
        if scheme not in ("", "file", *_PACKAGES):
            raise ValueError(
                f"{uri!r} has the unknown scheme {scheme!r}: expected model, package or file"
            )
        if not rest.strip("/") or "\0" in rest:
            raise ValueError(f"{uri!r} names no file")
        home = None if origin is None else origin.resolve().parent
        if scheme in _PACKAGES:
            rest = rest.lstrip("/")
        outside = None
        allowed = [*self.folders]
        for folder, candidate in self._candidates(scheme, rest, home):
            found = _existing(candidate)
            if found and any(found.is_relative_to(place) for place in (folder, *self.folders)):
                if not (found.is_file() or found.is_dir()):
                    raise ValueError(f"{uri!r} is not a regular file")
                return found
            if found and not outside:
                outside = found
                allowed = [*dict.fromkeys((folder, *self.folders))]
        if not outside and not scheme and Path(rest).is_absolute():
            outside = _existing(Path(rest))
        if outside:
            places = ", ".join(map(repr, map(str, allowed))) or "all folders: none may be read"
            raise ValueError(
                f"{uri!r} leads to {str(outside)!r}, outside of {places}: add the folder that "
                f"holds it to the search path: {str(outside.parent)!r}, by `search_path` in "
                "Python, `--path` in the shell, or GAZEBO_MODEL_PATH"
            )
        raise FileNotFoundError(self._not_found(uri, scheme, rest, home))

    def _candidates(self, scheme: str, rest: str, home: Path | None) -> Iterator[tuple[Path, Path]]:
        """Yields candidates as pairs (folder, path), in which the path must lie in the folder."""
        if home is not None:
            root = _package_root(home)
            if scheme in _PACKAGES:
                for place in (root, home, *home.parents[:_LEVELS]):
                    # the root of the file system and a home folder are not packages
                    named = place.name == rest.split("/")[0] and len(place.parts) > 2
                    if named and place != Path.home():
                        yield place, place.parent / rest
            else:
                yield root, home / rest
                yield root, home / rest.lstrip("/")  # Bullet takes absolute paths for relative ones
            yield from _assets(home, rest)
        for folder in self.folders:
            yield folder, folder / rest

    def _not_found(self, uri: str, scheme: str, rest: str, home: Path | None) -> str:
        places = [] if home is None else [home]
        searched = ", ".join(str(folder) for folder in (*places, *self.folders))
        message = f"{uri!r} was not found; searched {searched or _NOWHERE}"
        if scheme in _PACKAGES:
            name = rest.split("/")[0]
            known = {entry.name for folder in self.folders for entry in folder.iterdir()}
            deeper = self._one_level_deeper(name)
            if deeper is not None:
                message += (
                    f"; {str(deeper / name)!r} exists: add {str(deeper)!r} to the search path"
                )
            else:
                message += did_you_mean(name, sorted(known - {name}), 3)
        return message

    def _one_level_deeper(self, name: str) -> Path | None:
        """Returns the first subfolder of a searched folder that contains `name`."""
        below = (place for folder in self.folders for place in sorted(folder.iterdir()))
        return next((place for place in below if (place / name).is_dir()), None)


def _assets(home: Path, rest: str) -> Iterator[tuple[Path, Path]]:
    """Yields candidates as pairs (folder, path), in folders of meshes and textures near a file."""
    nearby = (home, *home.parents[:_LEVELS])
    for place in nearby:
        candidate = Path(os.path.normpath(place / rest))
        for above in nearby:
            if candidate.is_relative_to(above):
                parts = candidate.relative_to(above).parts[:_DEPTH]
                named = (part.lower().replace("-", "_").rpartition("_")[2] for part in parts)
                depth = next((n for n, word in enumerate(named, 1) if word in ASSETS), None)
                if depth is not None:
                    yield above.joinpath(*parts[:depth]), candidate
                break


def _existing(path: Path) -> Path | None:
    """Returns the path without symbolic links, or None if nothing readable exists."""
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: a loop of links, before Python 3.13
        return None


def _package_root(folder: Path) -> Path:
    """Returns the model or package folder around a folder, or the folder itself."""
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).is_file() for mark in PACKAGE_MARKS):
            return candidate
    return folder
