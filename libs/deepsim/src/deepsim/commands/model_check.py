# SPDX-License-Identifier: Apache-2.0
"""Loads models and builds them in MuJoCo, to find unsupported parts."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from xml.sax.saxutils import escape

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Bounds,
    GazeboXMLLoader,
    ModelDescription,
    ModelFormatWarning,
    ModelIndex,
    WorldDescription,
)
from deepsim_sync import DeepSimError

CONFIG = "model.config"
_SUFFIXES = (".sdf", ".world", ".urdf")
CODE = ".xacro"


class Verdict(Enum):
    """The outcome of a check."""

    LOADS = "loads"
    APPROXIMATED = "approximated"
    SKIPPED = "skipped"
    FAILS = "fails"


@dataclass(frozen=True)
class ModelCheck:
    """The result of checking one model or world.

    Attributes:
        path: The file or folder.
        verdict: The outcome.
        reasons: Warnings about approximations, or the reason for a failure.
    """

    path: Path
    verdict: Verdict
    reasons: tuple[str, ...] = ()


def models_below(folder: Path) -> Iterator[Path]:
    """Yields folders with a `model.config`, and SDF, world and URDF files outside them, by name.

    Symbolic links to folders are not followed.
    """
    for place, folders, files in os.walk(folder):
        folders.sort()
        if CONFIG in files:
            folders.clear()
            yield Path(place)
            continue
        yield from (Path(place, file) for file in sorted(files) if file.endswith(_SUFFIXES))


def check_model(path: Path, search_path: Sequence[Path]) -> ModelCheck:
    """Loads a model or world, computes its bounds, and builds it in MuJoCo."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ModelFormatWarning)
        try:
            if _is_code(path):
                return ModelCheck(path, Verdict.SKIPPED, ("its file is xacro, which is code",))
            description = load_world(path, GazeboXMLLoader(search_path))
            for model in description.models:
                Bounds.of(model, Pose())
            MujocoSimulator(description).close()
        except DeepSimError as error:
            return ModelCheck(path, Verdict.FAILS, (_line(error),))
    reasons = tuple(dict.fromkeys(_line(each.message) for each in said))
    return ModelCheck(path, Verdict.APPROXIMATED if reasons else Verdict.LOADS, reasons)


def load_world(path: Path, loader: GazeboXMLLoader) -> WorldDescription:
    """Loads a file or a model's folder as a world.

    A folder holds a model, or only a light, such as the `sun` of Gazebo.

    Raises:
        ModelFormatError: The file or folder cannot be read.
    """
    if not path.is_dir():
        description = loader.load(path)
        if isinstance(description, ModelDescription):
            return WorldDescription(models=(description,))
        return description
    uri = escape(f"file://{path.absolute()}")
    return loader.load_world(
        f"<sdf version='1.7'><world name='w'><include><uri>{uri}</uri></include></world></sdf>"
    )


def _is_code(path: Path) -> bool:
    """Returns whether a folder's `model.config` names a xacro file."""
    return path.is_dir() and ModelIndex([path.parent])[path.name].file.suffix == CODE


def _line(message: object) -> str:
    return " ".join(str(message).split())
