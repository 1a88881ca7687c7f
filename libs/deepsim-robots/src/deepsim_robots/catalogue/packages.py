# SPDX-License-Identifier: Apache-2.0
"""Finds files of installed packages, without importing or downloading anything."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from deepsim_sync import DeepSimError


class MissingPackageError(DeepSimError):
    """The package of a robot is not installed, or does not contain its file."""


def is_installed(package: str) -> bool:
    """Returns whether a package is installed, given its name on the package index."""
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def package_file(package: str, file: str, robot: str) -> Path:
    """Returns the path of a file in an installed package.

    Args:
        package: Name on the package index.
        file: Path of the file, relative to the folder of installed packages.
        robot: Name of the robot that needs the file, for error messages.

    Raises:
        MissingPackageError: The package is not installed, or does not contain the file.
    """
    if not is_installed(package):
        raise MissingPackageError(f"robot {robot!r} needs a package: pip install {package}")
    found = distribution(package)
    path = Path(str(found.locate_file(file)))
    if not path.is_file():
        raise MissingPackageError(
            f"robot {robot!r}: {package} {found.version} has no {file!r}; "
            f"another version may: pip install --upgrade {package}"
        )
    return path
