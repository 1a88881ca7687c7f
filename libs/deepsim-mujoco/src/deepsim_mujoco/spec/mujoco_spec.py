# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo spec of a world's models and lights, and its compilation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from deepsim_math import Pose
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.rendering import add_sky
from deepsim_spawn import (
    MjcfModel,
    ModelDescription,
    MujocoOptions,
    Physics,
    SceneDescription,
    WorldDescription,
)
from deepsim_sync import DeepSimError, SpawnError, SpawnRequest, UnknownEntityError

from .assets import Assets
from .builder import CAMERA, Built, build_model, remove_model
from .lights import add_light, apply_scene
from .mjcf import build_mjcf
from .pairs import ContactPairs
from .self_collisions import ModelNumbers, overlapping_hulls
from .tree import apply_decay
from .unsupported import (
    TAKEN_OPTIONS,
    MjcfOptions,
    options_of,
    refuse_other_units,
    take_options,
    warn_of_left_out,
    warn_of_unsupported,
)
from .wheels import find_wheels, soften, surfaces_of_mjcf

_INTEGRATORS = {
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "discrete": mujoco.mjtIntegrator.mjINT_DISCRETE,
    "euler": mujoco.mjtIntegrator.mjINT_EULER,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
}
_CONES = {
    "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC,
    "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL,
}

_TOLERANCE = 1e-10  # of the solver; with MuJoCo's 1e-8, resting boxes creep 5 times as fast


class MujocoSpec:
    """A MuJoCo spec of the models of a world, in the order of spawning, and of its lights.

    ``name in spec`` tests whether a top-level model has the name.

    Args:
        world: Lights, gravity, scene and physics settings; its models are not added.
        check: Raises ValueError for a compiled model that cannot be stepped.

    Attributes:
        lights: Lights of the world that belong to no model, by name.
    """

    def __init__(self, world: WorldDescription, check: Callable[[mujoco.MjModel], None]) -> None:
        self._world, self._check = world, check
        self._spec = _empty_spec(world)
        self._assets = Assets(self._spec)
        self._parts = self._spec, self._assets, ModelNumbers()
        self._pairs = ContactPairs(self._spec)
        self.lights = {
            light.name: add_light(self._spec.worldbody, light.name, light, Pose())
            for light in world.lights
        }
        self._built: dict[str, Built] = {}
        self._options_of = ""  # the model whose options count, if any

    def __contains__(self, name: object) -> bool:
        return name in self._built

    @property
    def models(self) -> list[Built]:
        """The built elements of each model."""
        return [*self._built.values()]

    def add(self, requests: Sequence[SpawnRequest]) -> tuple[mujoco.MjModel, list[Built]]:
        """Adds models, all or none.

        If MuJoCo refuses several models, each is compiled alone to find the cause.

        Returns:
            The compiled model, and the elements of the added models.

        Raises:
            TypeError: A description is not a ModelDescription.
            SpawnError: A description cannot be built.
        """
        _check(requests)
        first = {id(request.description): request for request in reversed(requests)}
        for description, name, _ in first.values():
            if isinstance(description, ModelDescription):
                warn_of_unsupported(description, name)
        added: list[Built] = []
        try:
            for description, name, _ in requests:
                added.append(_build(*self._parts, description, name))
                is_first = first[id(description)].name == name
                if isinstance(description, MjcfModel):
                    options = options_of(description)
                    has_options = self._take_options(options, name, added[:-1])
                    refuse_other_units(self._spec, options, name)
                    if is_first:
                        warn_of_left_out(
                            *(self._spec, name, options, added[-1].left_out),
                            has_options=has_options,
                        )
            model = self._compile(added)
            parted = [self._keep_hulls_off(model, one) for one in added]
            if any(parted):
                model = self._compile(added)
            self._check(model)
        except BaseException as error:
            self._pairs.clear()
            for one in added:
                remove_model(*self._parts, one)
                self._forget_options(one.name)
            if not isinstance(error, ValueError):
                raise
            for description, name, _ in first.values():
                self._try_alone(description, name)
            names = ", ".join(repr(request.name) for request in requests)
            raise DeepSimError(f"cannot spawn [{names}] at once: {_why(error)}") from error
        self._built.update((one.name, one) for one in added)
        return model, added

    def remove(self, name: str) -> mujoco.MjModel:
        """Removes a model.

        Returns:
            The compiled model of the rest.

        Raises:
            UnknownEntityError: No model has the name.
            DeepSimError: MuJoCo refuses the rest; nothing was removed.
        """
        if name not in self:
            raise UnknownEntityError("model", name, self._built)
        gone = self._built[name]
        self._pairs.clear()
        remove_model(*self._parts, gone)
        try:
            model = self._compile([])
        except BaseException as error:
            self._built[name] = _build(*self._parts, gone.description, name)
            self._built[name].wheels = gone.wheels
            if isinstance(error, ValueError):
                raise DeepSimError(f"cannot delete model {name!r}: {_why(error)}") from error
            raise
        del self._built[name]
        if self._options_of == name:
            self._forget_options(name)
            model = self._compile([])
        return model

    def _try_alone(self, description: ModelDescription | MjcfModel, name: str) -> None:
        """Compiles a model alone; raises SpawnError if it is refused."""
        spec = _empty_spec(WorldDescription())
        assets = Assets(spec)  # keeps alive the files that are read now
        _build(spec, assets, ModelNumbers(), description, name)
        try:
            self._check(spec.compile())
        except ValueError as error:
            raise SpawnError(name, _why(error)) from error

    def _take_options(self, options: MjcfOptions, name: str, beside: Sequence[Built]) -> bool:
        """Takes the options of an MJCF model if nothing else moves in a world without own options.

        Returns:
            Whether they count.
        """
        others = (*self._built.values(), *beside)
        has_own = self._world.physics.mujoco != MujocoOptions()
        has_own |= self._world.gravity != WorldDescription().gravity
        if has_own or any(not getattr(one.description, "static", False) for one in others):
            return False
        take_options(self._spec, options)
        self._options_of = name
        return True

    def _forget_options(self, name: str) -> None:
        """Restores the options of the world if those of a model count."""
        if self._options_of == name:
            self._options_of = ""
            option, own = self._spec.option, _empty_spec(self._world).option
            for each in TAKEN_OPTIONS:
                setattr(option, each, getattr(own, each))

    def _keep_hulls_off(self, model: mujoco.MjModel, built: Built) -> bool:
        """Excludes contacts of links whose hulls overlap initially; returns whether any do."""
        found = list(overlapping_hulls(model, built.links))
        for one, other, _ in found:
            name = f"#hulls {one.name} {other.name}"
            built.others.append(
                self._spec.add_exclude(name=name, bodyname1=one.name, bodyname2=other.name)
            )
        if found:
            one, other, depth = max(found, key=lambda each: each[2])
            warnings.warn(
                f"model {built.name!r}: {len(found)} pairs of links never touch, because the "
                f"convex hulls of their meshes overlap when all joints are at 0: {one.name!r} and "
                f"{other.name!r} by {depth:.3g} m",
                UserWarning,
                stacklevel=5,
            )
        return bool(found)

    def _compile(self, added: Iterable[Built]) -> mujoco.MjModel:
        files = [self._assets.files, *(one.files for one in self._built.values())]
        for file in chain.from_iterable(each.values() for each in files):
            file.restore()
        present = [one for one in (*self._built.values(), *added) if one.roots]  # none if removed
        model = self._compile_once(present)
        for one in added:
            if one.axes or one.has_rare_surface:
                is_mjcf = isinstance(one.description, MjcfModel)
                surfaces = surfaces_of_mjcf(model, one.name) if is_mjcf else one.surfaces
                axes = [*one.axes.values()]
                one.wheels = find_wheels(model, axes, surfaces, is_mjcf=is_mjcf)
                soften(model, one.wheels)
        unlike = model.geom_condim.max(initial=0) > 3
        for one in present:
            unlike = unlike or one.has_rare_surface or bool(one.wheels)
        if unlike and self._pairs.update(model, present):
            model = self._compile_once(present)
        return model

    def _compile_once(self, present: Iterable[Built]) -> mujoco.MjModel:
        model = self._spec.compile()
        for one in present:
            apply_decay(model, one.links)
            if one.wheels:
                soften(model, one.wheels)
        return model


def _build(
    spec: mujoco.MjSpec,
    assets: Assets,
    numbers: ModelNumbers,
    description: ModelDescription | MjcfModel,
    name: str,
) -> Built:
    if isinstance(description, MjcfModel):
        return build_mjcf(spec, description, name)
    return build_model(spec, assets, numbers, description, name)


def _check(requests: Iterable[SpawnRequest]) -> None:
    for request in requests:
        if not isinstance(request.description, (ModelDescription, MjcfModel)):
            raise TypeError(
                f"MuJoCo spawns a ModelDescription or MjcfModel, got {request.description!r}: "
                "for a file or XML, use deepsim_spawn.ModelSpawner"
            )


def _empty_spec(world: WorldDescription) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.copy_during_attach = True  # otherwise attached specs are never freed
    spec.option.gravity = list(world.gravity)
    _set_physics(spec, world.physics)
    # Otherwise MuJoCo silently resets a world that diverged.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION  # see `WorldStates.actuate`
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_SENSOR  # see `MujocoSensors`
    spec.worldbody.gravcomp = 1.0  # if it were 0 for all bodies, MuJoCo would ignore later values
    spec.worldbody.add_camera(name=CAMERA)
    apply_scene(spec, world.scene, lit=bool(world.lights))
    if world.scene.sky:
        add_sky(spec)
    else:
        color = world.scene.background
        add_sky(spec, color, color, unsaid=color == SceneDescription().background)
    return spec


def _set_physics(spec: mujoco.MjSpec, physics: Physics) -> None:
    """Sets step size, solver, and the default contact settings of geoms.

    MuJoCo's option to override all contacts would also override their friction.
    """
    option, mine = spec.option, physics.mujoco
    option.timestep = physics.max_step_size
    option.integrator = _INTEGRATORS[mine.integrator]
    option.cone = _CONES[mine.cone]
    option.impratio = mine.impratio
    option.tolerance = _TOLERANCE
    contact = spec.default.geom
    contact.solref = [mine.contact_steps * physics.max_step_size, mine.contact_damping]
    contact.solimp[:2] = mine.contact_impedance


def _why(error: ValueError) -> str:
    """Returns the message of MuJoCo's compiler on one line."""
    return f"MuJoCo refuses it: {' '.join(str(error).split())}"
