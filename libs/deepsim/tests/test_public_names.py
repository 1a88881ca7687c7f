# SPDX-License-Identifier: Apache-2.0
"""The umbrella exports what most tasks need, and the paper's names."""

from __future__ import annotations

import importlib

import pytest

import deepsim


def test_the_front_door_stays_small() -> None:
    assert len(set(deepsim.__all__) - set(deepsim.paper.__all__)) <= 60


@pytest.mark.parametrize(
    ("library", "name"),
    [
        ("deepsim_math", "Point"),
        ("deepsim_math", "Position"),
        ("deepsim_math", "Ray"),
        ("deepsim_math", "lerp"),
        ("deepsim_sync", "LinkState"),
        ("deepsim_sync", "GetModelStateTracker"),
        ("deepsim_sync", "GetLinkStateTracker"),
        ("deepsim_sync", "SetVisualTracker"),
        ("deepsim_sync", "TrackerManager"),
        ("deepsim_colliders", "RectangleCollider"),
        ("deepsim_fx", "BlinkEffect"),
        ("deepsim_envs", "AreaInterface"),
        ("deepsim_spawn", "GazeboXMLLoader"),
    ],
)
def test_a_name_of_the_paper_is_that_of_its_library(library: str, name: str) -> None:
    assert getattr(deepsim, name) is getattr(importlib.import_module(library), name)


def test_the_papers_spawner_spawns_on_every_engine() -> None:
    assert deepsim.GazeboModelSpawner is deepsim.ModelSpawner


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'deepsim' has no attribute 'Rya'"):
        deepsim.Rya  # noqa: B018
