# SPDX-License-Identifier: Apache-2.0
"""`<material>` elements, with the scripts of OGRE materials that they name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from deepsim_math import Color, Material
from deepsim_spawn.errors import ModelFormatError
from deepsim_spawn.meshes.pictures import check_picture
from deepsim_spawn.xml.element import Element, color, word

_Rgb = tuple[float, float, float]


def _material(
    diffuse: _Rgb,
    ambient: _Rgb | None = None,
    specular: float = 0.1,
    emissive: _Rgb = (0.0, 0.0, 0.0),
) -> Material:
    return Material(
        ambient=Color(*(ambient or diffuse), 1.0),
        diffuse=Color(*diffuse, 1.0),
        specular=Color(specular, specular, specular, 1.0),
        emissive=Color(*emissive, 1.0),
    )


GAZEBO_MATERIALS: Final = {
    "Gazebo/Grey": _material((0.7, 0.7, 0.7), (0.3, 0.3, 0.3), 0.01),
    "Gazebo/DarkGrey": _material((0.175, 0.175, 0.175), specular=0.175),
    "Gazebo/White": _material((1.0, 1.0, 1.0)),
    "Gazebo/Black": _material((0.0, 0.0, 0.0)),
    "Gazebo/FlatBlack": _material((0.1, 0.1, 0.1), specular=0.01),
    "Gazebo/Red": _material((1.0, 0.0, 0.0)),
    "Gazebo/RedBright": _material((0.87, 0.26, 0.07), specular=0.4),
    "Gazebo/Green": _material((0.0, 1.0, 0.0)),
    "Gazebo/Blue": _material((0.0, 0.0, 1.0)),
    "Gazebo/SkyBlue": _material((0.0, 0.0, 1.0), (0.13, 0.44, 0.7)),
    "Gazebo/Yellow": _material((1.0, 1.0, 0.0), specular=0.0),
    "Gazebo/ZincYellow": _material((0.9725, 0.9529, 0.2078), specular=0.7),
    "Gazebo/Purple": _material((1.0, 0.0, 1.0)),
    "Gazebo/Turquoise": _material((0.0, 1.0, 1.0)),
    "Gazebo/Orange": _material((1.0, 0.5088, 0.0468), specular=0.5),
    "Gazebo/Gold": _material((0.8, 0.64869, 0.120759), (0.4, 0.24869, 0.020759), 0.4),
    "Gazebo/WhiteGlow": _material((1.0, 1.0, 1.0), emissive=(1.0, 1.0, 1.0)),
    "Gazebo/RedGlow": _material((1.0, 0.0, 0.0), emissive=(1.0, 0.0, 0.0)),
    "Gazebo/GreenGlow": _material((0.0, 1.0, 0.0), emissive=(0.0, 1.0, 0.0)),
    "Gazebo/BlueGlow": _material((0.0, 0.0, 1.0), emissive=(0.0, 0.0, 1.0)),
    "Gazebo/YellowGlow": _material((1.0, 1.0, 0.0), emissive=(1.0, 1.0, 0.0)),
    "Gazebo/PurpleGlow": _material((1.0, 0.0, 1.0), emissive=(1.0, 0.0, 1.0)),
    "Gazebo/TurquoiseGlow": _material((0.0, 1.0, 1.0), emissive=(0.0, 1.0, 1.0)),
    # textured
    "Gazebo/Wood": _material((0.6, 0.43, 0.27), specular=0.2),
    "Gazebo/WoodFloor": _material((0.55, 0.37, 0.22)),
    "Gazebo/WoodPallet": _material((0.65, 0.5, 0.35), specular=0.0),
    "Gazebo/Bricks": _material((0.6, 0.3, 0.24), specular=0.2),
    "Gazebo/PaintedWall": _material((0.85, 0.83, 0.78)),
    "Gazebo/CeilingTiled": _material((0.8, 0.8, 0.8)),
    "Gazebo/Road": _material((0.25, 0.25, 0.25), specular=0.01),
}
"""Gazebo's own material scripts, which models name but do not contain: the colours of Gazebo 11,
and one representative colour for each that has a texture."""


_WHITE = Color(1.0, 1.0, 1.0, 1.0)
_COLORS = ("ambient", "diffuse", "specular", "emissive")
_MOST_SCRIPTS, _MOST_BYTES = 100, 2**20  # of a folder, of a script
_WITHOUT = "it is drawn without texture"


class Paint(NamedTuple):
    """The colours of a visual, its opacity and the picture on it, as far as they are given."""

    material: Material | None = None
    transparency: float = 0.0
    texture: Path | None = None


def read_material(element: Element) -> Paint:
    """Returns the colours and texture of a visual.

    Colours of the element override those of the script, and a map of PBR its texture. If only one
    of ambient and diffuse is given, it is used for both.
    """
    script = element.find("script/name") or element  # in URDF extensions, the name is the text
    base, texture = GAZEBO_MATERIALS.get(script.text), None
    if base is None and script.text:
        base, texture = _read_script(element, script)
    element.skip("script")
    for workflow in ("metal", "specular"):
        albedo = element.find(f"pbr/{workflow}/albedo_map")
        if albedo is not None and albedo.text:
            texture = find_texture(albedo, albedo.value(word)) or texture
    given = {tag: element.find(tag) for tag in _COLORS}
    own = {tag: found.value(color) for tag, found in given.items() if found is not None}
    if base is None and not own:
        return Paint(texture=texture)
    if base is None:
        plain = own.get("diffuse", own.get("ambient", _WHITE))
        base = Material(ambient=plain, diffuse=plain)
    material = Material(**{tag: own.get(tag, getattr(base, tag)) for tag in given})
    return Paint(material, texture=texture)


def find_texture(element: Element, uri: str) -> Path | None:
    """Returns the picture that an element names; None, with a warning, if it is of no use.

    A strict load raises the error instead.
    """
    try:
        path = element.file(uri)
    except ModelFormatError as error:
        element.repair(str(error.__cause__), _WITHOUT)
        return None
    return _usable(element, path)


def _usable(element: Element, path: Path) -> Path | None:
    try:
        check_picture(path)
    except ModelFormatError as error:
        element.repair(str(error), _WITHOUT)
        return None
    return path


def _read_script(element: Element, name: Element) -> tuple[Material | None, Path | None]:
    """Returns the material and texture of a script in the folders or files that are named."""
    places, missing = [], ""
    holder = element.find("script")
    for uri in [] if holder is None else holder.find_all("uri"):
        try:
            places.append(uri.file(uri.value(word)))
        except ModelFormatError as error:
            missing += f": {error.__cause__ or error}"
    for file in _scripts(places):
        content = file.read_text("utf-8", "replace") if file.stat().st_size <= _MOST_BYTES else ""
        script = _parse(content, name.text)
        if script is not None:
            colors, picture, ignored = script
            for step in ignored:
                name.warn_unsupported(f"{step!r} of its texture has no effect", f" {step}")
            material = Material(**{tag: Color(*values) for tag, values in colors.items()})
            folders = [place for place in places if place.is_dir()]
            folders += [file.parent, file.parent.parent / "textures"]
            return material, _texture_in(folders, picture, name) if picture else None
    name.warn_unsupported(f"unknown material script, ignored{missing}", f" {name.text}")
    return None, None


def _texture_in(folders: list[Path], picture: str, name: Element) -> Path | None:
    """Returns a picture in one of some folders; None, with a warning, if it is of no use."""
    for folder in folders:
        path = folder / picture
        if os.path.isfile(path) and path.resolve().is_relative_to(folder.resolve()):
            return _usable(name, path.resolve())
    searched = ", ".join(map(str, dict.fromkeys(folders)))
    name.repair(f"{picture!r} was not found; searched {searched}", _WITHOUT)
    return None


def _scripts(places: list[Path]) -> Iterator[Path]:
    for place in places:
        if place.is_dir():
            yield from filter(Path.is_file, sorted(place.glob("*.material"))[:_MOST_SCRIPTS])
        else:
            yield place


_MOVES = ("rotate", "scale", "scroll")  # steps of a texture that are ignored


def _parse(
    content: str, name: str
) -> tuple[dict[str, list[float]], str | None, dict[str, None]] | None:
    """Returns the colours and texture of a material in an OGRE script, and ignored steps of it.

    Of several textures, that of the unit ``diffuseMap`` or else the first one counts. The result is
    None if the script has no such material.
    """
    text = re.sub(r"//[^\n]*", "", content)
    colors: dict[str, list[float]] = {}
    pictures: dict[str, str] = {}
    ignored: dict[str, None] = {}
    depth, unit, inside = 0, "", False
    for line in re.sub(r"([{}])", r"\n\1\n", text).splitlines():
        match line.split():
            case ["{"]:
                depth += 1
            case ["}"]:
                depth -= 1
                if inside and depth == 0:
                    break
            case ["material", *words] if depth == 0:
                inside = " ".join(words).partition(" : ")[0].strip('"') == name
            case ["texture_unit", *words] if inside:
                unit = " ".join(words)
            case ["texture", file, *_] if inside:
                pictures.setdefault(unit, file.strip('"'))
            case [step, *_] if inside and step in _MOVES:
                ignored[step] = None
            case [tag, *words] if inside and tag in _COLORS and len(words) >= 3:
                try:
                    rgb = [min(max(float(number), 0.0), 1.0) for number in words[:3]]
                except ValueError:
                    continue  # such as vertexcolour
                colors.setdefault(tag, [*rgb, 1.0])
    if not inside:
        return None
    return colors, pictures.get("diffuseMap", next(iter(pictures.values()), None)), ignored
