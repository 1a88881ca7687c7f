# SPDX-License-Identifier: Apache-2.0
"""COLLADA files: geometries, nodes, the unit of length, and diffuse colours and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

import numpy as np
from lxml import etree

from deepsim_math import Quaternion, Vector3
from deepsim_spawn.xml.document import plain_tree, refuse_doctype

from .parts import Faces, MeshPaint, Part, Skin, Vertices, fans

_MOST_FACES = 20_000_000
_MOST_NODES = 100_000
"""Limit that stops nodes which instantiate one another endlessly."""


def read_collada(content: bytes, file: str, *, painted: bool = False) -> list[Part]:
    """Returns the triangles of a file's scene, named by the names and ids of geometries and nodes.

    As in Gazebo, a node with a matrix has no other transformation, the up axis is ignored, and a
    skin stays in its bind pose.

    Args:
        content: The file.
        file: Its name, for error messages.
        painted: Whether the parts get their materials.

    Raises:
        ModelFormatError: There is a DOCTYPE.
        ValueError: The file is malformed.
    """
    refuse_doctype(content, file)
    try:
        root = plain_tree(content, huge=True)  # one text may hold all vertices
    except etree.XMLSyntaxError as error:
        raise ValueError(error.msg) from error
    return [*_Collada(root, painted=painted).parts()]


_Known: TypeAlias = dict[tuple[str, str], etree._Element]


class _Instance(NamedTuple):
    """A node or geometry in the scene."""

    element: etree._Element
    place: Vertices
    names: frozenset[str]
    bound: etree._Element | None = None
    """The instance of a geometry, which binds materials to their symbols."""


class _Geometry(NamedTuple):
    vertices: Vertices
    faces: Faces
    coordinates: Vertices | None
    symbols: tuple[str, ...]
    numbers: Faces
    """Indices of the faces' symbols."""


class _Collada:
    def __init__(self, root: etree._Element, *, painted: bool) -> None:
        self._root, self._painted = root, painted
        self._known = _identified(root)
        self._read: dict[etree._Element, _Geometry] = {}

    def parts(self) -> Iterator[Part]:
        """Yields the instances of all geometries [m]; without a scene, each geometry once."""
        unit = self._root.find("{*}asset/{*}unit")
        metres = float("1" if unit is None else unit.get("meter", "1"))
        if not 0.0 < metres < np.inf:
            raise ValueError(f"the unit must be > 0 m, got {metres:g}")
        count = 0
        for geometry, place, names, bound in self._instances():
            if geometry not in self._read:
                self._read[geometry] = self._triangles(geometry)
            vertices, faces, coordinates, symbols, numbers = self._read[geometry]
            count += len(faces)
            if count > _MOST_FACES:
                raise ValueError(f"expected <= {_MOST_FACES} faces")
            if np.linalg.det(place[:3, :3]) < 0.0:
                faces = faces[:, ::-1]
                coordinates = None if coordinates is None else coordinates[:, ::-1]
            placed = vertices @ place[:3, :3].T + place[:3, 3]
            skin = None
            if self._painted:
                paints = tuple(self._paint(bound, symbol) for symbol in symbols)
                skin = Skin(coordinates, numbers, paints)
            yield Part(_names(geometry) | names, placed * metres, faces, skin)

    def _instances(self) -> Iterator[_Instance]:
        """Yields geometries with their poses and the names of their nodes."""
        scene = self._root.find("{*}scene/{*}instance_visual_scene")
        if scene is None:
            for geometry in self._root.iterfind("{*}library_geometries/{*}geometry"):
                yield _Instance(geometry, np.eye(4), frozenset())
            return
        top = _target(self._known, "visual_scene", scene, "url")
        pending = [_Instance(top, np.eye(4), frozenset())]
        nodes = 0
        while pending:
            node, place, names, _ = pending.pop()
            place = place @ _transformation(node)
            below: list[_Instance] = []
            for child in node:
                match _tag(child):
                    case "node":
                        below.append(_Instance(child, place, _names(child) or names))
                    case "instance_node":
                        target = _target(self._known, "node", child, "url")
                        below.append(_Instance(target, place, _names(target) | names))
                    case "instance_geometry":
                        target = _target(self._known, "geometry", child, "url")
                        yield _Instance(target, place, names, child)
                    case "instance_controller":
                        controller = _target(self._known, "controller", child, "url")
                        for skin in controller.iterfind("{*}skin"):
                            bound = skin.find("{*}bind_shape_matrix")
                            moved = place if bound is None else place @ _matrix(bound)
                            target = _target(self._known, "geometry", skin, "source")
                            yield _Instance(target, moved, names, child)
            pending += reversed(below)
            nodes += 1
            if nodes + len(pending) > _MOST_NODES:
                raise ValueError(f"expected <= {_MOST_NODES} instances of nodes")

    def _triangles(self, geometry: etree._Element) -> _Geometry:
        vertices, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], 0
        coordinates, numbers = [np.zeros((0, 3, 2))], [np.zeros(0, np.int64)]
        symbols: dict[str, int] = {}
        found: dict[etree._Element, tuple[int, int]] = {}  # first vertex and number of each source
        known = _identified(geometry)  # ids are unique within a geometry only
        for primitive in geometry.iterfind("{*}mesh/*"):
            if _tag(primitive) not in _PRIMITIVES:
                continue  # such as lines
            every = [*primitive.iterfind("{*}input")]
            inputs = {each.get("semantic"): each for each in reversed(every)}
            if "VERTEX" not in inputs:
                continue
            source = _positions(inputs["VERTEX"], known)
            if source not in found:
                vertices.append(_rows(source, 3))
                found[source] = count, len(vertices[-1])
                count += len(vertices[-1])
            start, end = found[source]
            offsets = [int(each.get("offset", "0")) for each in every]
            texcoord = inputs.get("TEXCOORD") if self._painted else None
            used = [inputs["VERTEX"], inputs["VERTEX"] if texcoord is None else texcoord]
            chosen = [int(each.get("offset", "0")) for each in used]
            corners = _corners(primitive, max(offsets) + 1, chosen)
            points = corners[..., 0]
            if len(points) and not (points.min() >= 0 and points.max() < end):
                raise ValueError(f"line {primitive.sourceline}: an index has no vertex")
            faces.append(points + start)
            coordinates.append(_places(texcoord, known, corners[..., 1]))
            symbol = symbols.setdefault(primitive.get("material", ""), len(symbols))
            numbers.append(np.full(len(points), symbol))
        places = np.concatenate(coordinates)
        return _Geometry(
            np.concatenate(vertices),
            np.concatenate(faces),
            places if places.any() else None,
            tuple(symbols),
            np.concatenate(numbers),
        )

    def _paint(self, bound: etree._Element | None, symbol: str) -> MeshPaint:
        """Returns the material that an instance of a geometry binds to a symbol."""
        binds = [] if bound is None else bound.iterfind(".//{*}instance_material")
        for bind in binds:
            if bind.get("symbol") == symbol:
                material = _target(self._known, "material", bind, "target")
                effect = material.find("{*}instance_effect")
                if effect is not None:
                    return self._diffuse(_target(self._known, "effect", effect, "url"))
        return MeshPaint()

    def _diffuse(self, effect: etree._Element) -> MeshPaint:
        """Returns the diffuse colour or picture of an effect."""
        diffuse = effect.find("{*}profile_COMMON/{*}technique/*/{*}diffuse")
        texture = None if diffuse is None else diffuse.find("{*}texture")
        color = None if diffuse is None else diffuse.find("{*}color")
        if texture is not None:
            name = texture.get("texture", "")
            sources = {each.get("sid"): each for each in effect.iter("{*}newparam")}
            for path in ("{*}sampler2D/{*}source", "{*}surface/{*}init_from"):
                step = sources[name].find(path) if name in sources else None
                name = name if step is None else (step.text or "").strip()
            image = self._known.get(("image", name))
            file = None if image is None else image.find(".//{*}init_from")
            ref = None if file is None else file.find("{*}ref")  # of COLLADA 1.5
            file = file if ref is None else ref
            if file is not None and file.text:
                return MeshPaint(picture=unquote(file.text.strip()).removeprefix("file://"))
        if color is not None:
            return MeshPaint(tuple(_numbers(color)[:3].tolist()))
        return MeshPaint()


_PRIMITIVES = {"triangles", "polylist", "polygons", "trifans", "tristrips"}


def _positions(vertex: etree._Element, known: _Known) -> etree._Element:
    """Returns the `<source>` of the positions that a VERTEX `<input>` refers to."""
    for each in _target(known, "vertices", vertex, "source").iterfind("{*}input"):
        if each.get("semantic") == "POSITION":
            return _target(known, "source", each, "source")
    raise ValueError(f"line {vertex.sourceline}: the vertices have no positions")


def _places(texcoord: etree._Element | None, known: _Known, corners: Faces) -> Vertices:
    """Returns the places (m, 3, 2) of corners in a picture; zeros for those without one."""
    if texcoord is None:
        return np.zeros((*corners.shape, 2))
    rows = _rows(_target(known, "source", texcoord, "source"), 2)
    is_known = (corners >= 0) & (corners < len(rows))
    places = np.concatenate([rows * (1.0, -1.0) + (0.0, 1.0), np.zeros((1, 2))])
    return np.asarray(places[np.where(is_known, corners, len(rows))])


def _rows(source: etree._Element, width: int) -> Vertices:
    """Returns the first numbers of each row of a source, (n, width)."""
    numbers = _numbers(source.find("{*}float_array"))
    accessor = source.find("{*}technique_common/{*}accessor")
    stride = width if accessor is None else int(accessor.get("stride", str(width)))
    start = 0 if accessor is None else int(accessor.get("offset", "0"))
    if stride < width or start < 0:
        raise ValueError(f"line {source.sourceline}: expected at least {width} numbers in each row")
    rows = (len(numbers) - start) // stride
    return numbers[start : start + rows * stride].reshape(-1, stride)[:, :width]


def _corners(primitive: etree._Element, stride: int, offsets: list[int]) -> Faces:
    """Returns the triangles of a primitive as indices (m, 3, k) at k offsets of each corner."""
    runs = [
        np.array([*map(int, (each.text or "").split())], dtype=np.int64)
        for each in primitive.iter("{*}p")
    ]
    if any(len(run) % stride for run in runs):
        raise ValueError(f"line {primitive.sourceline}: expected {stride} indices per corner")
    runs = [run.reshape(-1, stride)[:, offsets] for run in runs]
    kind = _tag(primitive)
    if kind == "tristrips":
        strips = [np.stack([run[:-2], run[1:-1], run[2:]], axis=1) for run in runs]
        for strip in strips:
            strip[1::2] = strip[1::2, ::-1]
        return np.concatenate([np.zeros((0, 3, len(offsets)), np.int64), *strips])
    corners = np.concatenate([np.zeros((0, len(offsets)), np.int64), *runs])
    counts = np.array([len(run) for run in runs], dtype=np.int64)
    if kind == "triangles":
        counts = np.full(len(corners) // 3, 3)
    elif kind == "polylist":
        counts = _numbers(primitive.find("{*}vcount")).astype(np.int64)
        if counts.sum() > len(corners) or (len(counts) and counts.min() < 0):
            raise ValueError(f"line {primitive.sourceline}: the polygons have too few indices")
    return fans(corners, counts)


def _transformation(node: etree._Element) -> Vertices:
    """Returns the transformation (4, 4) of a node relative to its parent."""
    matrix = node.find("{*}matrix")
    if matrix is not None:
        return _matrix(matrix)
    place = np.eye(4)
    for step in node:
        moved = np.eye(4)
        match _tag(step):
            case "translate":
                moved[:3, 3] = _numbers(step, 3)
            case "rotate":
                x, y, z, degrees = _numbers(step, 4).tolist()
                turn = Quaternion.from_axis_angle(Vector3(x, y, z), np.radians(degrees))
                moved[:3, :3] = turn.to_matrix()
            case "scale":
                moved[:3, :3] = np.diag(_numbers(step, 3))
            case "lookat" | "skew" as kind:
                raise ValueError(f"line {step.sourceline}: <{kind}> is not supported")
            case _:
                continue
        place = place @ moved
    return place


def _matrix(element: etree._Element) -> Vertices:
    return _numbers(element, 16).reshape(4, 4)


def _numbers(element: etree._Element | None, count: int | None = None) -> Vertices:
    words = [] if element is None else (element.text or "").split()
    if element is not None and count is not None and len(words) != count:
        raise ValueError(f"line {element.sourceline}: expected {count} numbers, got {len(words)}")
    return np.array(words, dtype=np.float64)


def _identified(root: etree._Element) -> _Known:
    """Returns the elements with an id, by tag and id; the first of each counts."""
    found: _Known = {}
    for element in root.iter("{*}*"):
        identifier = element.get("id")
        if identifier is not None:
            found.setdefault((_tag(element), identifier), element)
    return found


def _target(known: _Known, tag: str, element: etree._Element, attribute: str) -> etree._Element:
    url = element.get(attribute, "")
    try:
        return known[tag, url.partition("#")[2]]
    except KeyError:
        raise ValueError(f"line {element.sourceline}: there is no {tag} {url!r}") from None


def _names(element: etree._Element) -> frozenset[str]:
    return frozenset({element.get("id", ""), element.get("name", "")} - {""})


def _tag(element: etree._Element) -> str:
    return etree.QName(element).localname
