# SPDX-License-Identifier: Apache-2.0
"""Scenic's insides are as the joint with them takes them to be."""

from __future__ import annotations

import importlib
import inspect
import re
from importlib.metadata import version

import pytest

pytest.importorskip("scenic", reason="Scenic is not installed: make scenes")

from scenic.core.dynamics.behaviors import Behavior
from scenic.core.dynamics.scenarios import DynamicScenario
from scenic.syntax import veneer

from deepsim_scenes.language import joint


def complaint(what: str, user: str) -> str:
    return f"scenic {version('scenic')} has changed {what}: see {user} in {joint.__file__}"


def test_a_name_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the joint is imported, before any scenario is compiled in another way."""
    monkeypatch.delattr(veneer, "OffsetBy")
    with pytest.raises(ImportError, match=r"^scenic 3\S* has no OffsetBy in scenic.syntax.veneer"):
        importlib.reload(joint)


def test_all_that_changes_in_scenic_is_in_the_joint() -> None:
    """Whatever functions of Scenic assign to its globals."""
    lines = re.findall(r"(?m)^ +global (.*)$", inspect.getsource(veneer))
    names = {name for line in lines for name in re.findall(r"\w+", line)}
    assert len(names) > 10
    names -= {"mode2D", "Point", "OrientedPoint", "Object"}  # which Scenic itself puts back
    assert names - {*joint._STATE} == set(), complaint("its state", "_STATE")


@pytest.mark.parametrize(
    ("owner", "name", "user"),
    [
        (Behavior, "_isRunning", "end_behavior"),
        (Behavior, "_runningIterator", "end_behavior"),
        (Behavior, "_stop", "end_behavior"),
        (DynamicScenario, "_isRunning", "SubRequirement.isTrue"),
        (DynamicScenario, "_terminationConditions", "_PLACES"),
        (DynamicScenario, "_terminateSimulationConditions", "_PLACES"),
    ],
)
def test_private_attributes_are_there(owner: type, name: str, user: str) -> None:
    """Of behaviours and scenarios."""
    sources = [inspect.getsource(each) for each in owner.__mro__ if each is not object]
    assert any(name in each for each in sources), complaint(f"{owner.__name__}.{name}", user)


def test_requirements_are_made_with_these_arguments() -> None:
    """In this order."""
    names = list(inspect.signature(veneer.makeRequirement).parameters)
    assert names == ["ty", "reqID", "req", "line", "name", "recConfig"], complaint(
        f"makeRequirement, which now takes {names}", "sub_requirements"
    )
