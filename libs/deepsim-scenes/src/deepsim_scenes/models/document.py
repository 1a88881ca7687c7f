# SPDX-License-Identifier: Apache-2.0
"""Reads the YAML file of a list of models, and keeps the line of every key for errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from deepsim_scenes.errors import ModelListError
from deepsim_sync.errors import did_you_mean
from deepsim_sync.untrusted import check_yaml, check_yaml_text


@dataclass(frozen=True, slots=True)
class Section:
    """A mapping in a YAML file.

    Attributes:
        file: The file.
        line: The first line of the mapping, counted from 1.
        values: The values by key.
        lines: The line of each key.
    """

    file: Path
    line: int
    values: Mapping[str, Any]
    lines: Mapping[str, int]

    def error(self, key: str, message: str) -> ModelListError:
        """Returns an error at the line of a key; without this key, at the mapping's first line."""
        return ModelListError(self.file, self.lines.get(key, self.line), message)

    def check_keys(self, known: Iterable[str]) -> None:
        """Checks that all keys are known.

        Raises:
            ModelListError: A key is unknown.
        """
        names = tuple(known)
        for key in self.values:
            if key not in names:
                raise self.error(key, f"unknown key {key!r}{hint(key, names)}")

    def text(self, key: str, default: str = "") -> str:
        """Returns the string of a key, or the default if the key is missing.

        Raises:
            ModelListError: The value is not a string, or is empty.
        """
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f"{key} must be a text, got {value!r}")
        return value.strip()

    def number(self, key: str, *, positive: bool = False) -> float | None:
        """Returns a finite number, or None if the key is missing.

        Raises:
            ModelListError: The value is not a finite number, or `positive` is set and it is not
                > 0.
        """
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(key, f"{key} must be a number, got {value!r}")
        if not math.isfinite(value) or (positive and not value > 0.0):
            wanted = "a number > 0 m" if positive else "finite"
            raise self.error(key, f"{key} must be {wanted}, got {value}")
        return float(value)

    def flag(self, key: str) -> bool | None:
        """Returns a bool, or None if the key is missing.

        Raises:
            ModelListError: The value is not a bool.
        """
        value = self.values.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.error(key, f"{key} must be true or false, got {value!r}")
        return value


def read_document(file: Path, items: str) -> tuple[Section, list[Section]]:
    """Reads a YAML file; returns its top mapping, and the mappings in one of its lists.

    Args:
        file: The file.
        items: The key of the list.

    Raises:
        ModelListError: The file cannot be read, or has no such list of mappings.
    """
    if file.exists() and not file.is_file():
        raise ModelListError(file, 0, "is not a regular file")
    try:
        text = file.read_text(encoding="utf-8")
        check_yaml_text(text)
        root = yaml.compose(text, yaml.SafeLoader)
        check_yaml(root)
    except OSError as error:
        raise ModelListError(file, 0, f"cannot be opened: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ModelListError(file, 0, "is not a text in UTF-8") from error
    except yaml.YAMLError as error:
        raise ModelListError(file, _line(error), f"is not YAML: {_problem(error)}") from error
    except (ValueError, RecursionError) as error:
        raise ModelListError(file, 0, f"cannot be read as YAML: {error}") from error
    top = _section(file, root, "the file")
    if items not in top.values:
        raise ModelListError(file, top.line, f"has no key {items!r}")
    assert isinstance(root, yaml.MappingNode)
    (node,) = (value for key, value in root.value if key.value == items)
    if not isinstance(node, yaml.SequenceNode):
        raise top.error(items, f"{items} must be a list")
    return top, [_section(file, each, f"an entry of {items}") for each in node.value]


def hint(name: str, known: Iterable[str]) -> str:
    """Returns the end of a message about an unknown name: similar names, or known ones."""
    names = sorted(known)
    return did_you_mean(name, names, 3) or (f"; known: {', '.join(names[:12])}" if names else "")


def _section(file: Path, node: yaml.Node | None, what: str) -> Section:
    if not isinstance(node, yaml.MappingNode):
        line = node.start_mark.line + 1 if node is not None else 0
        raise ModelListError(file, line, f"{what} must be a mapping of keys to values")
    lines: dict[str, int] = {}
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if key.value in lines:
            raise ModelListError(file, line, f"the key {key.value!r} occurs twice")
        lines[str(key.value)] = line
    loader = yaml.SafeLoader("")
    try:
        values = loader.construct_document(node)
    except yaml.YAMLError as error:
        raise ModelListError(file, _line(error), f"is not plain YAML: {_problem(error)}") from error
    except Exception as error:  # of numbers and dates that YAML has and Python has not
        line = node.start_mark.line + 1
        raise ModelListError(file, line, f"has a value that cannot be read: {error}") from error
    named = {str(key): value for key, value in values.items()}
    return Section(file, node.start_mark.line + 1, named, lines)


def _line(error: yaml.YAMLError) -> int:
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark is not None else 0


def _problem(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or error)
