# SPDX-License-Identifier: Apache-2.0
"""What the import of the package brings along."""

from __future__ import annotations

import subprocess
import sys


def test_numpy_is_all_it_imports():
    """scipy, which the tests compare with, takes a third of a second."""
    code = "import sys, deepsim_math; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
