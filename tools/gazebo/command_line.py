# SPDX-License-Identifier: Apache-2.0
"""The commands of `python tools/gazebo`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from gazebo import cache, checks, host, plugin, python, root, sandbox
from gazebo.consent import agree
from gazebo.errors import GazeboHostError
from gazebo.lock import locked
from gazebo.run import run
from gazebo.servers import EMPTY_WORLD

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
"""


def main(arguments: list[str] | None = None) -> int:
    """Do what the arguments say; returns the exit status, that of the command for `run`."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.do is None:
        parser.print_help()
        return 0
    try:
        host.require()
        status: int = options.do(options)
    except GazeboHostError as error:
        print(f"tools/gazebo: {error}", file=sys.stderr)
        return 1
    return status


def _check(_options: argparse.Namespace) -> int:
    _require_root()
    if missing := host.missing():
        raise GazeboHostError(f"this machine lacks {' '.join(missing)}: make gazebo")
    return sandbox.run(lambda: 0)


def _setup(options: argparse.Namespace) -> int:
    missing = host.missing()
    if not root.is_made() or missing:
        agree(missing, makes_root=not root.is_made(), agreed=options.yes)
    if missing:
        host.install(missing)
    if root.is_made():
        print(f"the Debian 11 root is in {cache.root()}")
        return 0
    with locked(_root_lock(), waits_for="it makes or uses the root"):
        return 0 if root.is_made() else sandbox.run(root.make, network=True)


def _clean(_options: argparse.Namespace) -> int:
    with locked(_root_lock(), waits_for="it makes or uses the root"):
        root.remove()
    return 0


def _build(_options: argparse.Namespace) -> int:
    return _in_root(plugin.build)


def _python(_options: argparse.Namespace) -> int:
    return python.install()


def _test(_options: argparse.Namespace) -> int:
    return _in_root(checks.check)


def _tidy(_options: argparse.Namespace) -> int:
    return _in_root(checks.tidy)


def _run(options: argparse.Namespace) -> int:
    return _in_root(
        lambda: run(
            options.command,
            world=None if options.no_server else options.world,
            worlds=options.worlds,
            camera=options.camera,
            in_root=options.in_root,
        )
    )


def _in_root(work: Callable[[], int]) -> int:
    """Call `work` in a sandbox to which the root is attached, and that nobody makes anew."""
    with locked(_root_lock(), shared=True, waits_for="it makes the root"):
        _require_root()

        def attached() -> int:
            sandbox.attach()
            return work()

        return sandbox.run(attached)


def _require_root() -> None:
    if not root.is_made():
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

    def add(
        name: str, do: Callable[[argparse.Namespace], int], line: str
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=line, description=line)
        command.set_defaults(do=do)
        return command

    add("check", _check, "say in one line why Gazebo cannot run here, if it cannot")
    command = add("setup", _setup, "make the Debian 11 root: 5 minutes and 3 GB once, then nothing")
    command.add_argument("--yes", action="store_true", help="install without asking")
    add("clean", _clean, "remove the root and all that was built in it")
    add("build", _build, "build the plugin in the root: 4 minutes once, then seconds")
    add("python", _python, "let the libraries' tests run in the root's Python too")
    add("test", _test, "run the plugin's own tests and clang-format")
    add("tidy", _tidy, "run clang-tidy over the plugin: minutes, if a source has changed")
    command = add("run", _run, "run a command in a sandbox with rosmaster and gzserver")
    command.add_argument("--world", default=EMPTY_WORLD, help="an SDF file; %(default)s")
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
