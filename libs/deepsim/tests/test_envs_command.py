# SPDX-License-Identifier: Apache-2.0
"""`deepsim envs` and `deepsim check`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import gymnasium
import pettingzoo
import pytest
from command_line import call

TRAINERS = ("(stable-baselines3)", "(rllib)", "(torchrl)")
WORLDS = "each of 3 and of 33 worlds gives its bits alone"
WriteTask = Callable[..., Path]


@pytest.fixture(autouse=True)
def _leave_no_ids() -> Iterator[None]:
    """What a check registers is gone afterwards."""
    yield
    for registry in (gymnasium.registry, pettingzoo.parallel_registry, pettingzoo.aec_registry):
        for task in ("Pucks", "Slides"):
            registry.pop(f"DeepSim/{task}-v0", None)


def outcomes(folder: Path) -> dict[str, tuple[str, str]]:
    result = call("check", folder, "--steps", 12, "--json")
    checks = json.loads(result.stdout)
    assert result.exit_code == any(check["outcome"] == "failed" for check in checks)
    return {check["name"]: (check["outcome"], check["reason"]) for check in checks}


def test_list_shows_tasks(write_task: WriteTask, tmp_path: Path) -> None:
    folder = write_task()
    assert "pucks" in call("envs", "list", tmp_path).stdout
    (row,) = json.loads(call("envs", "list", tmp_path, "--json").stdout)
    named = {"name": "pucks", "id": "DeepSim/Pucks-v0", "folder": str(folder)}
    assert row == {**named, "summary": "", "package": ""}


def test_tasks_of_packages_come_after_those_of_this_folder(
    write_task: WriteTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`deepsim copy` makes one of this folder of them, whose name then means the copy."""
    folder = write_task()
    monkeypatch.chdir(folder.parent)
    rows = json.loads(call("envs", "list", "--json").stdout)
    assert rows[0]["name"] == "pucks"
    assert {"walk", "racetrack"} < {row["name"] for row in rows[1:]}
    assert {row["package"] for row in rows[1:]} == {"deepsim-tasks"}
    for answer in (0, 1):  # the second time the folder is there
        assert call("copy", "walk").exit_code == answer
    assert (folder.parent / "walk" / "policy.npz").is_file()
    assert json.loads(call("envs", "show", "walk", "--json").stdout)["folder"] == "walk"
    assert call("copy", "reach", "--to", "bench").exit_code == 0
    assert (folder.parent / "bench" / "policy.npz").is_file()
    assert not (folder.parent / "reach").exists()


def test_a_new_task_is_run_and_tested_by_the_commands_that_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test needs pytest, which deepsim does not install."""
    monkeypatch.chdir(tmp_path)
    said = " ".join(call("new", "cars").stdout.split())
    assert "to run it: deepsim run cars --policy seek" in said
    assert "to test it: pip install pytest; python -m pytest cars" in said


def test_a_new_task_has_a_fit_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("new", "../cars")
    assert result.exit_code == 1
    assert "small letters, digits and _, such as two_cars; got ../cars" in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_list_says_what_a_task_is_where_there_is_none(tmp_path: Path) -> None:
    result = call("envs", "list", tmp_path)
    assert result.exit_code == 0
    assert "a task is a folder whose __init__.py" in " ".join(result.stdout.split())
    assert json.loads(call("envs", "list", tmp_path, "--json").stdout) == []


def test_show_tells_of_agents_spaces_and_times(write_task: WriteTask) -> None:
    facts = json.loads(call("envs", "show", write_task(), "--json").stdout)
    assert facts["max_episode_steps"] == 3
    assert facts["step_s"] == 0.01
    assert facts["policies"] == "random"
    assert facts["agents"]["puck"]["action"] == "Box (1,) float32, -1 .. 1"


def test_show_lists_the_policies_of_run(array_task: Path) -> None:
    """Random actions are one of them, whether or not the task names them."""
    facts = json.loads(call("envs", "show", array_task, "--json").stdout)
    assert facts["policies"] == "random, chase, hide"
    refused = call("run", array_task, "--policy", "best").stdout
    assert f"it has {facts['policies']}" in " ".join(refused.split())


def test_show_prints_a_table(write_task: WriteTask, tmp_path: Path) -> None:
    write_task()
    shown = call("envs", "show", "pucks", "--in", tmp_path).stdout
    assert "puck observations" in shown
    assert "made" not in shown  # which the task itself prints


def test_a_sound_task_passes_all_checks(array_task: Path) -> None:
    found = outcomes(array_task)
    trainers = {name: found.pop(name) for name in list(found) if name.endswith(TRAINERS)}
    assert set(found.values()) == {("passed", "")}
    assert len(found) == 12
    assert len(trainers) == 4
    for outcome, reason in trainers.values():
        missing = outcome == "skipped" and reason.startswith(
            "not installed: pip install --find-links dist 'deepsim-"
        )
        assert missing or outcome == "passed"


def test_a_task_of_one_world_passes_in_one(write_task: WriteTask) -> None:
    found = outcomes(write_task())
    assert found.pop("random actions earn rewards")[0] == "remark"  # it never rewards
    outcome, reason = found.pop(WORLDS)
    assert outcome == "skipped"
    assert reason.startswith("pucks runs in one world only")
    assert {outcome for outcome, _ in found.values()} <= {"passed", "skipped"}


def test_check_prints_a_line_for_each(write_task: WriteTask) -> None:
    result = call("check", write_task(), "--steps", 12)
    assert result.exit_code == 0
    assert "passed  api_test (pettingzoo)" in result.stdout.splitlines()


@pytest.mark.parametrize(
    ("hook", "failed"),
    [
        ("import random; self.add_reward(random.random())", "the same seed gives the same bits"),
        (
            "box = vars(self).setdefault('box', [object(), 0]); box[1] += 1;"
            " self.add_reward(box[1])",
            "a reset leaves nothing behind",
        ),
    ],
)
def test_a_broken_promise_is_found(write_task: WriteTask, hook: str, failed: str) -> None:
    found = outcomes(write_task(hook))
    for outcome, reason in (found[failed], found["a snapshot continues equally"]):
        assert outcome == "failed"
        assert "differs" in reason


def test_an_error_of_the_task_is_the_reason(write_task: WriteTask) -> None:
    found = outcomes(write_task("raise RuntimeError('engine stalled')"))
    assert found.pop(WORLDS)[0] == "skipped"
    ours = [found[name] for name in found if not name.endswith(TRAINERS)]
    assert set(dict(ours)) == {"failed"}
    assert [reason for _, reason in ours if "engine stalled" not in reason] == []


def test_a_warning_is_listed_once_and_fails_nothing(write_task: WriteTask) -> None:
    """Whether it comes from a checker or, in each check, from the task."""
    folder = write_task()
    init = folder / "__init__.py"
    text = init.read_text().replace("Box(-1.0, 1.0,", "Box(-5.0, 1.0,")
    text = text.replace("def make(", "import warnings\n\n\ndef make(", 1)
    start = text.index("def make(")
    body = text.index(":\n", start) + 2
    init.write_text(text[:body] + "    warnings.warn('a second coefficient')\n" + text[body:])
    found = outcomes(folder)
    (first, *_) = found.values()
    assert first == ("warned", "UserWarning: a second coefficient")
    assert sum("a second coefficient" in reason for _, reason in found.values()) == 1
    outcome, reason = found["check_env of puck (gymnasium)"]
    assert outcome == "warned"
    assert "normalized" in reason
    assert "\x1b" not in reason  # the colour in which Gymnasium warns
