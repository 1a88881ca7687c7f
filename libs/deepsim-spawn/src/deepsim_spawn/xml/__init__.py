# SPDX-License-Identifier: Apache-2.0
"""XML that knows where it came from: elements with file and line, checked values, warnings."""

from __future__ import annotations

from .document import Document, Load
from .element import Element
from .parser import parse, read_bytes, refuse_doctype

__all__ = ["Document", "Element", "Load", "parse", "read_bytes", "refuse_doctype"]
