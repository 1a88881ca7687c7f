# SPDX-License-Identifier: Apache-2.0
"""Reads robot configurations from YAML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml

from deepsim_sync import UnknownEntityError

from .controllers.names import controller_of
from .parts import Gains, Part


def read_settings(source: str | Path, known: Iterable[str]) -> dict[str, Any]:
    """Reads the arguments of a `RobotConfig` from a YAML file or text.

    Args:
        source: Path of a file, or the text itself, which must contain a line break.
        known: The valid keys.

    Raises:
        UnknownEntityError: A key, controller or setting is unknown.
        ValueError: The text is not a mapping, or a value is invalid.
    """
    folder = None
    if isinstance(source, str) and "\n" in source:
        text = source
    else:
        path = Path(source)
        text, folder = path.read_text(encoding="utf-8"), path.parent
    values = _mapping("a robot's configuration", yaml.safe_load(text))
    _check("setting of a robot", values, known)
    if folder is not None and isinstance(values.get("source"), str):
        beside = folder / values["source"]
        values["source"] = beside if beside.exists() else values["source"]
    values["parts"] = {
        name: _part(name, part) for name, part in _mapping("parts", values.get("parts")).items()
    }
    values["gains"] = {
        name: _gains(name, gains) for name, gains in _mapping("gains", values.get("gains")).items()
    }
    values["home"] = _mapping("home", values.get("home"))
    return values


def _part(name: str, given: Any) -> Part:
    values = _mapping(f"part {name!r}", given)
    _check(f"setting of part {name!r}", values, (each.name for each in fields(Part)))
    if values.get("controller") is not None:
        values["controller"] = controller_of(values["controller"])
    return Part(**values)


def _gains(name: str, given: Any) -> Gains:
    values = _mapping(f"the gains of {name!r}", given)
    _check(f"gain of {name!r}", values, (each.name for each in fields(Gains)))
    return Gains(**values)


def _mapping(what: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} must be a mapping, got {given!r}")
    return {str(key): value for key, value in given.items()}


def _check(kind: str, given: Iterable[str], known: Iterable[str]) -> None:
    names = tuple(known)
    for name in given:
        if name not in names:
            raise UnknownEntityError(kind, name, names)
