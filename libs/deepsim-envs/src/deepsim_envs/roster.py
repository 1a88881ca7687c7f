# SPDX-License-Identifier: Apache-2.0
"""Who takes part: the agents of an area, and the one world that they share."""

from __future__ import annotations

from collections.abc import Mapping

from deepsim_sync import World

from .agent import AbstractAgent
from .area import AreaInterface


def agents_by_name(area: AreaInterface) -> dict[str, AbstractAgent]:
    """The agents of an area, in its order.

    Raises:
        TypeError: One is not an agent, or its constructor did not call that of `AbstractAgent`.
        ValueError: There is none, or one is listed twice.
    """
    owner = f"{type(area).__name__}.get_agents()"
    agents: dict[str, AbstractAgent] = {}
    for agent in area.get_agents():
        kind = type(agent).__name__
        if not isinstance(agent, AbstractAgent):
            raise TypeError(f"{owner} must list instances of AbstractAgent, got {agent!r}")
        if not hasattr(agent, "world"):
            raise TypeError(
                f"agent {kind} has neither name nor world: "
                f"{kind}.__init__ must call super().__init__(name) before anything else"
            )
        if agent.name in agents:
            raise ValueError(f"{owner} lists agent {agent.name!r} twice")
        agents[agent.name] = agent
    if not agents:
        raise ValueError(f"{owner} lists no agent: an environment needs at least one")
    return agents


def shared_world(agents: Mapping[str, AbstractAgent], world: World | None) -> World:
    """The world of all agents.

    Args:
        agents: At least one.
        world: Where they ought to be; where the first one is, by default.

    Raises:
        ValueError: One lives elsewhere.
    """
    if world is None:
        world = next(iter(agents.values())).world
    for name, agent in agents.items():
        if agent.world is not world:
            raise ValueError(
                f"agent {name!r} lives in another world than its environment: "
                "make all agents in one, by `with world:` or `world=`"
            )
    return world
