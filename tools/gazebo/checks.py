# SPDX-License-Identifier: Apache-2.0
"""The plugin's own checks, inside the root: gtests, clang-format and clang-tidy."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from pathlib import Path

from gazebo import cache
from gazebo.lock import locked
from gazebo.plugin import PACKAGES, TESTED, call_in_root

_PRECOMPILED = "cmake_pch"
_WAITS_FOR = "it builds or checks the plugin"


def check() -> int:
    """Run the gtests on what `build` has built, and clang-format.

    Returns:
        0, an exit status.

    Raises:
        GazeboHostError: one of them found something; its output was printed.
    """
    with locked(cache.build() / "lock", waits_for=_WAITS_FOR):
        folder, jobs = cache.build() / TESTED, str(os.cpu_count() or 1)
        _timed("clang-format", ["clang-format", "--dry-run", "--Werror", *map(str, _sources())])
        _timed("tests built", ["cmake", "--build", str(folder), "--target", "tests", "-j", jobs])
        _timed("tests", ["ctest", "--output-on-failure"], folder)
    return 0


def tidy() -> int:
    """Run clang-tidy, if a source has changed since it was last content: it takes minutes.

    Returns:
        0, an exit status.

    Raises:
        GazeboHostError: it found something; its output was printed.
    """
    with locked(cache.build() / "lock", waits_for=_WAITS_FOR):
        for package in filter(_sources_of, PACKAGES):
            _tidy(package)
    return 0


def _tidy(package: Path) -> None:
    folder, jobs = cache.build() / package.name, str(os.cpu_count() or 1)
    state, tidied = _digest(package), folder / "tidied"
    if tidied.is_file() and tidied.read_text(encoding="utf-8") == state:
        print(f"clang-tidy of {package.name}: nothing has changed")
        return
    commands = str(_commands_for_clang(folder))
    # -quiet leaves the count of ignored warnings, on stderr
    command = ["run-clang-tidy", "-quiet", "-j", jobs, "-p", commands, str(package)]
    _timed(f"clang-tidy of {package.name}", command)
    tidied.write_text(state, encoding="utf-8")


def _sources() -> list[Path]:
    return [source for package in PACKAGES for source in _sources_of(package)]


def _sources_of(package: Path) -> list[Path]:
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


def _timed(name: str, command: list[str], folder: Path = Path("/")) -> None:
    start = time.monotonic()
    call_in_root(name, command, folder)
    print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)


def _digest(package: Path) -> str:
    """A hash of the sources and of the rules by which clang-tidy judges them."""
    rules = [cache.CLONE / "plugins" / ".clang-tidy", package / "CMakeLists.txt"]
    total = hashlib.sha256()
    for file in [*rules, *_sources_of(package)]:
        total.update(file.read_bytes())
    return total.hexdigest()
