# SPDX-License-Identifier: Apache-2.0
"""Encodes headers and rows of tables as bytes."""

from __future__ import annotations

from .frames import Frame, pack, unpack

__all__ = ["Frame", "pack", "unpack"]
