# SPDX-License-Identifier: Apache-2.0
"""Options of a task's `make` reach every command, by the name of the task."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import gymnasium
import pytest
from command_line import call, completed

from deepsim import TaskError, load_task, make_environment, register_task

WIDE = (
    ("def make(seed=0):", "def make(seed=0, *, wide=False, names=()):"),
    (
        "    return Environment(Area(world)",
        "    area = Area(world)\n"
        "    size = 3 if wide else 1\n"
        "    area.action_space = {'puck': Box(-1.0, 1.0, (size,), np.float32)}\n"
        "    return Environment(area",
    ),
    ("        return np.zeros(1, np.float32)\n    return act", "        return act.space.sample()\n"
     "    act.space = environment.action_space['puck']\n    return act"),
)  # fmt: skip
"""A task whose option decides the size of its actions."""


@pytest.fixture
def wide(write_task: Callable[..., Path]) -> str:
    return f"{write_task('pass', *WIDE)}?wide=true"


def test_python_takes_them_with_the_name(wide: str) -> None:
    assert load_task(wide).environment().action_space["puck"].shape == (3,)
    assert make_environment(wide).action_space["puck"].shape == (3,)
    assert load_task(wide).environment(wide=False).action_space["puck"].shape == (1,)
    env = gymnasium.make(register_task(wide))
    assert env.action_space.shape == (3,)
    gymnasium.registry.pop("DeepSim/Pucks-v0")


def test_run_show_check_and_bench_take_them(wide: str, tmp_path: Path) -> None:
    completed("run", wide, "--video", "none", "--out", tmp_path / "out")
    row = (tmp_path / "out" / "trajectory.csv").read_text().splitlines()[1]
    assert row
    facts = json.loads(call("envs", "show", wide, "--json").stdout)
    assert facts["agents"]["puck"]["action"] == "Box (3,) float32, -1 .. 1"
    checks = json.loads(call("check", wide, "--steps", 12, "--json").stdout)
    assert {check["outcome"] for check in checks} <= {"passed", "skipped", "remark", "warned"}
    gymnasium.registry.pop("DeepSim/Pucks-v0")
    completed("bench", wide, "--seconds", 0.05, "--worlds", 1)


def test_the_policy_of_a_run_plays_in_its_variant(wide: str, tmp_path: Path) -> None:
    """Unless the name says otherwise; `make` of the task's own training settings stays out."""
    pytest.importorskip("stable_baselines3", reason="SB3 is not installed: tox -e py311-train")
    completed("train", wide, "--steps", 64, "--set", "rollout=16", "--no-video", "--out",
                tmp_path / "trained")  # fmt: skip
    assert json.loads((tmp_path / "trained" / "config.json").read_text())["make"] == {"wide": True}
    plain = wide.partition("?")[0]
    for name, status in ((plain, 0), (wide, 0), (f"{plain}?wide=false", 1)):
        out = tmp_path / f"out{status}{len(name)}"
        played = call(
            "run", name, "--policy", tmp_path / "trained", "--video", "none", "--out", out
        )
        assert played.exit_code == status, played.output


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("wdie=true", "pucks has no option 'wdie': it has wide, names"),
        ("seed=3", "pucks has no option 'seed': it has wide, names"),
        ("wide", "must be like TASK?OPTION=VALUE&OPTION=VALUE, got 'wide'"),
        ("names=[1,", "must be like TASK?OPTION=VALUE&OPTION=VALUE, got 'names=[1,'"),
    ],
)
def test_a_wrong_option_is_named(wide: str, options: str, told: str) -> None:
    name = f"{wide.partition('?')[0]}?{options}"
    with pytest.raises(TaskError) as caught:
        load_task(name)
    assert told in str(caught.value)
