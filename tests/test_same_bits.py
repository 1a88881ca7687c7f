# SPDX-License-Identifier: Apache-2.0
"""The racetrack gives the same bits on every Python of this machine.

The other Pythons are those of `make matrix`, which runs this after it has made them. No digest is
kept here: another processor may take another way through NumPy and MuJoCo, and another version too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

STEPS = 1000


def others(root: Path) -> dict[str, Path]:
    """Interpreters of the matrix of deepsim by environment, but for that of this Python."""
    here = f"py{sys.version_info.major}{sys.version_info.minor}"
    found = sorted(root.glob("libs/deepsim/.tox/py3*[0-9]/bin/python"))
    return {path.parts[-3]: path for path in found if path.parts[-3] != here}


def run(root: Path, python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a Python on the sources of this checkout, whichever its environment was made of."""
    sources = os.pathsep.join(str(path) for path in sorted(root.glob("libs/*/src")))
    return subprocess.run(
        [str(python), *arguments],
        env={**os.environ, "PYTHONPATH": sources},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )


def drive(root: Path, python: Path) -> dict[str, str]:
    program, task = root / "tests/racetrack_bits.py", root / "examples/racetrack"
    done = run(root, python, str(program), str(task), str(STEPS))
    assert done.returncode == 0, f"{python} failed"
    told: dict[str, str] = json.loads(done.stdout)
    return told


def test_the_racetrack_has_the_same_bits_on_every_python(root: Path) -> None:
    usable = {
        name: python
        for name, python in others(root).items()
        if run(root, python, "-c", "import deepsim").returncode == 0  # else it is an old one
    }
    if not usable:
        pytest.skip("there is no other Python with the libraries' requirements: make matrix")
    expected = drive(root, Path(sys.executable))
    compared = []
    for python in usable.values():
        found = drive(root, python)
        if all(found[library] == expected[library] for library in ("mujoco", "numpy")):
            assert found["digest"] == expected["digest"], f"{found} is not {expected}"
            compared.append(found["python"])
    if not compared:
        pytest.skip(
            f"no other Python has MuJoCo {expected['mujoco']} and NumPy {expected['numpy']}"
        )
