# SPDX-License-Identifier: Apache-2.0
"""RoboCup's middle-size league: n against n on the field of the rules."""

from __future__ import annotations

import math

from deepsim_envs import Environment
from deepsim_math import Euler, Pose
from deepsim_soccer import world_sdf
from deepsim_spawn import GazeboXMLLoader, open_simulator
from deepsim_sync import CameraView, World
from deepsim_train import Task

from .area import Match
from .sight import ChaseAndShoot

STEPS_PER_TICK = 4  # physics steps of 6.25 ms per tick: robots are driven 40 times a second


def make(
    worlds: int = 1,
    seed: int = 0,
    *,
    robots: int = 2,
    opponents: str = "tree",
    shaped: bool = False,
    until_goal: bool = True,
    drill: bool = False,
    seconds: float = 30.0,
    period: float = 0.1,
) -> Environment:
    """Makes the task.

    Args:
        worlds: Number of worlds.
        seed: Seed of the random numbers; world w has seed + w.
        robots: Of each team, 1 to 11.
        opponents: Magenta: ``"agents"`` too; ``"tree"``, a team of behaviour trees; ``"static"``,
            one keeper that stands in the goal; ``"standing"``, robots that stand where they
            begin; or the file of a trained policy.
        shaped: Whether agents earn for more than goals.
        until_goal: Whether an episode ends with a goal.
        drill: Whether episodes begin in the opponents' half rather than with a kick-off.
        seconds: Of the longest episode [s].
        period: Of a step of the agents, a multiple of 25 ms [s].
    """
    simulator = open_simulator(GazeboXMLLoader().load_world(world_sdf()), worlds)
    world = World(simulator, seed=seed, steps_per_tick=STEPS_PER_TICK)
    area = Match(
        world,
        robots,
        opponents,
        shaped=shaped,
        until_goal=until_goal,
        drill=drill,
        period=period,
    )
    return Environment(
        area,
        frame_skip=round(period / world.timestep),
        max_episode_steps=round(seconds / period),
        seed=seed,
    )


TASK = Task(
    name="robocup",
    make=make,
    policies={"chase": ChaseAndShoot()},
    film=CameraView(Pose((0.0, -10.5, 8.0), Euler(0.0, 0.75, math.pi / 2)), 1.4, 960, 540),
    map_view=CameraView.from_above(0.0, 0.0, 22.0, horizontal_fov=0.95, size=(900, 640)),
    training={
        "steps": 1_000_000,
        "worlds": 64,
        "rollout": 64,
        "minibatch": 1024,
        "learning_rate": 1e-3,
        "decay": True,
        "gamma": 0.98,
        "log_std": -0.5,
        "hidden": (128, 128),
        "make": {"shaped": True},
    },
)
