# SPDX-License-Identifier: Apache-2.0
"""Encodes and decodes descriptions of models and of their controls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from deepsim_math import Pose
from deepsim_spawn import GazeboXMLLoader, MjcfModel, ModelDescription, WorldDescription
from deepsim_sync import Control, Descriptions
from deepsim_transport.errors import MessageError


class _Mjcf(msgspec.Struct, forbid_unknown_fields=True):
    """The attributes of a `MjcfModel`; its files are sent as paths."""

    name: str
    text: str
    files: dict[str, str]
    keyframe: str | None
    on_ground: bool
    floor_contacts: dict[str, dict[str, str]]
    pose: tuple[float, float, float, float, float, float, float]

    @property
    def paths(self) -> dict[str, Path]:
        """The paths of the files by key."""
        return {key: Path(path) for key, path in self.files.items()}


def packed_model(description: Any) -> Any:
    """Encodes a model: as SDF, or with all its attributes if it is MJCF.

    Raises:
        AttributeError: The description is neither MJCF nor has a method ``to_sdf``.
    """
    if not isinstance(description, MjcfModel):
        return description.to_sdf()
    return _Mjcf(
        description.name,
        description.text,
        {key: str(path) for key, path in description.files.items()},
        description.keyframe,
        description.on_ground,
        {geom: dict(settings) for geom, settings in description.floor_contacts.items()},
        tuple(np.asarray(description.pose).tolist()),
    )


def read_model(packed: Any, loader: GazeboXMLLoader) -> ModelDescription | MjcfModel:
    """Decodes a model that another process wants to add; its files are searched here.

    Raises:
        MessageError: It is no encoded model.
        ModelFormatError: Its text cannot be read, or a file is not on the search path.
    """
    if not isinstance(packed, Mapping):
        return loader.load_model(plain_text(packed))
    sent = _mjcf(packed)
    return MjcfModel(
        plain_text(sent.text),
        search_path=loader.search_path,
        keyframe=sent.keyframe,
        on_ground=sent.on_ground,
        pose=Pose.from_array(np.array(sent.pose)),
        files=sent.paths,
        floor_contacts=sent.floor_contacts,
    )


def packed_descriptions(found: Descriptions) -> dict[str, Any]:
    """Encodes the descriptions of a world; models that are neither SDF nor MJCF are left out."""
    lights = WorldDescription(lights=tuple(found.lights.values()))
    return {
        "models": {
            name: packed_model(model)
            for name, model in found.models.items()
            if isinstance(model, (ModelDescription, MjcfModel))
        },
        "lights": lights.to_sdf(),
        "looks": {name: model.to_sdf() for name, model in found.looks.items()},
        "controls": dict(found.controls),
        "gravity": found.gravity,
    }


def read_descriptions(packed: Mapping[str, Any]) -> Descriptions:
    """Decodes the descriptions of the world of another process."""
    loader = GazeboXMLLoader()
    models: dict[str, Any] = {}
    for name, model in packed["models"].items():
        if isinstance(model, Mapping):
            sent = _mjcf(model)
            models[name] = MjcfModel.of_attributes(
                sent.name,
                sent.text,
                sent.paths,
                sent.keyframe,
                sent.on_ground,
                sent.floor_contacts,
                Pose.from_array(np.array(sent.pose)),
            )
        else:
            models[name] = loader.load_model(model)
    return Descriptions(
        models,
        {each.name: each for each in loader.load_world(packed["lights"]).lights},
        {name: loader.load_model(model) for name, model in packed["looks"].items()},
        {
            name: tuple(Control(*each) for each in controls)
            for name, controls in packed["controls"].items()
        },
        None if packed["gravity"] is None else tuple(map(float, packed["gravity"])),
    )


def plain_text(text: Any) -> str:
    """Checks that reading a model opens no file of the sender's choice.

    Raises:
        MessageError: `text` is not a model as text, but for example a path.
    """
    if not isinstance(text, str) or not text.lstrip().startswith("<"):
        raise MessageError("a model is sent as the text of its SDF, URDF or MJCF")
    return text


def _mjcf(packed: Mapping[str, Any]) -> _Mjcf:
    try:
        return msgspec.convert(packed, _Mjcf)
    except msgspec.ValidationError as error:
        raise MessageError(f"MJCF that cannot be read: {error}") from None
