# SPDX-License-Identifier: Apache-2.0
"""What importing the package brings."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

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
