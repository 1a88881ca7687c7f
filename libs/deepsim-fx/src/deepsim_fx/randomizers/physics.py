# SPDX-License-Identifier: Apache-2.0
"""Randomized physics properties, gains of joints, and arrays of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from deepsim_fx.targets import named
from deepsim_sync import (
    CAN_BE_ZERO,
    PHYSICS_PROPERTIES,
    SCOPE,
    PhysicsProperties,
    PhysicsProperty,
    PhysicsValues,
    Transform,
    UnknownEntityError,
    UnsupportedError,
    World,
    WorldNumbers,
)

from .distributions import Spec, distribution
from .randomizer import AbstractRandomizer, Patterns, as_patterns, links_of, matching, stacked

_GAINS = ("stiffness", "damping", "effort_limit", "velocity_limit")
_VALUES = ("friction_coefficient", "center_of_mass")


class PhysicsRandomizer(AbstractRandomizer):
    """Randomizer that changes mass, weight, friction and damping of the links of a model.

    It draws factors of the values in the model description, so that one distribution suits models
    of any size; friction can also be drawn as a coefficient, and centers of mass as offsets. A draw
    replaces the previous one; a reset of the world removes it.

    >>> class Printer:  # in place of an engine with `deepsim_sync.PhysicsProperties`
    ...     def scale(self, name, links, factors, worlds):
    ...         print(name, *links, factors)
    >>> simulator = TableSimulator()
    >>> simulator.physics = Printer()
    >>> world = World(simulator, seed=1)
    >>> world.spawn(TableModel(), "car", Pose())
    >>> _ = PhysicsRandomizer("car", mass=("log-uniform", 2, 2), world=world).randomize()
    mass car::link [[2.0]]

    Args:
        model: The model, by name or transform.
        mass: Distribution of the factor of mass and inertia, > 0, such as
            ``("log-uniform", 0.5, 2)``.
        friction: Distribution of the factor of friction. Of two surfaces the lower friction counts,
            so that factors above 1 have no effect on a ground of the same friction, of which the
            embedded engine warns; describe such a ground with a friction of 10.
        friction_coefficient: Distribution of the friction coefficient itself, >= 0, such as
            ``("uniform", 0.3, 1.2)``; not together with `friction`.
        damping: Distribution of the factor of the damping of joints.
        gravity: Distribution of the factor of gravity, >= 0.
        joint_friction: Distribution of the factor of the dry friction of joints, >= 0.
        armature: Distribution of the factor of rotor inertia. It has no effect on joints without
            one, such as those of SDF and URDF.
        center_of_mass: Distribution of the offset of the center of mass in the frame of its link
            [m]: one for each component, or a list of three.
        links: Patterns of link names in the model, such as ``"wheel_*"``.
        per_link: Whether each link has its own draw instead of all sharing one.
        name: Name of the randomizer in the log; by default derived from the model.
        world: The world of the model; by default the world of a transform, or the current one.

    Raises:
        ValueError: A distribution is invalid, none is given, or friction has both.
        UnsupportedError: The simulator cannot scale physics, or not set these values.
    """

    def __init__(
        self,
        model: str | Transform,
        *,
        mass: Spec | None = None,
        friction: Spec | None = None,
        damping: Spec | None = None,
        gravity: Spec | None = None,
        joint_friction: Spec | None = None,
        armature: Spec | None = None,
        friction_coefficient: Spec | None = None,
        center_of_mass: Spec | None = None,
        links: Patterns = "*",
        per_link: bool = True,
        name: str | None = None,
        world: World | None = None,
    ) -> None:
        (self.model,), world = named(model, world)
        super().__init__(name or f"physics of {self.model}", world)
        given: dict[PhysicsProperty, Spec | None] = {
            "mass": mass,
            "friction": friction,
            "damping": damping,
            "gravity": gravity,
            "joint_friction": joint_friction,
            "armature": armature,
        }
        self.factors = {
            name: distribution(spec) for name, spec in given.items() if spec is not None
        }
        self.values = {
            name: distribution(spec)
            for name, spec in zip(_VALUES, (friction_coefficient, center_of_mass), strict=True)
            if spec is not None
        }
        if not self.factors and not self.values:
            raise ValueError(f"{self.name!r} has nothing to draw: give mass, friction, ...")
        if friction is not None and friction_coefficient is not None:
            raise ValueError(
                f"{self.name!r} draws friction as a factor or as a coefficient, not as both"
            )
        self.links = as_patterns(links)
        self.per_link = per_link
        self._physics()

    def draw(self, rng: Generator, world: int) -> dict[str, dict[str, Any]]:
        """Draws factors, coefficients and offsets.

        Returns:
            Factors and values by property and link.

        Raises:
            UnknownEntityError: The model does not exist.
            ValueError: No link matches the patterns, or a draw is out of range.
        """
        links = links_of(self.world.entities, self.model, self.links)
        values: dict[str, dict[str, Any]] = {}
        count = len(links) if self.per_link else 1
        for name, factors in self.factors.items():
            drawn = factors(rng, (count,))
            fit = np.all(drawn >= 0.0) if name in CAN_BE_ZERO else np.all(drawn > 0.0)
            if not fit:
                sign = ">=" if name in CAN_BE_ZERO else ">"
                raise ValueError(
                    f"factors of {name} must be {sign} 0, {self.name!r} drew "
                    f"{float(drawn.min())}: a log-uniform distribution never gets there"
                )
            every = np.broadcast_to(drawn, (len(links),)).tolist()
            values[name] = dict(zip(links, every, strict=True))
        for value, spread in self.values.items():
            cell = () if value == "friction_coefficient" else (3,)
            drawn = spread(rng, (count, *cell))
            if value == "friction_coefficient" and not (drawn >= 0.0).all():
                raise ValueError(
                    f"coefficients of friction must be >= 0, {self.name!r} drew "
                    f"{float(drawn.min())}"
                )
            every = np.broadcast_to(drawn, (len(links), *cell)).tolist()
            values[value] = dict(zip(links, every, strict=True))
        return values

    def apply(self, values: Sequence[Mapping[str, Any]], worlds: WorldNumbers) -> None:
        """Applies the draws."""
        physics = self._physics()
        for numbers, links, drawn in stacked(values, worlds):
            for name in PHYSICS_PROPERTIES:
                if name in drawn:
                    physics.scale(name, links, drawn[name], numbers)
            if isinstance(physics, PhysicsValues):
                if "friction_coefficient" in drawn:
                    physics.set_friction(links, drawn["friction_coefficient"], numbers)
                if "center_of_mass" in drawn:
                    physics.shift_center_of_mass(links, drawn["center_of_mass"], numbers)

    def _physics(self) -> PhysicsProperties:
        simulator = self.world.simulator
        if simulator.physics is None:
            raise UnsupportedError(
                f"{type(simulator).__name__} cannot scale physics: its `physics` is None"
            )
        if self.values and not isinstance(simulator.physics, PhysicsValues):
            raise UnsupportedError(
                f"{type(simulator).__name__} cannot set {' or '.join(self.values)}: it scales "
                f"{', '.join(PHYSICS_PROPERTIES)}"
            )
        return simulator.physics


class JointRandomizer(AbstractRandomizer):
    """Randomizer that scales gains and limits of the servos of a model's joints, by name.

    It draws factors of the values that the joints have when the randomizer is constructed, usually
    those of a robot's configuration. A reset of the world restores these.

    Example::

        legs = JointRandomizer("dog", stiffness=("uniform", 0.8, 1.2), joints="*_hip", world=world)
        legs.randomize()

    The model must have such joints:

    >>> world = World(TableSimulator())
    >>> world.spawn(TableModel(), "ball", Pose())
    >>> JointRandomizer("ball", stiffness=0.5, joints="*_hip", world=world)
    Traceback (most recent call last):
    ValueError: no joint of model 'ball' matches ['*_hip']; it has none

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
            for column, spec in zip(_GAINS, given, strict=True)
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
                f"{', '.join(own) or 'none'}"
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
