# SPDX-License-Identifier: Apache-2.0
"""How long do the examples learn, and how good are the policies, over several seeds?

    python benchmarks/learning.py [TASK ...] [--seeds 5]

Each training is one `deepsim train` with the task's own settings, in a process of its own; two run
at a time. Its policy then plays 100 episodes that it has not seen.
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

from deepsim.training import TrainedPolicy

UNSEEN = 10_000  # the seed of episodes that no training uses


def learned(task: str, seed: int) -> dict[str, float]:
    """Trains with a seed; returns seconds of training, steps, and the share of successes."""
    with TemporaryDirectory() as folder:
        out = Path(folder, "run")
        command = [sys.executable, "-m", "deepsim", "train", str(EXAMPLES / task), "--no-video"]
        subprocess.run([*command, "--seed", str(seed), "--out", str(out)], check=True)
        with (out / "timing.csv").open() as file:
            last = list(csv.DictReader(file))[-1]
        policy = TrainedPolicy.load(out / "policy.npz")
    share = success(played(task, policy, worlds=100, seed=UNSEEN))
    return {"seconds": float(last["seconds"]), "steps": int(last["steps"]), "success": share}


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
