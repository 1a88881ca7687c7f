# SPDX-License-Identifier: Apache-2.0
"""Converts absolute properties to factors relative to a model's description."""

from __future__ import annotations

from collections.abc import Iterator

from deepsim_spawn import JointDescription, LinkDescription, ModelDescription
from deepsim_sync import SCOPE, PhysicsProperties, Simulator, UnsupportedError


def described_links(simulator: Simulator, entity: str) -> dict[str, LinkDescription]:
    """Returns the description of a link, or of all links of a model, by ``model::link``.

    Raises:
        UnknownEntityError: No model or link has the name.
        UnsupportedError: The model was not made from a description of links.
    """
    entities = simulator.entities
    links = {
        f"{name}{SCOPE}{inner}": link
        for name, model in _models(simulator)
        for inner, link, _ in model.all_links()
    }
    if entity in entities.links:
        chosen: tuple[str, ...] = (entity,)
    else:
        entities.models.row(entity)  # its error lists the known names
        chosen = entities.links.within(entity)
    if not chosen or not all(name in links for name in chosen):
        raise UnsupportedError(f"{entity!r} has no description of links that could be scaled")
    return {name: links[name] for name in chosen}


def described_joint(simulator: Simulator, joint: str) -> tuple[JointDescription, str]:
    """Returns the description of a joint, and its child link as ``model::link``.

    Raises:
        UnknownEntityError: No joint has the name.
        UnsupportedError: The model was not made from a description of joints.
    """
    simulator.entities.joints.row(joint)
    for name, model in _models(simulator):
        for each in model.all_joints():
            if f"{name}{SCOPE}{each.name}" == joint:
                return each, f"{name}{SCOPE}{each.child}"
    raise UnsupportedError(f"{joint!r} has no description that could be scaled")


def mass_factor(entity: str, mass: float, links: dict[str, LinkDescription]) -> float:
    """Returns the factor for the masses of all links that makes their sum equal `mass` [kg].

    Raises:
        UnsupportedError: The links are described without a mass.
    """
    total = sum(0.0 if each.inertial is None else each.inertial.mass for each in links.values())
    if not total > 0.0:
        raise UnsupportedError(f"{entity!r} is described without a mass that could be scaled")
    return mass / total


def friction_factors(
    entity: str, coefficient: float, links: dict[str, LinkDescription]
) -> dict[str, float]:
    """Returns, for each link with collisions, the factor that makes its friction `coefficient`.

    Raises:
        UnsupportedError: The collisions of a link have different friction coefficients, one of
            them has a coefficient of 0, or there are no collisions.
    """
    factors: dict[str, float] = {}
    for name, link in links.items():
        described = {each.surface.mu for each in link.collisions}
        if len(described) > 1 or 0.0 in described:
            raise UnsupportedError(
                f"the collisions of {name!r} are described with friction {sorted(described)}: one "
                "factor cannot make all of them what is asked"
            )
        if described:
            factors[name] = coefficient / described.pop()
    if not factors:
        raise UnsupportedError(f"{entity!r} has no collisions, to which friction belongs")
    return factors


def damping_factor(name: str, damping: float, joint: JointDescription) -> float:
    """Returns the factor that makes the damping of all axes of a joint equal `damping`.

    Raises:
        UnsupportedError: The axes are described with different damping values, or with 0.
    """
    described = {axis.damping for axis in (joint.axis, joint.axis2) if axis is not None}
    if len(described) != 1 or 0.0 in described:
        raise UnsupportedError(
            f"the axes of {name!r} are described with damping {sorted(described)}: one factor "
            "cannot make it what is asked"
        )
    return damping / described.pop()


def properties(simulator: Simulator) -> PhysicsProperties:
    """Returns the simulator's capability to change physics properties.

    Raises:
        UnsupportedError: The simulator does not have this capability.
    """
    if simulator.physics is None:
        raise UnsupportedError("this simulator cannot change physics properties")
    return simulator.physics


def _models(simulator: Simulator) -> Iterator[tuple[str, ModelDescription]]:
    for name, model in simulator.descriptions.models.items():
        if isinstance(model, ModelDescription):
            yield name, model
