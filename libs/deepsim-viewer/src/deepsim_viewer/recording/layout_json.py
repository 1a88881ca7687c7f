# SPDX-License-Identifier: Apache-2.0
"""The layout of a scene as JSON; a recording contains one for each set of entities."""

from __future__ import annotations

import base64
import json
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Color, Pose, Vector3
from deepsim_spawn import Attenuation, LightDescription
from deepsim_sync import KINDS, Descriptions, Entities
from deepsim_viewer.scene.instances import Instances, Layout
from deepsim_viewer.scene.surfaces import Surface

T = TypeVar("T", bound=np.generic)


def encode_layout(layout: Layout) -> bytes:
    """Returns a layout as self-contained JSON, including the triangles of its surfaces."""
    instances = layout.instances
    surfaces = list(dict.fromkeys(instances.surfaces))
    numbers = {surface: number for number, surface in enumerate(surfaces)}
    lights = layout.descriptions.lights.values()
    return json.dumps(
        {
            "entities": {kind: list(layout.entities.names(kind)) for kind in KINDS},
            "links": instances.links.tolist(),
            "visuals": instances.visuals.tolist(),
            "places": instances.places.tolist(),
            "scales": instances.scales.tolist(),
            "surfaces": [numbers[surface] for surface in instances.surfaces],
            "triangles": [
                {
                    "vertices": _text(each.vertices, "<f4"),
                    "faces": _text(each.faces, "<u4"),
                    "is_plane": each.is_plane,
                }
                for each in surfaces
            ],
            "lights": [_light(each) for each in lights if isinstance(each, LightDescription)],
        }
    ).encode()


def decode_layout(data: bytes, generation: int) -> Layout:
    """Returns the layout that `encode_layout` encoded; its entities get the given generation.

    Raises:
        DeepSimError: A name is not unique.
        KeyError: A field is missing.
        TypeError: A field has the wrong type.
        ValueError: The data is not JSON, or has inconsistent numbers.
    """
    found = json.loads(data)
    entities = Entities(generation, **{kind: map(str, found["entities"][kind]) for kind in KINDS})
    lights = {each["name"]: _light_of(each) for each in found["lights"]}
    surfaces = [_surface_of(each) for each in found["triangles"]]
    count = len(found["surfaces"])
    layout = Layout(entities, Descriptions({}, lights))
    layout.instances = Instances(
        _rows(found["links"], count, len(entities.links)),
        _rows(found["visuals"], count, len(entities.visuals)),
        np.array(found["places"], dtype=np.float64).reshape(count, 7),
        np.array(found["scales"], dtype=np.float64).reshape(count, 3),
        tuple(surfaces[number] for number in _rows(found["surfaces"], count, len(surfaces))),
    )
    return layout


def _rows(given: Any, count: int, bound: int) -> NDArray[np.intp]:
    rows = np.array(given, dtype=np.intp).reshape(count)
    if count and not (rows.min() >= 0 and rows.max() < bound):
        raise ValueError(f"rows must be 0..{bound - 1}, got {rows.min()}..{rows.max()}")
    return rows


def _text(array: NDArray[T], dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype=dtype).tobytes()).decode()


def _surface_of(found: Any) -> Surface:
    vertices = np.frombuffer(base64.b64decode(found["vertices"]), "<f4").reshape(-1, 3)
    faces = np.frombuffer(base64.b64decode(found["faces"]), "<u4").reshape(-1, 3)
    if faces.size and faces.max() >= len(vertices):
        raise ValueError(f"faces must have vertices 0..{len(vertices) - 1}, got {faces.max()}")
    return Surface(vertices, faces, bool(found["is_plane"]))


def _light(light: LightDescription) -> dict[str, Any]:
    return {
        "name": light.name,
        "type": light.type,
        "pose": np.asarray(light.pose, dtype=np.float64).tolist(),
        "diffuse": np.asarray(light.diffuse, dtype=np.float64).tolist(),
        "direction": np.asarray(light.direction, dtype=np.float64).tolist(),
        "range": light.attenuation.range,
    }


def _light_of(found: Any) -> LightDescription:
    pose = found["pose"]
    return LightDescription(
        found["name"],
        found["type"],
        pose=Pose(Vector3(*pose[:3]), pose[3:]),
        diffuse=Color(*found["diffuse"]),
        direction=Vector3(*found["direction"]),
        attenuation=Attenuation(range=found["range"]),
    )
