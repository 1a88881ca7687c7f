# SPDX-License-Identifier: Apache-2.0
"""Executes commands that arrive as messages of Gazebo 1.0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deepsim_spawn import GazeboXMLLoader, JointDescription, LinkDescription, ModelDescription
from deepsim_sync import (
    SCOPE,
    Cells,
    Changes,
    DeepSimError,
    Kind,
    PhysicsProperties,
    Simulator,
    SpawnRequest,
    UnsupportedError,
    WriteRefusedError,
    checked_requests,
)
from deepsim_sync.port.tables import column_of
from deepsim_transport.messages import (
    Answer,
    EntityProp,
    EntityState,
    InsertEntity,
    JointProp,
    JointState,
    Point,
    Pose,
    decode,
    encode,
)

from .driver import Driver
from .models import plain_text


def answered(kind: type[Any], act: Callable[[Any], None], payload: bytes) -> bytes:
    """Executes a command; returns an encoded `Answer`, even if the command raises an error.

    Args:
        kind: The message class.
        act: The function that executes the decoded message.
        payload: The encoded message.

    Raises:
        MessageError: The bytes are not a message of that class.
    """
    message = decode(kind, payload)
    try:
        act(message)
    except (DeepSimError, ValueError, TypeError) as error:
        return encode(Answer(False, str(error)))
    except Exception as error:  # a bug: its text alone may not explain it
        return encode(Answer(False, f"{type(error).__name__}: {error}"))
    return encode(Answer(True))


class Commands:
    """Executes commands in all worlds of a simulator.

    Args:
        driver: Writes rows of the simulator to change, and holds wrenches.
        loader: Reads the models that commands insert.

    Attributes:
        topics: The functions that execute encoded messages and return encoded answers, by topic.
    """

    def __init__(self, driver: Driver, loader: GazeboXMLLoader) -> None:
        self._simulator, self._driver, self._loader = driver.simulator, driver, loader
        self.topics: dict[str, Callable[[bytes], bytes]] = {
            "set_entity_state": lambda payload: answered(EntityState, self._set_entity, payload),
            "set_joint_state": lambda payload: answered(JointState, self._set_joint, payload),
            "set_entity_prop": lambda payload: answered(EntityProp, self._scale, payload),
            "set_joint_property": lambda payload: answered(JointProp, self._scale_joint, payload),
            "insert_entity": lambda payload: answered(InsertEntity, self._insert, payload),
        }

    def _set_entity(self, state: EntityState) -> None:
        name, links = state.entity_name, self._simulator.entities.links
        linear, angular = state.twist.linear_velocity, state.twist.euler_angle_velocity
        twist = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        force, torque = state.wrench.force, state.wrench.torque
        wrench = np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
        if not np.isfinite(wrench).all():
            raise ValueError(f"the wrench of {name!r} must be finite, got {wrench.tolist()}")
        kind: Kind = "links" if name in links else "models"
        self._put(kind, name, pose=_row(state.pose), twist=twist)
        first = name if kind == "links" else next(iter(links.within(name)), None)
        if first is not None:
            self._driver.hold(first, wrench)
        elif wrench.any():
            raise ValueError(f"{name!r} has no link on which a wrench could act")

    def _set_joint(self, state: JointState) -> None:
        name = state.joint_name
        given = {
            "position": state.angle, "velocity": state.velocity, "feedforward": state.effort
        }  # fmt: skip
        counts = {len(values) for values in given.values() if values}
        if len(counts) != 1:
            raise ValueError(
                f"joint {name!r} gets as many angles as velocities and efforts, or none of them, "
                f"got {[len(values) for values in given.values()]}"
            )
        for index in range(counts.pop()):
            axis = f"{name}{SCOPE}{index + 1}" if index else name
            columns = {column: values[index] for column, values in given.items() if values}
            self._put("joints", axis, **columns)

    def _scale(self, asked: EntityProp) -> None:
        name, simulator = asked.entity_name, self._simulator
        kilograms, coefficient = asked.mass.mass, asked.friction_coefficient
        _require_not_negative(name, mass=kilograms, friction_coefficient=coefficient)
        links = described_links(simulator, name)
        if asked.velocity_damping:
            raise UnsupportedError(
                f"velocity_damping of {name!r}: only joints have damping, by set_joint_property"
            )
        if asked.mass.inertia:
            raise UnsupportedError(
                f"inertia of {name!r}: moments of inertia only grow in proportion to the mass"
            )
        physics = properties(simulator)
        # All factors are computed before any is set: a command succeeds as a whole or not at all.
        mass = mass_factor(name, kilograms, links) if kilograms else None
        friction = friction_factors(name, coefficient, links) if coefficient else {}
        if mass is not None:
            physics.scale("mass", links, mass)
        if friction:
            physics.scale("friction", friction, [*friction.values()])

    def _scale_joint(self, asked: JointProp) -> None:
        name, simulator = asked.joint_name, self._simulator
        _require_not_negative(name, damping=asked.damping, max_force=asked.max_force)
        joint, link = described_joint(simulator, name)
        if asked.offset != Point() or asked.lower_limits or asked.upper_limits:
            raise UnsupportedError(f"offset and limits of {name!r} stay as they are described")
        if asked.damping:
            physics = properties(simulator)
            factor = damping_factor(name, asked.damping, joint)
        if asked.max_force:
            for axis in (name, f"{name}::2"):
                if axis in simulator.entities.joints:
                    self._put("joints", axis, effort_limit=asked.max_force)
        if asked.damping:
            physics.scale("damping", [link], factor)

    def _insert(self, entity: InsertEntity) -> None:
        simulator, description = self._simulator, self._loader.load_model(plain_text(entity.sdf))
        request = SpawnRequest(description, entity.entity_name, _row(entity.pose))
        taken = simulator.entities.models
        simulator.spawn(checked_requests([request], simulator.worlds, taken))

    def _put(self, kind: Kind, name: str, **columns: ArrayLike) -> None:
        """Sets columns of one row in all worlds.

        Raises:
            UnknownEntityError: The name is unknown.
            ValueError: A value does not fit into its column.
            WriteRefusedError: The simulator refuses the row.
        """
        entities, worlds = self._simulator.entities, np.arange(self._simulator.worlds)
        names = entities.names(kind)
        row = names.rows([name])
        cells = {}
        for column, value in columns.items():
            cell = np.asarray(value, np.float64)
            checked = column_of(kind, column).checked(names, row, cell[None], len(worlds))
            values = np.broadcast_to(checked, (len(worlds), 1, *cell.shape))[:, 0]
            cells[kind, column] = Cells(worlds, np.repeat(row, len(worlds)), values.copy())
        refused = self._driver.write(Changes(entities.generation, cells))
        if refused:
            raise WriteRefusedError(refused)


def _require_not_negative(name: str, **values: float) -> None:
    for key, value in values.items():
        if not (isfinite(value) and value >= 0.0):
            raise ValueError(f"{key} of {name!r} must be finite and >= 0, got {value}")


def _row(pose: Pose) -> list[float]:
    place, turn = pose.position, pose.orientation
    return [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.u]


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
