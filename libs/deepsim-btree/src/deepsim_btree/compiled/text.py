# SPDX-License-Identifier: Apache-2.0
"""Text of Python statements."""

from __future__ import annotations

from textwrap import indent


def lines(*statements: str) -> str:
    """Puts statements below each other; empty ones are left out."""
    return "\n".join(filter(None, statements))


def block(header: str, *statements: str) -> str:
    """Puts statements below a header that ends with a colon or a bracket."""
    return f"{header}\n{indent(lines(*statements), '    ')}"
