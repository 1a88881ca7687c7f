# SPDX-License-Identifier: Apache-2.0
"""What the views of an environment for trainers have in common: pictures, infos, first seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Cameras, CameraView, UnsupportedError

from .environment import Environment
from .spaces import copied

RENDER_MODE = "rgb_array"


class Viewfinder:
    """Takes a view's pictures.

    Args:
        environment: What is seen.
        render_mode: ``"rgb_array"``, or None for no pictures.
        camera: A camera sensor by name, or a free camera; needed for pictures.

    Attributes:
        metadata: What Gymnasium and PettingZoo want to know: ``render_modes`` and ``render_fps``.

    Raises:
        ValueError: There is no such render mode, or no camera for it.
        UnsupportedError: The simulator takes no pictures.
    """

    def __init__(
        self, environment: Environment, render_mode: str | None, camera: str | CameraView | None
    ) -> None:
        world = environment.world
        renders = isinstance(world.simulator, Cameras)
        self.metadata: dict[str, Any] = {
            "render_modes": [RENDER_MODE] if renders and camera is not None else [],
            "render_fps": frames_per_second(world.timestep * environment.frame_skip),
        }
        if render_mode not in (None, RENDER_MODE):
            raise ValueError(f"render_mode must be {RENDER_MODE!r} or None, got {render_mode!r}")
        if render_mode is not None and camera is None:
            raise ValueError(f"render_mode {render_mode!r} needs a camera, got None")
        if render_mode is not None and not renders:
            raise UnsupportedError(f"{type(world.simulator).__name__} takes no pictures")
        self._world = world
        self._camera = None if render_mode is None else camera

    def picture(self) -> NDArray[np.uint8] | None:
        """The present instant, (height, width, 3) RGB; None without a render mode."""
        return None if self._camera is None else self._world.render(self._camera)


def frames_per_second(seconds: float) -> int:
    """How many pictures make a film of real time, with one for each step of so many seconds."""
    return max(1, round(1.0 / seconds))


def drawn_seed(rng: np.random.Generator | None = None) -> int:
    """A seed for the first reset of a view that is given none.

    Without it, all worlds of a task would begin with the same episode. Gymnasium's own
    environments draw one too.

    Args:
        rng: Draws it; by default a generator that nothing repeats.
    """
    return int((np.random.default_rng() if rng is None else rng).integers(2**31))


def info_of(agent: str, environment: Environment, info: Mapping[str, Any]) -> dict[str, Any]:
    """One agent's part of a step's info.

    Entries of the area under an agent's name are that agent's own, if they are dicts; all other
    entries go to every agent. The environment's own entry goes to none: views return its values
    apart.
    """
    shared = {
        name: value
        for name, value in info.items()
        if name != "deepsim" and not (name in environment.agents and isinstance(value, Mapping))
    }
    own = info.get(agent)
    # Copies: who changes the info of one agent changes that of no other.
    return copied({**shared, **own} if isinstance(own, Mapping) else shared)  # type: ignore[no-any-return]  # a dict stays one


def chosen_agent(names: Sequence[str], agent: str | None, *, alone: bool) -> str:
    """The agent that a view shows.

    Args:
        names: All agents.
        agent: The one asked for, if any.
        alone: Whether nobody acts for the others.

    Raises:
        ValueError: There is no such agent, it is not said which one of several, or who acts for the
            others.
    """
    if agent is None and len(names) > 1:
        raise ValueError(f"say which agent: agent= one of {list(names)}")
    if agent is not None and agent not in names:
        raise ValueError(f"agent must be one of {list(names)}, got {agent!r}")
    if alone and len(names) > 1:
        raise ValueError(f"{len(names)} agents need a policy for all but one: others=")
    return names[0] if agent is None else agent
