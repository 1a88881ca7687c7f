# SPDX-License-Identifier: Apache-2.0
"""Physics settings of a world: time steps and contacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from .checks import fraction, not_negative, positive

Integrator = Literal["implicitfast", "implicit", "euler", "rk4"]
Cone = Literal["elliptic", "pyramidal"]


@dataclass(frozen=True, slots=True)
class MujocoOptions:
    """Settings of the embedded engine; Gazebo ignores them.

    Contact times are in steps, so that contacts are equally stable at any step size.

    >>> physics = Physics(mujoco=MujocoOptions(integrator="rk4"))
    >>> WorldDescription("gyroscopes", physics=physics).physics.mujoco.cone
    'elliptic'

    Attributes:
        integrator: ``rk4`` conserves the energy of fast spinning bodies, at four times the cost.
        cone: The friction of a ``pyramidal`` cone depends on the direction, by up to 30 %.
        impratio: Stiffness of friction relative to the normal direction, > 0. Larger values reduce
            creep and take longer to solve.
        contact_steps: Time constant of a contact [steps], >= 2.
        contact_damping: Damping ratio of a contact without restitution, > 0. Larger values reduce
            bouncing and increase penetration.
        contact_impedance: Rigidity of a resting contact, 0..1 exclusive.
    """

    integrator: Integrator = "implicitfast"
    cone: Cone = "elliptic"
    impratio: float = 10.0
    contact_steps: float = 3.0
    contact_damping: float = 1.5
    contact_impedance: float = 0.99

    def __post_init__(self) -> None:
        for name, choices in (("integrator", get_args(Integrator)), ("cone", get_args(Cone))):
            if getattr(self, name) not in choices:
                raise ValueError(
                    f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}"
                )
        positive("impratio", self.impratio)
        positive("contact_damping", self.contact_damping)
        if not self.contact_steps >= 2.0:
            raise ValueError(f"contact_steps must be >= 2, got {self.contact_steps:g}")
        positive("contact_steps", self.contact_steps)
        fraction("contact_impedance", self.contact_impedance)
        if self.contact_impedance in (0.0, 1.0):
            raise ValueError(f"contact_impedance must not be {self.contact_impedance:g}")


@dataclass(frozen=True, slots=True)
class Physics:
    """Time steps of a world.

    >>> WorldDescription("slow", physics=Physics(max_step_size=0.002)).physics.max_step_size
    0.002

    Attributes:
        max_step_size: Duration of one physics step [s], > 0.
        real_time_factor: Target ratio of simulated to real time of a free-running engine; 0 runs
            as fast as possible.
        mujoco: Settings of the embedded engine.
    """

    max_step_size: float = 0.001
    real_time_factor: float = 1.0
    mujoco: MujocoOptions = field(default_factory=MujocoOptions)

    def __post_init__(self) -> None:
        positive("physics max_step_size [s]", self.max_step_size)
        not_negative("physics real_time_factor", self.real_time_factor)
