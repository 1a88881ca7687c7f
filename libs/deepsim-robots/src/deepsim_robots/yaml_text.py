# SPDX-License-Identifier: Apache-2.0
"""Reads YAML with numbers as in YAML 1.2, unique keys, and errors that name the line or value."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """Refuses keys that occur twice, of which YAML would silently keep the last."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if key.value in seen and isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key.value!r} occurs twice", problem_mark=key.start_mark
                )
            if isinstance(key, yaml.ScalarNode):
                seen.add(key.value)
        return node


_Loader.add_implicit_resolver(  # PyYAML takes 1e3 for a text
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"),
    list("-+.0123456789"),
)


def read_yaml(source: str | Path) -> tuple[Any, Path | None]:
    """Returns the content of YAML, and the folder of the file; None for text.

    Args:
        source: Path of a file, or the text itself, which must contain a line break.

    Raises:
        FileNotFoundError: The file does not exist.
        ValueError: The text is not YAML, or a mapping has a key twice; the message has the line.
    """
    inline = isinstance(source, str) and "\n" in source
    text = str(source) if inline else Path(source).read_text(encoding="utf-8")
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        name = "the text" if inline else str(source)
        raise ValueError(
            f"{name} is XML, not YAML: a model is the source of a configuration, as in "
            "RobotConfig(source)"
        )
    loader = _Loader(text)
    loader.name = "YAML" if inline else str(source)
    try:
        return loader.get_single_data(), None if inline else Path(source).parent
    except yaml.YAMLError as error:
        raise ValueError(_message(error, loader.name)) from error
    finally:
        loader.dispose()


def number(what: str, value: Any) -> float:
    """Returns a number as a float.

    Raises:
        ValueError: The value is not a number, but for example a text or ``yes``.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{what} must be a number, got {value!r}")
    return float(value)


def _message(error: yaml.YAMLError, name: str) -> str:
    """Returns an error in one line, with the file and the line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{name}:{mark.line + 1}:{mark.column + 1}: {error.problem}"
    return f"{name}: {error}"
