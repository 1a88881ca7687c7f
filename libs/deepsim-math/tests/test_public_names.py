# SPDX-License-Identifier: Apache-2.0
"""The public names are the documented ones."""

from __future__ import annotations

import subprocess
import sys
import types
from importlib.metadata import version

import deepsim_math


def test_all_is_sorted_and_complete():
    """`__all__` lists every public name of the package, and no other."""
    batch = {"angles", "poses", "quaternions", "twists", "vectors"}
    public = {
        name
        for name, value in vars(deepsim_math).items()
        if not name.startswith("_") and (name in batch or not isinstance(value, types.ModuleType))
    }
    assert public == set(deepsim_math.__all__)
    assert deepsim_math.__all__ == sorted(deepsim_math.__all__)


def test_the_version_is_that_of_the_distribution():
    assert deepsim_math.__version__ == version("deepsim-math")


def test_numpy_is_all_it_imports():
    """scipy, which the tests compare with, takes a third of a second."""
    code = "import sys, deepsim_math; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
