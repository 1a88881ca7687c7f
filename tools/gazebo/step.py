# SPDX-License-Identifier: Apache-2.0
"""One long command of the setup: a line when it is done, its output in a log file."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence

from gazebo import cache
from gazebo.errors import GazeboHostError

_LOG_LINES = 12


def step(name: str, command: Sequence[str], environment: Mapping[str, str] = os.environ) -> None:
    """Run a command and print its name and how long it took.

    Raises:
        GazeboHostError: it failed; the message has the end of its output.
    """
    log, start = cache.folder() / "setup.log", time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as output:
        status = subprocess.run(
            command,
            env={**environment, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if status:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
        tail = "\n".join(f"    {line}" for line in lines)
        raise GazeboHostError(f"{name} failed; the end of {log}:\n{tail}")
    print(f"  {name}: {time.monotonic() - start:.0f} s", flush=True)
