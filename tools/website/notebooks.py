# SPDX-License-Identifier: Apache-2.0
"""Shows a notebook with its outputs as a page."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def words(file: Path) -> str:
    """Returns the Markdown of a notebook without code and outputs."""
    return "\n\n".join(
        _text(cell["source"]) for cell in _cells(file) if cell["cell_type"] == "markdown"
    )


def page(file: Path, redirect: Callable[[str], str] = str) -> tuple[str, dict[str, bytes]]:
    """Returns the Markdown of a notebook, and its pictures by the names that the text uses.

    Args:
        file: The notebook, whose outputs are shown as they are kept in it.
        redirect: Points the links of a cell elsewhere.
    """
    pictures: dict[str, bytes] = {}
    cells = _cells(file)
    for cell in cells:
        if cell["cell_type"] == "markdown":
            cell["source"] = redirect(_text(cell["source"]))
    heading, *rest = [part for cell in cells for part in _cell(cell, file.stem, pictures)]
    offer = f"[Take this page as a notebook]({file.name})"
    return "\n\n".join([heading, offer, *rest]) + "\n", pictures


def _cells(file: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["cells"]
    return cells


def _cell(cell: dict[str, Any], stem: str, pictures: dict[str, bytes]) -> list[str]:
    text = _text(cell["source"])
    if cell["cell_type"] == "markdown":
        return [text]
    shown = [f"```python\n{text}\n```"]
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "image/png" in data:
            name = f"{stem}-{len(pictures) + 1}.png"
            pictures[name] = base64.b64decode(_text(data["image/png"]))
            shown.append(f"![Output of the cell above]({name})")
        else:
            printed = _text(output.get("text", data.get("text/plain", "")))
            shown.append(f"```text\n{printed.rstrip()}\n```")
    return shown


def _text(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)
