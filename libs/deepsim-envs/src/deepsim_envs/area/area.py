# SPDX-License-Identifier: Apache-2.0
"""The base class of tasks on arrays, its groups of agents, and what tasks of objects share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync import World, WorldNumbers, plain_attributes, restore_attributes

if TYPE_CHECKING:
    from gymnasium.spaces import Space


Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Agents:
    """A group of agents that observe and act in equal spaces.

    Attributes:
        names: The agents, in the order of their rows in arrays.
        observation_space: The space of one agent's observation, in one world.
        action_space: The space of one agent's action, in one world.
        privileged: Keys of a `Dict` observation that only the value function of a trainer may read
            (asymmetric actor-critic, L. Pinto et al., 2018): what a simulator knows and a robot
            does not, such as friction or the true state.

    Raises:
        TypeError: A name is not a str.
        ValueError: A name is missing, or occurs twice; a privileged key is not one of the
            observation's, or no key is left for the policy.

    Example:
        >>> cars = Agents(["red", "blue"], Box(-1.0, 1.0, (8,)), Discrete(3))
        >>> cars.names, len(cars)
        (('red', 'blue'), 2)
        >>> seen = Dict({"scan": Box(0.0, 9.0, (8,)), "friction": Box(0.0, 2.0, (1,))})
        >>> Agents(["robot"], seen, Discrete(3), privileged=["friction"]).privileged
        ('friction',)
    """

    names: Sequence[str]
    observation_space: Space[Any]
    action_space: Space[Any]
    privileged: Sequence[str] = ()

    def __post_init__(self) -> None:
        names = (self.names,) if isinstance(self.names, str) else tuple(self.names)
        object.__setattr__(self, "names", names)
        if not names:
            raise ValueError("a group of agents needs at least one name")
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"an agent's name must be a str, got {name!r}")
        _require_unique(names)
        privileged = (self.privileged,) if isinstance(self.privileged, str) else self.privileged
        object.__setattr__(self, "privileged", tuple(privileged))
        if self.privileged:
            self._require_privileged()

    def _require_privileged(self) -> None:
        seen = self.observation_space
        parts = getattr(seen, "spaces", None)  # of a `Dict`; Gymnasium is imported when needed
        keys = list(parts) if isinstance(parts, Mapping) else None
        for key in self.privileged:
            if keys is None or key not in keys:
                known = f"the observation has {', '.join(map(repr, keys))}" if keys else f"{seen}"
                raise ValueError(
                    f"privileged names keys of a Dict observation, got {key!r} for "
                    f"{self.names[0]!r}: {known}"
                )
        if keys is not None and set(keys) == set(self.privileged):
            raise ValueError(
                f"all keys of the observation of {self.names[0]!r} are privileged, "
                "so that its policy would see nothing"
            )

    def __len__(self) -> int:
        """Returns the number of agents."""
        return len(self.names)


def slot_name(agent: str, world: int, worlds: int) -> str:
    """Returns the name of an agent's slot: ``"car/3"`` in world 3 of several, else ``"car"``."""
    return agent if worlds == 1 else f"{agent}/{world}"


def declared_groups(owner: str, declared: Any) -> tuple[Agents, ...]:
    """Returns the groups in an area's attribute `agents` as a tuple.

    Args:
        owner: The name of the area's class, for messages.
        declared: The attribute: one group, or a sequence of groups.

    Raises:
        TypeError: The attribute is neither a group nor a sequence of groups.
        ValueError: There is no group, or an agent is in two groups.
    """
    groups = (declared,) if isinstance(declared, Agents) else declared
    if not isinstance(groups, Sequence) or not all(isinstance(each, Agents) for each in groups):
        raise TypeError(f"{owner}.agents must be Agents, or a sequence of them, got {declared!r}")
    if not groups:
        raise ValueError(f"{owner}.agents lists no agents: an environment needs at least one")
    _require_unique([name for group in groups for name in group.names])
    return tuple(groups)


def _require_unique(names: Sequence[str]) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise ValueError(f"agent {name!r} is listed twice")


class StatefulArea:
    """The common base of `Area` and `AreaInterface`: reset options, goals, snapshots and closing.

    Attributes:
        reset_options: During a reset and its `observe`, the options passed to `Environment.reset`;
            read-only.
        reward_terms: The names of the terms that are summed to rewards, or their weights by name,
            by which the environment multiplies them first; empty for plain rewards. For each term,
            the info of an agent has ``"reward/NAME"``, the weighted value in the step, and
            ``"return/NAME"``, the sum over the episode so far.
        first_level: In a curriculum, the level of episodes that begin with a seed; see the hook
            `next_level`.
    """

    reset_options: Mapping[str, Any] = MappingProxyType({})
    reward_terms: Sequence[str] | Mapping[str, float] = ()
    first_level: int = 0

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Returns the rewards for achieved goals, given the desired goals, (...).

        A task with goals overrides this hook. Its observations are dicts with ``"achieved_goal"``
        and ``"desired_goal"``. Trainers such as HER call it to replay steps with other goals. For
        the goals in a step's observations, it must return the same as `reward`.

        Args:
            achieved_goal: Achieved goals, (..., n), or one (n,).
            desired_goal: Desired goals, in the same shape.
            info: The info of the step, a list of infos for several goals, or None.
        """
        raise NotImplementedError

    def get_state(self) -> Any:
        """Returns the state of the area, without its behaviours, for `Environment.get_state`.

        By default, this is a copy of all attributes with plain values, as in `Behaviour.get_state`.
        An area that keeps state elsewhere, for example in other objects, must override this hook.
        """
        return plain_attributes(self)

    def set_state(self, state: Any) -> None:
        """Restores a result of `get_state`; the world and its behaviours are restored first."""
        restore_attributes(self, state)

    def close(self) -> None:
        """Releases resources of the area; the environment closes the world itself."""


class Area(StatefulArea, ABC):
    """A task for A agents in each of W worlds, W >= 1.

    `Environment` calls the hooks in the order of this class; it calls `fixed_update` once per tick.
    The first axis of all arrays is the world. If agents form one group, actions and
    observations are one array (W, A, ...) in the types of the group's spaces; for several groups,
    they are a tuple with one array per group. For a `Dict` or `Tuple` space they are a dict or
    tuple of such arrays, and for spaces without arrays, such as `Text`, an object array (W, A).

    The environment ignores the results of agents that are not `live`. Hooks must not draw random
    numbers of a world that does not step.

    World w gives the same bits for every W, on one type of CPU, if hooks follow five rules:

    1. Worlds are the first axis, and arrays are in C order: no ``.T``, ``moveaxis`` or ``[::-1]``.
    2. Handles such as ``self.cars.pose`` select rows, not lists of numbers along the second
       axis.
    3. Arithmetic is elementwise; sums are over the last axis.
    4. No product ``(W, k) @ (k, m)``; ``einsum`` or ``(W, 1, k) @ (k, m)`` instead.
    5. Each world draws from its own generator ``world.rngs[w]``, as `World.uniform` does.

    Args:
        world: The W worlds of the task.

    Attributes:
        world: The W worlds of the task.
        agents: One group of agents, or a sequence of groups; A is the number of all agents.
        live: Whether each agent takes part in the current step, (W, A) bool, in the order of the
            groups; during a reset, all agents of the worlds that are reset. Read-only.
        level: The level of each world, (W,), if the area has the hook `next_level`; read-only.
        stepping: The numbers of the worlds that take part in the current step or reset, (w,).

    Example:
        A puck; its action is its velocity along x [m/s], its reward its position [m]:

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
        """Begins new episodes in the reset worlds, (w,); must not change the other worlds."""

    @abstractmethod
    def act(self, actions: Any) -> None:
        """Carries out actions, before the physics advances.

        Args:
            actions: Actions, (W, A, ...); a copy that the area may change. Rows of agents that are
                not live are 0.
        """

    def fixed_update(self, delta_time: float) -> None:
        """Is called in every tick, before its physics steps; `delta_time` is its duration [s]."""

    def update(self) -> None:
        """Applies the rules of the task, once per step, after the physics.

        The changes are written to the simulator before `observe` is called.
        """

    @abstractmethod
    def observe(self) -> Any:
        """Returns the current observations of all agents, (W, A, ...).

        It is called after every step and reset, and must not draw random numbers; `Observations`
        and sensors add noise.
        """

    def terminated(self) -> Bools | None:
        """Returns which agents' episodes end with this step, (W, A) bool; None for none of them."""
        return None

    def truncated(self) -> Bools | None:
        """Returns which agents' episodes this step cuts off, (W, A) bool; None for none of them.

        The environment adds its own time limit.
        """
        return None

    @abstractmethod
    def reward(self) -> NDArray[np.float64] | Mapping[str, NDArray[np.float64]]:
        """Returns each agent's reward for the step, (W, A).

        With `reward_terms`, returns a dict with such an array for each term, without its weight.
        The reward is then the weighted sum of the arrays, added in the order of `reward_terms`.
        """

    def info(self) -> Mapping[str, Any]:
        """Returns further values by name: arrays (W, ...), or lists with one entry per world.

        The entry with an agent's name may be a dict of such values for this agent alone. The key
        ``"deepsim"`` is reserved for the environment.
        """
        return {}

    # Beyond a step

    def joined(self) -> Bools | None:
        """Returns which agents have joined the episode, (W, A) bool; None for all of them.

        It is called after `reset` and, while some agents are not live, after `update`. An agent
        first observes when it joins, and acts from the next step on. It then takes part until it is
        done, and cannot join the same episode again: its value must stay True. At least one agent
        must take part from the beginning; an episode is over when no agent is live.
        """
        return None

    def next_level(self, worlds: WorldNumbers) -> ArrayLike:
        """Returns the levels of the next episodes in some worlds, (w,) integers.

        An area that overrides this hook has a curriculum: `level` holds the level of each world for
        use in `reset`, and is added to the info. The hook is called before worlds are reset, while
        they are still in the final state of their last episodes. It is not called for episodes that
        begin with a seed, which have `first_level`, or for a reset with the option ``"level"``.
        """
        return self.level[worlds]

    def ends(self, late: Bools) -> tuple[Bools | None, Bools | None]:
        """Returns `terminated` and `truncated`; override it if the two depend on each other.

        Args:
            late: Whether each world reached its time limit in this step, (W,) bool.
        """
        return self.terminated(), self.truncated()

    def diverged(self, worlds: WorldNumbers) -> None:
        """Is called with the numbers of the worlds that diverged in this step, (w,).

        Their physics has been reset, so hooks compute with finite numbers; they are no longer
        `stepping`, and the environment truncates their episodes.
        """
