# SPDX-License-Identifier: Apache-2.0
"""`<model>` and `<world>` elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from deepsim_math import Pose, Vector3
from deepsim_spawn.description.checks import WORLD
from deepsim_spawn.description.joint import JointDescription
from deepsim_spawn.description.model import ModelDescription
from deepsim_spawn.description.world import Physics, WorldDescription
from deepsim_spawn.inertia import fix_massless_bases
from deepsim_spawn.xml.element import Element, boolean, unique_names, vector, word
from deepsim_sync import SCOPE

from .frames import MODEL, Frame, Scope, read_pose
from .include import (
    MAX_NESTING,
    models_and_includes,
    refuse_include_bombs,
    sdf_entity,
    sdf_version,
)
from .joint import read_joint
from .link import read_light, read_link
from .sensor import read_plugin


@dataclass(frozen=True, slots=True)
class PlacedModel:
    """A model whose pose is resolved once the frames around it are known.

    Attributes:
        element: The `<model>` or `<include>`.
        description: The model, with an unresolved pose.
        scope: Its frames.
        pose: The written pose, in the frame `relative_to` of the outer scope.
        relative_to: A frame of the outer scope; empty for that scope's own frame.
    """

    element: Element
    description: ModelDescription
    scope: Scope
    pose: Pose
    relative_to: str

    @property
    def merges(self) -> bool:
        """Whether its parts become parts of the model that includes it."""
        return self.element.tag == "include" and self.element.attribute("merge", boolean, False)

    def frame(self, root: str) -> Frame:
        """Returns the model as a frame of the scope with the given root."""
        return Frame(self.element, self.pose, self.relative_to or root, inside=self.scope)

    def resolved(self, scope: Scope) -> ModelDescription:
        """Returns the model with its pose in the given scope."""
        return replace(self.description, pose=scope.pose(self.description.name, self.element))


def read_model(
    element: Element, include: Element | None = None, static: bool = False
) -> PlacedModel:
    """Returns a model.

    Args:
        element: The `<model>`.
        include: The `<include>` that names its file, which may rename and move the model, and set
            whether it is static.
        static: Whether the model around it is static; then this one is too, unless its own
            `include` says otherwise.
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
                element.skip("pose")  # replaced by the include's
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
        by_child: dict[str, list[tuple[JointDescription, Element]]] = {}
        for joint, each in joints:
            by_child.setdefault(joint.child, []).append((joint, each))
        description = element.make(
            _described,
            scope,
            merged,
            name=name,
            links=tuple(read_link(link, scope, by_child) for link in element.find_all("link")),
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
    # The canonical link and the links of joints may be merged ones, so these are set last.
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
            continue  # joints were not frames then, and could share the name of a link
        child = joint.require("child").value(word)
        pose, relative_to = read_pose(joint)
        scope.add(name, Frame(joint, pose, relative_to or child, attached_to=child))
    scope.check()
    return scope


def _rename_world(model: Element) -> None:
    """Renames links and joints called ``world``, which was allowed before SDF 1.7.

    Joints that name such a link mean the link, not the world.
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
    """Returns the named canonical link, or the first link of the model or of its parts."""
    named = element.attribute("canonical_link", str, "")
    if named:
        return named  # the description refuses other names
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
    """Tracks the nesting of models to detect cyclic includes."""
    nesting = element.document.load.nesting
    file = element.document.path if element.parent is element.root else None
    asking = include or element
    if file is not None and file in nesting:
        files = [*(path for path in nesting[nesting.index(file) :] if path), file]
        raise asking.error(f"cyclic include: {' -> '.join(map(str, files))}")
    if len(nesting) >= MAX_NESTING:
        raise asking.error(f"models must be nested <= {MAX_NESTING} deep")
    nesting.append(file)
    try:
        yield
    finally:
        nesting.pop()


def add_merged_frames(scope: Scope, model: PlacedModel) -> None:
    """Adds a merged model's frames to the scope around it.

    A proxy frame replaces the model's own frame: the parts keep their poses relative to the proxy,
    and those attached to the model frame are attached to the proxy (SDF 1.9 and later).
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
    """Returns a model with the parts of the merged models after its own."""
    for model in merged:
        part = model.description
        if part.static and not description.static:
            model.element.warn("a merged model cannot be static by itself, it moves with the model")
        if part.self_collide and not description.self_collide:
            model.element.warn("a merged model collides with itself only if the outer model does")
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


HARMLESS: Final = frozenset(
    # display settings of Gazebo's window
    {"gui", "grid", "origin_visual", "visualize"}
    # settings of Gazebo's sensors and plugins
    | {"atmosphere", "laser_retro", "magnetic_field", "spherical_coordinates"}
    | {"provideFeedback", "provide_feedback"}
    # settings of the contact and joint solvers of Gazebo's engines
    | {"allow_auto_disable", "joint/physics", "max_contacts", "must_be_base_link"}
    | {"physics/bullet", "physics/dart", "physics/ode", "physics/simbody"}
    | {"physics/real_time_update_rate", "physics/@name", "physics/@type"}
)
"""Elements without effect on a description, which cause no warning.

Each is a setting of Gazebo's window, sensors or solver, or a default that is written out.
"""


def read_sdf(root: Element) -> ModelDescription | WorldDescription:
    """Returns the world or model of an SDF document."""
    entity = sdf_entity(root)
    refuse_include_bombs(entity)
    if entity.tag == "world":
        return read_world(entity)
    if entity.tag != "model":
        raise entity.error(f"a {entity.tag} cannot be loaded by itself, only included in a world")
    model = read_model(entity)
    world = Scope(WORLD)
    world.add(model.description.name, model.frame(WORLD))
    return model.resolved(world)


def read_world(element: Element) -> WorldDescription:
    """Returns a world."""
    scope = Scope(WORLD)
    models = []
    lights: list[tuple[Element, Element | None]] = []
    for entity, include in models_and_includes(element):
        if entity.tag == "light":
            lights.append((entity, include))
        else:
            models.append(read_model(entity, include))
            if models[-1].merges:
                models[-1].element.warn("a world cannot merge a model, it stays a model")
            scope.add(models[-1].description.name, models[-1].frame(WORLD))
    frames = element.find_all("frame")
    for frame in frames:
        scope.add_frame(frame)
    scope.check()
    unique_names(element.find_all("light"))
    lights += ((light, None) for light in element.find_all("light"))
    physics = _default_physics(element)
    world = element.read_description(
        WorldDescription,
        name=element.attribute("name", word, "default"),
        models=tuple(model.resolved(scope) for model in models),
        lights=tuple(read_light(light, WORLD, scope, include) for light, include in lights),
        physics=Physics() if physics is None else physics.read_description(Physics),
        gravity=_read_gravity(element, physics),
        plugins=tuple(read_plugin(plugin) for plugin in element.find_all("plugin")),
    )
    if element.find("scene/sky") is None:
        return world
    return replace(world, scene=replace(world.scene, sky=True))


def _default_physics(world: Element) -> Element | None:
    """Returns the physics profile marked as default, or the first one."""
    profiles = world.find_all("physics")
    if not profiles:
        return None
    marked = (profile for profile in profiles if profile.attribute("default", boolean, False))
    chosen = next(marked, profiles[0])
    for profile in profiles:
        if profile is not chosen:
            profile.mark_read()
    return chosen


def _read_gravity(world: Element, physics: Element | None) -> Vector3:
    gravity = world.find("gravity")
    if gravity is None and physics is not None:
        gravity = physics.find("gravity")  # SDF 1.5 and older
    return Vector3(0.0, 0.0, -9.8) if gravity is None else gravity.value(vector)
