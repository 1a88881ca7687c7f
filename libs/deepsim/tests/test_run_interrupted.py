# SPDX-License-Identifier: Apache-2.0
"""`deepsim run`, as a process of its own that is interrupted by Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import pytest


def start(task: Path, out: Path) -> subprocess.Popen[str]:
    """Runs very many episodes in a process of its own."""
    command = ["-um", "deepsim", "run", str(task), "--episodes", "10000", "--out", str(out)]
    return subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)


def test_ctrl_c_keeps_the_episodes_that_are_finished(
    write_task: Callable[..., Path], tmp_path: Path
) -> None:
    with start(write_task(), tmp_path / "out") as process:
        assert process.stdout is not None
        acts = (line for line in process.stdout if line == "acts\n")
        for _ in range(8):  # of three steps an episode
            next(acts)
        process.send_signal(signal.SIGINT)
        said = process.stdout.read()
    assert process.returncode == 130
    found = re.search(r"interrupted in episode (\d+) of 10000: (\d+) finished\n", said)
    assert found
    assert int(found[1]) == int(found[2]) + 1 >= 3
    assert "policy random, seed 0" in said  # the table
    rows = (tmp_path / "out" / "trajectory.csv").read_text().splitlines()[1:]
    assert len(rows) == 3 * int(found[2])
    assert rows[-1].startswith(f"{found[2]},0,3,")
    assert (tmp_path / "out" / "map.png").is_file()


def test_ctrl_c_in_the_first_episode_leaves_nothing(
    write_task: Callable[..., Path], tmp_path: Path
) -> None:
    task = write_task("import time\n        while True: time.sleep(0.01)")
    with start(task, tmp_path / "out") as process:
        assert process.stdout is not None
        next(line for line in process.stdout if line == "acts\n")
        process.send_signal(signal.SIGINT)
        said = process.stdout.read()
    assert process.returncode == 130
    assert "interrupted in episode 1 of 10000: nothing was finished" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name != "posix", reason="signals are ignored by a POSIX shell")
def test_a_command_in_the_background_says_how_it_is_stopped(
    write_task: Callable[..., Path], tmp_path: Path
) -> None:
    """A script's background job ignores Ctrl-C; SIGTERM keeps the finished episodes there too."""
    command = ["-um", "deepsim", "run", str(write_task()), "--episodes", "10000"]
    command += ["--out", str(tmp_path / "out")]
    ignoring = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, *command]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(ignoring, text=True, **pipes) as process:
        assert process.stdout is not None
        lines = list(takewhile(lambda line: line != "acts\n", process.stdout))
        process.send_signal(signal.SIGINT)
        acts = (line for line in process.stdout if line == "acts\n")
        for _ in range(8):
            next(acts)
        process.terminate()
        said = process.stdout.read()
    assert f"SIGINT (Ctrl-C) is ignored here; to stop this command: kill {process.pid}\n" in lines
    assert process.returncode == 143
    assert re.search(r"interrupted in episode \d+ of 10000: \d+ finished\n", said)
    assert (tmp_path / "out" / "trajectory.csv").is_file()
