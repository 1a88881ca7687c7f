# SPDX-License-Identifier: Apache-2.0
"""Scenarios in Scenic 2 have the distributions that Scenic 2.0.0 gave them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scenic2_cases import CASES, LEVELS, columns

from deepsim_scenes import load_scenario, read_models
from deepsim_scenes.language.scenic2 import scenic_3_construct

RECORDED = json.loads(Path(__file__).with_name("scenic2.json").read_text())
MODELS = """\
models:
- {name: robot, type: MISSION_ONLY, width: 0.6, length: 0.8, heading: 0.5}
- {name: table, type: MISSION_ONLY, width: 1.0, length: 2.0}
- {name: post, type: MISSION_ONLY, width: 0.2, length: 0.2}
"""
HEAD = """\
from scenic.core.vectors import VectorField
workspace = Workspace(RectangularRegion(0 @ 0, 0, 12, 10))
"""
DIFFERENT = (
    "offset by", "offset by, from a turned ego", "offset along", "oriented point offset by",
    "beyond", "beyond, by a vector", "beyond, an object", "left of an object",
    "right of an object", "ahead of an object", "behind an object", "ahead of a table, facing",
    "apparently facing", "apparently facing, from", "a class of its own",
)  # fmt: skip


@pytest.fixture(scope="module")
def load(tmp_path_factory, scenic):
    folder = tmp_path_factory.mktemp("scenic2")
    folder.joinpath("models.yaml").write_text(MODELS)
    models = read_models(folder / "models.yaml")

    def load_text(text, **options):
        file = folder / "case.scenic"
        file.write_text(HEAD + text)
        return load_scenario(file, models, **options)

    return load_text


def deviation(scenario, recorded, samples):
    """Returns the greatest difference of a column's cumulative distribution from the recorded.

    The difference is 1 where a value that should always be the same is another.
    """
    scenes = [scenario.sample(1, number, limit=100_000) for number in range(samples)]
    found = columns([
        [(*each.position[:2], each.heading, *each.size[:2]) for each in scene.objects]
        for scene in scenes
    ])  # fmt: skip
    assert found.keys() == recorded.keys()
    return max(_difference(found[name], recorded[name]) for name in recorded)


def _difference(values, recorded):
    if not isinstance(recorded, list):
        return float(not np.allclose(values, recorded, rtol=0.0, atol=1e-5))
    if min(values) < recorded[0] - 0.5 or max(values) > recorded[-1] + 0.5:
        return 1.0
    steps = [
        (level, np.mean(values < quantile - 1e-3), np.mean(values <= quantile + 1e-3))
        for level, quantile in zip(LEVELS[1:-1], recorded[1:-1], strict=True)
    ]
    return max(max(below - level, level - up_to) for level, below, up_to in steps)


@pytest.mark.parametrize("name", CASES)
def test_a_case_has_the_quantiles_of_scenic_2(load, name):
    """150 samples against 1000: the standard error of a share is 0.044."""
    options = {"scenic": 2} if scenic_3_construct(CASES[name]) else {}
    scenario = load(CASES[name], **options)
    assert scenario.meaning.version == 2
    assert deviation(scenario, RECORDED[name], 150) < 0.17


@pytest.mark.parametrize("name", DIFFERENT)
def test_the_documented_differences_are_differences(load, name):
    assert deviation(load(CASES[name], scenic=3), RECORDED[name], 50) > 0.2


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("ego = Robot at 0 @ 0\n# new Table on x\nx = 'new Table'\n", ""),
        ("ego = Robot in workspace, facing (30 + 3) deg\nnew = 3\non = 4\n", ""),
        ("ego = new Robot\n", "`new` on line 1"),
        ("ego = Robot\nTable on floor\n", "`on` on line 2"),
        ("Table at 1 @ 1,\n  facing (1, max(2, 3), 0)\n", "`facing` three angles on line 2"),
    ],
)  # fmt: skip
def test_constructs_of_scenic_3_are_found(text, construct):
    assert scenic_3_construct(text) == construct


def test_the_meaning_says_why(load):
    """The same file without `new`, with it, and as the caller chooses."""
    old, new = "ego = Robot at 0 @ 0\n", "ego = new Robot at 0 @ 0\n"
    assert str(load(old).meaning) == "read as Scenic 2: it has no construct of Scenic 3"
    assert str(load(new).meaning) == "read as Scenic 3: `new` on line 3"
    assert str(load(new, scenic=2).meaning) == "read as Scenic 2: as requested"
    space = load("from deepsim_scenes.model import *\nnew Robot at (0, 0, 0)\n")
    assert str(space.meaning) == "read as Scenic 3: it has three dimensions"
    with pytest.raises(ValueError, match="scenic must be 2 or 3, got 1"):
        load(old, scenic=1)
    with pytest.raises(ValueError, match="scenic=2 has two dimensions"):
        load(old, scenic=2, dimensions=3)
