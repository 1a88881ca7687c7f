# SPDX-License-Identifier: Apache-2.0
"""Settings: robots, controllers, lists of models, trainings and their curves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from kind import MODELS, Kind

from deepsim_robots import RobotConfig, read_ros_control
from deepsim_scenes import ModelListError, read_models
from deepsim_sync import UnknownEntityError
from deepsim_train import TaskError
from deepsim_train.training.config import TrainingConfig
from deepsim_train.training.curves import curves_of
from deepsim_train.training.run_folder import settings_of

ROBOT = """source: arm.sdf
parts:
  arm: {joints: [.*], controller: {type: pd_joint_pos, lower: -1, upper: 1}}
home: {shoulder: 0.5}
gains: {.*: {stiffness: 200, damping: 20}}
sensors:
  - {link: lower, name: imu, type: imu, update_rate: 200, angular_velocity: {stddev: 0.01}}
  - {link: lower, name: wrist, type: force_torque, force: [{mean: 1}, {mean: 2}, {mean: 3}]}
  - {link: lower, name: touch, type: contact, collisions: [c]}
  - link: upper
    name: scan
    type: lidar
    pose: [0.1, 0, 0.2, 0, 0, 1.5]
    horizontal: {count: 3, min_angle: -0.5, max_angle: 0.5}
    max_range: 5
  - {link: lower, name: eyes, type: stereo, width: 8, height: 6, baseline: 0.1}
fixed_base: true
balance: gravity
"""
CONTROLLERS = """rrbot:
  shoulder_position_controller:
    type: effort_controllers/JointPositionController
    joint: shoulder
    pid: {p: 100.0, i: 0.5, d: 10.0, i_clamp: 2.0}
  arm_controller:
    type: position_controllers/JointTrajectoryController
    joints: [elbow]
  base_controller:
    type: diff_drive_controller/DiffDriveController
    left_wheel: left
    right_wheel: [right]
    wheel_separation: 0.4
    wheel_radius: 0.1
    linear: {x: {has_velocity_limits: true, max_velocity: 1.5, min_velocity: -0.5}}
gazebo_ros_control:
  pid_gains:
    elbow: {p: 200.0, i: 0.0, d: 20.0}
    left: {p: 2.0, i: 0.0, d: 0.0}
    right: {p: 2.0, i: 0.0, d: 0.0}
"""
TRAINING = """steps: 20000
worlds: 8
gamma: 0.98
hidden: [32, 32]
learning_rate: 3e-4
policies: {red: [red_1, red_2], blue: [blue_*]}
make: {difficulty: 2, name: hard}
wandb: null
"""


def _one(name: str, text: str) -> Any:
    def write(folder: Path) -> list[Path]:
        (folder / name).write_text(text, encoding="utf-8")
        return [folder / name]

    return write


def _models(folder: Path) -> list[Path]:
    shutil.copytree(MODELS / "clutter", folder, dirs_exist_ok=True)
    return [folder / "models.yaml"]


def _settings(folder: Path) -> list[Path]:
    (folder / "train.yaml").write_text(TRAINING, encoding="utf-8")
    config = {"task": "cartpole", "folder": "cartpole", "steps": 9, "gamma": 0.9, "hidden": [8]}
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    return [folder / "train.yaml", folder / "config.json"]


def _read_settings(path: Path) -> None:
    settings = settings_of(path)
    try:
        TrainingConfig().changed(settings)
    except TaskError:
        return  # which names the setting, not the file


def _run(folder: Path) -> list[Path]:
    _settings(folder)
    (folder / "config.json").write_text(
        json.dumps({"task": "cartpole", "seed": 1, "steps": 9}), encoding="utf-8"
    )
    rows = ["steps,reward,length", *(f"{n * 512},{n * 1.5},{n}" for n in range(30)), ""]
    (folder / "progress.csv").write_text("\n".join(rows), encoding="utf-8")
    return [folder / "config.json", folder / "progress.csv"]


def _curves(path: Path) -> None:
    for curve in curves_of([path.parent], "reward"):
        assert np.isfinite(curve.values).all(), "a value is not finite"
        assert np.isfinite(curve.steps).all(), "a number of steps is not finite"


OF_ROBOTS = (ValueError, UnknownEntityError, TypeError, OSError)
KINDS = {
    "robot": Kind(_one("robot.yaml", ROBOT), RobotConfig.from_yaml, OF_ROBOTS, text=True),
    "controllers": Kind(
        _one("controllers.yaml", CONTROLLERS), read_ros_control, OF_ROBOTS, text=True
    ),
    "models": Kind(_models, read_models, (ModelListError,), text=True),
    "training": Kind(_settings, _read_settings, (TaskError,), text=True),
    "curves": Kind(_run, _curves, (TaskError,), text=True),
}
