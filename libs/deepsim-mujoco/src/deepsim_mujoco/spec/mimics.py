# SPDX-License-Identifier: Apache-2.0
"""Axes that follow others, as constraints between MuJoCo's joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from deepsim_mujoco.engine import mujoco
from deepsim_sync import SCOPE, SpawnError

from .axes import Axis
from .loops import STIFFEST


class Follower(NamedTuple):
    """An axis whose position is ``multiplier * leader + offset``."""

    name: str
    leader: str
    """An axis that follows none itself."""
    multiplier: float
    offset: float


def followers(axes: Mapping[str, Axis]) -> Iterator[Follower]:
    """Finds the axes of a model that follow others.

    Raises:
        SpawnError: There is no axis to follow, or some follow one another in a circle.
    """
    for axis in axes.values():
        multiplier, offset, now = 1.0, 0.0, axis
        seen = [now.name]
        while now.leader:
            mimic = now.description.mimic
            assert mimic is not None
            offset += multiplier * mimic.offset
            multiplier *= mimic.multiplier
            if now.leader not in axes or axes[now.leader].ball or now.leader in seen:
                problem = "follow one another in a circle" if now.leader in seen else "has no axis"
                model, _, joint = axis.name.partition(SCOPE)
                raise SpawnError(model, f"joint {joint!r} mimics {mimic.joint!r}: it {problem}")
            now = axes[now.leader]
            seen.append(now.name)
        if now is not axis:
            yield Follower(axis.name, now.name, multiplier, offset)


def add_mimic(spec: mujoco.MjSpec, follower: Follower) -> mujoco.MjsEquality:
    """Adds the constraint that lets an axis follow."""
    added = spec.add_equality(
        name1=follower.name,
        name2=follower.leader,
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        type=mujoco.mjtEq.mjEQ_JOINT,
        solref=[STIFFEST, 1.0],
    )
    numbers = np.zeros_like(added.data)
    numbers[:2] = follower.offset, follower.multiplier
    added.data = numbers
    return added
