# SPDX-License-Identifier: Apache-2.0
"""What importing the package brings, in an interpreter that has imported nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

TRAINERS = {
    "minari", "onnx", "onnxruntime", "ray", "rsl_rl", "stable_baselines3", "torch", "torchrl"
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "deepsim_train",
        "deepsim_train.checks",
        "deepsim_train.episodes",
        "deepsim_train.policies.slot_policy",
        "deepsim_train.rollout_pool",
        "deepsim_train.training.run_folder",
    ],
)
def test_what_plays_policies_needs_no_trainer(name: str) -> None:
    """Nor is one imported where it is installed."""
    program = f"import sys, {name}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert {each.partition(".")[0] for each in done.stdout.split()} & TRAINERS == set()
