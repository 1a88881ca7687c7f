# SPDX-License-Identifier: Apache-2.0
"""deepsim-gazebo in the Debian 11 root's own Python, as on a ROS Noetic host."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from deepsim_gazebo import GazeboSimulator
from gazebo import cache, plugin, sandbox

SUITE = Path(__file__).with_name("conformance_in_root.py")
LIBRARIES = [
    str(cache.CLONE / "libs" / name / "src")
    for name in ("deepsim-math", "deepsim-sync", "deepsim-conformance", "deepsim-gazebo")
]


def test_conformance_in_the_root(gazebo: GazeboSimulator) -> None:
    """The same suite, inside the chroot."""
    del gazebo  # which has emptied the world
    pytest = ["python3", "-m", "pytest", "--noconftest", "--quiet", "-p", "no:cacheprovider"]
    done = subprocess.run(
        sandbox.inside([*pytest, "--rootdir", str(SUITE.parent), str(SUITE)]),
        env={
            **sandbox.ENVIRONMENT,
            "ROS_MASTER_URI": os.environ["ROS_MASTER_URI"],
            "ROS_IP": os.environ["ROS_IP"],
            "PYTHONPATH": os.pathsep.join([str(plugin.python_folder()), *LIBRARIES]),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
