# SPDX-License-Identifier: Apache-2.0
"""JSON messages for Foxglove and similar tools."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from deepsim_viewer.scene.frame import Frame

_NUMBER = {"type": "number"}


def _record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TIME = _record(sec={"type": "integer"}, nsec={"type": "integer"})
_VECTOR = _record(x=_NUMBER, y=_NUMBER, z=_NUMBER)
_QUATERNION = _record(x=_NUMBER, y=_NUMBER, z=_NUMBER, w=_NUMBER)
_COLOR = _record(r=_NUMBER, g=_NUMBER, b=_NUMBER, a=_NUMBER)
_TRANSFORM = _record(
    timestamp=_TIME,
    parent_frame_id={"type": "string"},
    child_frame_id={"type": "string"},
    translation=_VECTOR,
    rotation=_QUATERNION,
)
_TRIANGLES = _record(
    pose=_record(position=_VECTOR, orientation=_QUATERNION),
    points=_list(_VECTOR),
    color=_COLOR,
    colors=_list(_COLOR),
    indices=_list({"type": "integer"}),
)
_ENTITY = _record(
    timestamp=_TIME,
    frame_id={"type": "string"},
    id={"type": "string"},
    lifetime=_TIME,
    frame_locked={"type": "boolean"},
    metadata=_list(_record(key={"type": "string"}, value={"type": "string"})),
    triangles=_list(_TRIANGLES),
)
_DELETION = _record(timestamp=_TIME, type={"type": "integer"}, id={"type": "string"})
SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    "/tf": ("foxglove.FrameTransforms", _record(transforms=_list(_TRANSFORM))),
    "/scene": (
        "foxglove.SceneUpdate",
        _record(deletions=_list(_DELETION), entities=_list(_ENTITY)),
    ),
}
"""Names and contents of schemas, by topic."""
_DELETE_ALL = 1


def transforms(frame: Frame, time: int) -> bytes:
    """Returns foxglove.FrameTransforms as JSON at a log time [ns], with a frame for each link.

    Frames are named ``model::link`` in world 0, and ``w/model::link`` in world w > 0.
    """
    stamp = _stamp(time)
    names = tuple(frame.entities.links)
    return json.dumps(
        {
            "transforms": [
                {
                    "timestamp": stamp,
                    "parent_frame_id": "world",
                    "child_frame_id": _frame(world, name),
                    "translation": _axes(pose[:3]),
                    "rotation": _axes(pose[3:]),
                }
                for world, rows in enumerate(frame.poses.tolist())
                for name, pose in zip(names, rows, strict=True)
            ]
        }
    ).encode()


def scene(frame: Frame, time: int) -> bytes:
    """Converts a frame to a foxglove.SceneUpdate in JSON.

    It replaces all visuals at the log time `time` [ns].
    """
    instances, names = frame.layout.instances, tuple(frame.entities.links)
    stamp = _stamp(time)
    nothing = {"sec": 0, "nsec": 0}
    entities = []
    for world in range(len(frame.poses)):
        for number, surface in enumerate(instances.surfaces):
            row = instances.visuals[number]
            alpha = float(frame.opacities[world, row])
            if alpha == 0.0 or (surface.is_ground and world):
                continue
            points = surface.vertices.astype(np.float64) * instances.scales[number]
            red, green, blue = frame.colors[world, row].tolist()
            place = instances.places[number].tolist()
            triangles = {
                "pose": {"position": _axes(place[:3]), "orientation": _axes(place[3:])},
                "points": [_axes(point) for point in points.tolist()],
                "color": {"r": red, "g": green, "b": blue, "a": alpha},
                "colors": [],
                "indices": surface.faces.reshape(-1).tolist(),
            }
            entities.append(
                {
                    "timestamp": stamp,
                    "frame_id": _frame(world, names[instances.links[number]]),
                    "id": f"{world}/{frame.entities.visuals[int(row)]}",
                    "lifetime": nothing,
                    "frame_locked": True,
                    "metadata": [],
                    "triangles": [triangles],
                }
            )
    deletions = [{"timestamp": stamp, "type": _DELETE_ALL, "id": ""}]
    return json.dumps({"deletions": deletions, "entities": entities}).encode()


def _frame(world: int, link: str) -> str:
    return f"{world}/{link}" if world else link


def _stamp(time: int) -> dict[str, int]:
    return {"sec": time // 10**9, "nsec": time % 10**9}


def _axes(parts: list[float]) -> dict[str, float]:
    """Returns a vector or quaternion, (3,) or (4,), by the names of its components."""
    return dict(zip("xyzw", parts, strict=False))
