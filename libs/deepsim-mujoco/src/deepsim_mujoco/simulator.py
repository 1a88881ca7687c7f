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
    DuplicateEntityError,
    Entities,
    Kind,
    PhysicsProperty,
    Refusal,
    SimulationError,
    SpawnError,
    SpawnRequest,
    Tables,
    UnknownEntityError,
)

from .appearance import Appearance
from .assets import Assets
from .builder import VISUAL_GROUP, Built, build_model, remove_model
from .camera_sensors import CameraSensors
from .engine import mujoco
from .lights import add_light, apply_scene
from .motion import STATE_KINDS, Motion
from .physics_factors import PhysicsFactors
from .pictures import Camera, add_sky, open_camera
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
        self._spec = _empty_spec(described)
        self._assets = Assets(self._spec)
        self._world_lights = {light.name: light for light in described.lights}
        for name, light in self._world_lights.items():
            add_light(self._spec.worldbody, name, light, Pose())
        self._built: dict[str, Built] = {}
        for model in described.models:
            warn_of_unsupported(model, model.name)
            self._built[model.name] = build_model(
                self._spec, self._assets, model, model.name, model.pose
            )
        self._appearance = Appearance()
        self._physics = PhysicsFactors()
        self._sensors = CameraSensors()
        self._generation = 0
        self._steps = 0
        self._camera: Camera | None = None
        try:
            compiled = self._spec.compile()
        except ValueError as error:
            raise DeepSimError(f"cannot build world {described.name!r}: {_why(error)}") from error
        self._adopt(compiled, mujoco.MjData(compiled))

    @classmethod
    def from_file(cls, path: str | Path) -> MujocoSimulator:
        """The world of an SDF file.

        Raises:
            ModelFormatError: The file is malformed.
            SpawnError: A model of the world cannot be built.
        """
        return cls(GazeboXMLLoader().load_world(path))

    def _adopt(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Takes a newly compiled model as the present one."""
        self._model, self._data = model, data
        self._timestep = float(model.opt.timestep)
        self._warnings = data.warning.number  # a view: asking for it takes 20 us
        built = list(self._built.values())
        self._generation += 1
        self._entities = Entities(
            self._generation,
            models=[frame.name for one in built for frame in one.frames],
            links=[node.name for one in built for node in one.links],
            visuals=[name for one in built for name in one.visuals],
            lights=[*self._world_lights, *(name for one in built for name in one.lights)],
        )
        self._motion = Motion(model, data, built)
        self._appearance.follow(self._entities, built, self._world_lights, model)
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

    def get_state(self) -> tuple[int, NDArray[np.float64]]:
        """Steps since the reset, and MuJoCo's own integration state: warm start included."""
        state = np.empty(mujoco.mj_stateSize(self._model, INTEGRATION))
        mujoco.mj_getState(self._model, self._data, state, INTEGRATION)
        return self._steps, state

    def set_state(self, state: tuple[int, NDArray[np.float64]]) -> None:
        """Goes back to an instant, of this simulator or of one built alike.

        Raises:
            ValueError: The state is one of other models.
        """
        steps, values = state
        size = mujoco.mj_stateSize(self._model, INTEGRATION)
        if values.shape != (size,):
            raise ValueError(
                f"the state has {values.size} numbers, and these models have {size}: "
                "it is one of other models"
            )
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
        spec = self._spec.copy()
        # What touches nothing costs 5 % of a step, and changes no bit of it.
        for geom in [geom for geom in spec.geoms if geom.group == VISUAL_GROUP]:
            spec.delete(geom)
        for light in list(spec.lights):
            spec.delete(light)
        looks = Tables.allocate(self._entities)
        self.read(looks)
        return MujocoWorlds(spec.compile(), [*self._built.values()], looks, worlds, threads)

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
        self._check(requests)
        warn_of_unsupported(description, name)
        self._add(requests)

    def spawn_many(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds all models or none, by compiling once.

        Each description is tried by itself before, so that the one that cannot be built is named.

        Raises:
            DuplicateEntityError: A name is taken, or occurs twice.
            SpawnError: A description cannot be built; nothing was added.
        """
        self._check(requests)
        first = {id(request.description): request for request in reversed(requests)}
        for description, name, _ in first.values():
            warn_of_unsupported(description, name)
            _try(description, name)
        self._add(requests)

    def _check(self, requests: Sequence[SpawnRequest]) -> None:
        """Refuses what is known to be wrong before anything is touched."""
        taken = set(self._built)
        for description, name, _ in requests:
            if not isinstance(description, ModelDescription):
                raise TypeError(
                    f"MuJoCo spawns a ModelDescription, got {description!r}: "
                    "for a file or XML there is deepsim_spawn.ModelSpawner"
                )
            if not name or SCOPE in name:
                raise SpawnError(name, f"a model's name is not empty and has no {SCOPE!r}")
            if name in taken:
                raise DuplicateEntityError("model", name)
            taken.add(name)

    def _add(self, requests: Sequence[SpawnRequest]) -> None:
        if not requests:
            return
        built: list[Built] = []
        try:
            for description, name, pose in requests:
                built.append(build_model(self._spec, self._assets, description, name, pose))
            model, data = self._spec.recompile(self._model, self._data)
        except BaseException as error:
            for one in built:
                remove_model(self._spec, self._assets, one)
            if isinstance(error, ValueError):
                more = f", with {len(requests) - 1} more at once" if len(requests) > 1 else ""
                raise SpawnError(requests[0].name, _why(error) + more) from error
            raise
        self._built.update((one.name, one) for one in built)
        self._adopt(model, data)

    def delete(self, name: str) -> None:
        """Removes a model; the state of all others stays as it is, bit for bit.

        Raises:
            UnknownEntityError: There is no such model.
            DeepSimError: The model is a part of another one.
        """
        if name not in self._built:
            if name in self._entities.models:
                whole = name.split(SCOPE)[0]
                raise DeepSimError(f"model {name!r} is a part of {whole!r}: delete that")
            raise UnknownEntityError("model", name, self._built)
        remove_model(self._spec, self._assets, self._built.pop(name))
        self._adopt(*self._spec.recompile(self._model, self._data))

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


def _empty_spec(world: WorldDescription) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = world.physics.max_step_size
    spec.option.gravity = list(world.gravity)
    # Without it MuJoCo resets a diverged world in silence.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    apply_scene(spec, world.scene, lit=bool(world.lights))
    add_sky(spec, world.scene.background, world.scene.background)
    return spec


def _try(description: ModelDescription, name: str) -> None:
    """Compiles a description alone.

    Raises:
        SpawnError: It cannot be built.
    """
    spec = _empty_spec(WorldDescription())
    build_model(spec, Assets(spec), description, name, Pose())
    try:
        spec.compile()
    except ValueError as error:
        raise SpawnError(name, _why(error)) from error


def _why(error: ValueError) -> str:
    """What MuJoCo's compiler says, in one line."""
    return f"MuJoCo refuses it: {' '.join(str(error).split())}"
