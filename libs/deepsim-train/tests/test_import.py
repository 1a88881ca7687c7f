# SPDX-License-Identifier: Apache-2.0
"""What importing the package brings, in an interpreter that has imported nothing else."""

from __future__ import annotations

import subprocess
import sys

TRAINERS = {
    "minari", "onnx", "onnxruntime", "ray", "rsl_rl", "stable_baselines3", "torch", "torchrl"
}  # fmt: skip


def test_what_plays_policies_needs_no_trainer() -> None:
    """Nor is one imported where it is installed."""
    modules = "checks", "episodes", "policies.slot_policy", "rollout_pool", "training.run_folder"
    names = ", ".join(f"deepsim_train.{name}" for name in modules)
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, {names}; print(*sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert {each.partition(".")[0] for each in done.stdout.split()} & TRAINERS == set()
