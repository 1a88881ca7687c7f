# SPDX-License-Identifier: Apache-2.0
"""The names of controllers in configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from deepsim_sync import UnknownEntityError

from .controller import Controller, settings
from .joint_position import JointDeltaPosition, JointPosition
from .joint_rates import JointEffort, JointVelocity
from .planar_base import PlanarBase

CONTROLLERS: Mapping[str, Callable[..., Controller]] = {
    "pd_joint_pos": JointPosition,
    "pd_joint_delta_pos": JointDeltaPosition,
    "pd_joint_target_delta_pos": partial(JointDeltaPosition, of="target"),
    "pd_joint_vel": JointVelocity,
    "joint_effort": JointEffort,
    "pd_base_vel": PlanarBase,
}


def controller_of(given: Controller | str | Mapping[str, Any]) -> Controller:
    """Returns a controller from its name, or from a mapping with ``type`` and settings.

    Raises:
        UnknownEntityError: There is no such controller, or it has no such setting.
    """
    if isinstance(given, Controller):
        return given
    own = {"type": given} if isinstance(given, str) else dict(given)
    name = str(own.pop("type", None))
    if name not in CONTROLLERS:
        raise UnknownEntityError("controller", name, CONTROLLERS)
    controller = CONTROLLERS[name]()
    known = settings(controller)
    for setting in own:
        if setting not in known:
            raise UnknownEntityError(f"setting of {type(controller).__name__}", setting, known)
    return replace(controller, **own)
