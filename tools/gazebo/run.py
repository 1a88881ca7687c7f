# SPDX-License-Identifier: Apache-2.0
"""Run a command in a sandbox, with servers beside it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from gazebo import cache, sandbox
from gazebo.errors import GazeboHostError
from gazebo.servers import ADDRESS, MASTER_URI, GazeboServer, RosMaster, WorldServers


def run(
    command: Sequence[str],
    *,
    world: str | Path | None = None,
    worlds: int = 1,
    camera: bool = False,
    in_root: bool = False,
) -> int:
    """Start the servers in this sandbox, call `command`, end the servers.

    Args:
        command: the program to run, and its arguments.
        world: the world for gzserver; None starts rosmaster alone.
        worlds: the number of gzservers, each with a rosmaster.
        camera: whether gzserver's cameras render.
        in_root: whether the command is one of the Debian 11 root instead of this machine.

    Returns:
        The command's exit status, or 128 + N if signal N ended it.
    """
    with ExitStack() as servers:
        masters = [MASTER_URI]
        if world is None:
            servers.enter_context(RosMaster())
        elif worlds == 1:
            servers.enter_context(RosMaster())
            servers.enter_context(GazeboServer(world, camera=camera))
        else:
            masters = servers.enter_context(WorldServers(worlds, world, camera=camera)).master_uris
        code = _call(command, in_root, masters)
    if code:
        _rescue_logs()
    return code


def _rescue_logs() -> None:
    """Copy the servers' logs from the sandbox, which is about to vanish."""
    folder = cache.build() / "logs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for log in sandbox.home().glob("*.log"):
        shutil.copy(log, folder)
    print(f"tools/gazebo: the servers' logs are in {folder}", file=sys.stderr)


def _call(command: Sequence[str], in_root: bool, masters: Sequence[str]) -> int:
    messages = str(cache.install() / "lib/python3/dist-packages")
    variables = {
        "ROS_MASTER_URI": masters[0],
        "ROS_IP": ADDRESS,
        "DEEPSIM_ROS_MASTER_URIS": " ".join(masters),
    }
    if in_root:
        share = str(cache.install() / "share")
        variables |= {"PYTHONPATH": messages, "ROS_PACKAGE_PATH": f"{share}:/usr/share"}
        command, environment = sandbox.inside(command), {**sandbox.ENVIRONMENT, **variables}
    else:
        paths = [*filter(None, [os.environ.get("PYTHONPATH")]), messages]
        environment = {**os.environ, **variables, "PYTHONPATH": os.pathsep.join(paths)}
    try:
        process = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise GazeboHostError(f"cannot run {command[0]}: {error.strerror}") from error
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: process.send_signal(number))
    # Ctrl-C reaches the command by itself. SIG_IGN would be passed on to it, a function is not.
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    code = process.wait()
    return code if code >= 0 else 128 - code
