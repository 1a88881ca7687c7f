# SPDX-License-Identifier: Apache-2.0
"""`<model>` elements, in place or included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from deepsim_math import Pose
from deepsim_spawn.description import ModelDescription
from deepsim_spawn.description.names import WORLD
from deepsim_spawn.massless import fix_massless_bases
from deepsim_spawn.xml import Element, unique_names
from deepsim_spawn.xml.values import boolean, word
from deepsim_sync import SCOPE

from .frames import MODEL, Frame, Scope
from .include import MAX_NESTING, models_and_includes
from .joint import read_joint
from .link import read_link
from .merging import add_merged_frames, with_merged
from .pose import read_pose
from .sensor import read_plugin
from .version import sdf_version


@dataclass(frozen=True, slots=True)
class PlacedModel:
    """A model, and where it is to be put once the frames around it are known.

    Attributes:
        element: The `<model>` or `<include>`.
        description: The model; its pose is not yet resolved.
        scope: Its frames.
        pose: As written, in the frame `relative_to` of the scope that holds the model.
        relative_to: Empty for that scope's own frame.
    """

    element: Element
    description: ModelDescription
    scope: Scope
    pose: Pose
    relative_to: str

    @property
    def merges(self) -> bool:
        """Whether it is to become a part of the model that includes it."""
        return self.element.tag == "include" and self.element.attribute("merge", boolean, False)

    def frame(self, root: str) -> Frame:
        """Returns the model as a frame of the scope whose own frame is called `root`."""
        return Frame(self.element, self.pose, self.relative_to or root, inside=self.scope)

    def resolved(self, scope: Scope) -> ModelDescription:
        """Returns the model with its pose in the scope that holds it."""
        return replace(self.description, pose=scope.pose(self.description.name, self.element))


def read_model(
    element: Element, include: Element | None = None, static: bool = False
) -> PlacedModel:
    """Returns a model.

    Args:
        element: The `<model>`.
        include: The `<include>` that brought it in, which may rename it, move it and fix it.
        static: Whether the model that holds it is static, which makes it so too.
    """
    if element.tag != "model":
        raise (include or element).error(f"<{element.tag}> cannot be included here")
    with _nesting(element, include):
        name = element.require_attribute("name", word)
        static = element.get("static", boolean, False) or static
        placement = element.attribute("placement_frame", str, "")
        placed = element
        if include is not None:
            name = include.get("name", word, name)
            static = include.get("static", boolean, static)
            placement = include.get("placement_frame", str, placement)
            if include.find("pose"):
                placed = include
                element.skip("pose")  # what the include replaces
        parts = [read_model(*entity, static=static) for entity in models_and_includes(element)]
        nested = [part for part in parts if not part.merges]
        merged = [part for part in parts if part.merges]
        scope = _read_frames(element, nested, merged)
        pose, relative_to = read_pose(placed)
        if placement:
            pose = pose @ scope.pose(placement, placed).inverse()
        joints = [
            (joint, each)
            for each in element.find_all("joint")
            if (joint := read_joint(each, scope)) is not None
        ]
        description = element.make(
            _described,
            scope,
            merged,
            name=name,
            links=tuple(read_link(link, scope, joints) for link in element.find_all("link")),
            joints=tuple(joint for joint, _ in joints),
            models=tuple(model.resolved(scope) for model in nested),
            static=static,
            self_collide=element.get("self_collide", boolean, False),
            canonical_link=scope.canonical_link,
            plugins=tuple(read_plugin(plugin) for plugin in element.find_all("plugin")),
        )
    if not description.canonical_link and not static:
        raise element.error("a model must have a link, or be static")
    description = fix_massless_bases(description, element)
    return PlacedModel(include or element, description, scope, pose, relative_to)


def _described(scope: Scope, merged: list[PlacedModel], **own: Any) -> ModelDescription:
    if not merged:
        return ModelDescription(**own)
    # The named link and the ends of joints may be among what is merged: those come last.
    last = {"joints": own.pop("joints"), "canonical_link": own.pop("canonical_link")}
    whole = with_merged(ModelDescription(**own), scope, merged)
    joints = (*last["joints"], *whole.joints)
    return replace(whole, joints=joints, canonical_link=last["canonical_link"])


def _read_frames(element: Element, nested: list[PlacedModel], merged: list[PlacedModel]) -> Scope:
    """Returns the frames of a model: links, nested and merged models, `<frame>`s, joints."""
    _rename_world(element)
    scope = Scope(MODEL, _canonical_link(element, nested, merged))
    for link in element.find_all("link"):
        name = link.require_attribute("name", word)
        pose, relative_to = read_pose(link)
        scope.add(name, Frame(link, pose, relative_to or MODEL))
    for model in nested:
        scope.add(model.description.name, model.frame(MODEL))
    for model in merged:
        add_merged_frames(scope, model)
    for frame in element.find_all("frame"):
        scope.add_frame(frame)
    joints = element.find_all("joint")
    unique_names(joints)
    for joint in joints:
        name = joint.require_attribute("name", word)
        if name in scope and sdf_version(joint) < (1, 7):
            continue  # joints were no frames then, and could be named like a link
        child = joint.require("child").value(word)
        pose, relative_to = read_pose(joint)
        scope.add(name, Frame(joint, pose, relative_to or child, attached_to=child))
    scope.check()
    return scope


def _rename_world(model: Element) -> None:
    """Gives links and joints called ``world``, as they could be before SDF 1.7, another name.

    The joints that name such a link mean it, and not the world.
    """
    if sdf_version(model) >= (1, 7):
        return
    for named in model.find_all("link", "joint"):
        if named.attributes.get("name") != WORLD:
            continue
        name = f"{WORLD}_{named.tag}"
        named.repair(f"the name {WORLD!r} is reserved", f"{name!r} is used")
        named.attributes["name"] = name
        for joint in model.find_all("joint") if named.tag == "link" else ():
            for end in joint.find_all("parent", "child"):
                end.text = name if end.text == WORLD else end.text


def _canonical_link(element: Element, nested: list[PlacedModel], merged: list[PlacedModel]) -> str:
    """Returns the link that is named, or the first, or that of the first part that has one."""
    named = element.attribute("canonical_link", str, "")
    if named:
        return named  # the description will refuse what is not a link
    for link in element.find_all("link"):
        return link.require_attribute("name", word)
    for model in merged:
        if model.description.canonical_link:
            return model.description.canonical_link
    for model in nested:
        if model.description.canonical_link:
            return model.description.name + SCOPE + model.description.canonical_link
    return ""


@contextmanager
def _nesting(element: Element, include: Element | None) -> Iterator[None]:
    """Keeps account of the models that are being read, to stop those that hold themselves."""
    nesting = element.document.load.nesting
    file = element.document.path if element.parent is element.root else None
    asking = include or element
    if file is not None and file in nesting:
        files = [*(path for path in nesting[nesting.index(file) :] if path), file]
        raise asking.error(f"cyclic include: {' -> '.join(map(str, files))}")
    if len(nesting) >= MAX_NESTING:
        raise asking.error(f"models are nested more than {MAX_NESTING} deep")
    nesting.append(file)
    try:
        yield
    finally:
        nesting.pop()
