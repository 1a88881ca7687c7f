# SPDX-License-Identifier: Apache-2.0
"""What a document holds, and what `<include>` adds to it."""

from __future__ import annotations

from collections.abc import Iterator

from deepsim_spawn.xml import Document, Element, parse, read_bytes
from deepsim_spawn.xml.values import word

from .model_folder import model_file
from .version import sdf_version

_ENTITIES = ("world", "model", "light", "actor")


def sdf_entity(root: Element) -> Element:
    """The one world, model, light or actor of an SDF document.

    Raises:
        ModelFormatError: It is no SDF, of another version, or holds none or several.
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
    """The models of a world or model, in the order of the file.

    Yields:
        A `<model>` and None, or what an `<include>` brings in and the `<include>`.
    """
    for element in parent.find_all("model", "include"):
        if element.tag == "model":
            yield element, None
        else:
            yield _open_include(element), element


def _open_include(element: Element) -> Element:
    uri = element.require("uri")
    load = element.document.load
    path = uri.file(uri.value(word))
    if path.is_dir():
        path = model_file(path, load)
    root = parse(read_bytes(path), Document(str(path), path, load))
    load.roots.append(root)
    return sdf_entity(root)
