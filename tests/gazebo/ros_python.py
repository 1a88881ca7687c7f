# SPDX-License-Identifier: Apache-2.0
"""Runs Python scripts that use ROS, on this machine and in the Debian 11 root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from gazebo import cache, sandbox

MESSAGES = str(cache.install() / "lib/python3/dist-packages")


def run(place: str, *arguments: str, master: str = "") -> str:
    """Returns the output of a Python script with ROS, run on this machine or in the root."""
    variables = {
        "ROS_MASTER_URI": master or os.environ["ROS_MASTER_URI"],
        "ROS_IP": os.environ["ROS_IP"],
    }
    command: Sequence[str] = [f"{'/usr/bin/' if place == 'host' else ''}python3", *arguments]
    if place == "root":
        command = sandbox.inside(command)
        variables |= sandbox.ENVIRONMENT
    done = subprocess.run(
        command,
        env={**variables, "PYTHONPATH": MESSAGES, "HOME": "/root"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
