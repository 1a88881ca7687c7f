# SPDX-License-Identifier: Apache-2.0
"""Attaches MJCF models to the spec of a world."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from deepsim_math import Color, Material, Pose, Quaternion
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import (
    STANDING,
    JointDescription,
    LinkDescription,
    MjcfModel,
    UnsupportedElementWarning,
)
from deepsim_sync import SCOPE, DeepSimError, SpawnError

from .assets import keep
from .builder import COLLISION_GROUP, VISUAL_GROUP, Built, Look, Sensor
from .mjcf_actuators import hold, joint_actuators
from .mjcf_sensors import (
    add_sensors,
    described_cameras,
    described_sensors,
    geoms_of_sensors,
    name_sensors,
    remove_sensors,
)
from .mjcf_servos import add_actuators, add_servos, controls_of
from .mjcf_standing import let_stand, lowest_point
from .tree import Frame, Node, anchor_name

_WORLD = "worldbody"  # the body of everything that the file fixes to the world; "world" is reserved
_LEFT_OUT = ("option", "custom", "keyframe", "size", "statistic", "visual")
_KINDS = (
    *("actuators", "equalities", "excludes", "pairs", "tendons", "tuples", "texts", "numerics"),
    *("flexes", "skins", "meshes", "hfields", "materials", "textures"),
)
"""Elements that outlive bodies; default classes are left out: deleting one crashes MuJoCo 3.17."""
_DEFAULT_GREY = (0.5, 0.5, 0.5, 1.0)
_OPEN_FORMATS = frozenset({".obj", ".stl"})
"""Mesh formats of MuJoCo that viewers read, too."""
_SHOWN_GROUPS = 3  # number of geom groups that MuJoCo's own viewer draws


def build_mjcf(spec: mujoco.MjSpec, description: MjcfModel, name: str) -> Built:
    """Adds an MJCF model to a spec, at the origin of the world.

    The elements of the file's world are attached to a mocap body, the link ``worldbody``. A body
    with a joint to the world, other than a free joint, is attached to a separate mocap body.

    Raises:
        SpawnError: MuJoCo refuses the model, or the keyframe is missing; nothing was added.
    """
    root = ElementTree.fromstring(description.text)
    keys = root.findall("keyframe/key")
    _arrange(root)
    lost = name_sensors(root)
    referenced = {each.get(end) for each in root.iter() for end in ("geom", "geom1", "geom2")}
    referenced |= geoms_of_sensors(root)
    built = Built(description, name)
    try:
        for key, path in description.files.items():
            built.files[key] = keep(path.read_bytes(), path.suffix.lower())
        whole = _parse(root, built)
        model = whole.compile()
        gains, commands = joint_actuators(model)
        sensors, merged = described_sensors(whole, model, commands)
        del whole
        remove_sensors(root)
        others = [number for number in range(model.nactuator) if number not in commands]
        _keep_actuators(root, others)
        child = _parse(root, built)  # parsed again, because a compiled spec would never be freed
    except (ValueError, OSError, RuntimeError) as error:  # the last of an allocation in MuJoCo
        why = " ".join(str(error).split())
        raise SpawnError(name, f"MuJoCo refuses its MJCF: {why}") from error
    data = mujoco.MjData(model)
    given = _apply_keyframe(data, keys, description, name)
    mujoco.mj_fwdPosition(model, data)
    lift = Pose()
    if description.on_ground:
        lift = Pose((0.0, 0.0, -lowest_point(model, data, description.floor_contacts)))
    nodes = _nodes(model, data, name)
    if not nodes:
        raise SpawnError(name, "its MJCF has no body")
    built.links = [*nodes.values()]
    paths = {str(kept.path): description.files[key] for key, kept in built.files.items()}
    built.meshes = {
        name + SCOPE + mesh.name: paths[mesh.file]
        for mesh in child.meshes
        if Path(mesh.file).suffix in _OPEN_FORMATS
    }
    frame = spec.worldbody.add_frame()
    built.holders.append(frame)
    try:
        let_stand(child, description.floor_contacts)
        _show(child, built, referenced)
        for number in others:
            hold(model, data, number, given)
        add_actuators(child, built, model, data, others)
        before = {kind: len(getattr(spec, kind)) for kind in _KINDS}
        spec.attach(child, prefix=name + SCOPE, frame=frame)
        built.others += [each for kind in _KINDS for each in getattr(spec, kind)[before[kind] :]]
        _keep_roots(spec, built, data, nodes, lift)
        add_servos(spec, built, model, data, gains)
        built.controls = controls_of(built, model, commands)
        built.mjcf_sensors, added = add_sensors(spec, name, sensors)
        built.others += added
        lost_cameras = _add_cameras(built, model)
    except BaseException as error:
        for element in [*built.others, *built.roots, *built.holders]:
            spec.delete(element)
        if isinstance(error, ValueError) and not isinstance(error, DeepSimError):
            raise SpawnError(name, f"its MJCF cannot be simulated: {error}") from error
        raise
    _list_left_out(built, "sensors", [*lost, *merged])
    _list_left_out(built, "cameras", lost_cameras)
    return built


def _add_cameras(built: Built, model: mujoco.MjModel) -> list[str]:
    """Records the cameras as sensors; returns the names of those that cannot be simulated."""
    try:
        cameras, lost = described_cameras(model)
    except ValueError as error:
        raise SpawnError(built.name, f"its MJCF has a wrong camera: {error}") from error
    for body, own, description in cameras:
        scoped = built.name + SCOPE + own
        if scoped in built.mjcf_sensors:
            scoped = built.name + SCOPE + body + SCOPE + own
        lens = description.camera
        assert lens is not None
        link = built.name + SCOPE + body
        built.cameras[scoped] = Sensor(link, Pose(), description.pose, lens, description)
    return lost


def _list_left_out(built: Built, kind: str, names: list[str]) -> None:
    if names:
        built.left_out.append(f"{kind} {', '.join(map(repr, names))}")


def _arrange(root: ElementTree.Element) -> None:
    """Removes sections without effect, and moves elements fixed to the world into bodies."""
    for tag in _LEFT_OUT:
        for section in root.findall(tag):
            root.remove(section)
    for compiler in root.iter("compiler"):  # links and visuals stay
        compiler.attrib.pop("discardvisual", None)
        compiler.attrib.pop("fusestatic", None)
    held = False
    for reference in chain(root.iterfind("equality/*"), root.iterfind("contact/*")):
        for end in ("body1", "body2"):
            if reference.get(end) == "world":
                reference.set(end, _WORLD)
        if reference.tag in ("connect", "weld") and reference.get("body1"):
            reference.attrib.setdefault("body2", _WORLD)
        held |= _WORLD in (reference.get("body1"), reference.get("body2"))
    for lights in [*root.iter()]:
        for light in lights.findall("light"):
            lights.remove(light)
    fixed = ElementTree.Element("body", name=_WORLD, mocap="true")
    for count, world in enumerate(root.findall("worldbody")):
        for number, element in enumerate([*world]):
            joints = element.findall("joint")
            is_body = element.tag == "body"
            is_free = element.find("freejoint") is not None
            is_free |= any(joint.get("type") == "free" for joint in joints)
            if is_body and (is_free or element.get("mocap") == "true"):
                continue
            place = list(world).index(element)
            world.remove(element)
            if is_body and joints:
                name = element.attrib.setdefault("name", f"body {count} {number}")
                anchor = ElementTree.Element("body", name=f"#anchor {name}", mocap="true")
                anchor.append(element)
                world.insert(place, anchor)  # keyframes name joints by their order
            else:
                fixed.append(element)
    if held or len(fixed) or root.find("worldbody/body[@mocap]") is not None:
        ElementTree.SubElement(root, "worldbody").append(fixed)


def _keep_actuators(root: ElementTree.Element, kept: Collection[int]) -> None:
    """Removes all actuators but some, given by number."""
    elements = [(section, each) for section in root.findall("actuator") for each in section]
    for number, (section, element) in enumerate(elements):
        if number not in kept:
            section.remove(element)


def _parse(root: ElementTree.Element, built: Built) -> mujoco.MjSpec:
    """Returns a spec that reads copies of the files, with names for all bodies and joints."""
    child = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))
    for asset in chain(child.meshes, child.hfields, child.skins, child.textures):
        if asset.file:
            asset.file = str(built.files[asset.file].path)
    for texture in child.textures:
        texture.cubefiles = [str(built.files[key].path) if key else "" for key in texture.cubefiles]

    for number, body in enumerate(child.bodies):
        body.name = body.name or f"body {number}"
    for number, joint in enumerate(child.joints):
        joint.name = joint.name or f"#joint {number}"
    return child


def _apply_keyframe(
    data: mujoco.MjData, keys: list[ElementTree.Element], description: MjcfModel, name: str
) -> Collection[str]:
    """Applies positions, controls and activations; returns the names of the given fields."""
    named = {key.get("name", ""): key for key in keys}
    wanted, known = description.keyframe, ", ".join(map(repr, named)) or "none"
    if wanted is None:
        usual = [each for each in STANDING if each in named]
        wanted = usual[0] if usual else next(iter(named)) if len(keys) == 1 else None
    elif wanted not in named:
        raise SpawnError(name, f"its MJCF has no keyframe {wanted!r}; it has {known}")
    if wanted is not None:
        for field, what in (("qpos", "positions"), ("ctrl", "controls"), ("act", "activations")):
            given = np.array(named[wanted].get(field, "").split(), dtype=np.float64)
            numbers = getattr(data, field)
            if len(given) not in (0, len(numbers)):
                why = f"its keyframe {wanted!r} has {len(given)} {what}, expected {len(numbers)}"
                if description.keyframe is not None:
                    raise SpawnError(name, why)
                left_out = f"model {name!r}: {why}; it is left out"
                warnings.warn(left_out, UnsupportedElementWarning, stacklevel=6)
                return ()
            if len(given):
                numbers[:] = given
        return named[wanted].keys()
    return ()


def _nodes(model: mujoco.MjModel, data: mujoco.MjData, name: str) -> dict[int, Node]:
    """Returns the links by the numbers of their bodies, without anchors."""
    nodes: dict[int, Node] = {}
    for number in range(1, model.nbody):
        body = model.body(number).name
        if body.startswith("#anchor "):
            continue
        parent = nodes.get(int(model.body_parentid[number]))
        placed = bool(model.body_mocapid[number] >= 0)
        joint = model.body_jntadr[number]
        is_free = joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE
        nodes[number] = Node(
            name + SCOPE + body,
            name,
            LinkDescription(body),
            Pose() if placed or is_free else _pose(data, number),
            placed=placed,
            self_collide=True,
            joint=None if placed or is_free else JointDescription("#", "fixed", "world", body),
            parent=parent,
        )
    return nodes


def _keep_roots(
    spec: mujoco.MjSpec,
    built: Built,
    data: mujoco.MjData,
    nodes: Mapping[int, Node],
    lift: Pose,
) -> None:
    """Records the bodies that can be moved, and the link that represents the model.

    Args:
        spec: The spec.
        built: The model.
        data: Its data, in the initial position.
        nodes: Its links by the numbers of their bodies.
        lift: Pose of the origin of the file in the frame of the model.
    """
    prefix = built.name + SCOPE
    places: dict[str, Pose] = {}
    for number, node in nodes.items():
        if not node.is_root and node.parent is not None:
            continue
        body = spec.body(prefix + (node.link.name if node.is_root else f"#anchor {node.link.name}"))
        body.name = node.name if node.is_root else anchor_name(node)
        built.roots.append(body)
        places[node.name] = lift @ _pose(data, number) if node.is_root else lift
        built.places.append(places[node.name])
    moving = (node for node in nodes.values() if node.is_root and not node.placed)
    standing = (node for node in nodes.values() if node.placed)
    link = next(chain(moving, standing)).name
    built.frames = [Frame(built.name, link, places[link].inverse())]


def _pose(data: mujoco.MjData, body: int) -> Pose:
    w, x, y, z = data.xquat[body].tolist()
    return Pose(tuple(data.xpos[body].tolist()), Quaternion(x, y, z, w))


def _show(child: mujoco.MjSpec, built: Built, referenced: Collection[str | None]) -> None:
    """Divides geoms into visuals, which get names, and collisions.

    Collisions of bodies without visuals are drawn. Geoms that other elements refer to keep their
    names.
    """
    has_visuals = {
        geom.parent.name for geom in child.geoms if not (geom.contype or geom.conaffinity)
    }
    materials = {material.name: material for material in child.materials}
    for number, geom in enumerate(child.geoms):
        touches, body = bool(geom.contype or geom.conaffinity), geom.parent.name
        if geom.group >= _SHOWN_GROUPS or (touches and body in has_visuals):
            geom.group = COLLISION_GROUP
            geom.name = geom.name or f"#geom {number}"  # pairs refer to it
            continue
        geom.group = VISUAL_GROUP
        if geom.name not in referenced:
            geom.name = f"{body}{SCOPE}{geom.name or f'visual {number}'}"
        material, drawn = materials.get(geom.material), geom.rgba
        if material is not None and np.allclose(drawn, _DEFAULT_GREY):
            drawn = material.rgba
        red, green, blue, alpha = drawn.tolist()
        colour = Color(red, green, blue, 1.0)
        built.visuals[built.name + SCOPE + geom.name] = Look(Material(colour, colour), 1.0 - alpha)
