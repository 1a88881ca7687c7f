# SPDX-License-Identifier: Apache-2.0
"""The embedded simulator."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_spawn import GazeboXMLLoader, ModelDescription, WorldDescription
from deepsim_sync import (
    KINDS,
    SCOPE,
    CameraView,
    Changes,
    DeepSimError,
    DuplicateEntityError,
    Entities,
    Kind,
    Refusal,
    SimulationError,
    SpawnError,
    Tables,
    UnknownEntityError,
)

from .appearance import Appearance
from .builder import build_model, remove_model
from .engine import mujoco
from .lights import add_light, apply_scene
from .motion import STATE_KINDS, Motion
from .pictures import Camera, add_sky, open_camera

_DIVERGED = [
    int(mujoco.mjtWarning.mjWARN_BADQPOS),
    int(mujoco.mjtWarning.mjWARN_BADQVEL),
    int(mujoco.mjtWarning.mjWARN_BADQACC),
]
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
        self._world_lights = {light.name: light for light in described.lights}
        for name, light in self._world_lights.items():
            add_light(self._spec.worldbody, name, light, Pose())
        self._built = {
            model.name: build_model(self._spec, model, model.name, model.pose)
            for model in described.models
        }
        self._appearance = Appearance()
        self._generation = 0
        self._steps = 0
        self._camera: Camera | None = None
        try:
            model = self._spec.compile()
        except ValueError as error:
            raise DeepSimError(f"cannot build world {described.name!r}: {_why(error)}") from error
        self._adopt(model, mujoco.MjData(model))

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
        mujoco.mj_step(self._model, self._data, n)
        self._steps += n
        self._motion.state_changed()
        if self._warnings[_DIVERGED].any():
            raise SimulationError(
                f"the physics diverged by t = {self.time:.4g} s: "
                "reset, then try a smaller step size or smaller forces"
            )

    def reset(self, seed: int | None = None) -> None:
        """Back to time 0: every model at its spawn pose and at rest."""
        mujoco.mj_resetData(self._model, self._data)
        self._steps = 0
        self._motion.state_changed()

    # Rows

    def read(self, tables: Tables, kinds: Collection[Kind] = KINDS) -> None:
        """Fills the named tables, all at the present instant."""
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
        if not isinstance(description, ModelDescription):
            raise TypeError(
                f"MuJoCo spawns a ModelDescription, got {description!r}: "
                "for a file or XML there is deepsim_spawn.ModelSpawner"
            )
        if not name or SCOPE in name:
            raise SpawnError(name, f"a model's name is not empty and has no {SCOPE!r}")
        if name in self._built:
            raise DuplicateEntityError("model", name)
        built = build_model(self._spec, description, name, pose)
        try:
            model, data = self._spec.recompile(self._model, self._data)
        except ValueError as error:
            remove_model(self._spec, built)
            raise SpawnError(name, _why(error)) from error
        self._built[name] = built
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
        remove_model(self._spec, self._built.pop(name))
        self._adopt(*self._spec.recompile(self._model, self._data))

    # Pictures

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``."""
        return tuple(name for one in self._built.values() for name in one.cameras)

    def render(self, camera: str | CameraView) -> NDArray[np.uint8]:
        """A picture at the present instant, (height, width, 3) RGB.

        OpenGL is loaded at the first picture; where there is none, rays are cast instead.

        Raises:
            UnknownEntityError: No camera sensor has the name.
        """
        if self._camera is None:
            self._camera = open_camera()
        view, near, far = self._view(camera)
        self._motion.update_kinematics()
        mujoco.mj_camlight(self._model, self._data)
        return self._camera.render(self._model, self._data, view, near, far)

    def _view(self, camera: str | CameraView) -> tuple[CameraView, float, float]:
        if isinstance(camera, CameraView):
            return camera, _NEAR, _FAR
        for one in self._built.values():
            sensor = one.cameras.get(camera)
            if sensor is not None:
                lens = sensor.camera
                pose = self._motion.link_pose(sensor.link) @ sensor.pose
                view = CameraView(pose, lens.horizontal_fov, lens.width, lens.height)
                return view, lens.near, lens.far
        raise UnknownEntityError("camera", camera, self.cameras)

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


def _why(error: ValueError) -> str:
    """What MuJoCo's compiler says, in one line."""
    return f"MuJoCo refuses it: {' '.join(str(error).split())}"
