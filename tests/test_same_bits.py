# SPDX-License-Identifier: Apache-2.0
"""The racetrack gives the same bits on every Python of this machine.

The other Pythons are those of `make matrix`, which runs this after it has made them. No digest is
stored here: NumPy and MuJoCo may compute other bits on another processor.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

STEPS = 1000


def others(root: Path) -> list[Path]:
    """Returns the interpreters of the matrix of deepsim, without that of this Python."""
    here = f"py{sys.version_info.major}{sys.version_info.minor}"
    found = sorted(root.glob("libs/deepsim/.tox/py3*[0-9]/bin/python"))
    return [path for path in found if path.parts[-3] != here]


def run(root: Path, python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a Python on the sources of this checkout."""
    sources = os.pathsep.join(str(path) for path in sorted(root.glob("libs/*/src")))
    return subprocess.run(
        [str(python), *arguments],
        env={**os.environ, "PYTHONPATH": sources},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )


def drive(root: Path, python: Path) -> dict[str, str]:
    program, task = root / "tests/racetrack_bits.py", "racetrack"
    done = run(root, python, str(program), str(task), str(STEPS))
    assert done.returncode == 0, f"{python} failed"
    result: dict[str, str] = json.loads(done.stdout)
    return result


def test_the_racetrack_has_the_same_bits_on_every_python(root: Path) -> None:
    """Those with the same NumPy and MuJoCo; other versions may compute other bits."""
    usable = [
        python
        for python in others(root)
        if run(root, python, "-c", "import deepsim").returncode == 0  # else it is an old one
    ]
    if not usable:
        pytest.skip("there is no other Python with the libraries' requirements: make matrix")
    found: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for python in (Path(sys.executable), *usable):
        result = drive(root, python)
        found[result["mujoco"], result["numpy"]][result["python"]] = result["digest"]
    for versions, digests in found.items():
        assert len(set(digests.values())) == 1, f"MuJoCo and NumPy {versions}: {digests}"
    if max(map(len, found.values())) == 1:
        pytest.skip(f"no two Pythons have the same MuJoCo and NumPy: {[*found]}")
