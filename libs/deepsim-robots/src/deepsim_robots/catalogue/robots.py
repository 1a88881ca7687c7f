# SPDX-License-Identifier: Apache-2.0
"""The catalogue: all robots by name, and those of mujoco-menagerie."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deepsim_robots.config import RobotConfig
from deepsim_robots.mjcf_settings import default_parts
from deepsim_spawn import MjcfModel
from deepsim_sync import UnknownEntityError

from .arms import ARMS
from .entry import CatalogueEntry, MissingPackageError, package_file
from .mobile import LEGGED, MOBILE
from .own import OWN

PREFIX = "menagerie/"
"""Prefix of these robots' names, such as ``menagerie/unitree_go2``."""

_PACKAGE = "mujoco-menagerie"
_KINDS = {"end_effector": "gripper", "drone": "flying", "mobile_base": "wheeled"}
_LEGGED = ("biped", "humanoid", "quadruped")


@dataclass(frozen=True)
class MenagerieEntry(CatalogueEntry):
    """A robot of mujoco-menagerie, with the gains and home position of its file.

    Its only part, ``controls``, has an action for each actuator of the file, in the file's units.

    Attributes:
        folders: Folders to search for the files, in order.
    """

    folders: tuple[Path, ...] = ()

    @property
    def is_installed(self) -> bool:
        """Whether the robot's files are on this machine."""
        return any((folder / self.file).is_file() for folder in self.folders)

    @property
    def path(self) -> Path:
        """The path of the file; raises MissingPackageError if it is not on this machine."""
        for folder in self.folders:
            if (folder / self.file).is_file():
                return folder / self.file
        name = self.name.removeprefix(PREFIX)
        raise MissingPackageError(
            f"robot {self.name!r}: its files are not here; fetch them once: "
            f"python -c \"import mujoco_menagerie; mujoco_menagerie.get('{name}').path()\", "
            "or set MENAGERIE_ROOT to a folder that contains them"
        )

    def load(self, *, keyframe: str | None = None, on_ground: bool = True) -> RobotConfig:
        """Returns the robot's configuration; see `CatalogueEntry.load`."""
        config = super().load(keyframe=keyframe, on_ground=on_ground)
        parts = default_parts(config.source) if isinstance(config.source, MjcfModel) else {}
        return replace(config, parts=parts)


def find_menagerie(name: str) -> MenagerieEntry:
    """Returns a robot of mujoco-menagerie by its name, which begins with ``menagerie/``.

    Raises:
        MissingPackageError: mujoco-menagerie is not installed.
        UnknownEntityError: The robot does not exist; the message suggests similar names.
    """
    file = package_file(_PACKAGE, "mujoco_menagerie/registry.json", name)
    robots: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))["robots"]
    key = name.removeprefix(PREFIX)
    if key not in robots:
        raise UnknownEntityError("robot", name, [PREFIX + each for each in robots])
    robot = robots[key]
    kind = robot["category"]
    return MenagerieEntry(
        name=name,
        about=robot["display_name"],
        kind="legged" if kind in _LEGGED else _KINDS.get(kind, "arm"),
        file=robot["entry_points"][robot["default_model"]]["file"],
        package=_PACKAGE,
        licence=robot["license"],
        folders=_folders(key, robot["oid"]),
    )


def _folders(key: str, oid: str) -> tuple[Path, ...]:
    root, cache = os.environ.get("MENAGERIE_ROOT"), os.environ.get("MENAGERIE_CACHE_DIR")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mujoco_menagerie"
    cached = Path(cache or base) / "models" / f"{key}-{oid[:16]}"
    return (Path(root) / key, cached) if root else (cached,)


ROBOTS: Mapping[str, CatalogueEntry] = MappingProxyType(
    {entry.name: entry for entry in (*OWN, *ARMS, *LEGGED, *MOBILE)}
)
"""All robots of the catalogue by name, including those of packages that are not installed."""


def find_robot(name: str) -> CatalogueEntry:
    """Returns a robot of the catalogue; ``menagerie/NAME`` names one of mujoco-menagerie.

    >>> find_robot("cartpole").about
    'cart on a rail, with a pole that turns freely'

    Raises:
        UnknownEntityError: The robot does not exist; the message suggests similar names.
        MissingPackageError: mujoco-menagerie is needed, but not installed.
    """
    if name.startswith(PREFIX):
        return find_menagerie(name)
    if name not in ROBOTS:
        raise UnknownEntityError("robot", name, ROBOTS)
    return ROBOTS[name]
