# SPDX-License-Identifier: Apache-2.0
"""Models with their links, joints and nested models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from numpy.typing import ArrayLike

from deepsim_math import Pose
from deepsim_sync import SCOPE

from .checks import WORLD, finite_pose, frame_name, unique
from .joint import JointDescription
from .kinematics import JointLimits, ModelPoses, forward_kinematics, joint_limits
from .link import LinkDescription
from .sdf_paths import document
from .sensor import PluginDescription
from .writing.model import write_model


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """A model with resolved poses.

    >>> from deepsim_spawn import CollisionDescription, Sphere
    >>> hull = CollisionDescription("hull", Sphere(0.5))
    >>> ball = ModelDescription("ball", links=(LinkDescription("body", collisions=(hull,)),))
    >>> ball.canonical_link
    'body'

    Attributes:
        name: Unique among the models of its world or parent model.
        pose: Pose of the model frame in the frame of the world or parent model.
        links: Rigid bodies.
        joints: Joints between the links of this model and its nested models.
        models: Nested models.
        static: Whether the model and its nested models are immovable.
        self_collide: Whether its links touch one another, unless a link overrides it.
        canonical_link: The link that represents the model, as ``nested::link`` if it belongs to a
            nested model. By default the first link, or that of the first nested model.
        plugins: Plugins, kept as text.

    Raises:
        ValueError: Two siblings share a name, or a joint or canonical_link refers to no link.
    """

    name: str
    pose: Pose = field(default_factory=Pose)
    links: tuple[LinkDescription, ...] = ()
    joints: tuple[JointDescription, ...] = ()
    models: tuple[ModelDescription, ...] = ()
    static: bool = False
    self_collide: bool = False
    canonical_link: str = ""
    plugins: tuple[PluginDescription, ...] = ()

    def __post_init__(self) -> None:
        frame_name("a model is", self.name)
        owner = f"model {self.name!r}"
        finite_pose(owner, self.pose)
        unique(owner, "link", (link.name for link in self.links), frame_name)
        unique(owner, "joint", (joint.name for joint in self.joints), frame_name)
        unique(owner, "nested model", (model.name for model in self.models))
        names = [name for name, _, _ in self.all_links()]
        if not self.canonical_link and names:
            object.__setattr__(self, "canonical_link", names[0])
        if self.canonical_link and self.canonical_link not in names:
            raise ValueError(f"{owner} has no canonical_link {self.canonical_link!r}")
        children = set(names)
        parents = children | {WORLD}
        for joint in self.joints:
            for end, known in ((joint.parent, parents), (joint.child, children)):
                if end not in known:
                    raise ValueError(f"joint {joint.name!r} of {owner} has no link {end!r}")

    def all_links(self) -> Iterator[tuple[str, LinkDescription, Pose]]:
        """Yields the links of this model, then those of its nested models, depth first.

        Yields:
            The scoped name (``nested::link``), the link, and its pose in this model's frame.
        """
        for link in self.links:
            yield link.name, link, link.pose
        for model in self.models:
            for name, link, pose in model.all_links():
                yield model.name + SCOPE + name, link, model.pose @ pose

    def all_joints(self) -> Iterator[JointDescription]:
        """Yields the joints of this model, then those of its nested models, depth first.

        Yields:
            Joints with name, parent and child scoped relative to this model (``nested::joint``).
        """
        yield from self.joints
        for model in self.models:
            scope = model.name + SCOPE
            for joint in model.all_joints():
                parent = WORLD if joint.parent == WORLD else scope + joint.parent
                yield replace(
                    joint, name=scope + joint.name, parent=parent, child=scope + joint.child
                )

    def joint_limits(self) -> JointLimits:
        """Returns names and limits of the axes that set the model's configuration, as arrays.

        Fixed joints have none, and axes that mimic others are left out.
        """
        return joint_limits(self)

    def poses(
        self, positions: ArrayLike | Mapping[str, ArrayLike] = MappingProxyType({})
    ) -> ModelPoses:
        """Returns the poses of all links, collisions and visuals in the frame of this model.

        >>> import math
        >>> axis = JointAxis((0, 0, 1))
        >>> hinge = JointDescription("hinge", "revolute", "base", "door", axis=axis)
        >>> links = LinkDescription("base"), LinkDescription("door", Pose((1, 0, 0)))
        >>> gate = ModelDescription("gate", links=links, joints=(hinge,))
        >>> gate.poses({"hinge": [0.0, math.pi]}).links["door"].round(3).tolist()
        [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]

        Args:
            positions: Positions of joints [rad or m]: an array (..., n) in the order of
                ``joint_limits().names``, or numbers and arrays (...), which broadcast, by name.
                Axes without a position are at 0 or follow the axis that they mimic. The three of a
                ball joint are a rotation vector in the axes of the child. Limits do not count.

        Raises:
            ValueError: A name is unknown, a shape does not match, or the joints form a loop.
        """
        return forward_kinematics(self, positions)

    def to_sdf(self) -> str:
        """Returns an SDF document that Gazebo 11 loads; see `WorldDescription.to_sdf`."""
        return document(write_model, self)
