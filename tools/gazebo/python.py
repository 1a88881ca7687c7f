# SPDX-License-Identifier: Apache-2.0
"""What DeepSim's libraries and their tests need in the root's Python: Debian 11's is too old."""

from __future__ import annotations

import sys
from pathlib import Path

from gazebo import cache
from gazebo.step import step

VERSION = "3.9"
"""The root's Python."""
PACKAGES = ("numpy>=1.22.4", "pytest>=8.3", "pytest-timeout>=2.4")


def folder() -> Path:
    """Where they are, for the root's PYTHONPATH."""
    return cache.build() / f"python{VERSION}"


def install() -> int:
    """Install them with uv, unless that was done before.

    Returns:
        0, an exit status.

    Raises:
        GazeboHostError: uv failed; the message has the end of its output.
    """
    recipe, stamp = " ".join(PACKAGES), folder() / "stamp"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == recipe:
        return 0
    pip = [sys.executable, "-m", "uv", "pip", "install", "--python-version", VERSION]
    step("the tests' packages", [*pip, "--target", str(folder()), *PACKAGES])
    stamp.write_text(recipe, encoding="utf-8")
    return 0
