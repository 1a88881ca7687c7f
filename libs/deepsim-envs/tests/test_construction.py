# SPDX-License-Identifier: Apache-2.0
"""What an environment can be made of, and what it says otherwise."""

from __future__ import annotations

import pytest
from gymnasium.spaces import Box

from deepsim_envs import AreaInterface, Environment
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator

SPACE = {"b": Box(-10, 10, (2,)), "a": Box(-10, 10, (2,))}


class WithProperties:
    @property
    def observation_space(self):
        return SPACE

    action_space = observation_space


class WithMethods:
    def observation_space(self):
        return SPACE

    action_space = observation_space


class WithAttributes:
    observation_space = SPACE
    action_space = SPACE


@pytest.mark.parametrize("spaces", [WithProperties, WithMethods, WithAttributes])
def test_an_area_gives_its_spaces_in_three_ways(rink, spaces):
    """The paper writes methods, the original toolkit read properties."""

    class Area(spaces, AreaInterface):
        get_agents = lambda self: pucks  # noqa: E731 (the shortest area)
        get_info = lambda self: {}  # noqa: E731
        reset = lambda self: None  # noqa: E731

    pucks = rink().agents
    env = Environment(Area())
    assert env.observation_space == env.action_space == SPACE
    env.reset()
    env.close()  # an area need not have a close()


def test_spaces_are_copies_of_the_areas_in_the_order_of_the_agents(rink):
    area = rink()
    area.action_space = area.observation_space = SPACE
    env = Environment(area)
    assert list(env.action_space) == list(env.observation_space) == ["a", "b"]
    assert env.action_space["a"] == SPACE["a"]
    assert env.action_space["a"] is not SPACE["a"]


def test_the_agent_of_the_paper_without_super_is_told_what_to_write(rink, world, puck):
    class RobotAgent(puck):
        def __init__(self, name):
            self._name = name

    area = rink()
    area.agents.append(RobotAgent("c"))
    with pytest.raises(
        TypeError, match=r"RobotAgent.__init__ must call super\(\).__init__\(name\)"
    ):
        Environment(area)


def test_an_agent_is_a_behaviour_with_all_its_arguments(world, puck):
    pose = Pose((1, 2, 3))
    agent = puck("a", tags=["red"], initial_pose=pose, world=world)
    assert world.behaviours.find_by_tag("red") == (agent,)
    agent.reset()
    assert agent.transform.pose == pose


def _no_agents(area):
    area.agents = []


def _twice(area):
    area.agents *= 2


def _stranger(area):
    area.agents.append("c")


def _elsewhere(area):
    other = World(TableSimulator())
    other.spawn(TableModel(), "c", Pose())
    area.agents.append(type(area.agents[0])("c", world=other))


def _missing_space(area):
    del area.action_space["b"]


def _surplus_space(area):
    area.observation_space["z"] = SPACE["a"]


def _no_space(area):
    area.action_space["b"] = (2,)


def _no_dict(area):
    area.action_space = SPACE["a"]


@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [
        (_no_agents, ValueError, r"Rink.get_agents\(\) lists no agent"),
        (_twice, ValueError, r"Rink.get_agents\(\) lists agent 'a' twice"),
        (_stranger, TypeError, "must list instances of AbstractAgent, got 'c'"),
        (_elsewhere, ValueError, "agent 'c' lives in another world"),
        (_missing_space, ValueError, r"Rink.action_space lacks agent 'b': it has \['a'\]"),
        (_surplus_space, ValueError, r"Rink.observation_space names 'z', but the agents are"),
        (_no_space, TypeError, r"'b' must be a gymnasium.spaces.Space, got \(2,\)"),
        (_no_dict, TypeError, "Rink.action_space must be a dict of spaces by agent name, got Box"),
    ],
)
def test_a_faulty_area_is_refused(rink, spoil, error, message):
    area = rink()
    spoil(area)
    with pytest.raises(error, match=message):
        Environment(area)


@pytest.mark.parametrize("area", [None, AreaInterface, "area"])
def test_only_an_area_makes_an_environment(area):
    with pytest.raises(TypeError, match="area must be an instance of Area or AreaInterface, got"):
        Environment(area)


@pytest.mark.parametrize("frame_skip", [0, -4, 3])
def test_a_step_is_whole_ticks(make_env, puck, frame_skip):
    world = World(TableSimulator(), steps_per_tick=2)
    message = rf"frame_skip \({frame_skip}\) must be > 0 and a multiple .* steps_per_tick \(2\)"
    with pytest.raises(ValueError, match=message):
        make_env(puck("a", world=world), frame_skip=frame_skip)


def test_a_time_limit_is_at_least_one_step(make_env):
    with pytest.raises(ValueError, match="max_episode_steps must be >= 1 or None, got 0"):
        make_env(max_episode_steps=0)
