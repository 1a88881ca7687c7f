# SPDX-License-Identifier: Apache-2.0
"""Where the root and the built plugin lie: a cache folder outside the clone.

`$DEEPSIM_CACHE`, else `$XDG_CACHE_HOME/deepsim`, else `~/.cache/deepsim`; in it, `gazebo11/`:

    root/                the Debian 11 root, shared by all clones
    root.stamp           the recipe that the root was made by; missing while it is being made
    root.lock            held shared by whoever uses the root, exclusively by whoever makes it
    build/NAME-HASH/     one folder for each clone, named after the clone and its path
        <package>/       the build folder of each package of plugins/gazebo-batch-state
        install/         where they are installed
        python3.9/       what the tests need in the root's Python
        logs/            what the servers of the last run whose command failed have printed
        lock             held while they are being built
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

CLONE = Path(__file__).resolve().parents[2]
"""The clone that this file belongs to."""


def folder() -> Path:
    """The cache folder of the Gazebo host, an absolute path without links."""
    chosen = os.environ.get("DEEPSIM_CACHE")
    if chosen:
        return Path(chosen).resolve() / "gazebo11"
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches).resolve() / "deepsim" / "gazebo11"


def root() -> Path:
    """The Debian 11 root."""
    return folder() / "root"


def build(clone: Path = CLONE) -> Path:
    """The folder in which the plugin of `clone` is built."""
    key = hashlib.sha256(str(clone).encode()).hexdigest()[:8]
    return folder() / "build" / f"{clone.name}-{key}"


def install(clone: Path = CLONE) -> Path:
    """The prefix under which the plugin of `clone` and its messages are installed."""
    return build(clone) / "install"
