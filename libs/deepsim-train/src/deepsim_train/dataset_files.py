# SPDX-License-Identifier: Apache-2.0
"""Checks the files of datasets before others open them."""

from __future__ import annotations

from pathlib import Path


def require_files(folder: Path) -> None:
    """Raises ValueError if a folder holds a pipe or a device, which might never end."""
    for each in folder.rglob("*"):
        if each.exists() and not (each.is_file() or each.is_dir()):
            raise ValueError(f"{each} is not a regular file")
