# SPDX-License-Identifier: Apache-2.0
"""What importing the package brings, in an interpreter that has imported nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import deepsim_envs
{then}
print(*sorted({{name.partition(".")[0] for name in sys.modules}}))
"""

HEAVY = {
    "gymnasium", "pettingzoo", "google", "grpc", "mujoco", "ray", "torch", "tensordict", "torchrl",
    "stable_baselines3", "scipy", "shapely", "lxml", "PIL", "matplotlib", "pandas",
    "multiprocessing",
}  # fmt: skip


def modules_after(then: str) -> set[str]:
    """Top-level modules that are loaded after the import and a statement."""
    command = [sys.executable, "-c", PROGRAM.format(then=then)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return set(done.stdout.split())


def test_what_needs_no_gymnasium_imports_none() -> None:
    program = """
class Area(deepsim_envs.AreaInterface): pass
deepsim_envs.AbstractAgent, deepsim_envs.Area, deepsim_envs.Agents, deepsim_envs.Step
deepsim_envs.digest({'a': 1.0})
"""
    assert HEAVY & modules_after(program) == set()


@pytest.mark.parametrize(
    "then",
    [
        "deepsim_envs.Environment",
        "from deepsim_envs import register",
        "from deepsim_envs import *",
        "import deepsim_envs.environment",
    ],
)
def test_what_needs_gymnasium_imports_it(then: str) -> None:
    """And nothing else of the slow ones."""
    found = HEAVY & modules_after(then)
    assert found == {"gymnasium", "multiprocessing"}  # which Gymnasium imports
