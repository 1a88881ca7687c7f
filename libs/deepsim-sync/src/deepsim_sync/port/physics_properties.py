# SPDX-License-Identifier: Apache-2.0
"""The capability to scale mass, weight, friction and damping of links, world by world."""

from __future__ import annotations

from typing import Iterable, Literal, Protocol, Sequence, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

PhysicsProperty = Literal["mass", "gravity", "friction", "damping", "joint_friction", "armature"]
"""``mass``: mass and inertia of a link; its centre of mass stays. ``gravity``: the pull of gravity
on it. ``friction``: the coefficients of all its collisions. ``damping``, ``joint_friction`` and
``armature``: those of the joint that connects it to the link above."""

PHYSICS_PROPERTIES: tuple[PhysicsProperty, ...] = get_args(PhysicsProperty)
"""All values of `PhysicsProperty`."""

CAN_BE_ZERO: frozenset[PhysicsProperty] = frozenset(("gravity", "joint_friction"))
"""The properties whose factor may be 0."""


class PhysicsProperties(Protocol):
    """Scales physics properties.

    Example::

        simulator.physics.scale("mass", ["robot::base"], 1.2)

    Properties are factors of the values in the model's description: 1 is as described, whatever
    the model's size and units. The factors of a link are 1 when it is spawned and after each reset
    of its world; models that come and go do not change those of other models.
    """

    def factors(self, name: PhysicsProperty) -> NDArray[np.float64]:
        """Returns the factors of one property, (W, n) by link rows; a new array."""
        ...

    def scale(
        self,
        name: PhysicsProperty,
        links: Iterable[str],
        factors: ArrayLike,
        worlds: NDArray[np.intp] | None = None,
    ) -> None:
        """Sets the factors of one property; no simulated time passes.

        Args:
            name: The property.
            links: Names of the k links, ``model::link``.
            factors: Of a shape that broadcasts to (w, k); each finite and > 0, or 0 for gravity
                and joint_friction. They replace earlier factors.
            worlds: The w worlds; all of them by default.

        Raises:
            ValueError: The property is unknown, or a factor is not fit; nothing was changed.
            UnknownEntityError: No link has the name; nothing was changed.
        """
        ...


def check_property(name: str) -> None:
    """Refuses an unknown property."""
    if name not in PHYSICS_PROPERTIES:
        known = ", ".join(PHYSICS_PROPERTIES)
        raise ValueError(f"there is no physics property {name!r}; there are {known}")


def checked_factors(
    name: PhysicsProperty, links: Sequence[str], factors: ArrayLike, worlds: int
) -> NDArray[np.float64]:
    """Returns factors of one property as users give them, (w, k).

    Args:
        name: The property.
        links: The k links.
        factors: Of a shape that broadcasts to (w, k).
        worlds: The number of chosen worlds, w.

    Raises:
        ValueError: A factor is not fit, see `PhysicsProperties.scale`.
    """
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
