# SPDX-License-Identifier: Apache-2.0
"""Capability: changing the mass, weight, friction and damping of links in each world."""

from __future__ import annotations

from typing import Iterable, Literal, Protocol, Sequence, get_args, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

PhysicsProperty = Literal["mass", "gravity", "friction", "damping", "joint_friction", "armature"]
"""A property of a link: ``mass`` scales its mass and inertia, ``gravity`` its weight, ``friction``
the coefficients of all its collisions. ``damping``, ``joint_friction`` and ``armature`` belong to
the joint that connects the link to its parent."""

PHYSICS_PROPERTIES: tuple[PhysicsProperty, ...] = get_args(PhysicsProperty)
"""All values of `PhysicsProperty`."""

CAN_BE_ZERO: frozenset[PhysicsProperty] = frozenset(("gravity", "joint_friction"))
"""The properties that may be scaled to 0."""


class PhysicsProperties(Protocol):
    """Capability of scaling physics properties of links.

    Example::

        simulator.physics.scale("mass", ["robot::base"], 1.2)

    Factors multiply the values in the model's description. All factors of a link are 1 when it is
    spawned and after each reset of its world; spawning and deleting other models keeps them.
    """

    def factors(self, name: PhysicsProperty) -> NDArray[np.float64]:
        """Returns the factors of one property by link row, (W, n), as a new array."""
        ...

    def scale(
        self,
        name: PhysicsProperty,
        links: Iterable[str],
        factors: ArrayLike,
        worlds: NDArray[np.intp] | None = None,
    ) -> None:
        """Sets the factors of one property, replacing earlier ones.

        Args:
            name: The property.
            links: Names of the k links, ``model::link``.
            factors: Factors of a shape that broadcasts to (w, k), each finite and > 0; those of
                gravity and joint_friction may be 0.
            worlds: Numbers of the w worlds; all by default.

        Raises:
            ValueError: The property is unknown or a factor invalid; nothing was changed.
            UnknownEntityError: No link has the name; nothing was changed.
        """
        ...


@runtime_checkable
class PhysicsValues(PhysicsProperties, Protocol):
    """Capability `PhysicsProperties` that also sets friction and centers of mass as values.

    Example::

        simulator.physics.set_friction(["robot::foot"], 0.6)

    The values of a link are those of its description when it is spawned and after each reset of
    its world.
    """

    def set_friction(
        self,
        links: Iterable[str],
        coefficients: ArrayLike,
        worlds: NDArray[np.intp] | None = None,
    ) -> None:
        """Sets the friction coefficient of all collisions of links.

        Factors of friction do not apply to these links then.

        Args:
            links: Names of the k links, ``model::link``.
            coefficients: Coefficients of a shape that broadcasts to (w, k), each finite and >= 0.
            worlds: Numbers of the w worlds; all by default.

        Raises:
            ValueError: A coefficient is invalid; nothing was changed.
            UnknownEntityError: No link has the name; nothing was changed.
        """
        ...

    def shift_center_of_mass(
        self,
        links: Iterable[str],
        offsets: ArrayLike,
        worlds: NDArray[np.intp] | None = None,
    ) -> None:
        """Moves centers of mass away from where the description has them.

        The inertia about the center of mass stays the same.

        Args:
            links: Names of the k links, ``model::link``.
            offsets: Offsets in the frames of the links, of a shape that broadcasts to (w, k, 3)
                [m].
            worlds: Numbers of the w worlds; all by default.

        Raises:
            ValueError: An offset is invalid, or the engine cannot move the center of mass of a
                link; nothing was changed.
            UnknownEntityError: No link has the name; nothing was changed.
        """
        ...


def check_property(name: str) -> None:
    """Raises ValueError if `name` is not a `PhysicsProperty`."""
    if name not in PHYSICS_PROPERTIES:
        known = ", ".join(PHYSICS_PROPERTIES)
        raise ValueError(f"unknown physics property {name!r}; known: {known}")


def checked_factors(
    name: PhysicsProperty, links: Sequence[str], factors: ArrayLike, worlds: int
) -> NDArray[np.float64]:
    """Validates arguments of `PhysicsProperties.scale`, and returns the factors as (w, k).

    Raises:
        ValueError: The property is unknown, or a factor is invalid.
    """
    check_property(name)
    try:
        values = np.broadcast_to(np.asarray(factors, dtype=np.float64), (worlds, len(links)))
        least = values >= 0.0 if name in CAN_BE_ZERO else values > 0.0
        fit = bool((np.isfinite(values) & least).all())
    except (TypeError, ValueError):
        fit = False
    if not fit:
        raise ValueError(
            f"factors of {name} of {list(links)} must be finite numbers "
            f"{'>=' if name in CAN_BE_ZERO else '>'} 0, one, or one for each link, or one for "
            f"each link in each of {worlds} worlds, got {factors!r}"
        )
    return values
