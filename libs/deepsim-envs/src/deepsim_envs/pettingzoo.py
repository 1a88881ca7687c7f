# SPDX-License-Identifier: Apache-2.0
"""Views of all agents for PettingZoo; needs ``deepsim-envs[pettingzoo]``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Space, Tuple, flatten, flatten_space
from numpy.typing import NDArray

from deepsim_sync import CameraView

from .construction import find_function, require_function_name
from .environment import Environment, info_of
from .errors import ResetNeededError
from .spaces import batch_of
from .viewing import Viewfinder, drawn_seed

try:
    import pettingzoo
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import parallel_to_aec
except ImportError as error:
    raise ImportError(
        "deepsim_envs.pettingzoo needs PettingZoo: "
        "pip install --find-links dist 'deepsim-envs[pettingzoo]'"
    ) from error

__all__ = ["PettingZooEnv", "aec_env", "register"]

Bools: TypeAlias = dict[str, bool]


class PettingZooEnv(ParallelEnv[str, Any, Any]):  # type: ignore[misc]  # it is not typed
    """The view of all agents, which act at once; `agents` lists those that act in the next step.

    With several worlds, the agents are the slots of all worlds, such as ``"red_car/3"``. If the
    first reset gets no seed, it draws one, like Gymnasium's own environments.

    Args:
        environment: The task; closing the view closes it.
        name: Name of the task in PettingZoo; by default the name of the area's class.
        render_mode: ``"rgb_array"``, or None.
        camera: The camera for pictures of world 0: the name of a camera sensor, or a free camera.

    Raises:
        ValueError: The render mode is unknown, or needs a camera.
        UnsupportedError: The simulator takes no pictures.

    Example:
        `make` is the function from the `Area` example:

        >>> env = PettingZooEnv(make(worlds=2))
        >>> observations, infos = env.reset(seed=7)
        >>> env.agents
        ['puck/0', 'puck/1']
    """

    def __init__(
        self,
        environment: Environment,
        *,
        name: str | None = None,
        render_mode: str | None = None,
        camera: str | CameraView | None = None,
    ) -> None:
        self.environment = environment
        self.possible_agents = list(environment.slots)
        self.agents: list[str] = []
        spaces = environment.observation_space
        self._voids = {slot: batch_of(space, 1, 1).void for slot, space in spaces.items()}
        self._viewfinder = Viewfinder(environment, render_mode, camera)
        self.metadata = {
            "name": name if name is not None else type(environment.area).__name__,
            "is_parallelizable": True,
            **self._viewfinder.metadata,
        }
        self.render_mode = render_mode
        self._seeded = False
        self._seen: dict[str, Any] = {}

    def observation_space(self, agent: str) -> Space[Any]:
        """Returns the space of an agent's observations."""
        return self.environment.observation_space[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Returns the space of an agent's actions."""
        return self.environment.action_space[agent]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begins an episode; see `Environment.reset`."""
        if seed is None and not self._seeded:
            seed = drawn_seed()
        observation, info = self.environment.reset(None if seed is None else int(seed), options)
        self._seen = {**self._voids, **observation}
        self._seeded = True
        self.agents = list(self.environment.live_agents)
        return observation, self._infos(self.agents, info)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], Bools, Bools, dict[str, dict[str, Any]]]:
        """Steps all live agents; see `Environment.step`."""
        result = self.environment.step(actions)
        ends = result.info["deepsim"]
        self.agents = list(self.environment.live_agents)
        self._seen.update(result.observation)
        return (
            result.observation,
            result.reward,
            ends["terminated"],
            ends["truncated"],
            self._infos(list(result.observation), result.info),
        )

    @cached_property
    def state_space(self) -> Space[Any]:
        """The space of `state`: the flattened tuple of all agents' observation spaces."""
        return flatten_space(Tuple(map(self.observation_space, self.possible_agents)))

    def state(self) -> Any:
        """Returns the observations of all agents, flattened in the order of `possible_agents`.

        An agent that is done keeps its last observation; one that has yet to join has zeros.

        Raises:
            ResetNeededError: No episode has begun.
        """
        if not self._seen:
            raise ResetNeededError("no episode has begun")
        space = Tuple(map(self.observation_space, self.possible_agents))
        return flatten(space, tuple(self._seen[agent] for agent in self.possible_agents))

    def render(self) -> NDArray[np.uint8] | None:
        """Takes a picture, (height, width, 3) RGB; None without a render mode."""
        return self._viewfinder.picture()

    def close(self) -> None:
        """Closes the environment; further calls have no effect."""
        self.environment.close()

    def _infos(self, agents: list[str], info: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        # Separate dicts, even for shared entries: changing one does not affect the others.
        return {agent: info_of(agent, self.environment, info) for agent in agents}


def aec_env(view: PettingZooEnv) -> AECEnv[str, Any, Any]:
    """Converts a view to PettingZoo's `AECEnv`, in which agents act one after another.

    The world moves when the last agent acts. PettingZoo does the conversion.
    """
    return parallel_to_aec(view)


def register(id: str, make: str, **kwargs: Any) -> None:
    """Registers a task with PettingZoo; its module is imported when an environment is made.

    ``pettingzoo.make("parallel", id)`` then makes a `PettingZooEnv`, and
    ``pettingzoo.make("aec", id)`` an environment in which its agents act one after another.

    Args:
        id: The id, such as ``"DeepSim/Racetrack-v0"``; an existing registration is replaced.
        make: The function that returns the `Environment`, as ``"package.module:function"``.
        kwargs: Arguments of the view: ``name``, ``render_mode`` and ``camera``. All other arguments
            are passed to the function. `pettingzoo.make` accepts the same arguments.

    Raises:
        ValueError: `make` does not have this form.
    """
    require_function_name("make", make)
    register_view(id, partial(_parallel, make), kwargs)


def register_view(
    id: str, make_view: Callable[..., PettingZooEnv], kwargs: Mapping[str, Any]
) -> None:
    """Registers a function that returns a view, and its keyword arguments; see `register`."""
    pettingzoo.parallel_registry.pop(id, None)
    pettingzoo.aec_registry.pop(id, None)
    pettingzoo.register("parallel", id, entry_point=make_view, kwargs=dict(kwargs))
    pettingzoo.register("aec", id, entry_point=partial(_aec, make_view), kwargs=dict(kwargs))


def _parallel(
    make: str,
    name: str | None = None,
    render_mode: str | None = None,
    camera: str | CameraView | None = None,
    **options: Any,
) -> PettingZooEnv:
    environment = find_function(make)(**options)
    if not isinstance(environment, Environment):
        raise TypeError(f"{make} must return an Environment, got {environment!r}")
    return PettingZooEnv(environment, name=name, render_mode=render_mode, camera=camera)


def _aec(
    make_view: Callable[..., PettingZooEnv], **kwargs: Any
) -> pettingzoo.AECEnv[str, Any, Any]:
    return aec_env(make_view(**kwargs))
