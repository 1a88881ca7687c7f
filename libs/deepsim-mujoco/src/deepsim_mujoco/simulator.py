# SPDX-License-Identifier: Apache-2.0
"""The embedded simulator."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose
from deepsim_spawn import GazeboXMLLoader, ModelDescription, WorldDescription
from deepsim_sync import (
    KINDS,
    SCOPE,
    CameraMount,
    CameraView,
    Changes,
    DeepSimError,
    Entities,
    Kind,
    PhysicsProperty,
    Refusal,
    SimulationError,
    SpawnRequest,
    Tables,
)

from .appearance import Appearance
from .camera_sensors import CameraSensors
from .engine import mujoco
from .motion import STATE_KINDS, Motion
from .physics_factors import PhysicsFactors
from .pictures import Camera, open_camera
from .population import Compiled, Population, try_alone
from .state import MujocoState
from .stepping import DIVERGED, INTEGRATION
from .unsupported import warn_of_unsupported
from .worlds import MujocoWorlds

_NEAR, _FAR = 0.05, 500.0  # [m] what a free camera sees


class MujocoSimulator:
    """A world on MuJoCo, in this process and without threads.

    Args:
        world: Models, lights, gravity and step size; by default nothing but gravity, stepped by
            1 ms.

    Raises:
        SpawnError: A model of the world cannot be built.
        DeepSimError: MuJoCo refuses the world as a whole.
    """

    def __init__(self, world: WorldDescription | None = None) -> None:
        described = world if world is not None else WorldDescription()
        if not isinstance(described, WorldDescription):
            raise TypeError(
                f"world must be a WorldDescription, got {world!r}: "
                "for a file there is MujocoSimulator.from_file"
            )
        self._population = Population(described)
        self._appearance = Appearance()
        self._physics = PhysicsFactors()
        self._sensors = CameraSensors()
        self._generation = 0
        self._steps = 0
        self._camera: Camera | None = None
        self._adopt(self._population.compile())

    @classmethod
    def from_file(cls, path: str | Path) -> MujocoSimulator:
        """The world of an SDF file.

        Raises:
            ModelFormatError: The file is malformed.
            SpawnError: A model of the world cannot be built.
        """
        return cls(GazeboXMLLoader().load_world(path))

    def _adopt(self, compiled: Compiled) -> None:
        """Takes what was newly compiled as the present."""
        self._model, self._data = model, data = compiled
        self._timestep = float(model.opt.timestep)
        self._warnings = data.warning.number  # a view: asking for it takes 20 us
        built, world_lights = self._population.models, self._population.lights
        self._generation += 1
        self._entities = Entities(
            self._generation,
            models=[frame.name for one in built for frame in one.frames],
            links=[node.name for one in built for node in one.links],
            visuals=[name for one in built for name in one.visuals],
            lights=[*world_lights, *(name for one in built for name in one.lights)],
        )
        self._motion = Motion(model, data, built)
        self._appearance.follow(self._entities, built, world_lights, model)
        self._appearance.apply(model)
        self._physics.follow(self._entities, built, model)
        self._sensors.follow(built)

    # Time

    @property
    def entities(self) -> Entities:
        """The names of all entities."""
        return self._entities

    @property
    def time(self) -> float:
        """Simulated time [s]: steps times step size, without accumulated rounding."""
        return self._steps * self.timestep

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self._timestep

    def step(self, n: int = 1) -> None:
        """Advances by exactly n >= 1 physics steps.

        Raises:
            SimulationError: The physics diverged; only a reset helps.
        """
        if n < 1:
            raise ValueError(f"a world advances by n >= 1 steps, got {n}")
        self._physics.settle()
        mujoco.mj_step(self._model, self._data, n)
        self._steps += n
        self._motion.state_changed()
        if self._warnings[DIVERGED].any():
            raise SimulationError(
                f"the physics diverged by t = {self.time:.4g} s: "
                "reset, then try a smaller step size or smaller forces"
            )

    def reset(self, seed: int | None = None) -> None:
        """Back to time 0: every model at its spawn pose and at rest, physics as described."""
        self._physics.reset()
        self._sensors.reset()
        mujoco.mj_resetData(self._model, self._data)
        self._steps = 0
        self._motion.state_changed()

    # Snapshots

    def get_state(self) -> MujocoState:
        """The steps, the physics as it is scaled and in motion, and the mounts of cameras."""
        values = np.empty(mujoco.mj_stateSize(self._model, INTEGRATION))
        mujoco.mj_getState(self._model, self._data, values, INTEGRATION)
        return MujocoState(
            self._steps, values, self._physics.get_state(), self._sensors.get_state()
        )

    def set_state(self, state: MujocoState | tuple[int, NDArray[np.float64]]) -> None:
        """Goes back to an instant, of this simulator or of one built alike.

        Args:
            state: What `get_state` returned; or steps and integration state alone, as of one of
                `MujocoWorlds`, which leave factors and mounts as they are.

        Raises:
            ValueError: The state is one of other models.
        """
        steps, values, factors, mounts = MujocoState(*state)
        size = mujoco.mj_stateSize(self._model, INTEGRATION)
        if values.shape != (size,):
            raise ValueError(
                f"the state has {values.size} numbers, and these models have {size}: "
                "it is one of other models"
            )
        if factors is not None:
            self._physics.set_state(factors)
        if mounts is not None:
            self._sensors.set_state(mounts)
        mujoco.mj_resetData(self._model, self._data)  # what diverged before is forgotten
        mujoco.mj_setState(self._model, self._data, values, INTEGRATION)
        self._steps = steps
        self._motion.state_changed()

    # Many worlds

    def copies(self, worlds: int, *, threads: int | None = 0) -> MujocoWorlds:
        """Worlds with the models that this one has now, each as it is after a reset.

        Each gives the bits that this simulator gives, whatever the number of worlds and threads.
        Their physics is as described; they begin with the looks that this one has now.

        Args:
            worlds: How many, at least 1.
            threads: How many threads of `mujoco.batch` step them, 0 for one on each processor; None
                for a loop in this thread, without `mujoco.batch`.
        """
        if worlds < 1:
            raise ValueError(f"there must be at least 1 world, got {worlds}")
        looks = Tables.allocate(self._entities)
        self.read(looks)
        return MujocoWorlds(
            self._population.compile_unseen(), self._population.models, looks, worlds, threads
        )

    # Rows

    def read(self, tables: Tables, kinds: Collection[Kind] = KINDS) -> None:
        """Fills the named tables, all at the present instant."""
        self._physics.settle()
        if "models" in kinds:
            self._motion.read("models", tables.models.pose[0], tables.models.twist[0])
        if "links" in kinds:
            self._motion.read("links", tables.links.pose[0], tables.links.twist[0])
        if "visuals" in kinds:
            self._appearance.read(tables, "visuals")
        if "lights" in kinds:
            self._appearance.read(tables, "lights")

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies a batch: models before links, poses before twists; returns refused rows."""
        if changes.generation != self._generation:
            raise ValueError(
                f"changes are for generation {changes.generation} of entities, "
                f"but it is {self._generation} now: their rows are others"
            )
        refusals: list[Refusal] = []
        cells = changes.cells
        for state in STATE_KINDS:
            pose, twist = cells.get((state, "pose")), cells.get((state, "twist"))
            refusals += self._motion.write(state, pose, twist)
        looks = {key: value for key, value in cells.items() if key[0] not in STATE_KINDS}
        for (kind, column), value in looks.items():
            self._appearance.write(kind, column, value)
        if looks:
            self._appearance.apply(self._model)
        return refusals

    # Entities

    def spawn(self, description: ModelDescription, name: str, pose: Pose) -> None:
        """Adds a model; the state of all others stays as it is, bit for bit.

        Raises:
            DuplicateEntityError: The name is taken.
            SpawnError: The description cannot be built; nothing was added.
        """
        requests = [SpawnRequest(description, name, pose)]
        self._population.check(requests)
        warn_of_unsupported(description, name)
        self._adopt(self._population.add(requests, (self._model, self._data)))

    def spawn_many(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds all models or none, by compiling once.

        Each description is tried by itself before, so that the one that cannot be built is named.

        Raises:
            DuplicateEntityError: A name is taken, or occurs twice.
            SpawnError: A description cannot be built; nothing was added.
        """
        if not requests:
            return
        self._population.check(requests)
        first = {id(request.description): request for request in reversed(requests)}
        for description, name, _ in first.values():
            warn_of_unsupported(description, name)
            try_alone(description, name)
        self._adopt(self._population.add(requests, (self._model, self._data)))

    def delete(self, name: str) -> None:
        """Removes a model; the state of all others stays as it is, bit for bit.

        Raises:
            UnknownEntityError: There is no such model.
            DeepSimError: The model is a part of another one.
        """
        if name in self._entities.models and name not in self._population:
            whole = name.split(SCOPE)[0]
            raise DeepSimError(f"model {name!r} is a part of {whole!r}: delete that")
        self._adopt(self._population.remove(name, (self._model, self._data)))

    # Physics

    def physics_factors(self, name: PhysicsProperty) -> NDArray[np.float64]:
        """Factors of one property of all links; see `deepsim_sync.PhysicsProperties`."""
        return self._physics.get(name)

    def scale_physics(
        self, name: PhysicsProperty, links: Iterable[str], factors: ArrayLike
    ) -> None:
        """Scales mass, friction or damping of links, without a recompile."""
        self._physics.set(name, links, factors)

    # Pictures

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``."""
        return self._sensors.names

    def render(self, camera: str | CameraView) -> NDArray[np.uint8]:
        """A picture at the present instant, (height, width, 3) RGB.

        OpenGL is loaded at the first picture; where there is none, rays are cast instead.

        Raises:
            UnknownEntityError: No camera sensor has the name.
        """
        if self._camera is None:
            self._camera = open_camera()
        if isinstance(camera, CameraView):
            view, near, far = camera, _NEAR, _FAR
        else:
            view, near, far = self._sensors.view(camera, self._motion.link_pose)
        self._motion.update_kinematics()
        mujoco.mj_camlight(self._model, self._data)
        return self._camera.render(self._model, self._data, view, near, far)

    def camera_mount(self, camera: str) -> CameraMount:
        """How a camera sensor is mounted now; see `deepsim_sync.CameraMounts`."""
        return self._sensors.mount(camera)

    def described_camera_mount(self, camera: str) -> CameraMount:
        """How the model's description mounts it."""
        return self._sensors.described(camera)

    def mount_camera(self, camera: str, mount: CameraMount) -> None:
        """Mounts a camera sensor anew, until the next reset."""
        self._sensors.set_mount(camera, mount)

    def close(self) -> None:
        """Frees the OpenGL context, if there is one."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None
