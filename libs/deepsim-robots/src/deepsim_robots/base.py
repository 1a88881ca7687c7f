# SPDX-License-Identifier: Apache-2.0
"""Fixes the base of a robot to the world, or frees it."""

from __future__ import annotations

from dataclasses import replace

from deepsim_spawn import JointDescription, MjcfModel, ModelDescription
from deepsim_sync import UnsupportedError

_WORLD = "world"
_JOINT = "fixed_base"


def with_base(
    description: ModelDescription | MjcfModel, fixed: bool | None
) -> ModelDescription | MjcfModel:
    """Returns a description with a fixed or free base; None leaves the base as it is.

    Raises:
        UnsupportedError: The description is MJCF; there, the file determines the kind of base.
    """
    if fixed is None:
        return description
    if isinstance(description, MjcfModel):
        raise UnsupportedError("fixed_base is not for MJCF: its file has a free joint, or none")
    bound = [joint for joint in description.joints if joint.parent == _WORLD]
    if fixed:
        if bound or not description.canonical_link:
            return description
        joint = JointDescription(_JOINT, "fixed", _WORLD, description.canonical_link)
        return replace(description, joints=(*description.joints, joint))
    free = tuple(
        joint for joint in description.joints if joint not in bound or joint.type != "fixed"
    )
    return replace(description, joints=free)
