# SPDX-License-Identifier: Apache-2.0
"""Triangles of mesh files and shapes."""

from __future__ import annotations

from .shapes import shape_triangles
from .triangles import mesh_triangles

__all__ = ["mesh_triangles", "shape_triangles"]
