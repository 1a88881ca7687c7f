# SPDX-License-Identifier: Apache-2.0
"""Folders of models, as Gazebo lays them out: a `model.config` lists files by SDF version."""

from __future__ import annotations

from pathlib import Path

from deepsim_spawn.errors import ModelFormatError
from deepsim_spawn.xml import Document, Element, Load, parse, read_bytes
from deepsim_spawn.xml.values import word

from .version import NEWEST, OLDEST, Version, version_pair

CONFIG = "model.config"
"""The file that makes a folder a model."""


def model_file(folder: Path, load: Load) -> Path:
    """Returns the SDF file of a model's folder, of the newest version that can be read.

    Raises:
        ModelFormatError: `model.config` does not exist, or names a missing file.
    """
    return named_file(read_config(folder, load))


def read_config(folder: Path, load: Load) -> Element:
    """Returns the root of a folder's `model.config`.

    Raises:
        ModelFormatError: It does not exist, or cannot be read.
    """
    config = folder / CONFIG
    if not config.exists():
        raise ModelFormatError(f"is no model's folder: it has no {CONFIG}", file=str(folder))
    return parse(read_bytes(config), Document(str(config), config, load))


def named_file(config: Element) -> Path:
    """Returns the SDF file that a `model.config` names, of the newest version that can be read.

    Raises:
        ModelFormatError: It names no such file.
    """
    listed: list[tuple[Version, Element]] = []
    for element in config.find_all("sdf"):
        version = element.attribute("version", version_pair, OLDEST)
        if version <= NEWEST:
            listed.append((version, element))
    if not listed:
        raise config.error("names no <sdf> file of a version from 1.3 to 1.11")
    _, newest = max(listed, key=lambda entry: entry[0])
    return newest.file(newest.value(word))
