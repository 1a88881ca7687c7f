# SPDX-License-Identifier: Apache-2.0
"""Rows of tables, and headers, as bytes."""

from __future__ import annotations

from .frames import Frame, pack, unpack

__all__ = ["Frame", "pack", "unpack"]
