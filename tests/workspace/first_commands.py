# SPDX-License-Identifier: Apache-2.0
"""A new user's first commands, from the wheels alone and in an empty folder, on any system.

python tests/workspace/first_commands.py UV PYTHON DIST
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

PACKAGES = ("deepsim[train,view]", "torch==2.13.*", "pytest>=8.3")
COMMANDS = """
deepsim
deepsim doctor
deepsim envs list
deepsim run walk
deepsim new my_task
deepsim run my_task --policy seek --video none
pytest -q my_task
deepsim copy reach
deepsim check reach --steps 20
deepsim run walk --video none --record walk.mcap --out recorded
deepsim view walk.mcap --html walk.html
deepsim train cartpole --steps 20000 --no-video --out trained
deepsim curves trained
"""
WRITTEN = ("runs/walk_trained_0/film.webp", "walk.html", "trained/policy.npz", "curves.png")


def main(uv: str, python: str, dist: str) -> None:
    """Installs the wheels into a new environment, and runs the commands there.

    Raises:
        CalledProcessError: A command failed.
        SystemExit: A file was not written, or the page does not answer.
    """
    uv, python, wheels = (str(Path(shutil.which(each) or each).absolute()) for each in
                          (uv, python, dist))  # fmt: skip
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home, venv = Path(folder, "home"), Path(folder, "venv")
        home.mkdir()
        programs = venv / ("Scripts" if os.name == "nt" else "bin")
        variables = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}

        def run(*words: str) -> None:
            print("+", *words, flush=True)
            program = shutil.which(words[0], path=variables["PATH"]) or words[0]
            subprocess.run([program, *words[1:]], cwd=home, env=variables, check=True)

        run(uv, "venv", "--quiet", "--python", python, str(venv))
        run(uv, "pip", "install", "--quiet", "--refresh", "--python", str(programs / "python"),
            "--find-links", wheels, *PACKAGES)  # fmt: skip
        for line in COMMANDS.split("\n"):
            if line:
                run(*line.split())
        for name in WRITTEN:
            if not (home / name).stat().st_size:
                raise SystemExit(f"{name} is empty")
        _view(shutil.which("deepsim", path=str(programs)) or "deepsim", home, variables)


def _view(deepsim: str, home: Path, variables: dict[str, str]) -> None:
    """Opens the page of a task, which must answer within a minute."""
    words = [deepsim, "view", "walk", "--port", "0"]
    print("+", *words, flush=True)
    address = home / "address"
    with (
        address.open("w", encoding="utf-8") as file,
        subprocess.Popen(words, cwd=home, env=variables, stdout=file) as page,
    ):
        try:
            for _ in range(300):
                time.sleep(0.2)
                found = re.search(r"http\S+", address.read_text(encoding="utf-8"))
                if found is not None:
                    with urllib.request.urlopen(found[0]) as answer:
                        print(found[0], answer.status)
                    return
            raise SystemExit("the page does not answer")
        finally:
            page.terminate()


if __name__ == "__main__":
    main(*sys.argv[1:])
