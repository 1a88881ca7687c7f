# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys


def test_the_import_brings_neither_scenic_nor_what_it_needs():
    code = "import sys, deepsim_scenes; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"scenic", "trimesh", "cv2", "matplotlib", "scipy", "shapely"}
    assert not heavy & set(done.stdout.split())
