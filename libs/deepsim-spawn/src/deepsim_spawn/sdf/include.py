# SPDX-License-Identifier: Apache-2.0
"""SDF documents: their versions, model folders and includes."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

from deepsim_spawn.errors import ModelFormatError
from deepsim_spawn.xml.document import MAX_ELEMENTS, Load, parse_file
from deepsim_spawn.xml.element import Element, word

Version: TypeAlias = tuple[int, int]

OLDEST: Version = (1, 3)
NEWEST: Version = (1, 11)

CONFIG = "model.config"
"""The file that marks a model folder."""

MAX_NESTING = 32
"""Largest depth of nested models, included or in place; keeps the reader within Python's stack."""

_ENTITIES = ("world", "model", "light", "actor")


def version_pair(text: str) -> Version:
    """Returns the numbers of a version: ``1.6`` gives (1, 6)."""
    major, dot, minor = text.partition(".")
    if not (dot and text.isascii() and (major + minor).isdecimal() and len(text) < 9):
        raise ValueError(f"expected a version such as 1.6, got {text!r}")
    return int(major), int(minor or 0)


def sdf_version(element: Element) -> Version:
    """Returns the version of an element's document."""
    version = element.root.require_attribute("version", version_pair)
    if not OLDEST <= version <= NEWEST:
        raise element.root.error(
            f"expected SDF 1.3 to 1.11, got version {element.root.attributes['version']}"
        )
    return version


def model_file(folder: Path, load: Load) -> Path:
    """Returns the SDF file of a model folder, of the newest supported version."""
    return named_file(read_config(folder, load))


def read_config(folder: Path, load: Load) -> Element:
    """Returns the root element of a folder's `model.config`."""
    config = folder / CONFIG
    if not config.exists():
        raise ModelFormatError(f"is not a model folder: {CONFIG} is missing", file=str(folder))
    return parse_file(config, load)


def named_file(config: Element) -> Path:
    """Returns the SDF file that a `model.config` names, of the newest supported version."""
    listed = [
        (each.attribute("version", version_pair, OLDEST), each) for each in config.find_all("sdf")
    ]
    readable = [entry for entry in listed if entry[0] <= NEWEST]
    if not readable:
        raise config.error("expected an <sdf> file of version 1.3 to 1.11, got none")
    _, newest = max(readable, key=itemgetter(0))
    return newest.file(newest.value(word))


def sdf_entity(root: Element) -> Element:
    """Returns the only world, model, light or actor of an SDF document."""
    if root.tag != "sdf":
        raise root.error(f"expected <sdf>, got <{root.tag}>")
    sdf_version(root)
    entities = root.find_all(*_ENTITIES)
    if len(entities) != 1:
        found = "".join(f"; {entity.path} at {entity.place}" for entity in entities[:4])
        raise root.error(f"expected one <world>, <model> or <light>, got {len(entities)}{found}")
    return entities[0]


def models_and_includes(parent: Element) -> Iterator[tuple[Element, Element | None]]:
    """Yields each `<model>` with None, and each included entity with its `<include>`, in order."""
    for element in parent.find_all("model", "include"):
        if element.tag == "model":
            yield element, None
        else:
            yield _open_include(element), element


def refuse_include_bombs(entity: Element) -> None:
    """Refuses includes that expand to too many elements, before building any of them."""
    _expanded_size(entity, {}, MAX_NESTING)


def _expanded_size(entity: Element, sizes: dict[Path | None, int], depth: int) -> int:
    """Returns the number of elements of an entity with its includes expanded."""
    size, pending = 0, [entity]
    while pending:
        element = pending.pop()
        size += 1
        if element.tag == "include" and depth > 0:
            included = _open_include(element)
            path = included.document.path
            if path not in sizes:
                sizes[path] = 0  # ends a cycle, which the reader will report
                sizes[path] = _expanded_size(included, sizes, depth - 1)
            size += sizes[path]
        if size > MAX_ELEMENTS:
            raise element.error("too many elements in one load")
        if element.tag != "plugin":
            pending += element.children
    return size


def _open_include(element: Element) -> Element:
    uri = element.require("uri")
    load = element.document.load
    path = uri.file(uri.value(word))
    if path.is_dir():
        path = model_file(path, load)
    root = load.included.get(path)
    if root is None:
        root = parse_file(path, load)
        load.included[path] = root
        load.roots.append(root)
    return sdf_entity(root)
