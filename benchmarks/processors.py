# SPDX-License-Identifier: Apache-2.0
"""Digests of runs on emulated processors, which `deepsim.portable` makes equal.

QEMU's user mode (Debian: qemu-user) runs the command on processors with other instructions, a
minute for each run. Each task also runs without the settings of the command.

    python benchmarks/processors.py [TASK ...]
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from hashlib import md5
from pathlib import Path

from report import write, write_table

TASKS = ("walk", "racetrack", "navigate", "robocup", "push")
PROCESSORS = ("here", "Haswell", "EPYC", "Skylake-Server")
SETTINGS = (
    "import json, os, sys; from deepsim.portable import settings; "
    "json.dump(settings(os.environ), sys.stdout)"
)


def python(processor: str) -> list[str]:
    """Returns the beginning of a command line."""
    qemu = shutil.which("qemu-x86_64")
    if processor != "here" and qemu is None:
        raise SystemExit("processors are emulated by qemu-x86_64, from Debian's qemu-user")
    return (
        [sys.executable] if processor == "here" else [str(qemu), "-cpu", processor, sys.executable]
    )


def run(task: str, processor: str, *, portable: bool) -> str:
    """Returns the digest of a task's trajectory in ten digits."""
    environment = {name: text for name, text in os.environ.items() if "OPENBLAS" not in name}
    environment["DEEPSIM_PORTABLE"] = "0"
    if portable:  # what the command does by itself, but an emulator cannot start another program
        asked = subprocess.run(
            [*python(processor), "-c", SETTINGS],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        environment = json.loads(asked.stdout)
    with tempfile.TemporaryDirectory() as folder:
        words = ["run", task, "--seed", "3", "--episodes", "1", "--video", "none", "--out", folder]
        command = [*python(processor), "-m", "deepsim", *words]
        subprocess.run(command, env=environment, capture_output=True, check=True)
        return md5((Path(folder) / "trajectory.csv").read_bytes()).hexdigest()[:10]


def main() -> None:
    """Prints the table, and writes it into docs/worlds-and-ticks.md."""
    found: dict[str, str] = {}
    lines = ["| task | processor | with the settings | without |", "|---|---|---|---|"]
    for task in sys.argv[1:] or TASKS:
        for processor in PROCESSORS:
            own = [run(task, processor, portable=portable) for portable in (True, False)]
            found[f"{task} on {processor}"] = " ".join(own)
            lines.append(f"| {task} | {processor} | `{own[0]}` | `{own[1]}` |")
            print(lines[-1], flush=True)
    write("processors", found, "deepsim", "numpy", "mujoco")
    write_table(
        Path(__file__).parents[1] / "docs/worlds-and-ticks.md",
        "python benchmarks/processors.py",
        lines,
    )


if __name__ == "__main__":
    main()
