# SPDX-License-Identifier: Apache-2.0
"""Build the packages of plugins/ inside the root, one after the other, by plain CMake."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from gazebo import cache, sandbox
from gazebo.errors import GazeboHostError
from gazebo.lock import locked

SOURCE = cache.CLONE / "plugins" / "gazebo-batch-state"
SERVICES = cache.CLONE / "plugins" / "deepsim-services"
PACKAGES = (
    SOURCE / "gazebo_msgs",
    SOURCE / "gazebo_batch_state_msgs",
    SOURCE / "gazebo_batch_state",
    SERVICES / "deepsim_msgs",
    SERVICES / "deepsim_services",
)
"""In the order in which they need each other; Debian has no gazebo_msgs of its own."""
TESTED = "gazebo_batch_state"
"""The package that has gtests."""


def build() -> int:
    """Build and install what has changed since the last time.

    Returns:
        0, an exit status.

    Raises:
        GazeboHostError: a package does not configure or compile; its output was printed.
    """
    _forget_lost_clones()
    with locked(cache.build() / "lock", waits_for="it builds or checks the plugin"):
        for package in PACKAGES:
            start = time.monotonic()
            _build(package)
            print(f"{package.name} is built: {time.monotonic() - start:.1f} s", flush=True)
    return 0


def call_in_root(name: str, command: Sequence[str], folder: Path = Path("/")) -> None:
    """Run a command of the root in `folder`; show its stderr, and on failure its stdout too.

    Raises:
        GazeboHostError: it failed.
    """
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


def _build(source: Path) -> None:
    package = source.name
    folder, prefix = cache.build() / package, cache.install()
    if not (source / "CMakeLists.txt").is_file():
        raise GazeboHostError(f"no package in {source}")
    options = [
        *("-Wno-dev", "--no-warn-unused-cli", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"),
        *("-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DCMAKE_PREFIX_PATH={prefix}"),
        f"-DCMAKE_INSTALL_PREFIX={prefix}",
        f"-DCATKIN_ENABLE_TESTING={'ON' if package == TESTED else 'OFF'}",  # googletest, built once
    ]
    configured, recipe = folder / "configured-with", f"{options} {_definitions(source)}"
    if not configured.is_file() or configured.read_text(encoding="utf-8") != recipe:
        configure = ["cmake", "-S", str(source), "-B", str(folder), *options]
        call_in_root(f"configuring {package}", configure)
        configured.write_text(recipe, encoding="utf-8")
    jobs = str(os.cpu_count() or 1)
    make = ["cmake", "--build", str(folder), "--target", "install", "--parallel", jobs]
    call_in_root(f"building {package}", make)


def _definitions(source: Path) -> str:
    """A hash of a package's messages and services: CMake notes what each of them needs."""
    files = sorted([*source.glob("msg/*.msg"), *source.glob("srv/*.srv")])
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _forget_lost_clones() -> None:
    """Remove the build folders of clones that are no more, and note whose this one is."""
    for note in cache.folder().glob("build/*/clone"):
        with contextlib.suppress(FileNotFoundError):  # another clone may remove the same one
            if not Path(note.read_text(encoding="utf-8")).exists():
                shutil.rmtree(note.parent, ignore_errors=True)
    (cache.build() / "clone").write_text(str(cache.CLONE), encoding="utf-8")
