# SPDX-License-Identifier: Apache-2.0
"""Bases without mass, which no engine could move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .description import JointDescription, ModelDescription
from .description.names import WORLD
from .xml import Element

FIXED = "fixed_to_world"
"""Name of the joint that holds a base."""


def fix_massless_bases(model: ModelDescription, element: Element) -> ModelDescription:
    """Returns a model whose massless bases are fixed to the world, as by Bullet, with a warning.

    A base is what no joint moves: a link, with all that is fixed to it. A model of which nothing
    moves becomes static.

    Args:
        model: As its file says.
        element: Where it stands.
    """
    if element.document.load.strict or model.static or model.models:
        return model
    bases = list(_massless_bases(model))
    if not bases:
        return model
    element.warn(f"{bases[0]!r} has no mass", "a base without mass is fixed to the world")
    if len(bases) == 1 and all(joint.type == "fixed" for joint in model.joints):
        return replace(model, static=True)
    names = {joint.name for joint in model.joints}
    joints = []
    for base in bases:
        name = FIXED if FIXED not in names else f"{FIXED}_{base}"
        names.add(name)
        joints.append(JointDescription(name, "fixed", WORLD, base))
    return replace(model, joints=(*model.joints, *joints))


def _massless_bases(model: ModelDescription) -> Iterator[str]:
    """Yields the first link of each base without mass."""
    held = {joint.child: joint for joint in model.joints}
    fixed: dict[str, list[str]] = {}
    for joint in model.joints:
        if joint.type == "fixed":
            fixed.setdefault(joint.parent, []).append(joint.child)
    links = {link.name: link for link in model.links}
    for name in links:
        if name in held:
            continue
        group = [name]
        for part in group:
            group += fixed.get(part, [])
        if not any(links[part].inertial or links[part].kinematic for part in group):
            yield name
