# SPDX-License-Identifier: Apache-2.0
"""The joint with Scenic: its global state, its specifiers, sub-scenarios and behaviours.

The names are not part of its interface: tests/test_joint.py says which of them has changed.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import numpy as np
from scenic.core.errors import InvalidScenarioError
from scenic.core.lazy_eval import DelayedArgument
from scenic.core.object_types import Object
from scenic.core.requirements import DynamicRequirement, RequirementType, rv_ltl
from scenic.core.specifiers import Specifier
from scenic.core.type_support import canCoerce, isA, toHeading, toVector
from scenic.core.vectors import Vector
from scenic.syntax import veneer

_STATE = (
    "activity", "currentScenario", "scenarioStack", "scenarios", "evaluatingRequirement",
    "_globalParameters", "lockedParameters", "lockedModel", "loadingModel", "currentSimulation",
    "inInitialScenario", "runningScenarios", "currentBehavior", "simulatorFactory",
    "evaluatingGuard",
)  # fmt: skip
_SPECIFIERS = (
    "OffsetBy", "OffsetAlongSpec", "Beyond", "LeftSpec", "RightSpec", "Ahead", "Behind",
    "ApparentlyFacing", "With",
)  # fmt: skip
if missing := [
    name for name in (*_STATE, *_SPECIFIERS, "makeRequirement") if not hasattr(veneer, name)
]:
    raise ImportError(
        f"scenic {version('scenic')} has no {', '.join(missing)} in scenic.syntax.veneer, which "
        "deepsim-scenes sets: install a version that deepsim-scenes[scenic] admits"
    )
_IDLE = {name: copy.copy(getattr(veneer, name)) for name in _STATE}


@contextmanager
def isolated() -> Iterator[None]:
    """Starts with the state that Scenic has after its import; puts the former state back."""
    kept = {name: getattr(veneer, name) for name in _STATE}
    vars(veneer).update({name: copy.copy(value) for name, value in _IDLE.items()})
    try:
        yield
    finally:
        vars(veneer).update(kept)


class GlobalState:
    """Scenic's global state and the global random generators, to be put back later."""

    def __init__(self) -> None:
        self._veneer = {name: getattr(veneer, name) for name in (*_STATE, "makeRequirement")}
        # Scenic draws from numpy's legacy global generator.
        self._random = random.getstate(), np.random.get_state()  # noqa: NPY002

    def restore(self) -> None:
        """Puts the state back."""
        vars(veneer).update(self._veneer)
        random.setstate(self._random[0])
        np.random.set_state(self._random[1])  # noqa: NPY002


def _place_only(specifier: Any) -> Specifier:
    """Returns a specifier that gives only the position."""
    values = DelayedArgument(
        {*specifier.requiredProperties},
        lambda context: {"position": specifier.getValuesFor(context)["position"]},
    )
    return Specifier(specifier.name, {"position": 1}, values)


def _scenic_2_specifiers() -> dict[str, Callable[..., Any]]:
    """Returns the specifiers of Scenic 3 that mean something else in Scenic 2, as in Scenic 2."""

    def placing(name: str) -> Callable[..., Any]:
        original = getattr(veneer, name)
        return lambda *given, **named: _place_only(original(*given, **named))

    def beside(name: str) -> Callable[..., Any]:
        original = getattr(veneer, name)

        def specify(pos: Any, dist: Any = 0) -> Any:
            middle = pos.relativize(Vector(0, 0)) if isA(pos, Object) else pos
            return original(middle, dist)

        return specify

    def apparently_facing(heading: Any, fromPt: Any = None) -> Any:  # noqa: N803 (Scenic's)
        turn = toHeading(heading, 'specifier "apparently facing X" with X not a heading')
        start = toVector(
            veneer.ego() if fromPt is None else fromPt,
            'specifier "apparently facing X from Y" with Y not a vector',
        )
        return veneer.Facing(
            DelayedArgument({"position"}, lambda own: start.angleTo(own.position) + turn)
        )

    def with_property(prop: str, val: Any, original: Callable[..., Any] = veneer.With) -> Any:
        scalar = prop == "positionStdDev" and canCoerce(val, float)
        return original(prop, (val, val, 0) if scalar else val)

    return {
        **{name: placing(name) for name in _SPECIFIERS[:3]},
        **{name: beside(name) for name in _SPECIFIERS[3:7]},
        "ApparentlyFacing": apparently_facing,
        "With": with_property,
    }


@contextmanager
def scenic_2() -> Iterator[None]:
    """Gives specifiers their meaning in Scenic 2.0.0 while a scenario is compiled.

    - `offset by`, `offset along` and `beyond` leave the heading to the class.
    - `left of`, `right of`, `ahead of` and `behind` an object measure from its middle.
    - `apparently facing` gives the whole heading.
    - `with positionStdDev` takes a number.
    """
    new = _scenic_2_specifiers()
    old = {name: getattr(veneer, name) for name in new}
    vars(veneer).update(new)
    try:
        yield
    finally:
        vars(veneer).update(old)


def end_behavior(behavior: Any) -> None:
    """Ends a behaviour that runs, and those that it overrode.

    Scenic 3.1 leaves the latter suspended; when the garbage collector ends them, they change its
    global state.
    """
    if behavior._isRunning:
        suspended = behavior._runningIterator
        behavior._stop()
        suspended.close()


class SubRequirement(DynamicRequirement):  # type: ignore[misc] # Scenic has no types
    """A `record` or `terminate when` of a scenario that another scenario started during a run.

    Attributes:
        scenario: The scenario, whose end is also that of the statement.
    """

    def __init__(self, ty: RequirementType, condition: Any, line: int, name: str) -> None:
        super().__init__(ty, condition, line, name)
        self.scenario = veneer.currentScenario

    def evaluate(self) -> Any:
        """Returns the current value."""
        return self.closure()

    def isTrue(self) -> Any:  # noqa: N802 (Scenic calls it)
        """Returns the current truth of a condition; false after the end of its scenario."""
        if not self.scenario._isRunning:
            return rv_ltl.B4.FALSE
        return self.closure(self.condition.create_monitor())


_PLACES = {
    RequirementType.terminateWhen: "_terminationConditions",
    RequirementType.terminateSimulationWhen: "_terminateSimulationConditions",
}
RECORDS = (RequirementType.record, RequirementType.recordInitial, RequirementType.recordFinal)
_PLAIN = ((1, "steps"), (0, "steps"), None)  # period, delay and file of a plain `record`


@contextmanager
def sub_requirements(records: list[SubRequirement]) -> Iterator[None]:
    """Handles `record` and `terminate when` in scenarios that start during a run.

    Scenic 3.1 takes them for requirements that reject the run.

    Args:
        records: Is extended with the `record` statements, which the simulation evaluates.
    """
    original = veneer.makeRequirement

    def make(ty: Any, number: int, req: Any, line: int, name: str, config: Any = None) -> None:
        static = veneer.currentSimulation is None or veneer.currentBehavior is not None
        if static or veneer.evaluatingRequirement or ty not in (*RECORDS, *_PLACES):
            original(ty, number, req, line, name, config)
            return
        if config and (config.period, config.delay, config.recorder) != _PLAIN:
            raise InvalidScenarioError(
                f'"record" on line {line} has a period, delay or file, which only the scenario '
                "that starts the run can have"
            )
        made = SubRequirement(ty, req, line, name)
        if ty in RECORDS:
            records.append(made)
            return
        owner = made.scenario
        if ty is RequirementType.terminateSimulationWhen:
            owner = veneer.currentSimulation.scene.dynamicScenario
        setattr(owner, _PLACES[ty], [*getattr(owner, _PLACES[ty]), made])

    veneer.makeRequirement = make
    try:
        yield
    finally:
        veneer.makeRequirement = original
