# SPDX-License-Identifier: Apache-2.0
"""`<model>` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from .joint import write_joint
from .kept import write_plugin
from .link import write_link
from .pose import write_pose
from .values import put

if TYPE_CHECKING:
    from deepsim_spawn.description.model import ModelDescription


def write_model(owner: etree._Element, model: ModelDescription) -> None:
    """Adds a model to a document, a world, or another model."""
    element = etree.SubElement(owner, "model", name=model.name)
    if model.canonical_link != next((name for name, _, _ in model.all_links()), ""):
        element.set("canonical_link", model.canonical_link)
    write_pose(element, model.pose)
    put(element, "static", model.static)
    put(element, "self_collide", model.self_collide)
    for link in model.links:
        write_link(element, link)
    for nested in model.models:
        write_model(element, nested)
    links = {name: link for name, link, _ in model.all_links()}
    for joint in model.joints:
        write_joint(element, joint, links[joint.child].sensors)
    for plugin in model.plugins:
        write_plugin(element, plugin)
