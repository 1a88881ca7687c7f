# SPDX-License-Identifier: Apache-2.0
"""The packages of plugins/ inside the root: built by plain CMake, tested and checked by clang."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from gazebo import cache, sandbox
from gazebo.cache import GazeboHostError, locked
from gazebo.debian import logged

_SOURCE = cache.CLONE / "plugins" / "gazebo-batch-state"
_SERVICES = cache.CLONE / "plugins" / "deepsim-services"
_PACKAGES = (
    _SOURCE / "gazebo_msgs",
    _SOURCE / "gazebo_batch_state_msgs",
    _SOURCE / "gazebo_batch_state",
    _SERVICES / "deepsim_msgs",
    _SERVICES / "deepsim_services",
)  # in the order in which they need each other; Debian has no gazebo_msgs of its own
_TESTED = "gazebo_batch_state"  # the package that has gtests
_PRECOMPILED = "cmake_pch"
_WAITS_FOR = "it builds or checks the plugin"
_JOBS = str(os.cpu_count() or 1)

PYTHON = "3.9"
"""The root's Python; its numpy and pytest are too old for DeepSim's tests."""
_PYTHON_PACKAGES = ("numpy>=1.22.4", "pytest>=8.3", "pytest-timeout>=2.4")


def build() -> None:
    """Build and install what has changed since the last time."""
    _forget_lost_clones()
    with locked(cache.build() / "lock", waits_for=_WAITS_FOR):
        for package in _PACKAGES:
            _build(package)


def check() -> None:
    """Run the gtests on what `build` has built, and clang-format."""
    with locked(cache.build() / "lock", waits_for=_WAITS_FOR):
        folder = cache.build() / _TESTED
        sources = [str(source) for package in _PACKAGES for source in _sources(package)]
        _in_root("clang-format", ["clang-format", "--dry-run", "--Werror", *sources])
        _in_root("tests built", ["cmake", "--build", str(folder), "--target", "tests", "-j", _JOBS])
        _in_root("tests", ["ctest", "--output-on-failure"], folder)


def tidy() -> None:
    """Run clang-tidy; it takes minutes."""
    with locked(cache.build() / "lock", waits_for=_WAITS_FOR):
        for package in filter(_sources, _PACKAGES):
            commands = str(_commands_for_clang(cache.build() / package.name))
            # -quiet leaves the count of ignored warnings, on stderr
            command = ["run-clang-tidy", "-quiet", "-j", _JOBS, "-p", commands, str(package)]
            _in_root(f"clang-tidy of {package.name}", command)


def python_folder() -> Path:
    """What the libraries' tests need in the root's Python, for its PYTHONPATH."""
    return cache.build() / f"python{PYTHON}"


def install_python() -> None:
    """Install those packages with uv, unless that was done before."""
    recipe, stamp = " ".join(_PYTHON_PACKAGES), python_folder() / "stamp"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != recipe:
        pip = [sys.executable, "-m", "uv", "pip", "install", "--python-version", PYTHON]
        command = [*pip, "--target", str(python_folder()), *_PYTHON_PACKAGES]
        logged("the tests' packages", command)
        stamp.write_text(recipe, encoding="utf-8")


def _in_root(name: str, command: Sequence[str], folder: Path = Path("/")) -> None:
    """Run a command of the root; show its stderr, and on failure its stdout too."""
    start = time.monotonic()
    done = subprocess.run(
        sandbox.inside(command, folder),
        env=sandbox.ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise GazeboHostError(f"{name} failed, see above")
    print(f"  {name}: {time.monotonic() - start:.0f} s", flush=True)


def _build(source: Path) -> None:
    package = source.name
    folder, prefix = cache.build() / package, cache.install()
    options = [
        *("-Wno-dev", "--no-warn-unused-cli", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"),
        *("-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DCMAKE_PREFIX_PATH={prefix}"),
        f"-DCMAKE_INSTALL_PREFIX={prefix}",
        f"-DCATKIN_ENABLE_TESTING={'ON' if package == _TESTED else 'OFF'}",  # googletest, once
    ]
    # CMake notes what each message and service needs when it configures, not when one changes.
    files = sorted([*source.glob("msg/*.msg"), *source.glob("srv/*.srv")])
    definitions = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    configured, recipe = folder / "configured-with", f"{options} {definitions}"
    if not configured.is_file() or configured.read_text(encoding="utf-8") != recipe:
        _in_root(
            f"configuring {package}", ["cmake", "-S", str(source), "-B", str(folder), *options]
        )
        configured.write_text(recipe, encoding="utf-8")
    make = ["cmake", "--build", str(folder), "--target", "install", "--parallel", _JOBS]
    _in_root(f"building {package}", make)


def _forget_lost_clones() -> None:
    """Remove the build folders of clones that are no more, and note whose this one is."""
    for note in cache.folder().glob("build/*/clone"):
        with contextlib.suppress(FileNotFoundError):  # another clone may remove the same one
            if not Path(note.read_text(encoding="utf-8")).exists():
                shutil.rmtree(note.parent, ignore_errors=True)
    (cache.build() / "clone").write_text(str(cache.CLONE), encoding="utf-8")


def _sources(package: Path) -> list[Path]:
    return sorted(package.rglob("*.[ch]pp"))


def _commands_for_clang(folder: Path) -> Path:
    """Write how each source is compiled, but for the headers that GCC has compiled beforehand.

    Returns:
        The folder that `compile_commands.json` is in.
    """
    entries = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    kept = [entry for entry in entries if _PRECOMPILED not in entry["file"]]
    for entry in kept:
        entry["command"] = re.sub(rf"-include \S*{_PRECOMPILED}\S*", "", entry["command"])
    made = folder / "tidy"
    made.mkdir(exist_ok=True)
    (made / "compile_commands.json").write_text(json.dumps(kept), encoding="utf-8")
    return made
