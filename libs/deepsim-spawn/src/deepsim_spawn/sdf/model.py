# SPDX-License-Identifier: Apache-2.0
"""`<model>` elements, and the models that `<include>` brings in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from deepsim_math import Pose

from deepsim_spawn.description import ModelDescription
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import boolean, word

from .frames import Frame, Scope
from .harmless import HARMLESS
from .include import open_include
from .joint import read_joint
from .link import read_link
from .names import unique_names
from .pose import read_pose
from .sensor import read_plugin
from .version import sdf_version

ROOT = "__model__"
"""The frame of the model itself, by which everything in it is placed."""

MAX_NESTING = 32
"""Of models in models, by include or in place: keeps the reader within Python's stack."""


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

    def frame(self, root: str) -> Frame:
        """The model as a frame of the scope whose own frame is called `root`."""
        name = self.description.name
        return Frame(self.element, self.pose, self.relative_to or root, name, self.scope)

    def resolved(self, scope: Scope) -> ModelDescription:
        """The model with its pose in the scope that holds it."""
        return replace(self.description, pose=scope.pose(self.description.name, self.element))


def read_models(parent: Element, static: bool = False) -> list[PlacedModel]:
    """The `<model>`s of a world or model, and those that it includes, in the order of the file."""
    models = []
    for element in parent.find_all("model", "include"):
        if element.tag == "model":
            models.append(read_model(element, static=static))
            continue
        entity = open_include(element)
        if entity.tag == "model":
            models.append(read_model(entity, include=element, static=static))
            entity.root.warn_of_unread(HARMLESS)
        elif parent.tag != "world" or entity.tag != "light":
            raise element.error(f"a {parent.tag} cannot include the {entity.tag} at {entity.place}")
    return models


def read_model(
    element: Element, include: Element | None = None, static: bool = False
) -> PlacedModel:
    """A model.

    Args:
        element: The `<model>`.
        include: The `<include>` that brought it in, which may rename it, move it and fix it.
        static: Whether the model that holds it is static, which makes it so too.
    """
    with _nesting(element, include):
        name = element.require_attribute("name", word)
        static = element.get("static", boolean, False) or static
        placement = element.attribute("placement_frame", str, "")
        placed = element
        if include is not None:
            name = include.get("name", word, name)
            static = include.get("static", boolean, static)
            placement = include.get("placement_frame", str, placement)
            placed = include if include.find("pose") else element
        nested = read_models(element, static)
        scope = _read_frames(element, nested)
        pose, relative_to = read_pose(placed)
        if placement:
            pose = pose @ scope.pose(placement, placed).inverse()
        joints = [read_joint(joint, scope) for joint in element.find_all("joint")]
        description = element.make(
            ModelDescription,
            name=name,
            links=tuple(read_link(link, scope) for link in element.find_all("link")),
            joints=tuple(joint for joint in joints if joint),
            models=tuple(model.resolved(scope) for model in nested),
            static=static,
            self_collide=element.get("self_collide", boolean, False),
            canonical_link=scope.canonical_link,
            plugins=tuple(read_plugin(plugin) for plugin in element.find_all("plugin")),
        )
        if not description.canonical_link and not static:
            raise element.error("a model must have a link, or be static")
        return PlacedModel(include or element, description, scope, pose, relative_to)


def _read_frames(element: Element, nested: list[PlacedModel]) -> Scope:
    """The frames of a model: its links, nested models, `<frame>`s and joints."""
    scope = Scope(ROOT)
    links = element.find_all("link")
    for link in links:
        name = link.require_attribute("name", word)
        pose, relative_to = read_pose(link)
        scope.add(name, Frame(link, pose, relative_to or ROOT, attached_to=name))
    for model in nested:
        scope.add(model.description.name, model.frame(ROOT))
    frames = element.find_all("frame")
    for frame in frames:
        name = frame.require_attribute("name", word)
        pose, relative_to = read_pose(frame)
        attached_to = frame.attribute("attached_to", str, "") or ROOT
        scope.add(name, Frame(frame, pose, relative_to or attached_to, attached_to))
    joints = element.find_all("joint")
    unique_names(joints)
    for joint in joints:
        name = joint.require_attribute("name", word)
        if name in scope and sdf_version(joint) < (1, 7):
            continue  # joints were no frames then, and could be named like a link
        child = joint.require("child").value(word)
        pose, relative_to = read_pose(joint)
        scope.add(name, Frame(joint, pose, relative_to or child, attached_to=child))
    _set_canonical_link(element, scope, nested)
    for frame in (*links, *frames, *joints):
        scope.pose(frame.attributes["name"], frame)
    for frame in frames if scope.canonical_link else ():
        scope.link(frame.attributes["name"], frame)
    return scope


def _set_canonical_link(element: Element, scope: Scope, nested: list[PlacedModel]) -> None:
    named = element.attribute("canonical_link", str, "")
    if named:
        scope.canonical_link = scope.link(named, element)
        if scope.canonical_link != named:
            raise element.error(f"canonical_link {named!r} is not a link")
        return
    links = element.find_all("link")
    if links:
        scope.canonical_link = links[0].attributes["name"]
        return
    for model in nested:
        if model.description.canonical_link:
            name = f"{model.description.name}::{model.description.canonical_link}"
            scope.canonical_link = name
            return


@contextmanager
def _nesting(element: Element, include: Element | None) -> Iterator[None]:
    """Keeps account of the models being read, to stop those that hold themselves."""
    nesting = element.document.load.nesting
    file = element.document.path if element.parent is element.root else None
    asking = include or element
    if file is not None and file in nesting:
        files = [*(path for path in nesting[nesting.index(file) :] if path), file]
        raise asking.error(f"cyclic include: {' -> '.join(map(str, files))}")
    if len(nesting) >= MAX_NESTING:
        raise asking.error(f"models are nested more than {MAX_NESTING} deep")
    nesting.append(file)
    yield
    nesting.pop()
