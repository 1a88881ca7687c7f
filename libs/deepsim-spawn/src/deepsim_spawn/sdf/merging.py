# SPDX-License-Identifier: Apache-2.0
"""`<include merge="true">`: the parts of the included model become parts of the model around it.

A proxy frame stands for the model that is gone: its parts keep their places relative to it, and
parts that were attached to the model's own frame are attached to the proxy (SDF 1.9 and later).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from deepsim_spawn.description import ModelDescription

from .frames import MODEL, Frame, Scope

if TYPE_CHECKING:
    from .model import PlacedModel


def add_merged_frames(scope: Scope, model: PlacedModel) -> None:
    """Adds the proxy frame of a merged model, and all its frames, to the scope around it.

    Raises:
        ModelFormatError: A name is taken.
    """
    description = model.description
    proxy = f"_merged__{description.name}__"
    body = description.canonical_link or scope.root
    scope.add(proxy, replace(model.frame(scope.root), attached_to=body, inside=None))
    for name, frame in model.scope.frames.items():
        attached_to = proxy if frame.attached_to == MODEL else frame.attached_to
        pose = model.scope.pose(name, frame.element)
        scope.add(name, Frame(frame.element, pose, proxy, attached_to, frame.inside))


def with_merged(
    description: ModelDescription, scope: Scope, merged: Sequence[PlacedModel]
) -> ModelDescription:
    """Returns a model with the parts of those that are merged into it, after its own."""
    for model in merged:
        part = model.description
        if part.static and not description.static:
            model.element.warn("what is merged cannot be static by itself, it moves as the model")
        if part.self_collide and not description.self_collide:
            model.element.warn("what is merged collides with itself only where the model does")
        links = (replace(it, pose=scope.pose(it.name, model.element)) for it in part.links)
        models = (replace(it, pose=scope.pose(it.name, model.element)) for it in part.models)
        description = model.element.make(
            replace,
            description,
            links=(*description.links, *links),
            joints=(*description.joints, *part.joints),
            models=(*description.models, *models),
            plugins=(*description.plugins, *part.plugins),
        )
    return description
