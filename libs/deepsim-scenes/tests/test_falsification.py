# SPDX-License-Identifier: Apache-2.0
"""The search for the scenes with the worst outcomes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_scenes import Outcome, Search, falsify, load_scenario, read_models
from deepsim_scenes.falsification import features

pytestmark = pytest.mark.usefixtures("scenic")

YARD = """\
param speed = Range(0, 1)
workspace = Workspace(RectangularRegion(0 @ 0, 0, 8, 8))
ego = Fetch at 0 @ 0, facing 0
DemoCube in workspace
DemoCube in workspace
"""
TRAP = (2.0, -3.0)


@pytest.fixture(scope="module")
def scenario(kitchen):
    file = kitchen / "yard.scenic"
    file.write_text(YARD)
    return load_scenario(file, read_models(kitchen / "models.yaml"))


def play(scenes):
    """The nearer the first cube is to a place, the worse; within half a metre it fails."""
    near = [math.dist(scene.objects[1].position[:2], TRAP) for scene in scenes]
    return [Outcome(distance, distance < 0.5) for distance in near]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_cross_entropy_finds_more_failures_than_chance(scenario, seed):
    """With the same number of plays; by chance, 1 of 80 scenes fails."""
    by_chance, led = (
        falsify(scenario, play, search=search, rounds=6, batch=16, seed=seed) for search in Search
    )
    assert len(by_chance.trials) == len(led.trials) == 96
    assert led.failures >= by_chance.failures + 4
    last = [trial.outcome.score for trial in led.trials[-16:]]
    assert np.median(last) < 2.0 < np.median([each.outcome.score for each in by_chance.trials])


def test_the_same_seed_gives_the_same_search_and_scenes_are_samples(scenario):
    led = Search.CROSS_ENTROPY
    first, second = (
        falsify(scenario, play, search=led, rounds=3, batch=8, seed=5) for _ in range(2)
    )
    assert [t.scene.number for t in first.trials] == [t.scene.number for t in second.trials]
    assert len({trial.scene.number for trial in first.trials}) == 24
    worst = first.worst(3)
    assert [t.outcome for t in worst] == sorted(
        (t.outcome for t in first.trials), key=lambda outcome: (not outcome.failed, outcome.score)
    )[:3]
    for trial in worst:
        again = scenario.sample(trial.scene.seed, trial.scene.number)
        assert features(again) == features(trial.scene)


def test_failures_come_before_lower_scores(scenario):
    def flipped(scenes):
        return [Outcome(distance, not failed) for distance, failed in play(scenes)]

    found = falsify(scenario, flipped, search=Search.CROSS_ENTROPY, rounds=4, batch=16, seed=1)
    worst = found.worst(len(found.trials))
    assert [t.outcome.failed for t in worst] == sorted(
        (t.outcome.failed for t in worst), reverse=True
    )


def test_coverage_shows_where_it_fails(scenario):
    """The first cube's place; what is the same in all scenes has no row."""
    found = falsify(scenario, play, search=Search.RANDOM, rounds=1, batch=400, seed=2)
    rows = {row.feature: row for row in found.coverage()}
    cubes = {f"demo_cube_{number} {name}" for number in (1, 2) for name in ("x", "y", "heading")}
    assert rows.keys() == {"speed"} | cubes
    east, north = rows["demo_cube_1 x"], rows["demo_cube_1 y"]
    assert east.covered == north.covered == 1.0
    assert 1.3 < sum(east.worst) / 2 < 2.7
    assert -3.7 < sum(north.worst) / 2 < -2.3
    assert east.worst_share > 3 * east.failed_share > 0.0
    assert -4.0 <= east.lowest < -3.5 < 3.5 < east.highest <= 4.0


def test_wrong_numbers_are_refused(scenario):
    for name in ("rounds", "batch", "candidates"):
        with pytest.raises(ValueError, match=f"{name} must be >= 1, got 0"):
            falsify(scenario, play, **{name: 0})
