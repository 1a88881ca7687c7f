# SPDX-License-Identifier: Apache-2.0
"""The peers of benchmarks/step.py: MuJoCo alone, Gymnasium, and composer of dm_control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import mujoco
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import SyncVectorEnv

_OPTION = """<option timestep="0.002" integrator="implicitfast" cone="elliptic" impratio="10"
tolerance="1e-10"/>"""  # the settings of the embedded engine
BALL = """<mujoco><option timestep="0.002"/><worldbody><body name="ball" pos="0 0 1">
<freejoint/><geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>"""
_BOX = """<body pos="{x} 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>"""
BOXES = (
    f"<mujoco>{_OPTION}<worldbody>"
    + "".join(_BOX.format(x=2.0 * number) for number in range(10))
    + "</worldbody></mujoco>"
)


def bare(xml: str, steps: int) -> Callable[[], object]:
    """Returns a call of MuJoCo's own steps, of bodies that turn and move."""
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.gravity[:] = 0.0  # they would leave the world
    data = mujoco.MjData(model)
    data.qvel[:] = 0.01
    return lambda: mujoco.mj_step(model, data, steps)


class PlainBall(gymnasium.Env[Any, Any]):
    """The ball's task as little more than `mj_step`, without any check."""

    observation_space = Box(-99.0, 99.0, (3,), np.float32)
    action_space = Box(-1.0, 1.0, (3,), np.float32)

    def __init__(self) -> None:
        self._model = mujoco.MjModel.from_xml_string(BALL)
        self._data = mujoco.MjData(self._model)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        mujoco.mj_resetData(self._model, self._data)
        return self._data.qpos[:3].astype(np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._data.qpos[:3] = action
        mujoco.mj_step(self._model, self._data)
        seen = self._data.qpos[:3].astype(np.float32)
        return seen, float(seen[2]), False, False, {}


def in_turn(makers: Sequence[Callable[[], gymnasium.Env[Any, Any]]]) -> SyncVectorEnv:
    """Returns Gymnasium's own vector environment, which steps one world after the other."""
    return SyncVectorEnv(makers)


def composer() -> Any:
    """Makes the ball's task as one of dm_control's composer."""
    from dm_control import composer as dm_composer  # noqa: PLC0415 (seconds of imports)
    from dm_control import mjcf  # noqa: PLC0415 (as above)
    from dm_control.composer.observation import observable  # noqa: PLC0415 (as above)
    from dm_env import specs  # noqa: PLC0415 (as above)

    class Ball(dm_composer.Entity):  # type: ignore[misc]  # without types
        def _build(self) -> None:
            self._model = mjcf.RootElement(model="ball")
            self._model.worldbody.add("geom", type="sphere", size=[0.1], mass=1.0)

        @property
        def mjcf_model(self) -> Any:
            return self._model

    class BallTask(dm_composer.Task):  # type: ignore[misc]  # without types
        def __init__(self) -> None:
            self._arena = dm_composer.Arena()
            self._joint = self._arena.add_free_entity(Ball()).find_all("joint")[0]
            seen = observable.Generic(lambda physics: physics.bind(self._joint).qpos[:3])
            seen.enabled = True
            self._observables = {"position": seen}
            self.set_timesteps(control_timestep=0.002, physics_timestep=0.002)

        @property
        def root_entity(self) -> Any:
            return self._arena

        @property
        def task_observables(self) -> Any:
            return self._observables

        def action_spec(self, physics: Any) -> Any:
            return specs.BoundedArray((3,), np.float32, -1.0, 1.0)

        def before_step(self, physics: Any, action: Any, random_state: Any) -> None:
            physics.bind(self._joint).qpos[:3] = action

        def get_reward(self, physics: Any) -> float:
            return float(physics.bind(self._joint).qpos[2])

    return dm_composer.Environment(BallTask(), strip_singleton_obs_buffer_dim=True)
