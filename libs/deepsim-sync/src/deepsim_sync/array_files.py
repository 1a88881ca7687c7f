# SPDX-License-Identifier: Apache-2.0
"""Reads NPZ files of networks, which may be damaged or hostile."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, Pattern

import numpy as np

_MOST_BYTES = 2**28


def read_arrays(file: Path, names: Pattern[str]) -> dict[str, Any]:
    """Returns the arrays of an NPZ file by name, after a look at their names and sizes.

    Damage is noticed, because the file has checksums. Nothing in it can run code.

    Args:
        file: The file.
        names: What the name of an array must match.

    Raises:
        OSError: The file cannot be opened.
        ValueError: It is not a regular file, is damaged, has other arrays, or more than 256 MiB;
            the message does not name the file.
    """
    if file.exists() and not file.is_file():
        raise ValueError("it is not a regular file")
    with file.open("rb") as content:
        try:
            with zipfile.ZipFile(content) as archive:
                _check(archive, names)
            content.seek(0)
            with np.load(content, allow_pickle=False) as stream:
                return dict(stream)
        except ValueError:
            raise
        except Exception as error:  # zipfile and NumPy raise almost anything
            raise ValueError(str(error) or type(error).__name__) from error


def _check(archive: zipfile.ZipFile, names: Pattern[str]) -> None:
    members = archive.infolist()
    found = [each.filename[: -len(".npy")] for each in members if each.filename.endswith(".npy")]
    unknown = [each for each in found if not names.fullmatch(each)]
    if unknown or len(found) < len(members):
        other = [each.filename for each in members if not each.filename.endswith(".npy")]
        raise ValueError(f"it has no array {(unknown + other)[0]!r}")
    if len(set(found)) < len(found):
        raise ValueError("it has two arrays of one name")
    size = sum(each.file_size for each in members)
    if size > _MOST_BYTES:
        raise ValueError(f"its arrays must be <= {_MOST_BYTES} bytes, got {size}")


def expect_floats(name: str, array: Any, shape: tuple[int, ...]) -> None:
    """Raises ValueError unless an array of a file holds finite floats of a shape."""
    if array.shape != shape or array.dtype.kind != "f":
        raise ValueError(
            f"{name} must be floats of shape {shape}, got {array.dtype} of {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
