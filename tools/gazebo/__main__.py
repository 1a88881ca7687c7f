# SPDX-License-Identifier: Apache-2.0
"""The commands of `python tools/gazebo`."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the package `gazebo` is

from gazebo import cache, debian, plugin, sandbox, servers
from gazebo.cache import GazeboHostError, locked

Command = Callable[[argparse.Namespace], "int | None"]
_DESCRIPTION = """\
Gazebo 11 and ROS Noetic with the batch-state plugin, in a Debian 11 root of their own.
Outside of the cache folder, only debootstrap and Debian's rospy are installed.
"""
_EXAMPLES = """\
examples:
  python tools/gazebo setup && python tools/gazebo build
  python tools/gazebo run -- .venv/bin/python my_client.py
  python tools/gazebo run --no-server -- .venv/bin/pytest tests/gazebo
  python tools/gazebo run --worlds 4 -- .venv/bin/deepsim run TASK --backend gazebo --worlds 4
  python tools/gazebo run --in-root -- rosservice list
  python tools/gazebo run --no-server --in-root -- roslaunch gazebo_batch_state server.launch
"""


def main(arguments: list[str] | None = None) -> int:
    """Do what the arguments say; returns the exit status, that of the command for `run`."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.do is None:
        parser.print_help()
        return 0
    try:
        debian.require()
        return options.do(options) or 0
    except GazeboHostError as error:
        print(f"tools/gazebo: {error}", file=sys.stderr)
        return 1


def _check(_options: argparse.Namespace) -> int:
    _require_root()
    if missing := debian.missing():
        raise GazeboHostError(f"this machine lacks {' '.join(missing)}: make gazebo")
    return sandbox.run(lambda: 0)


def _setup(options: argparse.Namespace) -> int:
    missing = debian.missing()
    if not debian.is_made() or missing:
        debian.agree(missing, agreed=options.yes)
    if missing:
        debian.install(missing)
    if debian.is_made():
        print(f"the Debian 11 root is in {cache.root()}")
        return 0
    with locked(_root_lock(), waits_for="it makes or uses the root"):
        return 0 if debian.is_made() else sandbox.run(debian.make, network=True)


def _clean(_options: argparse.Namespace) -> None:
    with locked(_root_lock(), waits_for="it makes or uses the root"):
        debian.remove()


def _run(options: argparse.Namespace) -> int:
    """Run a command with servers beside it; returns its status, or 128 + N if signal N ended it."""
    with ExitStack() as started:
        masters = [servers.MASTER_URI]
        if options.no_server:
            started.enter_context(servers.RosMaster())
        elif options.worlds == 1:
            started.enter_context(servers.RosMaster())
            started.enter_context(servers.GazeboServer(options.world, camera=options.camera))
        else:
            many = servers.WorldServers(options.worlds, options.world, camera=options.camera)
            masters = started.enter_context(many).master_uris
        code = _call(options.command, options.in_root, masters)
    if code:  # the sandbox, which has the servers' logs, is about to vanish
        folder = cache.build() / "logs"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for log in sandbox.home().glob("*.log"):
            shutil.copy(log, folder)
        print(f"tools/gazebo: the servers' logs are in {folder}", file=sys.stderr)
    return code


def _call(command: Sequence[str], in_root: bool, masters: Sequence[str]) -> int:
    ros = servers.ros_variables(masters[0])
    many = {"DEEPSIM_ROS_MASTER_URIS": " ".join(masters)}
    if in_root:
        command, environment = sandbox.inside(command), {**sandbox.ENVIRONMENT, **ros, **many}
    else:
        paths = [*filter(None, [os.environ.get("PYTHONPATH")]), ros["PYTHONPATH"]]
        here = {name: ros[name] for name in ("ROS_MASTER_URI", "ROS_IP")}
        environment = {**os.environ, **here, **many, "PYTHONPATH": os.pathsep.join(paths)}
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


def _in_root(work: Command) -> Command:
    """A command that calls `work` in a sandbox with the root, which nobody makes anew meanwhile."""

    def command(options: argparse.Namespace) -> int:
        def attached() -> int | None:
            sandbox.attach()
            return work(options)

        with locked(_root_lock(), shared=True, waits_for="it makes the root"):
            _require_root()
            return sandbox.run(attached)

    return command


def _require_root() -> None:
    if not debian.is_made():
        raise GazeboHostError("there is no Debian 11 root yet: make gazebo")


def _root_lock() -> Path:
    return cache.folder() / "root.lock"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python tools/gazebo",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(do=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, do: Command, line: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=line, description=line)
        command.set_defaults(do=do)
        return command

    add("check", _check, "say in one line why Gazebo cannot run here, if it cannot")
    command = add("setup", _setup, "make the Debian 11 root: 5 minutes and 3 GB once, then nothing")
    command.add_argument("--yes", action="store_true", help="install without asking")
    add("clean", _clean, "remove the root and all that was built in it")
    line = "build the plugin in the root: 4 minutes once, then seconds"
    add("build", _in_root(lambda _: plugin.build()), line)
    line = "run the plugin's own tests and clang-format"
    add("test", _in_root(lambda _: plugin.check()), line)
    line = "run clang-tidy over the plugin, which takes minutes"
    add("tidy", _in_root(lambda _: plugin.tidy()), line)
    line = "let the libraries' tests run in the root's Python too"
    add("python", lambda _: plugin.install_python(), line)
    command = add("run", _in_root(_run), "run a command in a sandbox with rosmaster and gzserver")
    command.add_argument("--world", default=servers.EMPTY_WORLD, help="an SDF file; %(default)s")
    command.add_argument(
        "--worlds", type=int, default=1, help="gzservers, one for each world; %(default)s"
    )
    command.add_argument("--camera", action="store_true", help="render cameras (by software)")
    command.add_argument("--no-server", action="store_true", help="start rosmaster alone")
    command.add_argument(
        "--in-root", action="store_true", help="the command is one of the root, not of this machine"
    )
    command.add_argument("command", nargs="+", metavar="CMD", help="after --")
    return parser


if __name__ == "__main__":
    sys.exit(main())
