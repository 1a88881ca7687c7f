# SPDX-License-Identifier: Apache-2.0
"""URDF with the extensions for Gazebo, read as one model whose fixed joints all stay."""

from __future__ import annotations

from .robot import read_urdf

__all__ = ["read_urdf"]
