# SPDX-License-Identifier: Apache-2.0
"""The small examples run and print what they should."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from deepsim import GazeboXMLLoader, World, open_simulator
from deepsim_soccer import Phase, Pitch, world_sdf

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(path: Path, *options: str) -> str:
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", str(path), *options],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        encoding="utf-8",
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_appendix_a_sets_and_gets_many_states_at_once() -> None:
    assert run(EXAMPLES / "appendix_a.py").splitlines() == [
        "agent0 is at Point(1.0, 2.0, 3.0)",
        "agent1 is at Point(4.0, 5.0, 6.0)",
    ]


def test_appendix_b_steps_two_agents_by_random_actions() -> None:
    path = EXAMPLES / "appendix_b.py"
    lines = run(path).splitlines()
    assert [line for line in lines if line.endswith(" s")] == [
        "1.25 s",
        "2.50 s",
        "3.75 s",
        "5.00 s",
    ]
    assert sum("agent0: " in line for line in lines) == 4
    assert run(path).splitlines() == lines


def test_the_robot_patrols_and_charges_between() -> None:
    lines = run(EXAMPLES / "patrol.py").splitlines()
    visits = [[float(number) for number in re.findall(r"[\d.]+", line)] for line in lines[:6]]
    times, posts, charge = zip(*visits, strict=True)
    assert posts == (0, 1, 2, 3, 4, 5)
    assert list(times) == sorted(times)
    assert charge[:3] == pytest.approx((80, 60, 40), abs=2)
    assert charge[3] == charge[0]  # it was at its dock
    assert times[3] - times[2] > 2 * (times[2] - times[1])
    assert lines[6:] == [
        "[▶] robot <ReactiveSelector>",
        "├── [▶] recharge <Sequence>",
        "│   ├── (✓) battery_low",
        "│   ├── (✓) drive_to_dock",
        "│   └── [▶] charge",
        "└── [ ] drive_to_next_post",
    ]


def test_doors_and_lamps_of_three_rooms_follow_the_robots() -> None:
    lines = run(EXAMPLES / "rooms", "--seconds", "12").splitlines()
    corners = [int(line.split()[2]) for line in lines if "corners" in line]
    assert len(corners) == 4
    assert min(corners) >= 2  # nobody is stuck at a door
    assert [line for line in lines if "door" in line or "bulb" in line] == [
        "west_door opened 3 times",
        "east_door opened 3 times",
        "hall_bulb is dark",
        "kitchen_bulb shines",
        "study_bulb shines",
    ]
    assert "the arm moved the cup 1 times in 1 tries" in lines


def test_a_match_is_reported(root: Path, tmp_path: Path) -> None:
    """A short match of three a side: a table, the referee's log, and a picture."""
    command = [sys.executable, "-m", "examples.robocup.match", "--robots", "3", "--minutes", "0.3"]
    subprocess.run([*command, "--seed", "1", "--out", str(tmp_path)], cwd=root, check=True)
    table = json.loads((tmp_path / "report.json").read_text())
    assert sum(table[team]["kicks"] for team in table) >= 1
    assert sum(table[team]["possession"] for team in table) == pytest.approx(1.0, abs=2e-3)
    log = (tmp_path / "referee.txt").read_text().split()
    goals = [team for call, team in zip(log[2::4], log[3::4], strict=True) if call == "GOAL"]
    assert [goals.count(team) for team in table] == [table[team]["goals"] for team in table]
    assert (tmp_path / "ball.png").stat().st_size > 10_000


def test_the_duo_beats_a_team_that_does_anything(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In matches from a kick-off, at most one of which it loses."""
    monkeypatch.syspath_prepend(root)
    duo = importlib.import_module("examples.robocup.duo")
    won, _, lost = duo.play(duo.learned(), "agents", 7000, duo.random(1), matches=24)
    assert won >= 12
    assert lost <= 1


def test_lobs_of_simatch_follow_the_strength(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its plugin's: 0.8 and 0.6 m/s per unit; the paper's follow from the way to the goal."""
    monkeypatch.syspath_prepend(root)
    kicks = importlib.import_module("examples.robocup.ros.kicks")
    for dialect, expected in (
        ("simatch", [(4.0, 3.0), (6.4, 4.8)]),
        ("paper", [(13.47, 4.9), (13.47, 4.9)]),
    ):
        world = GazeboXMLLoader().load_world(world_sdf(dialect))
        pitch = Pitch(World(open_simulator(world, 1)), (1, 0), dialect)
        fly = pitch.dialect.lob_modes[1]
        pitch.put_robots([0], [[[-1.5, 0.0]]], [[0.0]])
        pitch.put_ball([0], [[-1.6, 0.0]])
        found = [kicks.kick_speeds(pitch, 0, strength, fly) for strength in (5.0, 8.0)]
        np.testing.assert_allclose(found, expected, rtol=0.02)
        pitch.world.close()


def test_a_coach_commands_a_match(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over UDP: each command acts, restarts are where they belong, and all robots park."""
    monkeypatch.syspath_prepend(root)
    example = importlib.import_module("examples.robocup.coach")
    with example.CoachBridge() as bridge:
        coach = example.Coach(bridge.address)
        seen = {}
        for time, mode, pitch, referee in example.play(bridge, coach, 22.0):
            seen[mode.name] = (Phase(referee.phase[0]).name, pitch.ball_place[0, :2].tolist())
            assert example.PLAN[round(time, 6)] == mode
        assert list(seen) == list(dict.fromkeys(mode.name for mode in example.PLAN.values()))
        assert {seen[each][0] for each in ("STOP", "PARKING", "OUR_PENALTY")} == {"STOP"}
        assert seen["START"][0] == "SET_PIECE"
        np.testing.assert_allclose(seen["OUR_PENALTY"][1], [6.0, 0.0])
        assert abs(seen["OPPONENT_THROW_IN"][1][1]) == pytest.approx(5.8)
        assert coach.reports > 200
        assert sorted(coach.places) == ["0", "1", "2"]
        assert all(abs(y) > 6.0 for _, y in coach.places.values())  # parked
        coach.close()
