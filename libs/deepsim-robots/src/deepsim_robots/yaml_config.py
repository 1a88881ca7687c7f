# SPDX-License-Identifier: Apache-2.0
"""Reads robot configurations from YAML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from .controllers.names import controller_of
from .matching import check_names
from .parts import Gains, Part
from .yaml_sensors import sensors_of
from .yaml_text import number, read_yaml


def read_settings(source: str | Path, known: Iterable[str]) -> dict[str, Any]:
    """Reads the arguments of a `RobotConfig` from a YAML file or text.

    Args:
        source: Path of a file, or the text itself, which must contain a line break.
        known: The valid keys.

    Raises:
        UnknownEntityError: A key, controller or setting is unknown.
        ValueError: The text is not a mapping in YAML, or a value is invalid.
    """
    content, folder = read_yaml(source)
    values = _mapping("a robot's configuration", content)
    check_names("setting of a robot", values, known)
    given = values.get("source")
    if folder is not None and isinstance(given, str) and not ("<" in given or "://" in given):
        beside = folder / given
        values["source"] = beside if beside.exists() or not Path(given).exists() else given
    values["parts"] = {
        name: _part(name, part) for name, part in _mapping("parts", values.get("parts")).items()
    }
    values["gains"] = {
        name: _gains(name, gains) for name, gains in _mapping("gains", values.get("gains")).items()
    }
    values["home"] = _numbers("home of", _mapping("home", values.get("home")))
    values["sensors"] = sensors_of(values.get("sensors"))
    return values


def _part(name: str, given: Any) -> Part:
    values = _mapping(f"part {name!r}", given)
    check_names(f"setting of part {name!r}", values, (each.name for each in fields(Part)))
    if values.get("controller") is not None:
        values["controller"] = controller_of(values["controller"])
    return Part(**values)


def _gains(name: str, given: Any) -> Gains:
    values = _mapping(f"the gains of {name!r}", given)
    check_names(f"gain of {name!r}", values, (each.name for each in fields(Gains)))
    given = {key: value for key, value in values.items() if value is not None}
    return Gains(**_numbers(f"gain of {name!r}:", given))


def _numbers(what: str, given: Mapping[str, Any]) -> dict[str, float]:
    return {name: number(f"{what} {name!r}", value) for name, value in given.items()}


def _mapping(what: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} must be a mapping, got {given!r}")
    return {str(key): value for key, value in given.items()}
