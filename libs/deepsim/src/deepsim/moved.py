# SPDX-License-Identifier: Apache-2.0
"""Names that `deepsim` exported until 0.12; using one warns and names the library that has it."""

from __future__ import annotations

import importlib
import warnings

_MOVED = {
    "deepsim_colliders": """
        ALL_LAYERS BoxCollider CapsuleCollider CircleCollider ColliderSet CompoundCollider
        GeometryCollider Hit RayHits RectangleCollider SphereCollider
    """,
    "deepsim_envs": """
        ActionError ObservationError ResetNeededError
    """,
    "deepsim_fx": """
        AbstractEffect AbstractRandomizer CameraRandomizer EffectManager EffectObserver
    """,
    "deepsim_math": """
        Frustum Material Plane Point Ray lerp lerp_angle
    """,
    "deepsim_robots": """
        EndEffectorPosition JointPid JointPositionVelocity JointTrajectory JointTrapezoid
        Mecanum Mimic MountedSensor OmniWheels Passive RotorThrust read_ros_control
    """,
    "deepsim_spawn": """
        AbstractSpawner Bounds ContactSensor Footprint ForceTorque Imu JointState Lidar
        MjcfModel ModelFormatError ModelIndex Rays SensorDescription
        WorldDescription
    """,
    "deepsim_sync": """
        BehaviourManager CallbackError DuplicateEntityError GetLinkStateTracker GetVisualTracker
        LinkState NoCurrentWorldError Noise Priority Sensor SetLinkStateTracker SetVisualTracker
        SimulationError Simulator SpawnError SpawnRequest TrackerManager UnknownEntityError
        UnsupportedError Visual WriteRefusedError
    """,
}
_HOMES = {name: library for library, names in _MOVED.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Returns the object that a name stood for until 0.12, with a DeprecationWarning.

    Raises:
        AttributeError: The name never existed.
    """
    library = _HOMES.get(name)
    if library is None:
        raise AttributeError(f"module 'deepsim' has no attribute {name!r}")
    warnings.warn(
        f"deepsim.{name} is deprecated since 0.13 and goes in 0.14; import it from {library}",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(importlib.import_module(library), name)
