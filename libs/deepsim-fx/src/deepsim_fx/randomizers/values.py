# SPDX-License-Identifier: Apache-2.0
"""Randomized gains of joints, and randomized arrays of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from deepsim_fx.targets import named
from deepsim_sync import SCOPE, Transform, UnknownEntityError, World, WorldNumbers

from .distributions import Spec, distribution
from .randomizer import AbstractRandomizer, Patterns, as_patterns, matching, stacked

GAINS = ("stiffness", "damping", "effort_limit", "velocity_limit")


class JointRandomizer(AbstractRandomizer):
    """Randomizer that scales gains and limits of the servos of a model's joints, by name.

    It draws factors of the values that the joints have when the randomizer is constructed, usually
    those of a robot's configuration. A reset of the world restores these.

    >>> door = '''<mujoco><worldbody><body name="door"><joint name="hinge"/><geom size="0.1"/>
    ...     </body></worldbody><actuator><position joint="hinge" kp="8"/></actuator></mujoco>'''
    >>> world = World(MujocoSimulator(), seed=1)
    >>> world.spawn(MjcfModel(door), "door", Pose())
    >>> _ = JointRandomizer("door", stiffness=0.5, joints="hinge", world=world).randomize()
    >>> world.joints.stiffness
    array([[4.]])

    Args:
        model: The model, by name or transform.
        stiffness: Distribution of the factor of stiffness, >= 0.
        damping: Distribution of the factor of damping, >= 0.
        effort_limit: Distribution of the factor of the largest effort, >= 0.
        velocity_limit: Distribution of the factor of the largest target velocity, >= 0.
        joints: Patterns of joint names in the model, such as ``"*_hip_joint"``.
        per_joint: Whether each joint has its own factor instead of all sharing one.
        name: Name of the randomizer in the log; by default derived from the model.
        world: The world of the model; by default the world of a transform, or the current one.

    Raises:
        ValueError: A distribution is invalid, none is given, or no joint matches.
        UnknownEntityError: The model does not exist.
    """

    def __init__(
        self,
        model: str | Transform,
        *,
        stiffness: Spec | None = None,
        damping: Spec | None = None,
        effort_limit: Spec | None = None,
        velocity_limit: Spec | None = None,
        joints: Patterns = "*",
        per_joint: bool = True,
        name: str | None = None,
        world: World | None = None,
    ) -> None:
        (self.model,), world = named(model, world)
        super().__init__(name or f"joints of {self.model}", world)
        given = (stiffness, damping, effort_limit, velocity_limit)
        self.factors = {
            column: distribution(spec)
            for column, spec in zip(GAINS, given, strict=True)
            if spec is not None
        }
        if not self.factors:
            raise ValueError(f"{self.name!r} has nothing to draw: give stiffness, damping, ...")
        self.per_joint = per_joint
        entities = world.entities
        if self.model not in entities.models:
            raise UnknownEntityError("model", self.model, entities.models)
        scope = self.model + SCOPE
        own = [each.removeprefix(scope) for each in entities.joints.within(self.model)]
        self.joints = matching(own, as_patterns(joints))
        if not self.joints:
            raise ValueError(
                f"no joint of model {self.model!r} matches {list(as_patterns(joints))}; it has "
                f"{', '.join(own)}"
            )
        self._rows = world.joints.select([scope + joint for joint in self.joints])
        self._own = {column: self._rows.get(column) for column in self.factors}

    def draw(self, rng: Generator, world: int) -> dict[str, dict[str, float]]:
        """Draws factors.

        Returns:
            Factors by column and joint.

        Raises:
            ValueError: A factor is negative.
        """
        values: dict[str, dict[str, float]] = {}
        for column, factors in self.factors.items():
            drawn = factors(rng, (len(self.joints) if self.per_joint else 1,))
            if not (drawn >= 0.0).all():
                raise ValueError(
                    f"factors of {column} must be >= 0, {self.name!r} drew {float(drawn.min())}"
                )
            every = np.broadcast_to(drawn, (len(self.joints),)).tolist()
            values[column] = dict(zip(self.joints, every, strict=True))
        return values

    def apply(self, values: Sequence[Mapping[str, Any]], worlds: WorldNumbers) -> None:
        """Applies the factors."""
        for numbers, _, factors in stacked(values, worlds):
            columns = {
                column: self._own[column][numbers] * np.array(cells)
                for column, cells in factors.items()
            }
            self._rows.put(numbers, **columns)


class ArrayRandomizer(AbstractRandomizer):
    """Randomizer of an array with a row for each world, such as a bias or a delay of a task.

    >>> world = World(TableSimulator(worlds=2), seed=1)
    >>> bias = np.zeros((2, 3))  # of three encoders
    >>> drawn = ArrayRandomizer("encoders", bias, ("uniform", -0.1, 0.1), world=world).randomize()
    >>> bool((bias[1] == drawn[1].values["value"]).all() and (bias != 0.0).all())
    True

    Args:
        name: Name of the randomizer in the log.
        array: The array, (W, ...), which is changed in place; one of integers gets the nearest.
        value: Distribution of each number.
        mode: Whether a draw is the new ``value``, or a number to ``scale`` or to ``add`` to the row
            that the array has when the randomizer is constructed.
        shared: Whether all numbers of a world are the same draw.
        world: The world of the array; by default the current one.

    Raises:
        TypeError: `array` is not an array of numbers that can be changed.
        ValueError: The array has another number of rows, or a setting is invalid.
    """

    def __init__(
        self,
        name: str,
        array: NDArray[Any],
        value: Spec,
        *,
        mode: Literal["value", "scale", "add"] = "value",
        shared: bool = False,
        world: World | None = None,
    ) -> None:
        super().__init__(name, world)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
            raise TypeError(f"{name!r} changes an array of numbers in place, got {array!r}")
        if array.ndim < 1 or len(array) != len(self.world) or not array.flags.writeable:
            raise ValueError(
                f"the array of {name!r} must be writeable and have a row for each of "
                f"{len(self.world)} worlds, got shape {array.shape}"
            )
        if mode not in ("value", "scale", "add"):
            raise ValueError(f"mode must be 'value', 'scale' or 'add', got {mode!r}")
        self.array, self.mode, self.shared = array, mode, shared
        self._value, self._own = distribution(value), array.copy()

    def draw(self, rng: Generator, world: int) -> dict[str, Any]:
        """Draws the numbers of a world."""
        shape = self.array.shape[1:]
        drawn = self._value(rng, (1,) * len(shape) if self.shared else shape)
        return {"value": np.broadcast_to(drawn, shape).tolist()}

    def apply(self, values: Sequence[Mapping[str, Any]], worlds: WorldNumbers) -> None:
        """Changes the rows of the worlds."""
        rows = np.array([each["value"] for each in values], np.float64)
        if self.mode == "scale":
            rows = self._own[worlds] * rows
        elif self.mode == "add":
            rows = self._own[worlds] + rows
        self.array[worlds] = np.rint(rows) if self.array.dtype.kind in "iu" else rows
