# SPDX-License-Identifier: Apache-2.0
"""The package itself: its public names and what importing it brings."""

from __future__ import annotations

import subprocess
import sys
import types
from importlib import metadata

import deepsim_btree as bt

PROGRAM = """
import sys
sys.path[:] = {path!r}
before = set(sys.modules)
import deepsim_btree
print(*(set(sys.modules) - before))
"""


def modules_of_import() -> set[str]:
    """Import the package in a new process; return the modules that this brings."""
    program = PROGRAM.format(path=sys.path)
    command = [sys.executable, "-S", "-c", program]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_public_names():
    """__all__ is sorted and lists every public name, and nothing else is public."""
    parts = {n: value for n, value in vars(bt).items() if not n.startswith("_")}
    public = {n for n, value in parts.items() if not isinstance(value, types.ModuleType)}
    assert set(bt.__all__) == public
    assert bt.__all__ == sorted(bt.__all__)


def test_import_brings_nothing_else():
    """Neither other distributions nor heavy parts of the standard library are imported."""
    modules = modules_of_import()
    installed = {
        module.partition(".")[0].partition("/")[0]
        for distribution in metadata.distributions()
        for module in (distribution.read_text("top_level.txt") or "").split()
    }
    top = {module.partition(".")[0] for module in modules} - {"deepsim_btree"}
    assert not top & installed
    assert not top & {"inspect", "asyncio", "logging", "dataclasses", "typing_extensions", "numpy"}


def test_version_is_that_of_the_distribution():
    """`__version__` is what an installer knows."""
    assert bt.__version__ == metadata.version("deepsim-btree")
