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


def spawn_file(text: str, folder: Path) -> Callable[[World], None]:
    def act(world: World) -> None:
        path = folder / "broken.sdf"
        path.write_text(text)
        ModelSpawner(path, loader=GazeboXMLLoader([folder])).spawn(world, "new")

    return act


def set_pose(pose: Pose) -> Callable[[World], None]:
    def act(world: World) -> None:
        Transform(world, "ball").pose = pose

    return act


def mesh(uri: str) -> str:
    return BALL.format(geometry=f"<mesh><uri>{uri}</uri></mesh>")


@pytest.fixture
def breakages(tmp_path: Path) -> dict[str, tuple[Callable[[World], None], str]]:
    """What is done, and what its message must say."""
    include = """<sdf version="1.6"><model name="m">
    <include><uri>model://no_such_model</uri></include></model></sdf>"""
    nan, zero = Pose((float("nan"), 0, 0)), Pose((0, 0, 0), Quaternion(0, 0, 0, 0))
    return {
        "malformed XML": (
            spawn_file(SPHERE.replace("</link>", ""), tmp_path),
            r"broken\.sdf:\d+: ",
        ),
        "missing mesh": (
            spawn_file(mesh("file://no_such.obj"), tmp_path),
            r"broken\.sdf:\d+.*no_such\.obj",
        ),
        "unknown model uri": (
            spawn_file(include, tmp_path),
            r"broken\.sdf:\d+.*model://no_such_model",
        ),
        "duplicate name": (
            lambda world: ModelSpawner(SPHERE).spawn(world, "ball"),
            "model named 'ball' exists already",
        ),
        "unknown model to delete": (
            lambda world: world.delete("bal"),
            "no model is named 'bal'; did you mean 'ball'",
        ),
        "unknown model to read": (
            lambda world: world.get(GetModelStateTracker).get_model_state("bowl") and None,
            "no model is named 'bowl'",
        ),
        "NaN pose": (set_pose(nan), "pose of model 'ball' must be finite"),
        "zero quaternion": (
            set_pose(zero),
            "pose of model 'ball' must have a quaternion that is not zero",
        ),
    }


@pytest.mark.parametrize(
    "what",
    [
        "malformed XML",
        "missing mesh",
        "unknown model uri",
        "duplicate name",
        "unknown model to delete",
        "unknown model to read",
        "NaN pose",
        "zero quaternion",
    ],
)
def test_broken_input_is_named_and_changes_nothing(
    breakages: dict[str, tuple[Callable[[World], None], str]], what: str
) -> None:
    def run(broken: bool) -> bytes:
        world = World(MujocoSimulator())
        ModelSpawner(SPHERE).spawn(world, "ball", Pose((0, 0, 2)))
        for tick in range(40):
            if broken and tick == 20:
                act, message = breakages[what]
                with pytest.raises((DeepSimError, ValueError)) as caught:
                    act(world)
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
