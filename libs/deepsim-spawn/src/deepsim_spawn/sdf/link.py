# SPDX-License-Identifier: Apache-2.0
"""`<light>` and `<link>` elements, with their shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar, cast, get_args

from deepsim_math import Pose, Vector3
from deepsim_spawn.description.checks import NoAreaError, NoSizeError
from deepsim_spawn.description.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)
from deepsim_spawn.description.height_grid import heights_of_text
from deepsim_spawn.description.joint import JointDescription
from deepsim_spawn.description.light import LightDescription, LightType
from deepsim_spawn.description.link import (
    CollisionDescription,
    Inertial,
    LinkDescription,
    Surface,
    VisualDescription,
)
from deepsim_spawn.description.sdf_paths import BOUNCING, MOMENTS
from deepsim_spawn.errors import ModelFormatError
from deepsim_spawn.inertia import WATER, even_solid, inertial_of, make_inertial
from deepsim_spawn.xml.element import (
    Element,
    boolean,
    factors,
    integer,
    number,
    number_names,
    pair,
    word,
)

from .frames import Scope, read_pose
from .material import Paint, read_material
from .sensor import read_joint_sensor, read_sensor

G = TypeVar("G")


def unless_left_out(owner: Element, read: Callable[[Element], Geometry | None]) -> Geometry | None:
    """Returns the shape of a collision or visual; None, with a warning, for a dispensable one.

    Unless the load is strict, visuals without size or with a missing mesh are dispensable, and
    collisions that are a point or a line; so are collisions with a missing mesh if the load skips
    them. A flat collision is not, because it may be a floor.
    """
    load = owner.document.load
    try:
        return read(owner)
    except ModelFormatError as error:
        reason = error.__cause__
        missing = isinstance(reason, FileNotFoundError)
        if owner.tag == "visual":
            dispensable = missing or isinstance(reason, NoSizeError)
        else:
            dispensable = isinstance(reason, NoAreaError)
        if not (dispensable and not load.strict) and not (missing and load.skip_missing_collisions):
            raise
    owner.mark_read()
    owner.warn(str(reason), f"{owner.tag}s without a {'mesh' if missing else 'size'} are left out")
    return None


def read_scale(owner: Element, factors: list[float]) -> Vector3:
    """Returns the scale of a mesh: one factor for each axis, or one for all."""
    if len(factors) == 1:
        owner.repair(f"expected 3 numbers as scale, got {factors}", "it applies to all axes")
        factors *= 3
    elif len(factors) == 4:
        owner.repair(f"expected 3 numbers as scale, got {factors}", "the fourth is ignored")
    return Vector3(*factors[:3])


def read_geometry(owner: Element) -> Geometry | None:
    """Returns the shape of a collision or visual; None, with a warning, if unsupported."""
    geometry = owner.require("geometry")
    for shape in geometry.children:
        reader = _READERS.get(shape.tag)
        if reader is not None:
            return reader(geometry.require(shape.tag))
        shape.mark_read()
        if shape.tag == "empty":
            return None  # as the file requests, so without a warning
        shape.warn_unsupported(f"not supported, the {owner.tag} is left out")
        return None
    geometry.warn_unsupported(f"holds no shape, the {owner.tag} is left out")
    return None


def _simple(kind: type[G]) -> Callable[[Element], G]:
    """Returns the reader of a shape whose lengths have the same names in SDF."""
    return lambda shape: shape.read_description(kind)


def _file(shape: Element) -> Path:
    uri = shape.require("uri")
    return uri.file(uri.value(word))


def _mesh(shape: Element) -> Mesh | Heightmap:
    if shape.find("heights") is not None:
        return _array(shape)
    return shape.make(
        Mesh,
        path=_file(shape),
        scale=read_scale(shape, shape.get("scale", factors, [1.0, 1.0, 1.0])),
        submesh=shape.require("submesh/name").value(word) if shape.find("submesh") else "",
        center=shape.get("submesh/center", boolean, False),
    )


def _polyline(shape: Element) -> Polyline:
    """Returns the polylines of a geometry as one shape; an outline inside another is a hole."""
    parent = shape.parent
    outlines = [shape] if parent is None else parent.find_all("polyline")
    heights = [outline.require("height").value(number) for outline in outlines]
    if len(set(heights)) > 1:
        shape.warn(f"polylines of one shape differ in height, all get {heights[0]:g} m")
    points = [
        tuple(point.value(pair) for point in outline.find_all("point")) for outline in outlines
    ]
    return shape.make(Polyline, tuple(points), heights[0])


def _heightmap(shape: Element) -> Heightmap:
    return shape.read_description(Heightmap, source=_file(shape))


def _array(shape: Element) -> Heightmap:
    """Returns the heightmap that was written as a mesh, which only Gazebo needs."""
    shape.skip("uri")
    text = shape.require("heights")
    columns = text.require_attribute("columns", integer)
    heights = text.value(lambda content: heights_of_text(content, columns))
    return shape.read_description(Heightmap, source=heights)


_READERS: Final[dict[str, Callable[[Element], Geometry]]] = {
    "box": _simple(Box),
    "sphere": _simple(Sphere),
    "cone": _simple(Cone),
    "cylinder": _simple(Cylinder),
    "capsule": _simple(Capsule),
    "ellipsoid": _simple(Ellipsoid),
    "plane": _simple(Plane),
    "heightmap": _heightmap,
    "mesh": _mesh,
    "polyline": _polyline,
}


_LIGHTS = get_args(LightType)


def read_light(
    element: Element, base: str, scope: Scope, include: Element | None = None
) -> LightDescription:
    """Returns a light posed in the frame `base`; an `<include>` may rename and move it."""
    name = element.require_attribute("name", word)
    kind = element.require_attribute("type", word)
    if kind not in _LIGHTS:
        raise element.error(f"type must be one of {', '.join(_LIGHTS)}, got {kind!r}")
    placed = element
    if include is not None:
        name = include.get("name", word, name)
        if include.find("pose"):
            placed = include
            element.skip("pose")  # replaced by the include's
    pose, relative_to = read_pose(placed)
    return element.read_description(
        LightDescription,
        name=name,
        type=cast(LightType, kind),
        pose=scope.relative_pose(pose, relative_to, base, placed),
    )


def read_link(
    element: Element, scope: Scope, joints: Mapping[str, Sequence[tuple[JointDescription, Element]]]
) -> LinkDescription:
    """Returns a link with resolved poses and with the sensors of its joints.

    Args:
        element: The element of the link.
        scope: The frames of its model.
        joints: The joints of its model, with their elements, by the names of their children.
    """
    name = element.require_attribute("name", word)
    sensors = element.find_all("sensor")
    felt = [
        (joint, sensor)
        for joint, joined in joints.get(name, ())
        for sensor in joined.find_all("sensor")
    ]
    for tag in ("collision", "visual", "light"):
        number_names(element.find_all(tag))
    number_names([*sensors, *(sensor for _, sensor in felt)])
    collisions = {
        child: read_collision(child, name, scope) for child in element.find_all("collision")
    }
    visuals = [read_visual(child, name, scope) for child in element.find_all("visual")]
    return element.read_description(
        LinkDescription,
        name=name,
        pose=scope.pose(name, element),
        inertial=read_inertial(element, collisions),
        collisions=tuple(collision for collision in collisions.values() if collision),
        visuals=tuple(visual for visual in visuals if visual),
        sensors=(
            *(read_sensor(child, name, scope) for child in sensors),
            *(read_joint_sensor(child, joint, scope) for joint, child in felt),
        ),
        lights=tuple(read_light(child, name, scope) for child in element.find_all("light")),
    )


def read_inertial(
    link: Element, collisions: Mapping[Element, CollisionDescription | None]
) -> Inertial | None:
    """Returns the inertia of a link (SDF's default: 1 kg, unit tensor), or None if massless."""
    element = link.find("inertial")
    if element is None:
        return Inertial()
    if element.attribute("auto", boolean, False):
        return _of_collisions(element, collisions)
    pose, relative_to = read_pose(element)
    if relative_to:
        raise element.error(
            f"relative_to={relative_to!r} is not allowed: the pose is in the link frame"
        )
    values = element.read_fields(Inertial)
    moments = {name: values.get(name, 1.0 if name[1] == name[2] else 0.0) for name in MOMENTS}
    return make_inertial(element, values.get("mass", 1.0), pose, moments)


def _of_collisions(
    element: Element, collisions: Mapping[Element, CollisionDescription | None]
) -> Inertial | None:
    """Returns the inertia of an `<inertial auto="true">` (SDF 1.11): that of the collisions.

    Their density is their own, or that of the `<inertial>`, or that of water. If a mass is given,
    the inertia is scaled to it.
    """
    usual = element.get("density", number, WATER)
    dense = [
        (collision, child.get("density", number, usual))
        for child, collision in collisions.items()
        if collision is not None
    ]
    for collision, density in dense:
        if not density > 0.0:
            raise element.error(
                f"the density of collision {collision.name!r} must be > 0 kg/m^3, got {density:g}"
            )
    solid = even_solid(element, dense)
    if solid is None:
        element.warn("there is no collision with a volume", "a link without one has 1 kg")
        return Inertial()
    mass = element.get("mass", number, solid.mass)
    if mass == 0.0:
        return make_inertial(element, mass, Pose(), None)
    return inertial_of(element, solid, mass)


_UNLIMITED_FRICTION = 1000.0


def read_friction(owner: Element, coefficient: float) -> float:
    """Returns a friction coefficient; a negative one means unlimited friction, as in ODE."""
    if coefficient >= 0.0:
        return coefficient
    owner.repair(
        f"surface mu must be >= 0, got {coefficient:g}",
        f"negative friction becomes {_UNLIMITED_FRICTION:g}, unlimited",
    )
    return _UNLIMITED_FRICTION


def read_collision(element: Element, link: str, scope: Scope) -> CollisionDescription | None:
    """Returns a collision of a link, or None if its shape is left out."""
    name = element.require_attribute("name", word)
    pose, relative_to = read_pose(element)
    surface = element.find("surface")
    geometry = unless_left_out(element, read_geometry)
    if geometry is None:
        return None
    return element.make(
        CollisionDescription,
        name=name,
        geometry=geometry,
        pose=scope.relative_pose(pose, relative_to, link, element),
        surface=Surface() if surface is None else _read_surface(surface),
    )


def _read_surface(element: Element) -> Surface:
    values = element.read_fields(Surface)
    for coefficient in ("mu", "mu2"):
        if coefficient in values:
            values[coefficient] = read_friction(element, values[coefficient])
    if "mu" in values:  # whoever gives one coefficient means both directions
        values.setdefault("mu2", values["mu"])
    for path, value in BOUNCING.items():
        solver = element.find(path)
        if solver is not None and solver.text != repr(value):
            solver.warn_unsupported("not supported, ignored")
    return element.make(Surface, **values)


def read_visual(element: Element, link: str, scope: Scope) -> VisualDescription | None:
    """Returns a visual of a link, or None if its shape is left out."""
    name = element.require_attribute("name", word)
    pose, relative_to = read_pose(element)
    material = element.find("material")
    geometry = unless_left_out(element, read_geometry)
    if geometry is None:
        element.skip("material", "transparency", "cast_shadows")
        return None
    paint = Paint() if material is None else read_material(material)
    return element.read_description(
        VisualDescription,
        name=name,
        geometry=geometry,
        pose=scope.relative_pose(pose, relative_to, link, element),
        material=paint.material,
        texture=paint.texture,
    )
