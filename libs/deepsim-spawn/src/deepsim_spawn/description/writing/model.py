# SPDX-License-Identifier: Apache-2.0
"""`<world>`, `<model>`, `<joint>`, `<light>` and `<link>` elements."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_spawn.description.checks import WORLD
from deepsim_spawn.description.geometry import Geometry, Heightmap, Mesh, Polyline
from deepsim_spawn.description.height_grid import grid_mesh, heights_text
from deepsim_spawn.description.sdf_paths import BOUNCING, at, put, put_fields, write_pose

from .sensor import JOINT_SENSOR, write_plugin, write_sensor

if TYPE_CHECKING:
    from deepsim_spawn.description.joint import JointAxis, JointDescription
    from deepsim_spawn.description.light import LightDescription
    from deepsim_spawn.description.link import (
        CollisionDescription,
        Inertial,
        LinkDescription,
        VisualDescription,
    )
    from deepsim_spawn.description.model import ModelDescription
    from deepsim_spawn.description.sensor import SensorDescription
    from deepsim_spawn.description.world import WorldDescription


def held_by_world(model: ModelDescription) -> set[str]:
    """Returns the links that fixed joints connect with the world, directly or by others.

    Between one of 1 g and a heavier link, ODE does not solve what a servo exerts.
    """
    held = {WORLD}
    fixed = [joint for joint in model.joints if joint.type == "fixed"]
    for _ in fixed:  # in whatever order they are
        held.update(joint.child for joint in fixed if joint.parent in held)
    return held


def joints_between_masses(
    model: ModelDescription, held: Collection[str]
) -> Iterator[JointDescription]:
    """Yields the joints of a model, those at frames moved to the links with mass that bear them.

    A frame is a link without mass; a link with mass that is fixed to it, with or without other
    frames between, bears it. All motions are the same, but no load passes through a frame, which
    Gazebo gives 1 g: ODE does not solve the loads of such a link between heavier ones.

    Frames below a joint whose load a sensor measures stay between that joint and what bears them.

    Args:
        model: The model; its nested models have no frames here, but links that bear.
        held: The links that the world holds; they count as links with mass.
    """
    frames = {
        link.name
        for link in model.links
        if link.inertial is None and not link.kinematic and link.name not in held
    }
    if not frames or model.static:
        yield from model.joints
        return
    poses = {name: pose for name, _, pose in model.all_links()}
    measured = {
        name
        for name, link, _ in model.all_links()
        if any(sensor.type == JOINT_SENSOR for sensor in link.sensors)
    }
    # The parents of links on fixed joints, except for joints whose load a sensor measures.
    rigid = {
        joint.child: joint.parent
        for joint in model.joints
        if joint.type == "fixed" and joint.parent != WORLD and joint.child not in measured
    }
    below: dict[str, list[str]] = {}
    for child, parent in rigid.items():
        below.setdefault(parent, []).append(child)

    def bearer(name: str) -> str:
        """Returns the nearest link with mass above, or else the first one below the top frame."""
        above = [name]
        while above[-1] in frames and rigid.get(above[-1], name) not in above:
            above.append(rigid[above[-1]])
        top = above[-1]
        group = [top] if top not in frames or top not in measured else []
        for part in group:
            if part not in frames:
                return part
            group += [child for child in below.get(part, []) if child not in group]
        return name

    # Frames at the top: what bears them takes their place, and they hang on it.
    tops = [name for name in frames if name not in rigid and bearer(name) != name]
    replaced = {bearer(name): name for name in tops}
    for joint in model.joints:
        child = joint.child
        parent = joint.parent if joint.parent == WORLD else bearer(joint.parent)
        if child in tops:
            bears = bearer(child)
            pose = poses[bears].inverse() @ poses[child] @ joint.pose
            yield replace(joint, parent=parent, child=bears, pose=pose)
        elif child in replaced and child in rigid:
            yield replace(joint, parent=child, child=replaced[child], pose=Pose())
        else:
            yield replace(joint, parent=parent)


def write_light(owner: etree._Element, light: LightDescription) -> None:
    """Adds a light to a world or link."""
    element = etree.SubElement(owner, "light", name=light.name, type=light.type)
    write_pose(element, light.pose)
    put_fields(element, light)


def write_link(model: etree._Element, link: LinkDescription, *, held: bool = False) -> None:
    """Adds a link to a model; `held` if the world holds it, so that its mass moves nothing."""
    element = etree.SubElement(model, "link", name=link.name)
    write_pose(element, link.pose)
    if link.inertial is not None or not held:  # SDF's default: 1 kg
        write_inertial(element, link.inertial)
    for collision in link.collisions:
        write_collision(element, collision)
    for visual in link.visuals:
        write_visual(element, visual)
    for sensor in link.sensors:
        if sensor.type != JOINT_SENSOR:
            write_sensor(element, sensor)
    for light in link.lights:
        write_light(element, light)
    put_fields(element, link)


_LEAST_MASS = 1e-3
_LEAST_MOMENT = 1e-6


def write_inertial(link: etree._Element, inertial: Inertial | None) -> None:
    """Adds mass and inertia to a link; None becomes a ball of 1 g with a radius of 5 cm."""
    element = etree.SubElement(link, "inertial")
    if inertial is None:
        put(element, "mass", _LEAST_MASS)
        for moment in ("ixx", "iyy", "izz"):
            put(element, f"inertia/{moment}", _LEAST_MOMENT)
        return
    write_pose(element, inertial.pose)
    put_fields(element, inertial)


def write_collision(link: etree._Element, collision: CollisionDescription) -> None:
    """Adds a collision to a link."""
    element = etree.SubElement(link, "collision", name=collision.name)
    write_pose(element, collision.pose)
    write_geometry(element, collision.geometry)
    put_fields(element, collision)
    if collision.surface.restitution > 0.0:
        for path, value in BOUNCING.items():
            put(element, f"surface/{path}", value)


def write_visual(link: etree._Element, visual: VisualDescription) -> None:
    """Adds a visual to a link; an invisible one becomes transparent, as SDF cannot hide it."""
    element = etree.SubElement(link, "visual", name=visual.name)
    write_pose(element, visual.pose)
    write_geometry(element, visual.geometry)
    if visual.material is not None:
        for color in ("ambient", "diffuse", "specular", "emissive"):
            put(element, f"material/{color}", getattr(visual.material, color))
    if visual.texture is not None:  # of SDF 1.7; Gazebo 11 ignores it
        put(element, "material/pbr/metal/albedo_map", f"file://{visual.texture.absolute()}")
    put_fields(element, visual)
    if not visual.visible:
        put(element, "transparency", 1.0)


def write_geometry(owner: etree._Element, geometry: Geometry) -> None:
    """Adds a shape to a collision or visual."""
    element = etree.SubElement(owner, "geometry")
    if isinstance(geometry, Polyline):
        _write_polyline(element, geometry)
        return
    if isinstance(geometry, Heightmap) and geometry.heights is not None:
        _write_heights(element, geometry, geometry.heights)
        return
    shape = etree.SubElement(element, type(geometry).__name__.lower())
    if isinstance(geometry, Mesh):
        _write_file(shape, geometry.path)
    elif isinstance(geometry, Heightmap):
        _write_file(shape, Path(geometry.key))
    put_fields(shape, geometry)
    if isinstance(geometry, Mesh):
        put(shape, "scale", geometry.scale)
        if geometry.submesh:
            put(shape, "submesh/name", geometry.submesh)
            put(shape, "submesh/center", geometry.center)


def _write_file(shape: etree._Element, file: Path) -> None:
    # not Path.as_uri(), which writes blanks as %20: Gazebo does not decode them
    put(shape, "uri", f"file://{file.absolute()}")


def _write_heights(
    element: etree._Element, heightmap: Heightmap, heights: NDArray[np.float64]
) -> None:
    """Adds a mesh, which Gazebo collides, with the heights, from which the heightmap is read."""
    shape = etree.SubElement(element, "mesh")
    x, y, _ = heightmap.size
    _write_file(shape, grid_mesh(heights, x, y, heightmap.position))
    put_fields(shape, heightmap)
    text = etree.SubElement(shape, "heights", columns=str(heights.shape[1]))
    text.text = heights_text(heights)


def _write_polyline(element: etree._Element, polyline: Polyline) -> None:
    for outline in polyline.outlines:
        shape = etree.SubElement(element, "polyline")
        for x, y in outline:
            etree.SubElement(shape, "point").text = f"{x!r} {y!r}"
        put(shape, "height", polyline.height)


def write_world(document: etree._Element, world: WorldDescription) -> None:
    """Adds a world to a document."""
    element = etree.SubElement(document, "world", name=world.name)
    physics = etree.SubElement(element, "physics", type="ode")
    put_fields(physics, world.physics)
    rate = world.physics.real_time_factor / world.physics.max_step_size
    put(physics, "real_time_update_rate", rate)  # the setting that Gazebo obeys
    put(element, "gravity", world.gravity)
    put_fields(element, world)
    if world.scene.sky:
        at(element, "scene/sky")
    for light in world.lights:
        write_light(element, light)
    for model in world.models:
        write_model(element, model)
    for plugin in world.plugins:
        write_plugin(element, plugin)


def write_model(owner: etree._Element, model: ModelDescription) -> None:
    """Adds a model to a document, a world, or another model."""
    element = etree.SubElement(owner, "model", name=model.name)
    if model.canonical_link != next((name for name, _, _ in model.all_links()), ""):
        element.set("canonical_link", model.canonical_link)
    write_pose(element, model.pose)
    put(element, "static", model.static)
    put(element, "self_collide", model.self_collide)
    held = held_by_world(model)
    for link in model.links:
        write_link(element, link, held=link.name in held)
    for nested in model.models:
        write_model(element, nested)
    links = {name: link for name, link, _ in model.all_links()}
    for joint in joints_between_masses(model, held):
        write_joint(element, joint, links[joint.child].sensors)
    for plugin in model.plugins:
        write_plugin(element, plugin)


_UNLIMITED = 1e16
"""Limits from this value on are infinite in SDF."""


def write_joint(
    model: etree._Element, joint: JointDescription, sensors: Iterable[SensorDescription]
) -> None:
    """Adds a joint to a model, with the force-torque sensors among the `sensors` of its child link.

    A continuous joint becomes revolute without limits, since Gazebo 11 has no continuous joints.
    """
    kind = "revolute" if joint.type == "continuous" else joint.type
    element = etree.SubElement(model, "joint", name=joint.name, type=kind)
    put(element, "parent", joint.parent)
    put(element, "child", joint.child)
    write_pose(element, joint.pose)
    for tag in ("axis", "axis2"):
        axis = getattr(joint, tag)
        if axis is not None:
            _write_axis(etree.SubElement(element, tag), axis)
    for sensor in sensors:
        if sensor.type == JOINT_SENSOR:
            write_sensor(element, replace(sensor, pose=joint.pose.inverse() @ sensor.pose))


def _write_axis(element: etree._Element, axis: JointAxis) -> None:
    put(element, "xyz", axis.xyz)
    put(element, "limit/lower", max(axis.lower, -_UNLIMITED))
    put(element, "limit/upper", min(axis.upper, _UNLIMITED))
    for limit in ("effort", "velocity"):
        value = getattr(axis, limit)
        put(element, f"limit/{limit}", -1.0 if math.isinf(value) else value)
    put_fields(element, axis)
    if axis.mimic is not None:  # SDF 1.11; Gazebo 11 ignores it
        mimic = etree.SubElement(element, "mimic", joint=axis.mimic.joint)
        put(mimic, "multiplier", axis.mimic.multiplier)
        put(mimic, "offset", axis.mimic.offset)
