# SPDX-License-Identifier: Apache-2.0
"""An option that would do nothing is refused by name, before anything is opened or written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import call, said

CASES = [
    ("view arm --policy random", "on a robot"),
    ("view arm --demonstrations d.mcap", "on a robot"),
    ("view arm --namespace lab", "on a robot"),
    ("view box.sdf --policy random", "on a file"),
    ("view box.sdf --demonstrations d.mcap", "on a file"),
    ("view box.sdf --html box.html", "on a file"),
    ("view box.sdf --robot arm.urdf", "on a file"),
    ("view box.sdf --in .", "on a file"),
    ("view cartpole --html page.html", "on a task"),
    ("view cartpole --robot arm.urdf", "on a task"),
    ("view cartpole --namespace lab", "on a task"),
    ("view run.mcap --policy random", "on a recording"),
    ("view run.mcap --worlds 2", "on a recording"),
    ("view run.mcap --seed 1", "on a recording"),
    ("view run.mcap --paused", "on a recording"),
    ("view run.mcap --backend warp", "on a recording"),
    ("view run.mcap --demonstrations d.mcap", "on a recording"),
    ("view run.mcap --html page.html --open", "on a written page"),
    ("view --connect --worlds 2", "on a running world"),
    ("view --connect --backend warp", "on a running world"),
    ("view --connect --policy random", "on a running world"),
    ("view --connect --html page.html", "on a running world"),
    ("run cartpole --format ros2", "without --record"),
    ("run cartpole --video none --fps 9", "without a film"),
    ("run cartpole --video none --width 99", "without a film"),
    ("run cartpole --video none --camera orbit", "without a film"),
    ("physics box.sdf --policy random", "without a task"),
    ("physics box.sdf --seed 1", "without a task"),
    ("physics --in .", "without a task"),
    ("dataset cartpole --replay run.mcap --policy random", "on a replay"),
    ("dataset cartpole --replay run.mcap --episodes 2", "on a replay"),
    ("scenes yard.scenic models.yaml out --noplt --zoom 2", "without plots"),
    ("scenes yard.scenic models.yaml out --backend warp", "without --settle"),
    ("scenes falsify navigate yard.scenic --replay s.yaml --rounds 2", "on a replay"),
    ("scenes falsify navigate yard.scenic --replay s.yaml --keep 2", "on a replay"),
    ("serve cartpole --period 1", "in the mode wait_forever"),
    ("serve cartpole --game-over all", "in the mode manual"),
    ("robots run arm --video png --seconds 2", "on one picture"),
    ("verify scenes.json yard.scenic models.yaml --in .", "on scenes"),
]


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Runs a command that must do nothing, beside empty files; returns what it printed."""
    monkeypatch.chdir(tmp_path)
    for name in ("box.sdf", "run.mcap", "yard.scenic", "models.yaml", "s.yaml", "scenes.json"):
        Path(name).touch()
    before = sorted(tmp_path.iterdir())

    def run(words: str) -> str:
        result = call(*words.split())
        assert result.exit_code == 2
        assert sorted(tmp_path.iterdir()) == before
        return " ".join(said(result).replace("│", " ").split())

    return run


@pytest.mark.parametrize(("words", "where"), CASES)
def test_the_last_option_is_refused(words: str, where: str, refused: Callable[[str], str]) -> None:
    option = re.findall(r"--[a-z-]+", words)[-1]
    assert f"Invalid value for {option}: it has no effect {where}" in refused(words)


def test_models_of_scenes_are_refused_for_other_recordings(refused: Callable[[str], str]) -> None:
    text = refused("verify run.mcap cartpole models.yaml")
    assert "Invalid value for models: it has no effect on a recording of a task" in text
