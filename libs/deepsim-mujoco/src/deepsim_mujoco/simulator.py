# SPDX-License-Identifier: Apache-2.0
"""The embedded simulator."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn import GazeboXMLLoader, MjcfModel, WorldDescription
from deepsim_sync import (
    ALL_COLUMNS,
    SCOPE,
    Cells,
    Changes,
    DeepSimError,
    Descriptions,
    Entities,
    Key,
    Refusal,
    Seeds,
    SpawnRequest,
    Tables,
    WorldNumbers,
    checked_requests,
)

from .capabilities.appearance import Appearance
from .capabilities.dynamics import MujocoDynamics
from .capabilities.physics_factors import LinkContacts, PhysicsFactors
from .capabilities.pictures import Pictures, SensorMounts
from .capabilities.sensors import MujocoSensors
from .capabilities.snapshots import MujocoSnapshots
from .imports import BatchError, mujoco
from .spec.builder import Built
from .spec.mjcf_looks import mjcf_looks
from .spec.mujoco_spec import MujocoSpec
from .state.actuators import Actuators
from .state.batches import Engine
from .state.compiled import Compiled
from .state.joints import Joints
from .state.link_forces import LinkForces
from .state.motion import STATE_KINDS, Motion
from .state.servos import Servos
from .state.single_world import SingleWorld
from .state.world_states import MujocoEngine, WorldStates

if TYPE_CHECKING:
    from typing_extensions import Self


class MujocoSimulator:
    """A simulator of W worlds with the same models on MuJoCo, in this process.

    World w has the same bits for any number of worlds and threads.

    >>> from deepsim_spawn import GazeboXMLLoader
    >>> ball = GazeboXMLLoader().load_model(
    ...     "<sdf version='1.7'><model name='ball'><link name='link'><inertial><mass>1</mass>"
    ...     "</inertial></link></model></sdf>")
    >>> simulator = MujocoSimulator(worlds=2)
    >>> simulator.spawn([SpawnRequest(ball, "ball", (0, 0, 5, 0, 0, 0, 1))])
    >>> simulator.step(1000)
    ()
    >>> simulator.time  # [s]
    array([1., 1.])

    Args:
        world: Models, lights, gravity and step size; by default an empty world with gravity and
            steps of 1 ms.
        worlds: Number of worlds, W.
        threads: Number of threads that step them, at most one per world; by default one per
            processor.
        engine: Steps the worlds in the place of MuJoCo, which has threads of its own or none.

    Attributes:
        worlds: Number of worlds, W.
        entities: Names of all entities.
        timestep: Duration of one physics step [s].
        cameras: Takes pictures of any world.
        depth_cameras: Measures depths, models and links in pictures of any world.
        camera_mounts: Moves camera sensors and changes their lenses.
        contacts: Reads the points where links touch.
        dynamics: Computes Jacobians and bias forces.
        sensors: Reads inertial units, force-torque sensors, contact sensors, lidars, cameras, and
            sensors of MJCF models.
        physics: Scales mass, friction and damping of links.
        snapshots: Saves and restores the physics.

    Raises:
        SpawnError: A model of the world cannot be built.
        DeepSimError: MuJoCo refuses the world as a whole.
    """

    def __init__(
        self,
        world: WorldDescription | None = None,
        *,
        worlds: int = 1,
        threads: int | None = None,
        engine: Engine | None = None,
    ) -> None:
        described = world if world is not None else WorldDescription()
        if not isinstance(described, WorldDescription):
            raise TypeError(
                f"world must be a WorldDescription, got {world!r}: "
                "for a file, use MujocoSimulator.from_file"
            )
        if worlds < 1:
            raise ValueError(f"worlds must be at least 1, got {worlds}")
        self.worlds = worlds
        steps = MujocoEngine(threads) if engine is None else engine
        self._spec = MujocoSpec(described, steps.check)
        self._states = WorldStates(worlds, steps)
        self._appearance = Appearance(worlds)
        self._servos = Servos(self._states)
        self._joints = Joints(self._states, self._servos)
        self._actuators = Actuators(self._states, self._servos)
        self._has_actuators = False
        self._forces = LinkForces(self._states)
        single = SingleWorld(self._states)
        self.dynamics = MujocoDynamics(self._states, single)
        self.physics = PhysicsFactors(self._states)
        self.camera_mounts = SensorMounts(self._states)
        self.contacts = LinkContacts(self._states, self.physics)
        self.cameras = Pictures(single, self._appearance, self.camera_mounts)
        self.sensors = MujocoSensors(self._states, single, self.cameras, self._joints, self._servos)
        self.depth_cameras = self.cameras
        self.snapshots = MujocoSnapshots(
            self._states,
            self._joints,
            self._actuators,
            self._servos,
            self.physics,
            self.camera_mounts,
            self.sensors,
        )
        self.entities = Entities(0)
        self._add([SpawnRequest(model, model.name, model.pose) for model in described.models])

    @classmethod
    def from_file(cls, path: str | Path, **options: Any) -> Self:
        """Creates a simulator from an SDF world file; other arguments are those of the constructor.

        Raises:
            ModelFormatError: The file is malformed.
            SpawnError: A model of the world cannot be built.
        """
        return cls(GazeboXMLLoader().load_world(path), **options)

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of the present models and lights, and the gravity."""
        built = self._spec.models
        models = {one.name: one.description for one in built}
        looks = {
            one.name: mjcf_looks(one, self._states.model)
            for one in built
            if isinstance(one.description, MjcfModel)
        }
        lights = {name: light.description for name, light in self._spec.lights.items()}
        controls = {one.name: tuple(one.controls) for one in built if one.controls}
        gravity = tuple(self._states.model.opt.gravity.tolist())
        return Descriptions(models, lights, looks, controls, gravity)

    # Time

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time, (W,) [s]: steps times step size, without accumulated rounding.

        It is the same read-only array until a world steps.
        """
        return self._states.time

    def step(
        self, n: int = 1, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Applies a batch like `write`, then advances by n >= 1 steps unless a row was refused."""
        if n < 1:
            raise ValueError(f"a world advances by n >= 1 steps, got {n}")
        refusals = () if changes is None else self.write(changes)
        if refusals:
            return refusals
        if not self.physics.is_settled:
            self.physics.settle()
        states = self._states
        if worlds is None:
            states.steps = states.steps + n  # adding in place would take twice as long
        else:
            states.steps = states.steps.copy()
            states.steps[worlds] += n
        states.version += 1
        try:
            if states.measure is None:
                self._servos.step(n, worlds)
            else:
                states.measure(n, worlds)
        except BatchError as error:
            states.refuse(error.ids, str(error))
        finally:
            if states.pushed:
                states.let_go(worlds)
        # MuJoCo counts its warnings; comparing bytes takes a tenth of the time of `any`.
        if states.warnings.tobytes() != states.known_warnings:
            states.refuse_warned(worlds)
        return ()

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Resets some worlds to time 0; MuJoCo has no random numbers, so seeds have no effect."""
        self.physics.reset(worlds)
        self.camera_mounts.reset(worlds)
        self._states.reset(slice(None) if worlds is None else worlds)
        self._joints.reset(worlds)
        self._actuators.reset(worlds)
        self.sensors.reset(worlds)

    # Rows

    def read(self, tables: Tables, columns: Collection[Key] = ALL_COLUMNS) -> None:
        """Fills columns of the tables, with all values taken at the current instant."""
        if not self.physics.is_settled:
            self.physics.settle()
        for key in columns:
            kind, column = key
            if kind == "joints":
                self._joints.read(column, tables.columns[key])
            elif kind == "actuators":
                self._actuators.read(column, tables.columns[key])
            elif column in LinkForces.COLUMNS:
                self._forces.read(column, tables.columns[key])
            elif kind == "models" or kind == "links":
                self._motion.read(kind, column, tables.columns[key])
            else:
                self._appearance.read(tables, key)

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies a batch: models before links, poses before twists; returns refused rows."""
        if changes.generation != self.entities.generation:
            raise ValueError(
                f"changes are for generation {changes.generation} of the entities, but the present "
                f"one is {self.entities.generation}: look the rows up again"
            )
        refusals: list[Refusal] = []
        cells = changes.cells
        moved: dict[Key, Cells] = {}
        joints: dict[str, Cells] = {}
        actuators: dict[str, Cells] = {}
        forces: dict[str, Cells] = {}
        for key, value in cells.items():
            kind, column = key
            if kind == "joints":
                joints[column] = value
            elif kind == "actuators":
                actuators[column] = value
            elif column in LinkForces.COLUMNS:
                forces[column] = value
            elif kind == "models" or kind == "links":
                moved[key] = value
            else:
                self._appearance.write(key, value)
        if moved:
            for kind in STATE_KINDS:
                pose, twist = moved.get((kind, "pose")), moved.get((kind, "twist"))
                if pose is not None or twist is not None:
                    refusals += self._motion.write(kind, pose, twist)
        if joints:
            self._joints.write(joints)
        if actuators:
            self._actuators.write(actuators)
        if forces:
            refusals += self._forces.write(forces)
        return refusals

    # Entities

    def spawn(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds models to every world, all or none, in one compilation; others keep every bit."""
        if requests:
            self._add(requests)

    def _add(self, requests: Sequence[SpawnRequest]) -> None:
        checked = checked_requests(requests, self.worlds, self.entities.models)
        model, added = self._spec.add(checked)
        poses = [request.pose for request in checked]
        self._adopt(model, added, np.array(poses).reshape(len(added), self.worlds, 7))

    def delete(self, name: str) -> None:
        """Removes a model from every world; the other models keep their state, bit for bit."""
        if name in self.entities.models and name not in self._spec:
            whole = name.split(SCOPE)[0]
            raise DeepSimError(f"model {name!r} is a part of {whole!r}: delete that")
        self._adopt(self._spec.remove(name), [], np.empty((0, self.worlds, 7)))
        self.camera_mounts.drop_deleted()

    def _adopt(
        self, model: mujoco.MjModel, added: Sequence[Built], poses: NDArray[np.float64]
    ) -> None:
        """Continues with a newly compiled model; `poses` (models, W, 7) place the added models."""
        self._servos.settle()
        if self._has_actuators:
            self._actuators.settle()
        generation = self.entities.generation + 1
        compiled = Compiled.of(model, self._spec.models, self._spec.lights, generation)
        self._states.adopt(compiled, added, poses)
        self.timestep = self._states.timestep
        self.entities = compiled.entities
        self._motion = Motion(self._states, compiled)
        for part in (self._joints, self._appearance, self.physics, self.sensors):
            part.follow(compiled)
        if self._has_actuators or compiled.actuators:
            self._actuators.follow(compiled)
        self._has_actuators = bool(compiled.actuators)

    def close(self) -> None:
        """Frees the OpenGL context, if there is one."""
        self.cameras.close()
