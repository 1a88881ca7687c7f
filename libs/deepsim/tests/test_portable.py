# SPDX-License-Identifier: Apache-2.0
"""Programs with the settings of `deepsim.portable` have the code that all processors have."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from hashlib import md5
from pathlib import Path

import pytest

from deepsim.portable import SWITCH, require, settings

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="the settings are for Linux on x86-64",
)
BARE = {name: text for name, text in os.environ.items() if name not in {SWITCH, *settings({})}}
"""The environment without any of the settings."""

USED = """
import json, os, sys
import numpy
from threadpoolctl import threadpool_info
from deepsim.portable import require
require()
cpu = (getattr(numpy, "_core", None) or numpy.core)._multiarray_umath
print(json.dumps({
    "instructions": [name for name in cpu.__cpu_dispatch__ if cpu.__cpu_features__[name]],
    "blas": [each.get("architecture") for each in threadpool_info() if "blas" in each["user_api"]],
    "arguments": sys.argv[1:],
}))
"""


def run(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, env=BARE | variables, capture_output=True, text=True)


def test_a_program_uses_no_code_of_this_processor(tmp_path: Path) -> None:
    pytest.importorskip("threadpoolctl")
    program = tmp_path / "program.py"
    program.write_text(USED)
    started = run("-m", "deepsim.portable", program, "--a", "b", GLIBC_TUNABLES="glibc.rtld.nns=4")
    assert started.returncode == 0, started.stderr
    found = json.loads(started.stdout)
    assert found == {"instructions": [], "blas": ["Nehalem"], "arguments": ["--a", "b"]}
    assert not started.stderr  # NumPy warns of names that it does not know
    some = settings(os.environ)["NPY_DISABLE_CPU_FEATURES"].split()[-2:]
    words = "-m", "deepsim.portable", program
    again = run(*words, NPY_DISABLE_CPU_FEATURES=", ".join(some))  # as before it began
    assert json.loads(again.stdout)["instructions"] == []


def test_a_program_without_the_settings_is_told_how_to_get_them(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import deepsim.portable; deepsim.portable.require()")
    started = run(program)
    assert f"start it by `python -m deepsim.portable {program}`" in started.stderr
    assert "name a program" in run("-m", "deepsim.portable").stderr


def test_the_command_has_the_settings_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    task = tmp_path / "asks"
    task.mkdir()
    (task / "__init__.py").write_text(
        "import os; raise RuntimeError(os.environ['NPY_DISABLE_CPU_FEATURES'])"
    )
    names = settings({})["NPY_DISABLE_CPU_FEATURES"].split()
    said = run("-m", "deepsim", "run", task).stdout
    assert {*names} <= {*said.partition("raised RuntimeError: ")[2].split()}
    assert "KeyError" in run("-m", "deepsim", "run", task, **{SWITCH: "0"}).stdout


def test_other_tunables_stay() -> None:
    given = "glibc.malloc.check=3:glibc.cpu.hwcaps=-RTM"
    made = settings({"GLIBC_TUNABLES": given, "OTHER": "1"})
    assert made["GLIBC_TUNABLES"].startswith("glibc.malloc.check=3:glibc.cpu.hwcaps=-AVX2,")
    assert made["OTHER"] == "1"


def test_they_are_refused_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(RuntimeError, match="for Linux on x86-64"):
        settings({})
    monkeypatch.setenv(SWITCH, "0")
    with pytest.raises(RuntimeError, match="runs with the code for this processor"):
        require()


@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="there is no qemu-x86_64")
def test_another_processor_writes_the_same_file(tmp_path: Path) -> None:
    """A walk on an emulated Haswell, whose NumPy, OpenBLAS and libm would choose other code."""
    words = ["run", "walk", "--seed", "3", "--episodes", "1", "--video", "none", "--out"]
    found = []
    for name, emulator in (("here", []), ("haswell", ["qemu-x86_64", "-cpu", "Haswell"])):
        code = "import json; from deepsim.portable import settings; print(json.dumps(settings({})))"
        asked = subprocess.run(
            [*emulator, sys.executable, "-c", code], capture_output=True, check=True, env=BARE
        )
        command = [*emulator, sys.executable, "-m", "deepsim", *words, str(tmp_path / name)]
        subprocess.run(
            command, env=BARE | json.loads(asked.stdout), capture_output=True, check=True
        )
        found.append(md5((tmp_path / name / "trajectory.csv").read_bytes()).hexdigest())
    assert found[0] == found[1]
