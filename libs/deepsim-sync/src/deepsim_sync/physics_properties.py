# SPDX-License-Identifier: Apache-2.0
"""The optional capability to change how heavy, how slippery and how damped links are."""

from __future__ import annotations

from typing import Iterable, Literal, Protocol, get_args, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

PhysicsProperty = Literal["mass", "friction", "damping"]
"""``mass``: mass and inertia of a link, its centre of mass stays. ``friction``: the coefficients
of all its collisions. ``damping``: that of the joint that holds it to the link above."""

PHYSICS_PROPERTIES: tuple[PhysicsProperty, ...] = get_args(PhysicsProperty)


@runtime_checkable
class PhysicsProperties(Protocol):
    """A simulator whose physics can be scaled; ask by ``isinstance(simulator, ...)``.

    Properties are factors of what the model's description says: 1 is as described, whatever the
    model's size and units. The factors of a link are 1 when it is spawned and after each reset of
    the simulator; models that come and go leave those of all others alone.
    """

    def physics_factors(self, name: PhysicsProperty) -> NDArray[np.float64]:
        """The factors of one property, (n,) in the order of the link rows, a new array.

        Raises:
            ValueError: There is no such property.
        """
        ...

    def scale_physics(
        self, name: PhysicsProperty, links: Iterable[str], factors: ArrayLike
    ) -> None:
        """Sets the factors of one property, at once and without time passing.

        Args:
            name: The property.
            links: Names of the k links, ``model::link``.
            factors: One for all, or (k,), each > 0 and finite. Not multiplied with earlier ones.

        Raises:
            ValueError: There is no such property, or a factor is not fit; nothing was changed.
            UnknownEntityError: No link has the name; nothing was changed.
        """
        ...
