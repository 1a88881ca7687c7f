# SPDX-License-Identifier: Apache-2.0
"""Asks before this machine is changed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gazebo import cache
from gazebo.errors import GazeboHostError


def agree(missing: Sequence[str], *, makes_root: bool, agreed: bool) -> None:
    """Say what the setup will install, and ask for consent unless it was given.

    Args:
        missing: packages that apt will install on this machine.
        makes_root: whether the Debian 11 root will be made, too.
        agreed: whether the answer was given on the command line.

    Raises:
        GazeboHostError: the answer was no, or there is no terminal to ask on.
    """
    if missing:
        print(f"apt-get will install on this machine: {' '.join(missing)}")
    if makes_root:
        print(f"Debian 11 with Gazebo will be made in {cache.root()}: 3 GB, about 5 minutes")
    sys.stdout.flush()
    if agreed:
        return
    if not sys.stdin.isatty():
        raise GazeboHostError("nothing was installed: agree with `make gazebo YES=1`")
    if input("Go on? [y/N] ").strip().lower() not in ("y", "yes"):
        raise GazeboHostError("nothing was installed")
