# SPDX-License-Identifier: Apache-2.0
"""Helpers for the views of an environment: pictures, first seeds, infos and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import CameraView, UnsupportedError

from .area import Agents
from .construction import JoinedEnvironment, located
from .environment import Environment

RENDER_MODE = "rgb_array"


class Viewfinder:
    """Takes the pictures of a view; the arguments are as in `GymnasiumEnv`.

    Attributes:
        mode: The render mode, or None.
        metadata: ``render_modes`` and ``render_fps``, for Gymnasium and PettingZoo. At this number
            of frames per second, a film with one picture per step plays in real time.
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        render_mode: str | None,
        camera: str | CameraView | None,
    ) -> None:
        world = located(environment, 0)[0].world
        renders = world.simulator.cameras is not None
        self.metadata: dict[str, Any] = {
            "render_modes": [RENDER_MODE] if renders and camera is not None else [],
            "render_fps": max(1, round(1.0 / (world.timestep * environment.frame_skip))),
        }
        if render_mode not in (None, RENDER_MODE):
            raise ValueError(f"render_mode must be {RENDER_MODE!r} or None, got {render_mode!r}")
        if render_mode is not None and camera is None:
            raise ValueError(f"render_mode {render_mode!r} needs a camera, got None")
        if render_mode is not None and not renders:
            raise UnsupportedError(f"{type(world.simulator).__name__} takes no pictures")
        self.mode = render_mode
        self._environment = environment
        self._camera = None if render_mode is None else camera

    def picture(self, world: int = 0) -> NDArray[np.uint8] | None:
        """Returns a picture of a world, (height, width, 3) RGB; None without a render mode."""
        if self._camera is None:
            return None
        environment, number = located(self._environment, world)
        return environment.world.render(self._camera, number)


def drawn_seed(rng: np.random.Generator | None = None) -> int:
    """Draws a seed for the first reset of a view, by default from an unseeded generator.

    Without a drawn seed, every view of a task would begin with the same episode.
    """
    return int((np.random.default_rng() if rng is None else rng).integers(2**31))


def place_of(agent: str, groups: Sequence[Agents]) -> tuple[int, int]:
    """Returns the number of an agent's group, and the agent's number within the group."""
    return next(
        (number, [*group.names].index(agent))
        for number, group in enumerate(groups)
        if agent in group.names
    )


def only_group(environment: Environment | JoinedEnvironment, why: str) -> Agents:
    """Returns the one group of all agents, for trainers with one policy for all agents.

    Raises:
        ValueError: There are several groups; the message begins with `why`.
    """
    groups = environment.groups
    first = equal_spaces({group.names[0]: group for group in groups}, why)
    if len(groups) > 1:
        raise ValueError(f"{why}, so list them as one group, got {len(groups)} groups")
    return first


def equal_spaces(groups: Mapping[str, Agents], why: str) -> Agents:
    """Returns a group with the spaces of all agents.

    Args:
        groups: The group of each agent.
        why: The beginning of the message.

    Raises:
        ValueError: Two agents differ in their spaces, or in the privileged keys.
    """
    name, first = next(iter(groups.items()))
    for agent, group in groups.items():
        for what in ("observation", "action"):
            wanted, space = getattr(first, f"{what}_space"), getattr(group, f"{what}_space")
            if space != wanted:
                raise ValueError(
                    f"{why}, so their spaces must be equal: the {what} space of {name!r} is "
                    f"{wanted}, that of {agent!r} is {space}"
                )
        if group.privileged != first.privileged:
            raise ValueError(
                f"{why}, so their privileged keys must be equal: {name!r} has "
                f"{list(first.privileged)}, {agent!r} has {list(group.privileged)}"
            )
    return first
