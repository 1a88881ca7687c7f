# SPDX-License-Identifier: Apache-2.0
"""Rows as values: the state of one model, link or visual."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepsim_math import Material, Pose, Twist


@dataclass(frozen=True)
class ModelState:
    """The pose and twist of a model.

    Attributes:
        model_name: The model.
        pose: Pose of the model frame in the reference frame.
        twist: Velocity of the model frame's origin, along the axes of the reference frame
            [m/s, rad/s].
        reference_frame: A model or link; empty or ``"world"`` is the world frame.
    """

    model_name: str
    pose: Pose = field(default_factory=Pose)
    twist: Twist = field(default_factory=Twist)
    reference_frame: str = ""


@dataclass(frozen=True)
class LinkState:
    """The pose and twist of a link.

    Attributes:
        link_name: The link, ``model::link``.
        pose: Pose of the link frame in the reference frame.
        twist: Velocity of the link frame's origin, along the axes of the reference frame
            [m/s, rad/s].
        reference_frame: A model or link; empty or ``"world"`` is the world frame.
    """

    link_name: str
    pose: Pose = field(default_factory=Pose)
    twist: Twist = field(default_factory=Twist)
    reference_frame: str = ""


@dataclass(frozen=True)
class Visual:
    """The appearance of a visual.

    Attributes:
        visual_name: The visual, ``model::link::visual``.
        material: Ambient, diffuse, specular and emissive colours.
        transparency: 0 opaque .. 1 invisible.
        visible: Whether it is drawn at all.
    """

    visual_name: str
    material: Material = field(default_factory=Material)
    transparency: float = 0.0
    visible: bool = True
