# SPDX-License-Identifier: Apache-2.0
"""Looks at files that may be damaged or hostile before they are used: arrays, YAML, folders."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any, Iterator, Pattern

import numpy as np

_MOST_BYTES = 2**28
_MOST_LETTERS = 2**20
_MOST_LEVELS = 100
_MOST_VALUES = 100_000
_BRACKET = re.compile(r"[\[\]{}]")
_DASHES = re.compile(rf"(?:[-?][ \t]+){{{_MOST_LEVELS + 1}}}")


def read_arrays(file: Path, names: Pattern[str]) -> dict[str, Any]:
    """Returns the arrays of an NPZ file by name, after a look at their names and sizes.

    Damage is noticed, because the file has checksums. Nothing in it can run code.

    Args:
        file: The file.
        names: What the name of an array must match.

    Raises:
        OSError: The file cannot be opened.
        ValueError: It is not a regular file, is damaged, has other arrays, or more than 256 MiB;
            the message does not name the file.
    """
    if file.exists() and not file.is_file():
        raise ValueError("it is not a regular file")
    with file.open("rb") as content:
        try:
            with zipfile.ZipFile(content) as archive:
                _check(archive, names)
            content.seek(0)
            with np.load(content, allow_pickle=False) as stream:
                return dict(stream)
        except ValueError:
            raise
        except Exception as error:  # zipfile and NumPy raise almost anything
            raise ValueError(str(error) or type(error).__name__) from error


def _check(archive: zipfile.ZipFile, names: Pattern[str]) -> None:
    members = archive.infolist()
    found = [each.filename[: -len(".npy")] for each in members if each.filename.endswith(".npy")]
    unknown = [each for each in found if not names.fullmatch(each)]
    if unknown or len(found) < len(members):
        other = [each.filename for each in members if not each.filename.endswith(".npy")]
        raise ValueError(f"it has no array {(unknown + other)[0]!r}")
    if len(set(found)) < len(found):
        raise ValueError("it has two arrays of one name")
    size = sum(each.file_size for each in members)
    if size > _MOST_BYTES:
        raise ValueError(f"its arrays must be <= {_MOST_BYTES} bytes, got {size}")


def expect_floats(name: str, array: Any, shape: tuple[int, ...]) -> None:
    """Raises ValueError unless an array of a file holds finite floats of a shape."""
    if array.shape != shape or array.dtype.kind != "f":
        raise ValueError(
            f"{name} must be floats of shape {shape}, got {array.dtype} of {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")


def check_yaml_text(text: str) -> None:
    """Refuses text for which a parser would need very long, as the square of its nesting.

    Raises:
        ValueError: It has more than 2^20 letters, or 100 levels of brackets or dashes in a line.
    """
    if len(text) > _MOST_LETTERS:
        raise ValueError(f"it must have <= {_MOST_LETTERS} letters, got {len(text)}")
    level = deepest = 0
    for bracket in _BRACKET.finditer(text):
        level = level + 1 if bracket.group() in "[{" else max(level - 1, 0)
        deepest = max(deepest, level)
    if deepest > _MOST_LEVELS or _DASHES.search(text):
        raise ValueError(f"its values are nested more than {_MOST_LEVELS} levels deep")


def check_yaml(root: Any) -> None:
    """Refuses a document that its aliases make large.

    With aliases, or with merges of them by ``<<``, a file of a kilobyte makes what would fill all
    memory, be it as text in a message.

    Args:
        root: The composed node of PyYAML, or None for an empty document.

    Raises:
        ValueError: With each alias written out, it has more than 100,000 values, or contains
            itself.
    """
    sizes: dict[int, int] = {}
    waiting = [] if root is None else [root]
    open_nodes: set[int] = set()
    while waiting:
        node = waiting[-1]
        if id(node) in sizes:
            waiting.pop()
        elif id(node) in open_nodes:
            waiting.pop()
            open_nodes.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(each)] for each in _parts(node))
            if sizes[id(node)] > _MOST_VALUES:
                raise ValueError(f"it has more than {_MOST_VALUES} values, counted at each alias")
        else:
            open_nodes.add(id(node))
            parts = [each for each in _parts(node) if id(each) not in sizes]
            if any(id(each) in open_nodes for each in parts):
                raise ValueError("an alias stands for what contains it")
            waiting += parts


def _parts(node: Any) -> Iterator[Any]:
    """Yields the nodes in a sequence or mapping."""
    if isinstance(node.value, list):
        for each in node.value:
            yield from each if isinstance(each, tuple) else (each,)


def require_files(folder: Path) -> None:
    """Raises ValueError if a folder holds a pipe or a device, which might never end."""
    for each in folder.rglob("*"):
        if each.exists() and not (each.is_file() or each.is_dir()):
            raise ValueError(f"{each} is not a regular file")
