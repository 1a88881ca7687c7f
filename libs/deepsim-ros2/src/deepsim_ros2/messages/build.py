# SPDX-License-Identifier: Apache-2.0
"""Builds simulation_interfaces and tf2_msgs into the Python environment that runs this."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from deepsim_ros2.errors import MissingRosError, Ros2Error

DEFINITIONS = Path(__file__).parent / "definitions"
"""The definitions, a folder for each package."""
PACKAGES = ("simulation_interfaces", "tf2_msgs")
"""The packages that the server needs, and the package index lacks."""
_EVERYWHERE = (
    *("ament-cmake", "ament-cmake-include-directories", "ament-package"),
    "rosidl-default-generators",
)
TOOLS = {
    "kilted": (*_EVERYWHERE, "ament-cmake-ros-core"),
    "jazzy": (
        *(*_EVERYWHERE, "ament-cmake-ros", "ament-cmake-gmock", "ament-cmake-gtest"),
        *("ament-cmake-pytest", "python-cmake-module"),
    ),
}
"""The wheels that build them by distribution, without the prefix ``ros-kilted-``; some are
undeclared."""
OTHERS = ("catkin_pkg",)
"""What these wheels need and do not declare."""


def missing() -> list[str]:
    """Returns the packages that cannot be imported here."""
    return [name for name in PACKAGES if find_spec(name) is None]


def advice() -> str:
    """Returns a sentence with the command that provides what is missing for the server."""
    if find_spec("rclpy") is None:
        return (
            "deepsim ros2 needs rclpy: source your ROS 2 (/opt/ros/.../setup.bash), or, without "
            "one, pip install 'ros-kilted-rclpy[fastrtps]' and its messages, as docs/ros2.md says"
        )
    if _distribution() is None:
        packages = " ".join(f"ros-$ROS_DISTRO-{each.replace('_', '-')}" for each in missing())
        return f"ROS 2 lacks messages: sudo apt install {packages}"
    return f"{' and '.join(missing())} cannot be imported: deepsim ros2 messages builds them"


def require() -> None:
    """Raises MissingRosError unless rclpy and the messages can be imported."""
    if find_spec("rclpy") is None or missing():
        raise MissingRosError(advice())


def build(say: Callable[[str], None] = print) -> list[str]:
    """Builds the missing packages into this environment, which takes minutes.

    Args:
        say: Is called with a sentence before each part.

    Returns:
        The packages that were built; none if all can be imported.

    Raises:
        Ros2Error: ROS 2 is not that of the package index, a tool is missing, or the build fails.
    """
    packages = missing()
    if not packages:
        return []
    distribution = _distribution()
    if distribution is None:
        raise MissingRosError(advice())
    for package in packages:
        kept = _cached(package, distribution)
        if not kept.is_dir():
            _prepare(distribution, say)
            say(f"builds {package}, which takes minutes")
            with tempfile.TemporaryDirectory() as folder:
                _compile(package, Path(folder), kept)
        shutil.copytree(kept, sys.prefix, dirs_exist_ok=True)
    importlib.invalidate_caches()
    return packages


def _prepare(distribution: str, say: Callable[[str], None]) -> None:
    """Installs the wheels that build packages; raises Ros2Error without a compiler."""
    absent = [tool for tool in ("cmake", "c++") if shutil.which(tool) is None]
    if absent:
        raise Ros2Error(f"the build needs {' and '.join(absent)}: apt install cmake g++")
    wheels = [f"ros-{distribution}-{tool}" for tool in TOOLS[distribution]]
    if any(not _has(each) for each in (*wheels, *OTHERS)):
        say(f"installs {', '.join((*wheels, *OTHERS))}")
        _run([sys.executable, "-m", "pip", "install", "--quiet", *wheels, *OTHERS])


def _cached(package: str, distribution: str) -> Path:
    """Returns the folder in which a built package is kept, by all that it depends on."""
    key = hashlib.sha256()
    for file in sorted(each for each in DEFINITIONS.rglob("*") if each.is_file()):
        key.update(str(file.relative_to(DEFINITIONS)).encode() + file.read_bytes())
    for each in (distribution, version(f"ros-{distribution}-rclpy"), sysconfig.get_platform()):
        key.update(each.encode())
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    python = f"{sys.implementation.cache_tag}-{key.hexdigest()[:16]}"
    return root / "deepsim" / "ros2" / python / package


def _compile(package: str, folder: Path, target: Path) -> None:
    """Compiles one package, and installs it in a folder."""
    prefix = sys.prefix
    options = {
        "CMAKE_PREFIX_PATH": prefix,
        "CMAKE_INSTALL_PREFIX": str(target),
        "Python3_EXECUTABLE": sys.executable,
        "BUILD_TESTING": "OFF",
        "CMAKE_C_FLAGS": "-O1",
        "CMAKE_CXX_FLAGS": "-O1",
    }
    defined = [f"-D{name}={value}" for name, value in options.items()]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    _run(["cmake", *generator, "-S", str(DEFINITIONS / package), "-B", str(folder), *defined])
    _run(["cmake", "--build", str(folder), "--parallel", str(os.cpu_count() or 1)])
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=target.parent))
    try:
        _run(["cmake", "--install", str(folder), "--prefix", str(unfinished)])
        unfinished.rename(target)
    except OSError:
        if not target.is_dir():  # which another process has built meanwhile
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _run(command: Sequence[str]) -> None:
    """Runs a command; raises Ros2Error with the end of its output if it fails."""
    path = f"{sys.prefix}/bin{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "AMENT_PREFIX_PATH": sys.prefix}
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-20:])
        raise Ros2Error(f"{' '.join(command[:3])} failed:\n{last}")


def _distribution() -> str | None:
    """Returns the distribution of ROS 2 whose wheels are installed, or None."""
    for name in TOOLS:
        if _has(f"ros-{name}-rclpy"):
            return name
    return None


def _has(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
