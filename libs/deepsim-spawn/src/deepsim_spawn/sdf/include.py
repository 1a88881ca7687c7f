# SPDX-License-Identifier: Apache-2.0
"""`<include>` elements."""

from __future__ import annotations

from pathlib import Path

from deepsim_spawn.model_folder import model_file
from deepsim_spawn.xml import Document, Element, parse, read_bytes
from deepsim_spawn.xml.values import boolean, word

from .entity import sdf_entity


def open_include(element: Element) -> Element:
    """The `<model>` or `<light>` that an `<include>` brings in.

    Raises:
        ModelFormatError: Its URI leads nowhere, or to something else.
    """
    if element.attribute("merge", boolean, False):
        element.warn("merge is not supported, the model is nested instead")
    uri = element.require("uri")
    document = element.document
    found = uri.make(document.load.search_path.find, uri.value(word), document.path)
    path: Path = uri.make(model_file, found) if found.is_dir() else found
    included = Document(str(path), path, document.load)
    return sdf_entity(parse(uri.make(read_bytes, path), included))
