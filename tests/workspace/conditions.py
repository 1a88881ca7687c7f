# SPDX-License-Identifier: Apache-2.0
"""Runs a command, `make test` by default, in a fresh clone under conditions of other machines.

    python tests/workspace/conditions.py user letters background -- make test

All conditions that are named hold at once; `--list` shows them. Most need Linux, and root.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_NOBODY = "65534"  # user and group of an ordinary user


@dataclass
class Run:
    """A command, and what surrounds it.

    Attributes:
        folder: An empty folder for the clone and whatever else the conditions need.
        environment: The environment variables.
        around: Commands that run the command, the outermost first.
        beside: Commands that run at the same time.
        clone: Name of the folder of the clone.
        command: The command.
    """

    folder: Path
    command: list[str]
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    around: list[str] = field(default_factory=list)
    beside: list[list[str]] = field(default_factory=list)
    clone: str = "clone"

    def make(self, name: str) -> str:
        """Makes a folder, and returns its path."""
        made = self.folder / name
        made.mkdir()
        return str(made)


def user(run: Run) -> None:
    """An ordinary user, who owns the clone."""
    run.around[:0] = ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"]
    run.environment.update(HOME=run.make("home"), USER="nobody", LOGNAME="nobody")


def letters(run: Run) -> None:
    """A path with blanks and letters beyond ASCII."""
    run.clone = "a clone für Zoë"


def posix_locale(run: Run) -> None:
    """LC_ALL=C."""
    run.environment["LC_ALL"] = "C"


def turkish(run: Run) -> None:
    """LC_ALL=tr_TR.UTF-8, where lower() of I is not i."""
    run.environment["LC_ALL"] = "tr_TR.UTF-8"


def no_terminal(run: Run) -> None:
    """A session without a terminal, and a closed standard input."""
    run.around[:0] = ["setsid", "--wait", "sh", "-c", 'exec "$@" <&-', "sh"]


def background(run: Run) -> None:
    """A job in the background of a script, which ignores SIGINT."""
    run.around[:0] = ["sh", "-c", '"$@" & wait $!', "sh"]


def hangup(run: Run) -> None:
    """`nohup`, which ignores SIGHUP."""
    run.around[:0] = ["setsid", "--wait", "nohup"]


def no_home(run: Run) -> None:
    """HOME is not set."""
    run.environment.pop("HOME", None)


def fixed_home(run: Run) -> None:
    """HOME can be read only; root writes everywhere, so this is for `user`."""
    run.environment["HOME"] = run.make("fixed")
    (run.folder / "fixed").chmod(0o555)


def elsewhere(run: Run) -> None:
    """TMPDIR is a folder with a blank in its name."""
    run.environment["TMPDIR"] = run.make("temporary files")


def no_identity(run: Run) -> None:
    """Git knows neither a name nor an address."""
    run.environment.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull)


def foreign(run: Run) -> None:
    """PYTHONPATH has somebody else's modules, with names that ours and their tests have."""
    folder = Path(run.make("foreign"))
    for name in ("tests", "conftest", "gazebo", "libraries", "utils"):
        (folder / f"{name}.py").write_text("raise ImportError('this is a foreign module')\n")
    run.environment["PYTHONPATH"] = str(folder)


def one_core(run: Run) -> None:
    """One core."""
    run.around[:0] = ["taskset", "--cpu-list", "0"]


def load(run: Run) -> None:
    """Ten processes that never rest."""
    run.beside += [[sys.executable, "-c", "while True: pass"]] * 10


def plugins(run: Run) -> None:
    """pytest-randomly and pytest-xdist are installed; tests run in random order."""
    install = ".venv/bin/uv pip install -q --python .venv/bin/python pytest-randomly pytest-xdist"
    run.around += ["sh", "-c", f'make .venv/tools && {install} && exec "$@"', "sh"]


def again(run: Run) -> None:
    """A second run in the same clone."""
    run.around += ["sh", "-c", '"$@" && exec "$@"', "sh"]


CONDITIONS: dict[str, Callable[[Run], None]] = {
    each.__name__.replace("_", "-"): each
    for each in (
        user, letters, posix_locale, turkish, no_terminal, background, hangup, no_home, fixed_home,
        elsewhere, no_identity, foreign, one_core, load, plugins, again,
    )
}  # fmt: skip


def main() -> int:
    """Runs the command line; returns the exit status of the command."""
    shown = "\n".join(f"  {name:13} {each.__doc__}" for name, each in CONDITIONS.items())
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"conditions:\n{shown}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("conditions", nargs="*", choices=[*CONDITIONS, []], metavar="CONDITION")
    parser.add_argument("--twice", action="store_true", help="in two clones at once")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    chosen = parser.parse_args(words[:split])
    command = words[split + 1 :] or ["make", "test"]
    folder = Path(tempfile.mkdtemp(prefix="deepsim-conditions-"))
    beside: list[subprocess.Popen[bytes]] = []
    try:
        runs = [Run(folder / name, list(command)) for name in ("one", "two")[: 1 + chosen.twice]]
        started = [_start(run, chosen.conditions) for run in runs]
        beside += [subprocess.Popen(each) for run in runs for each in run.beside]
        return max(abs(process.wait()) for process in started)
    finally:
        for process in beside:
            process.kill()
            process.wait()
        shutil.rmtree(folder)


def _start(run: Run, conditions: list[str]) -> subprocess.Popen[bytes]:
    """Prepares a clone, and starts the command in it."""
    run.folder.mkdir()
    for name in conditions:
        CONDITIONS[name](run)
    clone = run.folder / run.clone
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    if "user" in conditions:
        run.folder.parent.chmod(0o755)
        subprocess.run(
            ["chown", "--recursive", f"{_NOBODY}:{_NOBODY}", str(run.folder)], check=True
        )
    return subprocess.Popen([*run.around, *run.command], cwd=clone, env=run.environment)


if __name__ == "__main__":
    sys.exit(main())
