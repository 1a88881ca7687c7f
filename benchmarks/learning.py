# SPDX-License-Identifier: Apache-2.0
"""How long do the examples learn, and how good are the policies, over several seeds?

    python benchmarks/learning.py [TASK ...] [--seeds 5]

Each training is one `deepsim train` with the task's own settings, in a process of its own; two run
at a time. It is solved once 90 of its latest 100 episodes succeed; the policy at the end then plays
100 episodes that it has not seen.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from policies import EXAMPLES, played, success
from report import RESULTS, write

from deepsim_train import TrainedPolicy

UNSEEN = 10_000  # the seed of episodes that no training uses


SOLVED = 0.9


def learned(task: str, seed: int) -> dict[str, float | None]:
    """Trains with a seed; returns seconds, those until it was solved, steps, and successes."""
    with TemporaryDirectory() as folder:
        out = Path(folder, "run")
        command = [sys.executable, "-m", "deepsim", "train", str(EXAMPLES / task), "--no-video"]
        subprocess.run([*command, "--seed", str(seed), "--out", str(out)], check=True)
        times, progress = (_rows(out / name) for name in ("timing.csv", "progress.csv"))
        policy = TrainedPolicy.load(out / "policy.npz")
    share = success(played(task, policy, worlds=100, seed=UNSEEN))
    solved = [
        float(time["seconds"])
        for time, row in zip(times, progress, strict=True)
        if float(row["end/success"] or 0.0) >= SOLVED
    ]
    return {
        "seconds": float(times[-1]["seconds"]),
        "solved": solved[0] if solved else None,
        "steps": int(times[-1]["steps"]),
        "success": share,
    }


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains all and writes what came of it; tasks that are left out keep their figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = sorted(file.parent.name for file in EXAMPLES.glob("*/policy.npz"))
    parser.add_argument("tasks", nargs="*", default=names)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args(arguments)
    file = RESULTS / "learning.json"
    figures = json.loads(file.read_text()) if file.is_file() else {}
    with ThreadPoolExecutor(2) as pool:
        for task in options.tasks:
            runs = list(pool.map(lambda seed, task=task: learned(task, seed), range(options.seeds)))
            figures[task] = {key: [run[key] for run in runs] for key in runs[0]}
    write("learning", figures, "stable-baselines3", "torch", "mujoco", "numpy")


if __name__ == "__main__":
    main()
