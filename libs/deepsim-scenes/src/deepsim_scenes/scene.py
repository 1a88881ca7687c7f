# SPDX-License-Identifier: Apache-2.0
"""A scene: objects and their poses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deepsim_math import Pose, Vector3

from .models.model_class import ModelClass, ModelType
from .models.model_list import ModelList


@dataclass(frozen=True, slots=True, eq=False)
class SceneObject:
    """An object of a scene.

    Attributes:
        name: Unique name in the scene, such as ``cafe_table_5``.
        model: The model of the object.
        size: Width (along x), length (along y) and height [m].
        position: Centre of the bounds in the world frame [m]; in a two-dimensional scenario, z is
            the height of the model frame.
        heading: Heading as in Scenic, counterclockwise from +y [rad].
        pose: Pose of the model frame in the world; its yaw equals the heading, because a model's
            width lies along its x axis.

    >>> goal = ModelClass("goal", ModelType.MISSION_ONLY, 1.0, 1.0, 1.0)
    >>> place = Vector3(2.0, 3.0, 0.0)
    >>> spot = SceneObject("goal_0", goal, goal.size, place, heading=0.0, pose=Pose(place))
    >>> spot.is_in_world, round(spot.forward_yaw, 2)
    (False, 1.57)
    """

    name: str
    model: ModelClass
    size: Vector3
    position: Vector3
    heading: float
    pose: Pose

    @property
    def is_resized(self) -> bool:
        """Whether the size of the object differs from that of its model."""
        return any(factor != 1.0 for factor in self.model.factors(self.size))

    @property
    def is_in_world(self) -> bool:
        """Whether a model represents the object in the world."""
        return self.model.type is not ModelType.MISSION_ONLY

    @property
    def forward_yaw(self) -> float:
        """The heading in the ROS convention: counterclockwise from +x [rad], in [-pi, pi].

        In Scenic, an object's forward axis is +y; in ROS, it is +x.
        """
        return math.remainder(self.heading + math.pi / 2, math.tau)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A sample of a scenario.

    Attributes:
        objects: The objects, in the order of the scenario.
        models: The models of the scenario.
        seed: Seed of the scene.
        number: Number of the scene in the sequence for this seed.
        samples: The number of samples drawn until one met all requirements.
        dimensions: Dimensions of the scenario, 2 or 3.
        parameters: The global parameters of the scenario.
        rejections: The number of samples that each requirement rejected.
        attempt: Number of the attempt, as `Scenario.sample` takes it.
        drawn: The `scenic.core.scenarios.Scene`.

    >>> from pathlib import Path
    >>> from deepsim_spawn import SearchPath
    >>> goal = ModelClass("goal", ModelType.MISSION_ONLY, 1.0, 1.0, 1.0)
    >>> spot = SceneObject("goal_0", goal, goal.size, Vector3(), heading=0.0, pose=Pose())
    >>> models = ModelList({"Goal": goal}, None, Path(), SearchPath())
    >>> scene = Scene((spot,), models, seed=0, number=0, samples=1, dimensions=2)
    >>> [each.name for each in scene.missions], scene.in_world
    (['goal_0'], ())
    """

    objects: tuple[SceneObject, ...]
    models: ModelList
    seed: int
    number: int
    samples: int
    dimensions: int
    parameters: Mapping[str, Any] = field(default_factory=dict)
    rejections: Mapping[str, int] = field(default_factory=dict)
    attempt: int = 0
    drawn: Any = None

    @property
    def in_world(self) -> tuple[SceneObject, ...]:
        """The objects that are represented by models in the world."""
        return tuple(each for each in self.objects if each.is_in_world)

    @property
    def missions(self) -> tuple[SceneObject, ...]:
        """The mission-only objects, such as waypoints, which have no model in the world."""
        return tuple(each for each in self.objects if not each.is_in_world)

    def of(self, model: str) -> tuple[SceneObject, ...]:
        """Returns the objects of a model, such as ``cafe_table``, in the order of the scenario."""
        return tuple(each for each in self.objects if each.model.name == model)
