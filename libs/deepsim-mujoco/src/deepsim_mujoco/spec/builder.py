# SPDX-License-Identifier: Apache-2.0
"""Adds models to a MuJoCo spec, and removes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Material, Pose
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.rendering import RGB_ROLE, add_checker, add_relief
from deepsim_spawn import (
    CameraDescription,
    Inertial,
    JointState,
    Mesh,
    MjcfModel,
    ModelDescription,
    ModelFormatError,
    Plane,
    SensorDescription,
    Surface,
    TexturedSurface,
    VisualDescription,
    textured_surface,
)
from deepsim_sync import SCOPE, Control, SpawnError

from .assets import Assets, KeptFile
from .constraints import Follower, add_mimic, close_loop, follower_of
from .lights import BuiltLight, add_light
from .mjcf_actuators import ActuatorRow
from .mjcf_sensors import MjcfSensor
from .self_collisions import ModelNumbers, kept_off, masks
from .sensors import BuiltSensor, add_sensor, joints_of
from .servos import Axis, add_axes
from .shapes import Asset, Landscape, Shape, apply_shape, drawn, touching
from .surfaces import apply_surface
from .tree import Frame, Node, RootKind, anchor_name, link_trees, model_frames, set_inertia
from .wheels import Wheel

COLLISION_GROUP = 3
"""The geom group of collisions, which are not drawn."""
VISUAL_GROUP = 2
"""The geom group of visuals, which do not collide."""
CAMERA = "#camera"
"""A camera of each world, which renderers of batches put where a camera sensor is."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """A camera and the link that carries it."""

    link: str
    link_pose: Pose
    """Pose of the link's frame in the frame of its MuJoCo body."""
    pose: Pose
    """Pose of the camera in the frame of the link."""
    camera: CameraDescription
    description: SensorDescription


class Look(NamedTuple):
    """The appearance of a visual as described."""

    material: Material | None
    transparency: float
    visible: bool = True


@dataclass(slots=True)
class Built:
    """The elements of a spec that belong to a spawned model.

    Names are scoped, such as ``model::link``. A MuJoCo body is named after its link, geoms and
    materials after visuals, and lights after lights; names of all other elements begin with ``#``.
    """

    description: ModelDescription | MjcfModel
    name: str
    frames: list[Frame] = field(default_factory=list)
    links: list[Node] = field(default_factory=list)
    axes: dict[str, Axis] = field(default_factory=dict)
    visuals: dict[str, Look] = field(default_factory=dict)
    materials: list[str] = field(default_factory=list)
    """Names of the visuals that have a MuJoCo material."""
    lights: dict[str, BuiltLight] = field(default_factory=dict)
    cameras: dict[str, Sensor] = field(default_factory=dict)
    sensors: dict[str, BuiltSensor] = field(default_factory=dict)
    """All sensors but cameras, and those of MJCF."""
    mjcf_sensors: dict[str, MjcfSensor] = field(default_factory=dict)
    """The sensors of an MJCF model, apart from cameras."""
    roots: list[mujoco.MjsBody] = field(default_factory=list)
    places: list[Pose] = field(default_factory=list)
    """Poses of the roots in the frame of the model; empty if all are at its origin."""
    positions: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """Initial positions of joints that differ from MuJoCo's."""
    surfaces: dict[str, Surface] = field(default_factory=dict)
    """The surfaces of collision geoms by name; those of MJCF have none."""
    has_rare_surface: bool = False
    """Whether a surface bounces or is described as a wheel's."""
    wheels: list[Wheel] = field(default_factory=list)
    """The wheels, which are found in the compiled model."""
    followers: list[Follower] = field(default_factory=list)
    """The axes that mimic other axes."""
    others: list[mujoco.MjsElement] = field(default_factory=list)
    holders: list[mujoco.MjsFrame] = field(default_factory=list)
    """Frames around roots, which must be deleted after the roots."""
    numbers: dict[str, int] = field(default_factory=dict)
    """Numbers of the links that do not collide with each other; see `ModelNumbers`."""
    assets: list[str] = field(default_factory=list)
    """Names of the meshes and height fields of the geoms; other models may share them."""
    meshes: dict[str, Path] = field(default_factory=dict)
    """Files of an MJCF model's meshes by mesh name, in the formats that viewers read."""
    files: dict[str, KeptFile] = field(default_factory=dict)
    """Files of an MJCF model, by their keys in the text."""
    actuators: dict[str, ActuatorRow] = field(default_factory=dict)
    """The controls of actuators of an MJCF model that are not servos of axes, by row name."""
    controls: list[Control] = field(default_factory=list)
    """The controls of an MJCF model, in the order of its file."""
    left_out: list[str] = field(default_factory=list)
    """Sensors and cameras of an MJCF model that are not simulated, for a warning."""


def build_model(
    spec: mujoco.MjSpec,
    assets: Assets,
    numbers: ModelNumbers,
    description: ModelDescription,
    name: str,
) -> Built:
    """Adds a model to a spec, at the origin of the world.

    There, the numbers that MuJoCo derives from masses have the same bits wherever a world places
    the model.

    Raises:
        SpawnError: The description cannot be built; nothing was added.
    """
    built = Built(description, name)
    try:
        built.frames = list(model_frames(description, name))
        built.links = link_trees(description, name)
        built.numbers = numbers.take(built.links)
        for node in built.links:
            if node.parent is None or node.placed:
                _add_root(spec, assets, built, node)
        for frame in built.frames:
            if not frame.canonical_link:
                _add_placed(spec, built, frame.body)
        for node in built.links:
            for parent, joint in node.closing:
                built.others += close_loop(spec, built.links, node, parent, joint)
        followers = [follower_of(axis, built.axes) for axis in built.axes.values() if axis.leader]
        for follower in followers:
            built.others.append(add_mimic(spec, follower))
            built.followers.append(follower)
            if follower.offset:
                built.positions[follower.name] = np.array([follower.offset])
        for sensor_name, sensor in built.sensors.items():
            if isinstance(sensor.description.measurement, JointState):
                joints_of(sensor_name, sensor.description.measurement, built.axes)
        for one, other in kept_off(built.links, built.numbers):
            name_of_pair = f"#exclude {one.name} {other.name}"
            exclude = spec.add_exclude(name=name_of_pair, bodyname1=one.name, bodyname2=other.name)
            built.others.append(exclude)
    except ModelFormatError as error:  # a picture cannot be read
        remove_model(spec, assets, numbers, built)
        raise SpawnError(name, str(error)) from error
    except BaseException:
        remove_model(spec, assets, numbers, built)
        raise
    return built


def remove_model(spec: mujoco.MjSpec, assets: Assets, numbers: ModelNumbers, built: Built) -> None:
    """Removes a model from a spec, and the assets that no other model uses."""
    for element in [*built.others, *built.roots, *built.holders]:
        spec.delete(element)
    for asset in built.assets:
        assets.give_back(asset)
    numbers.give_back(built.numbers)
    for gone in (built.others, built.roots, built.holders, built.assets, built.numbers):
        gone.clear()


def _add_root(spec: mujoco.MjSpec, assets: Assets, built: Built, node: Node) -> None:
    kind = node.root_kind
    if kind is RootKind.FREE:
        body = spec.worldbody.add_body(name=node.name)
        built.roots.append(body)
        body.add_freejoint(name=f"#free {node.name}")
    elif kind is RootKind.PLACED:
        body = _add_placed(spec, built, node.name)
    else:
        anchor = _add_placed(spec, built, anchor_name(node))
        body = _add_body(anchor, node.name, node.pose)
    # Without recursion: a chain may have more links than Python allows nested calls.
    rest = [(body, node)]
    while rest:
        body, node = rest.pop()
        _fill_body(spec, assets, built, body, node)
        below = [child for child in node.children if not child.placed]
        origin = node.body_pose.inverse()
        added = [(_add_body(body, child.name, origin @ child.pose), child) for child in below]
        rest += reversed(added)


def _add_placed(spec: mujoco.MjSpec, built: Built, name: str) -> mujoco.MjsBody:
    """Adds a root body that stays where it is put."""
    body = spec.worldbody.add_body(name=name, mocap=True)
    built.roots.append(body)
    return body


def _needs_material(visual: VisualDescription, shape: Shape) -> bool:
    """Returns whether a visual needs more than a colour; MuJoCo draws at most 999 materials."""
    if isinstance(shape, Plane | Landscape | TexturedSurface):
        return True
    look = visual.material
    return look is not None and any((*tuple(look.specular)[:3], *tuple(look.emissive)[:3]))


def _add_material(spec: mujoco.MjSpec, built: Built, geom: mujoco.MjsGeom, shape: Shape) -> None:
    material = spec.add_material(name=geom.name)
    geom.material = geom.name
    built.others.append(material)
    built.materials.append(geom.name)
    if isinstance(shape, Plane):
        add_checker(spec, material)
    elif isinstance(shape, Landscape):
        built.others.append(add_relief(spec, material, shape.heights))


def _add_body(parent: mujoco.MjsBody, name: str, pose: Pose) -> mujoco.MjsBody:
    return parent.add_body(
        name=name,
        pos=list(pose.position),
        quat=list(pose.orientation.normalized().to_wxyz()),
    )


_LEAST_INERTIAL = Inertial(mass=1e-3, ixx=1e-6, iyy=1e-6, izz=1e-6)
"""Replaces the missing inertia of a link that a joint moves, since MuJoCo requires one."""


def _fill_body(
    spec: mujoco.MjSpec, assets: Assets, built: Built, body: mujoco.MjsBody, node: Node
) -> None:
    """Adds the inertia, joint, geoms, lights and sensors of a link to its body."""
    link, frame = node.link, node.in_body
    inertial = link.inertial
    if node.moves and not node.placed and not any(p.link.inertial for p in node.rigid_parts()):
        if node.joint is None:
            raise SpawnError(
                built.name,
                f"link {link.name!r} moves, but neither it nor a link fixed to it has a mass: "
                "give it an <inertial> with one",
            )
        inertial = _LEAST_INERTIAL
    if inertial is not None:
        set_inertia(body, inertial, frame)
    elif not node.placed:
        body.mass, body.inertia, body.explicitinertial = 0.0, [0.0] * 3, True
    body.gravcomp = 0.0 if link.gravity else 1.0
    if node.joint is not None and not node.placed:
        added = add_axes(spec, body, node.joint, built.name + SCOPE + node.joint.name)
        for axis in added:
            built.axes[axis.name] = axis
            built.others.append(axis.servo)

    def asset(shape: Asset) -> str:
        built.assets.append(assets.take(shape, built.name))
        return built.assets[-1]

    geoms: list[tuple[str, str]] = []
    for collision in link.collisions:
        for part, shape in enumerate(touching(collision.geometry, placed=node.placed)):
            name = f"#collision {node.name}{SCOPE}{collision.name} {part}"
            geom = body.add_geom(name=name, group=COLLISION_GROUP)
            geoms.append((collision.name, name))
            placed = frame @ collision.pose
            apply_shape(geom, shape, placed, asset=asset)
            apply_surface(geom, collision.surface, placed, spec.option.timestep)
            built.surfaces[name] = collision.surface
            if collision.surface.restitution or collision.surface.wheel:
                built.has_rare_surface = True
            if node.name in built.numbers:
                geom.contype, geom.conaffinity = masks(built.numbers[node.name])
    for visual in link.visuals:
        may_be = visual.texture or visual.textured or isinstance(visual.geometry, Mesh)
        textured = textured_surface(visual) if may_be else None
        look = textured or drawn(visual.geometry, placed=node.placed)
        if look is None:
            continue
        name = node.name + SCOPE + visual.name
        geom = body.add_geom(name=name, group=VISUAL_GROUP, contype=0, conaffinity=0)
        if _needs_material(visual, look):
            _add_material(spec, built, geom, look)
        apply_shape(geom, look, frame @ visual.pose, asset=asset)
        if textured is not None:
            spec.material(name).textures[RGB_ROLE] = geom.meshname
        material = visual.material or (None if textured is None else Material())
        built.visuals[name] = Look(material, visual.transparency, visual.visible)
    for light in link.lights:
        name = node.name + SCOPE + light.name
        built.lights[name] = add_light(body, name, light, frame)
    for sensor in link.sensors:
        name = node.name + SCOPE + sensor.name
        if sensor.camera is not None:
            built.cameras[name] = Sensor(node.name, frame, sensor.pose, sensor.camera, sensor)
        elif sensor.measurement is not None:
            built.sensors[name], parts = add_sensor(spec, body, frame, sensor, name, geoms)
            built.others += parts
