# SPDX-License-Identifier: Apache-2.0
"""Challenging reinforcement-learning environments for robots, in Python.

This package pins versions of the DeepSim libraries that work together, and re-exports the names
that most tasks need. Import all other names from the libraries: `deepsim_math`, `deepsim_spawn`,
and so on. Behaviour trees are only in `deepsim_btree`: its ``Behaviour``, a node of a tree, is not
the ``Behaviour`` exported here.
"""

from deepsim_envs import (
    AbstractAgent,
    ActionDelay,
    Agents,
    Area,
    AreaInterface,
    ArrayPolicy,
    Command,
    Environment,
    GymnasiumEnv,
    GymnasiumVectorEnv,
    History,
    Observations,
    Policy,
    Push,
    action_box,
)
from deepsim_fx import (
    ArrayRandomizer,
    BlinkEffect,
    FadeEffect,
    InvisibleEffect,
    JointRandomizer,
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
    DCMotor,
    Delayed,
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
    Noise,
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
    "AbstractAgent",
    "Agents",
    "Area",
    "AreaInterface",
    "ArrayPolicy",
    "Environment",
    "GymnasiumEnv",
    "GymnasiumVectorEnv",
    "Policy",
    "Task",
    "action_box",
    "load_task",
    "make_environment",
    "register_task",
    # its parts
    "ActionDelay",
    "Command",
    "History",
    "Observations",
    "Push",
    # its world
    "Backend",
    "Behaviour",
    "CameraView",
    "GetModelStateTracker",
    "ModelState",
    "MujocoSimulator",
    "Noise",
    "SetModelStateTracker",
    "Transform",
    "World",
    "open_simulator",
    # its models
    "GazeboXMLLoader",
    "ModelDescription",
    "ModelSpawner",
    # its robots
    "Ackermann",
    "DCMotor",
    "Delayed",
    "DiffDrive",
    "EndEffectorPose",
    "Gains",
    "JointDeltaPosition",
    "JointEffort",
    "JointPosition",
    "JointVelocity",
    "Part",
    "PlanarBase",
    "Robot",
    "RobotConfig",
    "find_robot",
    # values
    "Color",
    "Euler",
    "Pose",
    "Position",
    "Quaternion",
    "Twist",
    "Vector3",
    # effects, and randomization
    "ArrayRandomizer",
    "BlinkEffect",
    "FadeEffect",
    "InvisibleEffect",
    "JointRandomizer",
    "LightRandomizer",
    "ModelVisualRandomizer",
    "PhysicsRandomizer",
    "PoseRandomizer",
    "RandomizerManager",
    "TintEffect",
    # errors
    "BackendError",
    "DeepSimError",
    "TaskCodeError",
    "TaskError",
    # the other names of the paper
    *paper.__all__,
]
