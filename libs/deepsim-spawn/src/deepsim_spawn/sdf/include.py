# SPDX-License-Identifier: Apache-2.0
"""Entities of a document, with those that `<include>` adds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deepsim_spawn.xml import Document, Element, parse, read_bytes
from deepsim_spawn.xml.document import MAX_ELEMENTS
from deepsim_spawn.xml.values import word

from .model_folder import model_file
from .version import sdf_version

MAX_NESTING = 32
"""Of models in models, by include or in place: keeps the reader within Python's stack."""

_ENTITIES = ("world", "model", "light", "actor")


def sdf_entity(root: Element) -> Element:
    """Returns the one world, model, light or actor of an SDF document.

    Raises:
        ModelFormatError: The document is not SDF, has another version, or holds none or several.
    """
    if root.tag != "sdf":
        raise root.error(f"expected <sdf>, got <{root.tag}>")
    sdf_version(root)
    entities = root.find_all(*_ENTITIES)
    if len(entities) != 1:
        found = "".join(f"; {entity.path} at {entity.place}" for entity in entities[:4])
        raise root.error(f"expected one <world>, <model> or <light>, got {len(entities)}{found}")
    return entities[0]


def models_and_includes(parent: Element) -> Iterator[tuple[Element, Element | None]]:
    """Yields the models of a world or model, in the order of the file.

    Yields:
        A `<model>` and None, or what an `<include>` brings in and the `<include>`.
    """
    for element in parent.find_all("model", "include"):
        if element.tag == "model":
            yield element, None
        else:
            yield _open_include(element), element


def refuse_include_bombs(entity: Element) -> None:
    """Refuses includes that stand for too many elements, before any of them is built.

    Raises:
        ModelFormatError: There are too many, or an included file cannot be read.
    """
    _expanded_size(entity, {}, MAX_NESTING)


def _expanded_size(entity: Element, sizes: dict[Path | None, int], depth: int) -> int:
    """Returns the number of elements of an entity and its includes, each file counted once."""
    size, pending = 0, [entity]
    while pending:
        element = pending.pop()
        size += 1
        if element.tag == "include" and depth > 0:
            included = _open_include(element)
            path = included.document.path
            if path not in sizes:
                sizes[path] = 0  # in a circle, which the reader will name
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
        root = parse(read_bytes(path), Document(str(path), path, load))
        load.included[path] = root
        load.roots.append(root)
    return sdf_entity(root)
