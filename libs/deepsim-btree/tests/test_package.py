# SPDX-License-Identifier: Apache-2.0
"""The package itself: its public names and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
import types
from importlib import metadata

import deepsim_btree as bt

PROGRAM = """
import sys, time
sys.path[:] = {path!r}
before = set(sys.modules)
start = time.process_time()
import deepsim_btree
print(time.process_time() - start)
print(*(set(sys.modules) - before))
"""


def import_afresh() -> tuple[float, set[str]]:
    """Import the package in a new process; return its processor time [s] and the modules."""
    program = PROGRAM.format(path=sys.path)
    command = [sys.executable, "-S", "-c", program]
    seconds, modules = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return float(seconds), set(modules.split())


def test_public_names():
    """__all__ is sorted and lists every public name, and nothing else is public."""
    public = {
        name
        for name, value in vars(bt).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert set(bt.__all__) == public
    assert bt.__all__ == sorted(bt.__all__)


def test_import_is_fast():
    """Importing takes less than 50 ms of processor time, the best of three tries."""
    assert min(import_afresh()[0] for _ in range(3)) < 0.050


def test_import_brings_nothing_else():
    """Neither other distributions nor heavy parts of the standard library are imported."""
    modules = import_afresh()[1]
    installed = {
        module.partition(".")[0].partition("/")[0]
        for distribution in metadata.distributions()
        for module in (distribution.read_text("top_level.txt") or "").split()
    }
    top = {module.partition(".")[0] for module in modules} - {"deepsim_btree"}
    assert not top & installed
    assert not top & {"inspect", "asyncio", "logging", "dataclasses", "typing_extensions"}
