# SPDX-License-Identifier: Apache-2.0
"""A compiled model and the rows of its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.spec.builder import Built, Sensor
from deepsim_mujoco.spec.lights import BuiltLight
from deepsim_mujoco.spec.mjcf_actuators import ActuatorRow
from deepsim_mujoco.spec.mjcf_sensors import MjcfSensor
from deepsim_mujoco.spec.sensors import BuiltSensor
from deepsim_mujoco.spec.servos import Axis
from deepsim_mujoco.spec.tree import Node
from deepsim_sync import Entities

from .layout import Layout, Rows


@dataclass(frozen=True)
class Compiled:
    """The parts of a world that only change when models are added or removed.

    Attributes:
        model: MuJoCo's model.
        layout: Numbers of its objects by name, and the order of its states.
        built: The models, in row order.
        entities: Names of all rows.
        links: The links, in row order.
        axes: The joint axes, in row order.
        actuators: Controls in the actuators table, in row order.
        lights: All lights by name.
        cameras: All camera sensors by name.
        sensors: All other sensors of descriptions by name.
        mjcf_sensors: The sensors of MJCF models by name.
        link_bodies: Number of each link's body, (n,).
        body_rows: Rows of the model and of the link of each body, (2, bodies + 1); -1 for none. The
            last column is that of the body number -1.
        axis_joints: Number of each axis's joint, (axes,).
        axis_dofs: Number of each axis's degree of freedom, (axes,).
    """

    model: mujoco.MjModel
    layout: Layout
    built: Sequence[Built]
    entities: Entities
    links: Sequence[Node]
    axes: Sequence[Axis]
    actuators: Sequence[ActuatorRow]
    lights: Mapping[str, BuiltLight]
    cameras: Mapping[str, Sensor]
    sensors: Mapping[str, BuiltSensor]
    mjcf_sensors: Mapping[str, MjcfSensor]
    link_bodies: Rows
    body_rows: Rows
    axis_joints: Rows
    axis_dofs: Rows

    @classmethod
    def of(
        cls,
        model: mujoco.MjModel,
        built: Sequence[Built],
        world_lights: Mapping[str, BuiltLight],
        generation: int,
    ) -> Compiled:
        """Returns the rows of a compiled model; `world_lights` belong to no model."""
        layout = Layout.of(model)
        links, axes = list[Node](), dict[str, Axis]()
        actuators = dict[str, ActuatorRow]()
        lights, cameras = dict(world_lights), dict[str, Sensor]()
        sensors, visuals = dict[str, BuiltSensor](), list[str]()
        mjcf_sensors = dict[str, MjcfSensor]()
        for one in built:
            links += one.links
            visuals += one.visuals
            axes.update(one.axes)
            actuators.update(one.actuators)
            lights.update(one.lights)
            cameras.update(one.cameras)
            sensors.update(one.sensors)
            mjcf_sensors.update(one.mjcf_sensors)
        entities = Entities(
            generation,
            models=[frame.name for one in built for frame in one.frames],
            links=[node.name for node in links],
            joints=axes,
            actuators=actuators,
            visuals=visuals,
            lights=lights,
        )
        link_bodies = np.array([layout.bodies[node.name] for node in links], dtype=np.intp)
        body_rows = np.full((2, model.nbody + 1), -1, dtype=np.intp)
        models = entities.models.rows(node.model for node in links)
        body_rows[:, link_bodies] = models, np.arange(len(links))
        pairs = [(layout.joints[axis.joint], axis.degree) for axis in axes.values()]
        joints, degrees = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        return cls(
            model=model,
            layout=layout,
            built=built,
            entities=entities,
            links=links,
            axes=[*axes.values()],
            actuators=[*actuators.values()],
            lights=lights,
            cameras=cameras,
            sensors=sensors,
            mjcf_sensors=mjcf_sensors,
            link_bodies=link_bodies,
            body_rows=body_rows,
            axis_joints=joints,
            axis_dofs=model.jnt_dofadr[joints] + degrees,
        )
