# SPDX-License-Identifier: Apache-2.0
"""Broken input names what is wrong, and the world goes on as if nothing had been asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from deepsim import (
    DeepSimError,
    Environment,
    GazeboXMLLoader,
    GetModelStateTracker,
    ModelSpawner,
    MujocoSimulator,
    Pose,
    Quaternion,
    Task,
    Transform,
    World,
)

BALL = """<sdf version="1.6"><model name="ball"><link name="link">
<inertial><mass>1</mass><inertia><ixx>0.004</ixx><iyy>0.004</iyy><izz>0.004</izz></inertia></inertial>
<collision name="c"><geometry>{geometry}</geometry></collision></link></model></sdf>"""
SPHERE = BALL.format(geometry="<sphere><radius>0.1</radius></sphere>")


INCLUDE = """<sdf version="1.6"><model name="m">
<include><uri>model://no_such_model</uri></include></model></sdf>"""


def spawned(text: str) -> Callable[[World, Path], None]:
    def act(world: World, folder: Path) -> None:
        path = folder / "broken.sdf"
        path.write_text(text)
        ModelSpawner(path, loader=GazeboXMLLoader([folder])).spawn(world, "new")

    return act


def placed(pose: Pose) -> Callable[[World, Path], None]:
    def act(world: World, folder: Path) -> None:
        Transform(world, "ball").pose = pose

    return act


def read_a_stranger(world: World, folder: Path) -> None:
    world.get(GetModelStateTracker).get_model_state("bowl")


def mesh(uri: str) -> str:
    return BALL.format(geometry=f"<mesh><uri>{uri}</uri></mesh>")


BROKEN: dict[str, tuple[Callable[[World, Path], None], str]] = {
    "malformed XML": (spawned(SPHERE.replace("</link>", "")), r"broken\.sdf:\d+: "),
    "missing mesh": (spawned(mesh("file://no_such.obj")), r"broken\.sdf:\d+.*no_such\.obj"),
    "unknown model uri": (spawned(INCLUDE), r"broken\.sdf:\d+.*model://no_such_model"),
    "duplicate name": (
        lambda world, _: ModelSpawner(SPHERE).spawn(world, "ball"),
        "model named 'ball' exists already",
    ),
    "unknown model to delete": (
        lambda world, _: world.delete("bal"),
        "no model is named 'bal'; did you mean 'ball'",
    ),
    "unknown model to read": (read_a_stranger, "no model is named 'bowl'"),
    "NaN pose": (placed(Pose((float("nan"), 0, 0))), "pose of model 'ball' must be finite"),
    "zero quaternion": (
        placed(Pose((0, 0, 0), Quaternion(0, 0, 0, 0))),
        "pose of model 'ball' must have a quaternion that is not zero",
    ),
}


@pytest.mark.parametrize(("act", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_input_is_named_and_changes_nothing(
    act: Callable[[World, Path], None], message: str, tmp_path: Path
) -> None:
    def run(broken: bool) -> bytes:
        world = World(MujocoSimulator())
        ModelSpawner(SPHERE).spawn(world, "ball", Pose((0, 0, 2)))
        for tick in range(40):
            if broken and tick == 20:
                with pytest.raises((DeepSimError, ValueError)) as caught:
                    act(world, tmp_path)
                assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)
            world.tick()
        assert list(world.entities.models) == ["ball"]
        return world.models.pose.tobytes()

    assert run(broken=True) == run(broken=False)


def test_an_agent_without_an_action_is_named_and_nothing_happens(racetrack: Task) -> None:
    def step(environment: Environment, *names: str) -> None:
        environment.step({name: np.zeros(2, np.float32) for name in names})

    with racetrack.environment() as environment:
        environment.reset(seed=0)
        step(environment, "red_car", "blue_car")
        before = environment.world.models.pose.tobytes(), environment.world.time.tobytes()
        with pytest.raises(DeepSimError, match="agent 'blue_car' has no action"):
            step(environment, "red_car")
        world = environment.world
        assert (world.models.pose.tobytes(), world.time.tobytes()) == before
        step(environment, "red_car", "blue_car")
