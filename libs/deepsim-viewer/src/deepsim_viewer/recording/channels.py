# SPDX-License-Identifier: Apache-2.0
"""The topics of a recording."""

from __future__ import annotations

from deepsim_sync import Kind

LAYOUT = "/deepsim/layout"
"""The entities and shapes, as JSON; written again when any come or go."""
COLUMNS: dict[str, tuple[Kind, tuple[int, ...]]] = {
    "time": ("models", ()),
    "models": ("models", (13,)),
    "poses": ("links", (7,)),
    "joints": ("joints", ()),
    "colors": ("visuals", (3,)),
    "opacities": ("visuals", ()),
}
"""The fields of a `Frame` in the order of the file: the table of each, and the shape of a cell."""


def topic(column: str) -> str:
    """The topic of a field: float64 bytes, little-endian; written when the field changes."""
    return f"/deepsim/{column}"
