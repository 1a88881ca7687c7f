# SPDX-License-Identifier: Apache-2.0
"""XML elements with file and line, checked values and warnings."""

from __future__ import annotations

from .document import Document, Load
from .element import Element, number_names, unique_names
from .fields import read_description, read_fields
from .parser import is_xml, parse, read_bytes, refuse_doctype, root_tag, without_declaration

__all__ = [
    "Document",
    "Element",
    "Load",
    "is_xml",
    "number_names",
    "parse",
    "read_bytes",
    "read_description",
    "read_fields",
    "refuse_doctype",
    "root_tag",
    "unique_names",
    "without_declaration",
]
