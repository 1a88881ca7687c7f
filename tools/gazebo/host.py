# SPDX-License-Identifier: Apache-2.0
"""What this machine needs by itself: rights, debootstrap, and rospy for its own Python."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from gazebo import packages, root
from gazebo.errors import GazeboHostError
from gazebo.mirror import mirror
from gazebo.step import step


def require() -> None:
    """Make sure that Gazebo can be set up and run here, as far as that can be seen beforehand.

    Raises:
        GazeboHostError: it cannot; the message says why.
    """
    if os.geteuid() != 0:
        raise GazeboHostError("Gazebo needs chroot and namespaces: run as root")
    if root.is_made():
        return
    if not shutil.which("debootstrap") and not shutil.which("apt-get"):
        raise GazeboHostError("debootstrap is missing, and there is no apt-get to install it with")
    mirror()


def missing() -> list[str]:
    """Packages that this machine lacks: debootstrap to make the root with, and rospy."""
    if not shutil.which("apt-get"):
        return []
    return _missing(packages.HOST if root.is_made() else (*packages.TOOLS, *packages.HOST))


def install(names: Sequence[str]) -> None:
    """Install packages by apt; without rospy where this system has none.

    Raises:
        GazeboHostError: apt failed.
    """
    step("package lists", ["apt-get", "update"])
    if subprocess.run(["apt-cache", "show", *packages.HOST], capture_output=True).returncode:
        print("rospy is not among this system's packages; only free-running mode needs it")
        names = [name for name in names if name not in packages.HOST]
    if names:
        step("packages", ["apt-get", "install", "--yes", "--no-install-recommends", *names])


def _missing(wanted: Sequence[str]) -> list[str]:
    """Those of the packages that are not installed."""
    command = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    installed = done.stdout.splitlines()
    return [name for name in wanted if f"{name} installed" not in installed]
