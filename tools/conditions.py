# SPDX-License-Identifier: Apache-2.0
"""Runs a command, `make test` by default, in a fresh clone under conditions of other machines.

    python tools/conditions.py user letters background -- make test

All conditions that are named hold at once; `--list` shows them. Most need Linux, and root.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_NOBODY = "65534"  # user and group of an ordinary user


_FOREIGN = "raise ImportError('this is a foreign module')\n"


@dataclass(frozen=True)
class Condition:
    """What surrounds a command.

    Attributes:
        text: One line for `--list`.
        environment: Variables; of a folder that `{name}` stands for, an empty one is made.
        without: Variables that are not set.
        outside: Words that start the command, before those of earlier conditions.
        inside: Words that start the command, after those.
        beside: Commands that run at the same time.
    """

    text: str
    environment: dict[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    beside: tuple[tuple[str, ...], ...] = ()


def _shell(text: str) -> tuple[str, ...]:
    return ("sh", "-c", text, "sh")


_PLUGINS = ".venv/bin/uv pip install -q --python .venv/bin/python pytest-randomly pytest-xdist"
CONDITIONS = {
    "user": Condition(
        "an ordinary user, who owns the clone",
        {"HOME": "{home}", "USER": "nobody", "LOGNAME": "nobody"},
        outside=("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"),
    ),
    "letters": Condition("a path with blanks and letters beyond ASCII"),
    "posix-locale": Condition("LC_ALL=C", {"LC_ALL": "C"}),
    "turkish": Condition("tr_TR.UTF-8, where lower() of I is not i", {"LC_ALL": "tr_TR.UTF-8"}),
    "no-terminal": Condition(
        "a session without a terminal, and a closed standard input",
        outside=("setsid", "--wait", *_shell('exec "$@" <&-')),
    ),
    "background": Condition(
        "a job in the background of a script, which ignores SIGINT",
        outside=_shell('"$@" & wait $!'),
    ),
    "hangup": Condition("nohup, which ignores SIGHUP", outside=("setsid", "--wait", "nohup")),
    "no-home": Condition("HOME is not set", without=("HOME",)),
    "fixed-home": Condition("HOME can be read only, by an ordinary user", {"HOME": "{fixed}"}),
    "elsewhere": Condition("TMPDIR has a blank in its name", {"TMPDIR": "{temporary files}"}),
    "no-identity": Condition(
        "git knows neither a name nor an address",
        {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
    ),
    "foreign": Condition(
        "PYTHONPATH has somebody else's modules, with names that ours have",
        {"PYTHONPATH": "{foreign}"},
    ),
    "one-core": Condition("one core", outside=("taskset", "--cpu-list", "0")),
    "load": Condition(
        "ten processes that never rest", beside=((sys.executable, "-c", "while True: pass"),) * 10
    ),
    "plugins": Condition(
        "pytest-randomly and pytest-xdist are installed; tests run in random order",
        inside=_shell(f'make .venv/tools && {_PLUGINS} && exec "$@"'),
    ),
    "again": Condition("a second run in the same clone", inside=_shell('"$@" && exec "$@"')),
}


def main() -> int:
    """Runs the command line; returns the exit status of the command."""
    shown = "\n".join(f"  {name:13} {each.text}" for name, each in CONDITIONS.items())
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
    conditions = {name: CONDITIONS[name] for name in chosen.conditions}
    folder = Path(tempfile.mkdtemp(prefix="deepsim-conditions-"))
    beside: list[subprocess.Popen[bytes]] = []
    try:
        folders = [folder / name for name in ("one", "two")[: 1 + chosen.twice]]
        started = [_start(each, conditions, command) for each in folders]
        for condition in conditions.values():
            beside += [subprocess.Popen(each) for each in condition.beside]
        return max(abs(process.wait()) for process in started)
    finally:
        for process in beside:
            process.kill()
            process.wait()
        shutil.rmtree(folder)


def _start(
    folder: Path, conditions: dict[str, Condition], command: list[str]
) -> subprocess.Popen[bytes]:
    """Makes a clone in a new folder, and starts the command in it."""
    environment = dict(os.environ)
    for condition in conditions.values():
        for name, value in condition.environment.items():
            made = folder / value.strip("{}")
            if value.startswith("{"):
                made.mkdir(parents=True)
            environment[name] = str(made) if value.startswith("{") else value
        for name in condition.without:
            environment.pop(name, None)
    for condition in reversed(conditions.values()):
        command = [*condition.inside, *command]
    for condition in conditions.values():
        command = [*condition.outside, *command]
    for name in ("tests", "conftest", "gazebo", "libraries", "utils"):
        if "foreign" in conditions:
            (folder / "foreign" / f"{name}.py").write_text(_FOREIGN)
    if "fixed-home" in conditions:
        (folder / "fixed").chmod(0o555)
    clone = folder / ("a clone für Zoë" if "letters" in conditions else "clone")
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    if "user" in conditions:
        folder.parent.chmod(0o755)
        subprocess.run(["chown", "--recursive", f"{_NOBODY}:{_NOBODY}", str(folder)], check=True)
    return subprocess.Popen(command, cwd=clone, env=environment)


if __name__ == "__main__":
    sys.exit(main())
