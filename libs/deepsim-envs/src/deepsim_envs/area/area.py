# SPDX-License-Identifier: Apache-2.0
"""A task on arrays, in one world or in many, and its common part with tasks of objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync import World, WorldNumbers, plain_attributes, restore_attributes

from .agents import Agents

Bools = NDArray[np.bool_]


class StatefulArea:
    """The common part of `Area` and `AreaInterface`: options, goals, snapshots, and the end.

    Attributes:
        reset_options: During a reset, the options that `Environment.reset` was given; read-only.
        reward_terms: The names of the parts of rewards, if they have any. The info of each agent
            then has ``"reward/NAME"``, the part's value in the step, and ``"return/NAME"``, its sum
            over the episode so far.
        first_level: Of a curriculum, the level of episodes that begin with a seed; see the hook
            `next_level`.
    """

    reset_options: Mapping[str, Any] = MappingProxyType({})
    reward_terms: Sequence[str] = ()
    first_level: int = 0

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Returns the rewards of having achieved some goals where others were desired, (...).

        For tasks whose observations are a dict with ``"achieved_goal"`` and ``"desired_goal"``, and
        trainers such as HER, which replay steps with other goals. `reward` must return the same for
        the goals that the step's observations show.

        Args:
            achieved_goal: (..., n) goals, or one (n,).
            desired_goal: As many.
            info: An info, a list of as many, or None.
        """
        raise NotImplementedError

    def get_state(self) -> Any:
        """Returns the area's own state, for `Environment.get_state`; behaviours have their own.

        By default, copies of all attributes that hold plain values, as in `Behaviour.get_state`.
        An area with state elsewhere, as within objects of its own, adds that.
        """
        return plain_attributes(self)

    def set_state(self, state: Any) -> None:
        """Restores a result of `get_state`; the world and its behaviours are restored already."""
        restore_attributes(self, state)

    def close(self) -> None:
        """Frees the area's resources; the environment closes the world itself."""


class Area(StatefulArea, ABC):
    """A task for A agents in each of W worlds, W >= 1.

    `Environment` calls the hooks in the order in which they stand here; `fixed_update` is called
    once per tick. All arrays have the worlds as their first axis. Where agents form one group,
    actions and observations are one array (W, A, ...) in the types of the group's spaces; with
    several groups they are a tuple with one array for each. Members of a `Dict` or `Tuple` space
    are a dict or tuple of such arrays; members of spaces without arrays, such as `Text`, are the
    entries of an object array (W, A).

    Rows of agents that are not `live` are void: the environment ignores their results, but random
    numbers of a world that does not step must not be drawn.

    World w gives the same bits for every W, on one type of CPU, if hooks keep five rules:

    1. Worlds are the first axis, and arrays are in C order: no ``.T``, ``moveaxis`` or ``[::-1]``.
    2. Rows come from handles such as ``self.cars.pose``, and are chosen there, not by a list of
       numbers along the second axis.
    3. Arithmetic is elementwise; sums are over the last axis.
    4. No product ``(W, k) @ (k, m)``; ``einsum`` or ``(W, 1, k) @ (k, m)`` instead.
    5. Each world draws from its own ``world.rngs[w]``, as `World.uniform` does.

    Args:
        world: The W worlds of the task.

    Attributes:
        world: As given.
        agents: One group of agents, or a sequence of groups; A is the number of all agents.
        live: (W, A) bool, the agents that take part in the present step, in the order of the
            groups; during a reset, all agents of the worlds that are reset. Read-only.
        level: (W,) the level of each world, if the area has the hook `next_level`; read-only.
        stepping: (w,) the worlds that take part.

    Example:
        A puck whose action is its velocity along x [m/s]; its reward is its position [m]:

        >>> class PuckArea(Area):
        ...     agents = Agents(["puck"], Box(-10.0, 10.0, (1,)), Box(-1.0, 1.0, (1,)))
        ...
        ...     def __init__(self, world):
        ...         super().__init__(world)
        ...         world.spawn(TableModel(), "puck", Pose())
        ...         self.pucks = world.models.select(["puck"])
        ...
        ...     def reset(self, worlds):
        ...         pass  # the pucks of these worlds are at their spawn poses
        ...
        ...     def act(self, actions):
        ...         twist = self.pucks.twist
        ...         twist[..., :1] = actions
        ...         self.pucks.twist = twist
        ...
        ...     def observe(self):
        ...         return self.pucks.pose[..., :1]
        ...
        ...     def reward(self):
        ...         return self.pucks.pose[..., 0]
        >>> def make(worlds=1, seed=0):
        ...     world = World(TableSimulator(worlds=worlds, timestep=0.125))
        ...     return Environment(PuckArea(world), frame_skip=4, max_episode_steps=2, seed=seed)
    """

    agents: Agents | Sequence[Agents]
    live: Bools
    stepping: WorldNumbers
    level: NDArray[np.int64]

    def __init__(self, world: World) -> None:
        self.world = world

    @abstractmethod
    def reset(self, worlds: WorldNumbers) -> None:
        """Begins new episodes in some worlds, which were reset; the others stay as they are."""

    @abstractmethod
    def act(self, actions: Any) -> None:
        """Acts upon actions, before the physics advances.

        Args:
            actions: (W, A, ...), the area's own copy; rows of agents that are not live hold 0.
        """

    def fixed_update(self, delta_time: float) -> None:
        """Moves things in a tick of `delta_time` seconds, before its physics steps."""

    def update(self) -> None:
        """Applies the rules between agents, once per step, after the physics.

        Its changes are in the simulator when agents observe.
        """

    @abstractmethod
    def observe(self) -> Any:
        """Returns the observations of all agents now, (W, A, ...).

        Called after every step and reset; it must not draw random numbers.
        """

    def terminated(self) -> Bools | None:
        """Returns (W, A) bool, whose episode ends by this step; None stands for nobody's."""
        return None

    def truncated(self) -> Bools | None:
        """Returns (W, A) bool, whose episode is cut off by this step; None stands for nobody's.

        The time limit of the environment comes on top.
        """
        return None

    @abstractmethod
    def reward(self) -> NDArray[np.float64] | Mapping[str, NDArray[np.float64]]:
        """Returns (W, A), the reward of the step for each agent.

        With `reward_terms`, a dict with such an array under each of these names, whose sum, in the
        order of `reward_terms`, is the reward.
        """

    def info(self) -> Mapping[str, Any]:
        """Returns further values by name: arrays (W, ...), or lists with an entry for each world.

        An entry under an agent's name may be a dict of such values, which are that agent's own.
        The key ``"deepsim"`` is the environment's.
        """
        return {}

    # Beyond a step

    def joined(self) -> Bools | None:
        """Returns (W, A) bool, the agents that have joined the episode; None stands for all.

        Called after `reset` and, as long as agents have yet to join, after `update`. An agent
        observes for the first time when it joins, and acts from the next step on; once it has
        joined, only its end removes it, and no agent that is done comes back in the episode. One
        agent at least takes part from the beginning; an episode is over when no agent is live.
        """
        return None

    def next_level(self, worlds: WorldNumbers) -> ArrayLike:
        """Returns the levels of the next episodes of some worlds, (w,) whole numbers.

        An area that overrides it has a curriculum: `level` is the level of each world, for `reset`
        to follow, and a part of the info. The hook is called before worlds are reset, when all is
        as their last episodes left it; not for episodes that begin with a seed, whose level is
        `first_level`, nor where a reset has the option ``"level"``.
        """
        return self.level[worlds]

    def ends(self, late: Bools) -> tuple[Bools | None, Bools | None]:
        """Returns `terminated` and `truncated`; the place for ends that depend on each other.

        Args:
            late: (W,) bool, the worlds whose time limit this step reached.
        """
        return self.terminated(), self.truncated()

    def diverged(self, worlds: WorldNumbers) -> None:
        """Called with the worlds whose physics diverged in this step.

        They were reset, so that hooks compute with finite numbers, and are no longer `stepping`;
        the environment truncates their episodes.
        """
