# SPDX-License-Identifier: Apache-2.0
"""The names that `deepsim` exports: what most tasks need, and the paper's."""

from deepsim_envs import (
    AbstractAgent,
    Agents,
    Area,
    AreaInterface,
    ArrayPolicy,
    Environment,
    GymnasiumEnv,
    GymnasiumVectorEnv,
    Policy,
    action_box,
)
from deepsim_fx import (
    BlinkEffect,
    FadeEffect,
    InvisibleEffect,
    LightRandomizer,
    ModelVisualRandomizer,
    PhysicsRandomizer,
    PoseRandomizer,
    RandomizerManager,
    TintEffect,
)
from deepsim_math import Color, Euler, Pose, Position, Quaternion, Twist, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import (
    Ackermann,
    DiffDrive,
    EndEffectorPose,
    Gains,
    JointDeltaPosition,
    JointEffort,
    JointPosition,
    JointVelocity,
    Part,
    PlanarBase,
    Robot,
    RobotConfig,
    find_robot,
)
from deepsim_spawn import (
    Backend,
    BackendError,
    GazeboXMLLoader,
    ModelDescription,
    ModelSpawner,
    open_simulator,
)
from deepsim_sync import (
    Behaviour,
    CameraView,
    DeepSimError,
    GetModelStateTracker,
    ModelState,
    SetModelStateTracker,
    Transform,
    World,
)
from deepsim_train import (
    Task,
    TaskCodeError,
    TaskError,
    load_task,
    make_environment,
    register_task,
)

from . import paper
from .paper import *  # noqa: F403 (its `__all__`)

__all__ = [
    # a task, and everything that runs it
    "AbstractAgent", "Agents", "Area", "AreaInterface", "ArrayPolicy", "Environment",
    "GymnasiumEnv", "GymnasiumVectorEnv", "Policy", "Task", "action_box", "load_task",
    "make_environment", "register_task",
    # its world
    "Backend", "Behaviour", "CameraView", "GetModelStateTracker", "ModelState",
    "MujocoSimulator", "SetModelStateTracker", "Transform", "World", "open_simulator",
    # its models
    "GazeboXMLLoader", "ModelDescription", "ModelSpawner",
    # its robots
    "Ackermann", "DiffDrive", "EndEffectorPose", "Gains", "JointDeltaPosition", "JointEffort",
    "JointPosition", "JointVelocity", "Part", "PlanarBase", "Robot", "RobotConfig", "find_robot",
    # values
    "Color", "Euler", "Pose", "Position", "Quaternion", "Twist", "Vector3",
    # effects, and randomization
    "BlinkEffect", "FadeEffect", "InvisibleEffect", "LightRandomizer", "ModelVisualRandomizer",
    "PhysicsRandomizer", "PoseRandomizer", "RandomizerManager", "TintEffect",
    # errors
    "BackendError", "DeepSimError", "TaskCodeError", "TaskError",
    # the other names of the paper
    *paper.__all__,
]  # fmt: skip
