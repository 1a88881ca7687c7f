# SPDX-License-Identifier: Apache-2.0
"""Mesh files as triangles."""

from __future__ import annotations

from .triangles import mesh_triangles

__all__ = ["mesh_triangles"]
