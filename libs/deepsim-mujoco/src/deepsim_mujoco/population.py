# SPDX-License-Identifier: Apache-2.0
"""The models and lights that a world is built of, and what MuJoCo compiles from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deepsim_math import Pose
from deepsim_spawn import ModelDescription, WorldDescription
from deepsim_sync import (
    SCOPE,
    DeepSimError,
    DuplicateEntityError,
    SpawnError,
    SpawnRequest,
    UnknownEntityError,
)

from .assets import Assets
from .builder import VISUAL_GROUP, Built, build_model, remove_model
from .engine import mujoco
from .lights import add_light, apply_scene
from .pictures import add_sky
from .unsupported import warn_of_unsupported

Compiled = tuple[mujoco.MjModel, mujoco.MjData]
"""What is simulated; another pair after each `Population.add` and `Population.remove`."""


class Population:
    """What is there, in the order in which it came: a MuJoCo spec and what is built in it.

    A name is in it if it is that of a whole model.

    Args:
        world: What is there from the beginning.

    Attributes:
        lights: The world's own lights, by name.

    Raises:
        SpawnError: A model of the world cannot be built.
    """

    def __init__(self, world: WorldDescription) -> None:
        self._name = world.name
        self._spec = _empty_spec(world)
        self._assets = Assets(self._spec)
        self.lights = {light.name: light for light in world.lights}
        for name, light in self.lights.items():
            add_light(self._spec.worldbody, name, light, Pose())
        self._built: dict[str, Built] = {}
        for model in world.models:
            warn_of_unsupported(model, model.name)
            self._built[model.name] = build_model(
                self._spec, self._assets, model, model.name, model.pose
            )

    def __contains__(self, name: object) -> bool:
        return name in self._built

    @property
    def models(self) -> list[Built]:
        """What is built of each model."""
        return [*self._built.values()]

    def compile(self) -> Compiled:
        """All of it, at time 0.

        Raises:
            DeepSimError: MuJoCo refuses it.
        """
        try:
            model = self._spec.compile()
        except ValueError as error:
            raise DeepSimError(f"cannot build world {self._name!r}: {_why(error)}") from error
        return model, mujoco.MjData(model)

    def compile_unseen(self) -> mujoco.MjModel:
        """All of it but what only pictures show, which is not in any model's way."""
        self._assets.restore_files()
        spec = self._spec.copy()
        # What touches nothing costs 5 % of a step, and changes no bit of it.
        for geom in [geom for geom in spec.geoms if geom.group == VISUAL_GROUP]:
            spec.delete(geom)
        for light in list(spec.lights):
            spec.delete(light)
        return spec.compile()

    def check(self, requests: Iterable[SpawnRequest]) -> None:
        """Refuses what is known to be wrong before anything is touched.

        Raises:
            TypeError: A description is none.
            SpawnError: A name cannot be used.
            DuplicateEntityError: A name is taken, or occurs twice.
        """
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

    def add(self, requests: Sequence[SpawnRequest], present: Compiled) -> Compiled:
        """Adds all models, or none; the state of the others stays as it is, bit for bit.

        Raises:
            SpawnError: A description cannot be built.
        """
        built: list[Built] = []
        try:
            for description, name, pose in requests:
                built.append(build_model(self._spec, self._assets, description, name, pose))
            compiled = self._recompile(present)
        except BaseException as error:
            for one in built:
                remove_model(self._spec, self._assets, one)
            if isinstance(error, ValueError):
                more = f", with {len(requests) - 1} more at once" if len(requests) > 1 else ""
                raise SpawnError(requests[0].name, _why(error) + more) from error
            raise
        self._built.update((one.name, one) for one in built)
        return compiled

    def remove(self, name: str, present: Compiled) -> Compiled:
        """Removes a model; the state of the others stays as it is, bit for bit.

        Raises:
            UnknownEntityError: There is no such model.
            DeepSimError: MuJoCo refuses what is left; nothing was removed.
        """
        if name not in self:
            raise UnknownEntityError("model", name, self._built)
        gone = self._built[name]
        remove_model(self._spec, self._assets, gone)
        try:
            compiled = self._recompile(present)
        except BaseException as error:
            self._built[name] = build_model(
                self._spec, self._assets, gone.description, name, gone.pose
            )
            if isinstance(error, ValueError):
                raise DeepSimError(f"cannot delete model {name!r}: {_why(error)}") from error
            raise
        del self._built[name]
        return compiled

    def _recompile(self, present: Compiled) -> Compiled:
        self._assets.restore_files()
        compiled: Compiled = self._spec.recompile(*present)
        return compiled


def try_alone(description: ModelDescription, name: str) -> None:
    """Compiles a model by itself.

    Raises:
        SpawnError: It cannot be built.
    """
    spec = _empty_spec(WorldDescription())
    assets = Assets(spec)  # it holds the files that are read now
    build_model(spec, assets, description, name, Pose())
    try:
        spec.compile()
    except ValueError as error:
        raise SpawnError(name, _why(error)) from error


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
