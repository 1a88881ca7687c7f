# SPDX-License-Identifier: Apache-2.0
"""What the catkin packages say of themselves, and what they install."""

from __future__ import annotations

import json
import subprocess

import pytest

from gazebo import cache, sandbox

RELEASED = ("gazebo-batch-state", "deepsim-services")
READ = """
import json, sys
from catkin_pkg.packages import find_packages, verify_equal_package_versions
found = find_packages(sys.argv[1])
warnings = []
for package in found.values():
    package.validate(warnings)
verify_equal_package_versions(found.values())
print(json.dumps({"names": sorted(p.name for p in found.values()), "warnings": warnings}))
"""
EXPORT = """
from rospkg import RosPack
pack = RosPack()
print(*pack.get_manifest("gazebo_batch_state").get_export("gazebo_ros", "plugin_path"))
"""
HEADERS = ("mailbox_layout.hpp", "shared_table.hpp", "table_layout.hpp")


def in_root(*command: str, **variables: str) -> str:
    """Returns the output of a command of the root."""
    done = subprocess.run(
        sandbox.inside(command),
        env={**sandbox.ENVIRONMENT, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("folder", RELEASED)
def test_bloom_can_release_them(folder: str) -> None:
    """The packages of a folder are valid, without warnings, and of one version."""
    found = json.loads(in_root("python3", "-c", READ, str(cache.CLONE / "plugins" / folder)))
    assert found["warnings"] == []
    assert len(found["names"]) == 2


def test_gazebo_ros_finds_the_plugin() -> None:
    """The folder that the package exports to gazebo_ros holds the plugin."""
    share = str(cache.install() / "share")
    folder = in_root("python3", "-c", EXPORT, ROS_PACKAGE_PATH=share).strip()
    in_root("test", "-f", f"{folder}/libgazebo_batch_state.so")


def test_installed_headers_are_enough() -> None:
    """A program compiles with the installed headers alone."""
    source = "".join(f"#include <gazebo_batch_state/{header}>\n" for header in HEADERS)
    include = str(cache.install() / "include")
    compiler = ("g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", "-I", include)
    in_root("sh", "-c", f"printf '%s' '{source}' | {' '.join(compiler)} -x c++ -")
